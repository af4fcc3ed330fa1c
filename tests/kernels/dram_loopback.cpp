#include <cstdint>

// Copies `size` bytes from one DRAM bank to another through L1. Includes no API header: the build
// brings it in.
void kernel_main() {
  const uint32_t l1_address = get_arg_val<uint32_t>(0);
  const uint32_t source_address = get_arg_val<uint32_t>(1);
  const uint32_t source_bank = get_arg_val<uint32_t>(2);
  const uint32_t result_address = get_arg_val<uint32_t>(3);
  const uint32_t result_bank = get_arg_val<uint32_t>(4);
  const uint32_t size = get_arg_val<uint32_t>(5);

  noc_async_read(get_noc_addr_from_bank_id<true>(source_bank, source_address), l1_address, size);
  noc_async_read_barrier();
  noc_async_write(l1_address, get_noc_addr_from_bank_id<true>(result_bank, result_address), size);
  noc_async_write_barrier();
}
