#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

// Takes the sums away.
void kernel_main() {
  const auto sum = TensorAccessor(tensor::sum);
  DataflowBuffer sums(dfb::sums);
  Noc noc;
  const uint32_t end = get_arg(args::first) + get_arg(args::count);
  for (uint32_t tile = get_arg(args::first); tile < end; ++tile) {
    sums.wait_front(1);
    noc.async_write(sums, sum, sums.get_entry_size(), {}, {.page_id = tile});
    noc.async_write_barrier();
    sums.pop_front(1);
  }
}
