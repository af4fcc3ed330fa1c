// Circular buffer 16 to tiles [first, first + count) of a buffer.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
  const uint32_t address = get_arg_val<uint32_t>(0);
  const uint32_t first = get_arg_val<uint32_t>(1);
  const uint32_t count = get_arg_val<uint32_t>(2);

  constexpr uint32_t cb = tt::CBIndex::c_16;
  constexpr auto args = TensorAccessorArgs<0>();
  const auto out = TensorAccessor(args, address, get_tile_size(cb));

  for (uint32_t tile = first; tile < first + count; ++tile) {
    cb_wait_front(cb, 1);
    noc_async_write_tile(tile, out, get_read_ptr(cb));
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
  }
}
