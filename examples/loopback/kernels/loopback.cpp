#include <cstdint>

#include "dataflow_api.h"

// Copies num_pages pages of one interleaved DRAM buffer to another through one page of L1.
void kernel_main() {
  const uint32_t l1_address = get_arg_val<uint32_t>(0);
  const uint32_t source_address = get_arg_val<uint32_t>(1);
  const uint32_t result_address = get_arg_val<uint32_t>(2);
  const uint32_t num_pages = get_arg_val<uint32_t>(3);
  constexpr uint32_t page_size = get_compile_time_arg_val(0);

  const InterleavedAddrGen<true> source = {.bank_base_address = source_address,
                                           .page_size = page_size};
  const InterleavedAddrGen<true> result = {.bank_base_address = result_address,
                                           .page_size = page_size};
  for (uint32_t page = 0; page < num_pages; ++page) {
    noc_async_read(get_noc_addr(page, source), l1_address, page_size);
    noc_async_read_barrier();
    noc_async_write(l1_address, get_noc_addr(page, result), page_size);
    noc_async_write_barrier();
  }
}
