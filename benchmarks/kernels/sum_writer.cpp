#include <cstdint>

#include "dataflow_api.h"

// Writes tiles [first, first + count) of an interleaved buffer, `batch` at once.
void kernel_main() {
  constexpr uint32_t batch = get_compile_time_arg_val(0);
  constexpr uint32_t cb = 16;
  constexpr uint32_t tile_bytes = get_tile_size(cb);
  const uint32_t first = get_arg_val<uint32_t>(1);
  const uint32_t count = get_arg_val<uint32_t>(2);

  const InterleavedAddrGenFast<true> sum = {.bank_base_address = get_arg_val<uint32_t>(0),
                                            .page_size = tile_bytes,
                                            .data_format = get_dataformat(cb)};
  for (uint32_t tile = first; tile < first + count; tile += batch) {
    cb_wait_front(cb, batch);
    const uint32_t source = get_read_ptr(cb);
    for (uint32_t i = 0; i < batch; ++i)
      noc_async_write_tile(tile + i, sum, source + i * tile_bytes);
    noc_async_write_barrier();
    cb_pop_front(cb, batch);
  }
}
