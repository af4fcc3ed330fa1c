#include "tests/device/dataflow/dataflow_api_rows.h"

namespace lightmetal::device::testing {

const std::vector<Row>& address_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"get_noc_addr of a core", "out(0, get_noc_addr(X[2], Y[1], 0x123, N));",
       [](const Reference& r) {
         r.out(0, r.worker({2, 1}, 0x123));
       }},
      {"get_noc_addr of this core", "out(0, get_noc_addr(0x456)); out(1, get_noc_addr(0x456, N));",
       [](const Reference& r) {
         r.out(0, r.worker(kMe, 0x456));
         r.out(1, r.worker(kMe, 0x456));
       }},
      {"get_noc_addr_helper and encodings",
       "out(0, get_noc_addr_helper(NOC_XY_ENCODING(X[3], Y[2]), 16));"
       "out(1, NOC_XY_ADDR(X[3], Y[2], 16));"
       "out(2, NOC_XY_ADDR(NOC_X(X[3]), NOC_Y(Y[2]), 16));"
       "out(3, NOC_XY_ADDR(DYNAMIC_NOC_X(N, X[3]), DYNAMIC_NOC_Y(N, Y[2]), 16));",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 4; ++i) r.out(i, r.worker({3, 2}, 16));
       }},
      {"get_noc_multicast_addr and encodings",
       "out(0, get_noc_multicast_addr(X[0], Y[1], X[3], Y[2], 64, N));"
       "out(1, NOC_MULTICAST_ADDR(X[0], Y[1], X[3], Y[2], 64));",
       [](const Reference& r) {
         const uint64_t address =
             noc_multicast_address(noc_coordinate_of_worker(r.profile, {0, 1}),
                                   noc_coordinate_of_worker(r.profile, {3, 2}), 64);
         r.out(0, address);
         r.out(1, address);
       }},
      {"parts of an address",
       "uint64_t a = get_noc_addr(X[2], Y[1], 0x123); out(0, NOC_UNICAST_ADDR_X(a) == X[2]);"
       "out(1, NOC_UNICAST_ADDR_Y(a) == Y[1]); out(2, NOC_LOCAL_ADDR_OFFSET(a));"
       "uint64_t m = get_noc_multicast_addr(X[0], Y[1], X[3], Y[2], 64);"
       "out(3, NOC_MCAST_ADDR_START_X(m) == X[0] && NOC_MCAST_ADDR_START_Y(m) == Y[1]);"
       "out(4, NOC_MCAST_ADDR_END_X(m) == X[3] && NOC_MCAST_ADDR_END_Y(m) == Y[2]);",
       [](const Reference& r) {
         for (uint32_t i : {0, 1, 3, 4}) r.out(i, 1);
         r.out(2, 0x123);
       }},
      {"get_noc_addr_from_bank_id",
       "out(0, get_noc_addr_from_bank_id<true>(7, 0x40, N));"
       "out(1, get_noc_addr_from_bank_id<false>(13, 0x40, N));",
       [](const Reference& r) {
         r.out(0, r.bank(7, 0x40));
         r.out(1, r.l1_bank(13, 0x40));
       }},
      {"get_dram_noc_addr and get_l1_noc_addr",
       "out(0, get_dram_noc_addr(29, 40, 1024)); out(1, get_dram_noc_addr(29, 40, 1024, 8, N));"
       "out(2, get_l1_noc_addr(130, 40, 1024)); out(3, get_l1_noc_addr(130, 40, 1024, 8, N));",
       [](const Reference& r) {
         r.out(0, r.dram_page(29, 1024, 64));
         r.out(1, r.dram_page(29, 1024, 64) + 8);
         r.out(2, r.l1_page(130, 1024, 48));
         r.out(3, r.l1_page(130, 1024, 48) + 8);
       }},
      {"InterleavedAddrGen",
       "const InterleavedAddrGen<true> d = {.bank_base_address = 1024, .page_size = 40};"
       "const InterleavedAddrGen<false> l = {.bank_base_address = 1024, .page_size = 40};"
       "out(0, get_noc_addr(31, d)); out(1, get_noc_addr(31, d, 8, N)); out(2, d.get_noc_addr(31));"
       "out(3, get_noc_addr(131, l)); out(4, d.aligned_page_size); out(5, l.aligned_page_size);"
       "out(6, d.get_addr(31, 2, 7, 8));",
       [](const Reference& r) {
         r.out(0, r.dram_page(31, 1024, 64));
         r.out(1, r.dram_page(31, 1024, 64) + 8);
         r.out(2, r.dram_page(31, 1024, 64));
         r.out(3, r.l1_page(131, 1024, 48));
         r.out(4, 64);
         r.out(5, 48);
         r.out(6, 1024 + 2 * 64 + 8);
       }},
      {"get_interleaved_addr_gen",
       "auto pow2 = get_interleaved_addr_gen<true, 64>(1024); auto odd = "
       "get_interleaved_addr_gen<true, 40>(1024);"
       "auto large = get_interleaved_addr_gen<false, 16384>(1024);"
       "out(0, get_noc_addr(31, pow2)); out(1, get_noc_addr(31, odd, 8)); out(2, get_noc_addr(131, "
       "large));"
       "auto by_log = get_interleaved_addr_gen<true, true>(1024, 64, 6); auto by_size = "
       "get_interleaved_addr_gen<true, false>(1024, 40);"
       "out(3, get_noc_addr<true>(31, by_log)); out(4, get_noc_addr<true>(31, by_size, 8, N));"
       "out(5, get_noc_addr(31, get_interleaved_addr_gen<true, true>(1024, 6)));",
       [](const Reference& r) {
         for (uint32_t i : {0, 3, 5}) r.out(i, r.dram_page(31, 1024, 64));
         for (uint32_t i : {1, 4}) r.out(i, r.dram_page(31, 1024, 64) + 8);
         r.out(2, r.l1_page(131, 1024, 16384));
       }},
      {"tables of banks and the first worker",
       "out(0, get_noc_addr_helper(dram_bank_to_noc_xy[N][7], bank_to_dram_offset[7] + 64));"
       "out(1, get_noc_addr_helper(l1_bank_to_noc_xy[N][13], bank_to_l1_offset[13] + 64));"
       "out(2, VIRTUAL_TENSIX_START_X == X[0] && VIRTUAL_TENSIX_START_Y == Y[0]);",
       [](const Reference& r) {
         r.out(0, r.bank(7, 64));
         r.out(1, r.l1_bank(13, 64));
         r.out(2, 1);
       }},
      {"interleaved_addr_gen by steps",
       "using namespace interleaved_addr_gen;"
       "uint32_t i = get_bank_offset_index<true>(31), b = get_bank_index<true>(31, i);"
       "out(0, i); out(1, b);"
       "out(2, get_noc_addr_helper(get_noc_xy<true>(b, N), get_bank_offset<true>(b) + 1024 + i * "
       "64));"
       "out(3, get_allocator_alignment<true>()); out(4, get_allocator_alignment<false>());"
       "i = get_bank_offset_index<false>(131); b = get_bank_index<false>(131, i);"
       "out(5, get_noc_addr_helper(get_noc_xy<false>(b), get_bank_offset<false>(b) + 1024 + i * "
       "48));",
       [](const Reference& r) {
         r.out(0, 31 / r.profile.dram_banks);
         r.out(1, 31 % r.profile.dram_banks);
         r.out(2, r.dram_page(31, 1024, 64));
         r.out(3, r.profile.dram_alignment);
         r.out(4, r.profile.l1_alignment);
         r.out(5, r.l1_page(131, 1024, 48));
       }},
      {"InterleavedPow2AddrGen",
       "const InterleavedPow2AddrGen<true> d = {.bank_base_address = 1024, "
       ".log_base_2_of_page_size = 4};"
       "const InterleavedPow2AddrGen<false> l = {.bank_base_address = 1024, "
       ".log_base_2_of_page_size = 4};"
       "const InterleavedPow2AddrGenFast<true> f = {.bank_base_address = 1024, "
       ".log_base_2_of_page_size = 11};"
       "out(0, get_noc_addr(31, d)); out(1, get_noc_addr(131, l, 4, N)); out(2, get_noc_addr(31, "
       "f));"
       "out(3, f.get_noc_addr(31, 4, N));",
       [](const Reference& r) {
         r.out(0, r.dram_page(31, 1024, 32));
         r.out(1, r.l1_page(131, 1024, 16) + 4);
         r.out(2, r.dram_page(31, 1024, 2048));
         r.out(3, r.dram_page(31, 1024, 2048) + 4);
       }},
      {"InterleavedAddrGenFast",
       "const InterleavedAddrGenFast<true> d = {.bank_base_address = 1024, .page_size = 1088, "
       ".data_format = DataFormat::Bfp8_b};"
       "const InterleavedAddrGenFast<false> l = {.bank_base_address = 1024, .page_size = 4096, "
       ".data_format = DataFormat::Float32};"
       "const InterleavedAddrGenFast<true, 512> h = {.bank_base_address = 1024, .page_size = 1024, "
       ".data_format = DataFormat::Float16_b};"
       "out(0, get_noc_addr(31, d)); out(1, get_noc_addr(31, d, 8, N)); out(2, get_noc_addr(131, "
       "l));"
       "out(3, get_noc_addr(31, h));",
       [](const Reference& r) {
         r.out(0, r.dram_page(31, 1024, 1088));
         r.out(1, r.dram_page(31, 1024, 1088) + 8);
         r.out(2, r.l1_page(131, 1024, 4096));
         r.out(3, r.dram_page(31, 1024, 1024));
       }},
  };
  return *rows;
}

const std::vector<Row>& core_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"arguments",
       "out(0, get_arg_val<uint32_t>(2)); out(1, get_arg_val<int32_t>(3) < 0); out(2, "
       "get_arg_val<float>(4) == 1.5f);"
       "out(3, *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_addr(2))); out(4, "
       "get_arg_addr(3) - get_arg_addr(2));"
       "out(5, get_common_arg_val<uint32_t>(0)); out(6, *reinterpret_cast<volatile "
       "uint32_t*>(get_common_arg_addr(1)));"
       "out(7, get_common_arg_val<int32_t>(1) == 32);"
       "out(8, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(get_arg_val<uint32_t*>(2))));",
       [](const Reference& r) {
         const uint64_t expected[] = {1000, 1, 1, 1000, 4, 31, 32, 1, 1000};
         for (uint32_t i = 0; i < 9; ++i) r.out(i, expected[i]);
       }},
      {"where the kernel runs",
       "out(0, my_x[0] == X[1] && my_x[1] == X[1]); out(1, my_y[N] == Y[1]); out(2, noc_index); "
       "out(3, NUM_NOCS);"
       "out(4, get_absolute_logical_x()); out(5, get_absolute_logical_y()); out(6, "
       "get_relative_logical_x()); out(7, get_relative_logical_y());",
       [](const Reference& r) {
         const uint64_t expected[] = {1, 1, 0, 2, 1, 1, 1, 1};
         for (uint32_t i = 0; i < 8; ++i) r.out(i, expected[i]);
       }},
      {"circular buffers",
       "cb_reserve_back(3, 2); out(0, get_write_ptr(3)); cb_push_back(3, 2); out(1, "
       "get_write_ptr(3)); out(2, get_read_ptr(3));"
       "out(3, *get_cb_tiles_received_ptr(3)); out(4, *get_cb_tiles_acked_ptr(3)); out(5, "
       "cb_pages_available_at_front(3, 2));"
       "out(6, cb_pages_available_at_front(3, 3)); cb_wait_front(3, 2); cb_pop_front(3, 1); out(7, "
       "get_read_ptr(3));"
       "out(8, *get_cb_tiles_acked_ptr(3)); out(9, cb_pages_reservable_at_back(3, 3)); out(10, "
       "cb_pages_reservable_at_back(3, 4));",
       [](const Reference& r) {
         const uint64_t expected[] = {0x40000, 0x40800, 0x40000, 2, 0, 1, 0, 0x40400, 1, 1, 0};
         for (uint32_t i = 0; i < 11; ++i) r.out(i, expected[i]);
       }},
      {"time",
       "uint64_t t = get_timestamp(); out(0, get_timestamp() >= t); out(1, get_timestamp_32b() != "
       "0 || get_timestamp_32b() != 0); riscv_wait(10); invalidate_l1_cache();",
       [](const Reference& r) {
         r.out(0, 1);
         r.out(1, 1);
       }},
  };
  return *rows;
}

}  // namespace lightmetal::device::testing
