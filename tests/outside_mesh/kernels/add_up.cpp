#include "api/dataflow/noc.h"
#include "api/scratchpad.h"
#include "api/semaphore.h"
#include "api/tensor/noc_traits.h"
#include "api/tensor/tensor_accessor.h"

// Adds up the counts of all nodes once they are there.
void kernel_main() {
  const auto counts = TensorAccessor(tensor::counts);
  Scratchpad<uint32_t> row(scratch::row), sums(scratch::sums);
  Noc noc;
  for (uint32_t bin = 0; bin < sums.size(); ++bin) sums[bin] = 0;
  Semaphore counted(sem::counted);
  counted.wait(get_arg(args::nodes));
  for (uint32_t node = 0; node < get_arg(args::nodes); ++node) {
    noc.async_read(counts, row, row.size_in_bytes(), {.page_id = node}, {});
    noc.async_read_barrier();
    for (uint32_t bin = 0; bin < sums.size(); ++bin) sums[bin] += row[bin];
  }
  noc.async_write(sums, TensorAccessor(tensor::histogram), sums.size_in_bytes(), {},
                  {.page_id = 0});
  noc.async_write_barrier();
}
