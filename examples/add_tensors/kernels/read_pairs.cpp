#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

// Brings pairs of tiles, one of each tensor.
void kernel_main() {
  const auto a = TensorAccessor(tensor::a);
  const auto b = TensorAccessor(tensor::b);
  DataflowBuffer tiles_a(dfb::a), tiles_b(dfb::b);
  Noc noc;
  const uint32_t end = get_arg(args::first) + get_arg(args::count);
  for (uint32_t tile = get_arg(args::first); tile < end; ++tile) {
    tiles_a.reserve_back(1);
    tiles_b.reserve_back(1);
    noc.async_read(a, tiles_a, tiles_a.get_entry_size(), {.page_id = tile}, {});
    noc.async_read(b, tiles_b, tiles_b.get_entry_size(), {.page_id = tile}, {});
    noc.async_read_barrier();
    tiles_a.push_back(1);
    tiles_b.push_back(1);
  }
}
