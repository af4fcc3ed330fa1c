#include "api/dataflow/noc.h"
#include "api/scratchpad.h"
#include "api/semaphore.h"
#include "api/tensor/noc_traits.h"
#include "api/tensor/tensor_accessor.h"

// Counts how often each value occurs in some of the pages, writes the counts to the node's row and
// tells the node that adds them up.
void kernel_main() {
  const auto values = TensorAccessor(tensor::values);
  Scratchpad<uint32_t> page(scratch::page), bins(scratch::bins);
  Noc noc;
  for (uint32_t bin = 0; bin < bins.size(); ++bin) bins[bin] = 0;
  const uint32_t end = get_arg(args::first) + get_arg(args::count);
  for (uint32_t number = get_arg(args::first); number < end; ++number) {
    noc.async_read(values, page, page.size_in_bytes(), {.page_id = number}, {});
    noc.async_read_barrier();
    for (uint32_t i = 0; i < page.size(); ++i) ++bins[page[i]];
  }
  noc.async_write(bins, TensorAccessor(tensor::counts), bins.size_in_bytes(), {},
                  {.page_id = get_arg(args::row)});
  noc.async_write_barrier();
  Semaphore counted(sem::counted);
  counted.up(noc, get_arg(args::x), get_arg(args::y), 1);
  noc.async_atomic_barrier();
}
