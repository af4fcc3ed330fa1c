#include <cstdint>

#include "dataflow_api.h"

// y = factor * x + summand for pages of 32-bit words in interleaved DRAM, each through L1.
void kernel_main() {
  const uint32_t l1_address = get_arg_val<uint32_t>(0);
  const uint32_t source_address = get_arg_val<uint32_t>(1);
  const uint32_t result_address = get_arg_val<uint32_t>(2);
  const uint32_t num_pages = get_arg_val<uint32_t>(3);
  constexpr uint32_t page_size = get_compile_time_arg_val(0);
  constexpr uint32_t factor = get_compile_time_arg_val(1);
  constexpr uint32_t summand = get_compile_time_arg_val(2);

  const InterleavedAddrGen<true> source = {.bank_base_address = source_address,
                                           .page_size = page_size};
  const InterleavedAddrGen<true> result = {.bank_base_address = result_address,
                                           .page_size = page_size};
  volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_address);
  for (uint32_t page = 0; page < num_pages; ++page) {
    noc_async_read(get_noc_addr(page, source), l1_address, page_size);
    noc_async_read_barrier();
    for (uint32_t i = 0; i < page_size / sizeof(uint32_t); ++i)
      words[i] = factor * words[i] + summand;
    noc_async_write(l1_address, get_noc_addr(page, result), page_size);
    noc_async_write_barrier();
  }
}
