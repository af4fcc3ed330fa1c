#include "tests/device/dataflow/dataflow_api_rows.h"

namespace lightmetal::device::testing {

const std::vector<Row>& read_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"noc_async_read",
       "noc_async_read(get_noc_addr(X[2], Y[0], A, N), B, 64, N); noc_async_read_barrier(N);",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1(kMe, B), 64);
       }},
      {"noc_async_read of any length",
       "noc_async_read(get_noc_addr_from_bank_id<true>(3, A, N), B, 20001, N); "
       "noc_async_read_barrier(N);",
       [](const Reference& r) { r.copy(dram(3, A), l1(kMe, B), 20001); }},
      {"noc_async_read with a page size",
       "noc_async_read<64>(get_noc_addr(X[0], Y[0], A), B, 64); noc_async_read_barrier();",
       [](const Reference& r) {
         r.copy(l1({0, 0}, A), l1(kMe, B), 64);
       }},
      {"noc_async_read_one_packet",
       "noc_async_read_one_packet(get_noc_addr(X[3], Y[2], A + 32, N), B, 8192, N); "
       "noc_async_read_barrier(N);",
       [](const Reference& r) {
         r.copy(l1({3, 2}, A + 32), l1(kMe, B), 8192);
       }},
      {"noc_async_read_with_state",
       "noc_async_read_set_state(get_noc_addr(X[3], Y[1], A, N), N);"
       "noc_async_read_with_state(A + 64, B, 96, N); noc_async_read_with_state(A + 1024, B + 96, "
       "9000, N);"
       "noc_async_read_barrier(N);",
       [](const Reference& r) {
         r.copy(l1({3, 1}, A + 64), l1(kMe, B), 96);
         r.copy(l1({3, 1}, A + 1024), l1(kMe, B + 96), 9000);
       }},
      {"noc_async_read_one_packet_with_state, until 2025",
       "noc_async_read_one_packet_set_state(get_noc_addr(X[3], Y[1], A, N), 48, N);"
       "noc_async_read_one_packet_with_state(A + 64, B, N);"
       "noc_async_read_one_packet_with_state<false>(A + 128, B + 48, N); "
       "noc_async_read_inc_num_issued(1, N);"
       "noc_async_read_barrier(N);",
       [](const Reference& r) {
         r.copy(l1({3, 1}, A + 64), l1(kMe, B), 48);
         r.copy(l1({3, 1}, A + 128), l1(kMe, B + 48), 48);
       }},
      {"noc_async_read_one_packet_with_state, with a channel",
       "noc_async_read_one_packet_set_state<true>(get_noc_addr(X[3], Y[1], A, N), 48, 2, N);"
       "noc_async_read_one_packet_with_state<true, true>(A + 64, B, 2, N);"
       "noc_async_read_one_packet_set_state<true>(get_noc_addr(X[0], Y[1], A), 16, 2);"
       "noc_async_read_one_packet_with_state(A, B + 48); "
       "noc_async_read_one_packet_with_state<true, true>(A, B + 64, 2);"
       "noc_async_read_barrier(N); noc_async_read_barrier();",
       [](const Reference& r) {
         r.copy(l1({3, 1}, A + 64), l1(kMe, B), 48);
         r.copy(l1({0, 1}, A), l1(kMe, B + 48), 16);
         r.copy(l1({0, 1}, A), l1(kMe, B + 64), 16);
       }},
      {"the NoCs have states of their own",
       "noc_async_read_set_state(get_noc_addr(X[3], Y[1], A), 0); "
       "noc_async_read_set_state(get_noc_addr(X[2], Y[1], A), 1);"
       "noc_async_read_with_state(A, B, 64, 0); noc_async_read_with_state(A, B + 64, 64, 1); "
       "noc_async_read_barrier(0); noc_async_read_barrier(1);",
       [](const Reference& r) {
         r.copy(l1({3, 1}, A), l1(kMe, B), 64);
         r.copy(l1({2, 1}, A), l1(kMe, B + 64), 64);
       }},
      {"reads with transaction ids",
       "noc_async_read_set_trid(3, N); "
       "noc_async_read_one_packet_set_state(get_noc_addr_from_bank_id<true>(5, A, N), 64, N);"
       "noc_async_read_one_packet_with_state_with_trid(A, 128, B, 3, N); "
       "noc_async_read_barrier_with_trid(3, N);"
       "noc_async_read_one_packet_with_state_with_trid(A, 256, B + 64, 4, N); "
       "noc_async_read_barrier_with_trid(4, N);"
       "reset_noc_trid_barrier_counter(); "
       "reset_noc_trid_barrier_counter(NOC_CLEAR_OUTSTANDING_REQ_MASK, N);",
       [](const Reference& r) {
         r.copy(dram(5, A + 128), l1(kMe, B), 64);
         r.copy(dram(5, A + 256), l1(kMe, B + 64), 64);
       }},
      {"DRAM-sharded reads",
       "uint32_t base = noc_async_read_tile_dram_sharded_set_state<true>(A, 128, 4, 1, N);"
       "noc_async_read_tile_dram_sharded_with_state(base, 256, B, 0, N);"
       "noc_async_read_tile_dram_sharded_set_trid(2, N);"
       "noc_async_read_tile_dram_sharded_with_state_with_trid(base, 512, B + 128, 2, N); "
       "noc_async_read_barrier_with_trid(2, N);"
       "base = noc_async_read_tile_dram_sharded_set_state<A, 64, true>(6, 1, N);"
       "noc_async_read_tile_dram_sharded_with_state(base, 1024, B + 256, 0, N); "
       "noc_async_read_barrier(N);",
       [](const Reference& r) {
         r.copy(dram(4, A + 256), l1(kMe, B), 128);
         r.copy(dram(4, A + 512), l1(kMe, B + 128), 128);
         r.copy(dram(6, A + 1024), l1(kMe, B + 256), 64);
       }},
      {"noc_async_read_page",
       "const InterleavedAddrGen<true> g = {.bank_base_address = A, .page_size = 40};"
       "const InterleavedPow2AddrGen<true> p = {.bank_base_address = A, .log_base_2_of_page_size = "
       "6};"
       "const InterleavedPow2AddrGenFast<true> f = {.bank_base_address = A, "
       ".log_base_2_of_page_size = 6};"
       "noc_async_read_page(30, g, B, 0, N); noc_async_read_page(31, p, B + 64); "
       "noc_async_read_page(32, f, B + 128, 0, N);"
       "f.noc_async_read_page(33, B + 192); f.noc_async_read_partial_page(34, B + 256, 24, 8, N); "
       "g.noc_async_read_page(35, B + 320);"
       "noc_async_read_barrier(); noc_async_read_barrier(N);",
       [](const Reference& r) {
         r.copy(r.dram_page_place(30, A, 64), l1(kMe, B), 40);
         r.copy(r.dram_page_place(31, A, 64), l1(kMe, B + 64), 64);
         r.copy(r.dram_page_place(32, A, 64), l1(kMe, B + 128), 64);
         r.copy(r.dram_page_place(33, A, 64), l1(kMe, B + 192), 64);
         r.copy(r.dram_page_place(34, A, 64) + 8, l1(kMe, B + 256), 24);
         r.copy(r.dram_page_place(35, A, 64), l1(kMe, B + 320), 40);
       }},
      {"noc_async_read_tile",
       "const InterleavedAddrGenFast<true> g = {.bank_base_address = A, .page_size = 2048, "
       ".data_format = DataFormat::Float16_b};"
       "noc_async_read_tile(30, g, B, 0, N); noc_async_read_tile(13, g, B + 2048); "
       "g.noc_async_read_tile(14, B + 4096, 16, N);"
       "noc_async_read_barrier(N); noc_async_read_barrier();",
       [](const Reference& r) {
         r.copy(r.dram_page_place(30, A, 2048), l1(kMe, B), 2048);
         r.copy(r.dram_page_place(13, A, 2048), l1(kMe, B + 2048), 2048);
         r.copy(r.dram_page_place(14, A, 2048) + 16, l1(kMe, B + 4096), 2048);
       }},
      {"zeros",
       "noc_async_read(get_noc_addr(MEM_ZEROS_BASE), B, MEM_ZEROS_SIZE, N); "
       "noc_async_read_barrier(N);",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 512; i += 4) r.memory.put(l1(kMe, B + i), 0);
       }},
  };
  return *rows;
}

const std::vector<Row>& write_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"noc_async_write",
       "noc_async_write(A, get_noc_addr(X[2], Y[0], B, N), 64, N); noc_async_write_barrier(N);",
       [](const Reference& r) {
         r.copy(l1(kMe, A), l1({2, 0}, B), 64);
       }},
      {"noc_async_write of any length",
       "noc_async_write(A, get_noc_addr_from_bank_id<true>(11, B, N), 20001, N); "
       "noc_async_writes_flushed(N); noc_async_write_barrier(N);",
       [](const Reference& r) { r.copy(l1(kMe, A), dram(11, B), 20001); }},
      {"posted writes",
       "noc_async_write<64, true, true>(A, get_noc_addr(X[2], Y[0], B), 64); "
       "noc_async_posted_writes_flushed(); noc_async_full_barrier();",
       [](const Reference& r) {
         r.copy(l1(kMe, A), l1({2, 0}, B), 64);
       }},
      {"noc_async_write_one_packet",
       "noc_async_write_one_packet(A, get_noc_addr(X[0], Y[0], B, N), 8192, N); "
       "noc_async_full_barrier(N);",
       [](const Reference& r) {
         r.copy(l1(kMe, A), l1({0, 0}, B), 8192);
       }},
      {"noc_async_write_one_packet_with_state",
       "noc_async_write_one_packet_set_state(get_noc_addr(X[3], Y[2], B, N), 80, N);"
       "noc_async_write_one_packet_with_state(A, B + 64, N); "
       "noc_async_write_one_packet_with_state<true>(A + 96, B + 160, N); "
       "noc_async_write_barrier(N);",
       [](const Reference& r) {
         r.copy(l1(kMe, A), l1({3, 2}, B + 64), 80);
         r.copy(l1(kMe, A + 96), l1({3, 2}, B + 160), 80);
       }},
      {"writes with transaction ids",
       "noc_async_write_set_trid(1, N); noc_async_write_one_packet_with_trid(A, get_noc_addr(X[3], "
       "Y[2], B, N), 64, 1, write_cmd_buf, N);"
       "noc_async_write_flushed_with_trid(1, N);"
       "noc_async_write_one_packet_with_trid_set_state(get_noc_addr(X[3], Y[1], 0, N), "
       "write_cmd_buf, N);"
       "noc_async_write_one_packet_with_trid_with_state(A + 64, B + 64, 128, 15, write_cmd_buf, "
       "N); noc_async_write_barrier_with_trid(15, N);",
       [](const Reference& r) {
         r.copy(l1(kMe, A), l1({3, 2}, B), 64);
         r.copy(l1(kMe, A + 64), l1({3, 1}, B + 64), 128);
       }},
      {"noc_async_write_page",
       "const InterleavedAddrGen<true> g = {.bank_base_address = B, .page_size = 40};"
       "const InterleavedPow2AddrGenFast<true> f = {.bank_base_address = B, "
       ".log_base_2_of_page_size = 6};"
       "noc_async_write_page(30, g, A, 24, 8, N); noc_async_write_page(31, g, A + 64); "
       "noc_async_write_page(32, f, A + 128, 64);"
       "f.noc_async_write_page(33, A + 192, 16, 4, N); noc_async_write_barrier(N); "
       "noc_async_write_barrier();",
       [](const Reference& r) {
         r.copy(l1(kMe, A), r.dram_page_place(30, B, 64) + 8, 24);
         r.copy(l1(kMe, A + 64), r.dram_page_place(31, B, 64), 40);
         r.copy(l1(kMe, A + 128), r.dram_page_place(32, B, 64), 64);
         r.copy(l1(kMe, A + 192), r.dram_page_place(33, B, 64) + 4, 16);
       }},
      {"noc_async_write_tile",
       "const InterleavedAddrGenFast<true> g = {.bank_base_address = B, .page_size = 1088, "
       ".data_format = DataFormat::Bfp8_b};"
       "noc_async_write_tile(30, g, A, N); noc_async_write_tile(13, g, A + 2048); "
       "g.noc_async_write_tile(14, A + 4096, N);"
       "noc_async_write_barrier(N); noc_async_write_barrier();",
       [](const Reference& r) {
         r.copy(l1(kMe, A), r.dram_page_place(30, B, 1088), 1088);
         r.copy(l1(kMe, A + 2048), r.dram_page_place(13, B, 1088), 1088);
         r.copy(l1(kMe, A + 4096), r.dram_page_place(14, B, 1088), 1088);
       }},
      {"noc_inline_dw_write",
       "noc_inline_dw_write(get_noc_addr(X[2], Y[2], B, N), 0x11223344, 0xf, N);"
       "noc_inline_dw_write(get_noc_addr(X[2], Y[2], B + 4), 0x55667788, 0x6);"
       "noc_inline_dw_write<true>(get_noc_addr(X[2], Y[2], B + 8), 7);"
       "noc_inline_dw_write<InlineWriteDst::L1, true>(get_noc_addr(X[2], Y[2], B + 12), 8, 0xf, "
       "N); noc_async_write_barrier(N);",
       [](const Reference& r) {
         r.memory.put(l1({2, 2}, B), 0x11223344);
         const uint32_t before = r.memory.get(l1({2, 2}, B + 4));
         r.memory.put(l1({2, 2}, B + 4), (before & 0xff0000ff) | 0x00667700);
         r.memory.put(l1({2, 2}, B + 8), 7);
         r.memory.put(l1({2, 2}, B + 12), 8);
       }},
      {"noc_inline_dw_write_with_state",
       "noc_inline_dw_write_set_state<false, true>(get_noc_addr(X[2], Y[2], B, N), 21, 0xf, "
       "write_at_cmd_buf, N);"
       "noc_inline_dw_write_with_state(99, 0, write_at_cmd_buf, N);"
       "noc_inline_dw_write_with_state<true>(99, B + 16, write_at_cmd_buf, N);"
       "noc_inline_dw_write_with_state<true, true, false, false, true>(22, B + 32, "
       "write_at_cmd_buf, N); noc_async_write_barrier(N);",
       [](const Reference& r) {
         r.memory.put(l1({2, 2}, B), 21);
         r.memory.put(l1({2, 2}, B + 16), 21);
         r.memory.put(l1({2, 2}, B + 32), 22);
       }},
  };
  return *rows;
}

}  // namespace lightmetal::device::testing
