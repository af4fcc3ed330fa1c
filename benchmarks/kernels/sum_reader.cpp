#include <cstdint>

#include "dataflow_api.h"

// Reads tiles [first, first + count) of two interleaved buffers, `batch` at once.
void kernel_main() {
  constexpr uint32_t batch = get_compile_time_arg_val(0);
  constexpr uint32_t cb_a = 0;
  constexpr uint32_t cb_b = 1;
  constexpr uint32_t tile_bytes = get_tile_size(cb_a);
  const uint32_t first = get_arg_val<uint32_t>(2);
  const uint32_t count = get_arg_val<uint32_t>(3);

  const InterleavedAddrGenFast<true> a = {.bank_base_address = get_arg_val<uint32_t>(0),
                                          .page_size = tile_bytes,
                                          .data_format = get_dataformat(cb_a)};
  const InterleavedAddrGenFast<true> b = {.bank_base_address = get_arg_val<uint32_t>(1),
                                          .page_size = tile_bytes,
                                          .data_format = get_dataformat(cb_b)};
  for (uint32_t tile = first; tile < first + count; tile += batch) {
    cb_reserve_back(cb_a, batch);
    cb_reserve_back(cb_b, batch);
    const uint32_t target_a = get_write_ptr(cb_a);
    const uint32_t target_b = get_write_ptr(cb_b);
    for (uint32_t i = 0; i < batch; ++i) {
      noc_async_read_tile(tile + i, a, target_a + i * tile_bytes);
      noc_async_read_tile(tile + i, b, target_b + i * tile_bytes);
    }
    noc_async_read_barrier();
    cb_push_back(cb_a, batch);
    cb_push_back(cb_b, batch);
  }
}
