#include "tests/device/dataflow/dataflow_api_rows.h"

namespace lightmetal::device::testing {

// What kernels of 2026 use beside the NoC's plain transfers: dataflow buffers, local memory by
// name, arguments by name, transfers with state and of transactions, zeros. Circular buffer 3 has
// four pages of 1024 bytes at 0x40000; common argument 2 is B.
const std::vector<Row>& today_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"DataflowBuffer is the circular buffer of its number",
       "constexpr DFBBindingToken<> token{3}; Noc noc(N); DataflowBuffer buffer(token);"
       "CircularBuffer same(token); buffer.reserve_back(1);"
       "noc.async_read(UnicastEndpoint{}, buffer, 64, {.noc_x = X[2], .noc_y = Y[0], .addr = A}, "
       "{.offset_bytes = 16}); noc.async_read_barrier(); buffer.push_back(1); same.wait_front(1);"
       "noc.async_write(buffer, UnicastEndpoint{}, 64, {.offset_bytes = 16}, {.noc_x = X[3], "
       ".noc_y = Y[1], .addr = B}); noc.async_write_barrier(); cb_pop_front(token, 1);"
       "out(0, buffer.get_read_ptr()); out(1, same.get_write_ptr()); out(2, buffer.get_id());",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1({3, 1}, B), 64);
         r.out(0, 0x40400);
         r.out(1, 0x40400);
         r.out(2, 3);
       }},
      {"DataflowBuffer says what it is",
       "DataflowBuffer buffer(3); out(0, buffer.get_entry_size());"
       "out(1, buffer.get_total_num_entries()); out(2, buffer.get_total_size_bytes());"
       "buffer.reserve_back(3); buffer.push_back(3); out(3, buffer.pages_available_at_front(3));"
       "out(4, buffer.pages_available_at_front(4)); out(5, buffer.pages_reservable_at_back(1));"
       "buffer.evil_set_read_ptr(buffer.get_read_ptr() + 32); out(6, buffer.get_read_ptr());"
       "buffer.evil_set_write_ptr(0x40010); out(7, buffer.get_write_ptr()); buffer.finish();",
       [](const Reference& r) {
         const uint32_t values[] = {1024, 4, 4096, 1, 0, 1, 0x40020, 0x40010};
         for (uint32_t i = 0; i < 8; ++i) r.out(i, values[i]);
       }},
      {"Locks of a DataflowBuffer give its entries",
       "DataflowBuffer buffer(3); buffer.reserve_back(2); { auto lock = "
       "buffer.scoped_write_lock(2); auto p = lock.get_ptr<uint32_t>(); p[0] = 11; p[256] = 12; }"
       "buffer.push_back(2); buffer.wait_front(2); { auto lock = buffer.scoped_read_lock(); "
       "out(0, lock.get_ptr()[0]); } buffer.pop_front(1); out(1, "
       "*buffer.scoped_read_lock().get_ptr<uint32_t>());",
       [](const Reference& r) {
         r.out(0, 11);
         r.out(1, 12);
       }},
      {"Scratchpad lies where its common argument says",
       "constexpr ScratchpadBindingToken token{2, 64}; Scratchpad<uint16_t> pad(token); Noc noc(N);"
       "out(0, pad.size()); out(1, pad.size_in_bytes()); out(2, pad.get_base_address() == B);"
       "for (auto i = pad.begin(); i != pad.end(); ++i) *i = 7; pad[1] = 8;"
       "noc.async_write(pad, UnicastEndpoint{}, 32, {.offset_bytes = 2}, {.noc_x = X[0], .noc_y = "
       "Y[0], .addr = A + 2}); noc.async_write_barrier(); out(3, *pad.local_mem());",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 16; ++i) r.memory.put(l1(kMe, B + i * 4), 0x00070007);
         r.memory.put(l1(kMe, B), 0x00080007);
         r.copy(l1(kMe, B + 2), l1({0, 0}, A + 2), 32);
         const uint32_t values[] = {32, 64, 1, 7};
         for (uint32_t i = 0; i < 4; ++i) r.out(i, values[i]);
       }},
      {"LocalTensorAccessor is an array at its address",
       "LocalTensorAccessor<uint32_t> shard(A); Noc noc(N); out(0, shard[3]); shard[0] = 5;"
       "noc.async_read(UnicastEndpoint{}, shard, 16, {.noc_x = X[1], .noc_y = Y[0], .addr = B}, "
       "{.offset_bytes = 16}); noc.async_read_barrier(); out(1, shard.get_bank_base_address());"
       "out(2, shard.local_mem()[0]);",
       [](const Reference& r) {
         r.out(0, r.memory.get(l1(kMe, A + 12)));
         r.memory.put(l1(kMe, A), 5);
         r.copy(l1({1, 0}, B), l1(kMe, A + 16), 16);
         r.out(1, A);
         r.out(2, 5);
       }},
      {"CoreLocalMem counts elements",
       "CoreLocalMem<uint32_t> p(A), q = p + 4; out(0, q - p); out(1, q.get_address()); ++p; p++; "
       "p += 2; out(2, p == q); out(3, p != q); q -= 1; --q; q--; out(4, q < p); out(5, p >= q);"
       "out(6, (q - 1).get_address()); *q = 77; out(7, q[0]); out(8, static_cast<bool>(q));"
       "auto lock = q.scoped_lock(1);",
       [](const Reference& r) {
         r.memory.put(l1(kMe, A + 4), 77);
         const uint32_t values[] = {4, A + 16, 1, 0, 1, 1, A, 77, 1};
         for (uint32_t i = 0; i < 9; ++i) r.out(i, values[i]);
       }},
      {"Arguments by name",
       "constexpr experimental::RtaArg<uint32_t> own{8}; constexpr experimental::RtaArg<float> "
       "number{16}; constexpr experimental::CrtaArg<uint32_t> common{4}; constexpr "
       "experimental::CtaVal<uint32_t> constant{9}; static_assert(get_arg(constant) == 9);"
       "out(0, get_arg(own)); out(1, get_arg(number) == 1.5f); out(2, get_arg(common));",
       [](const Reference& r) {
         r.out(0, 1000);
         r.out(1, 1);
         r.out(2, 32);
       }},
      {"Semaphore by name",
       "constexpr SemaphoreBindingToken token{2, SemScope::LOCAL_NONATOMIC}; Semaphore s(token); "
       "out(0, s.value()); s.up(1); out(1, Semaphore<>(2).value());",
       [](const Reference& r) {
         r.out(0, 77);
         r.out(1, 78);
       }},
      {"PrecomposedUnicastEndpoint and banks of L1",
       "Noc noc(N); CoreLocalMem<uint32_t> here(B);"
       "noc.async_read(PrecomposedUnicastEndpoint{}, here, 32, {.noc_addr = get_noc_addr(X[2], "
       "Y[1], A)}, {}); noc.async_read_barrier();"
       "noc.async_write(here, PrecomposedUnicastEndpoint{}, 32, {}, {.noc_addr = "
       "get_noc_addr(X[0], Y[2], B)}); noc.async_write_barrier();"
       "AllocatorBank<AllocatorBankType::L1> bank; out(0, bank.get_noc_addr_from_bank_id(2, 8, "
       "N));",
       [](const Reference& r) {
         r.copy(l1({2, 1}, A), l1(kMe, B), 32);
         r.copy(l1(kMe, B), l1({0, 2}, B), 32);
         r.out(0, r.l1_bank(2, 8));
       }},
      {"Noc reads with state, of one packet and of any size",
       "Noc noc(N); CoreLocalMem<uint32_t> here(B); UnicastEndpoint there;"
       "noc.set_async_read_state<NocOptions::DEFAULT, 64>(there, 64, {.noc_x = X[2], .noc_y = "
       "Y[0], .addr = A});"
       "noc.async_read_with_state<NocOptions::DEFAULT, 64>(there, here, 64, {.addr = A + 64}, {});"
       "noc.set_async_read_state<NocOptions::CUSTOM_VC | NocOptions::TXN_ID>(there, 32, {.noc_x = "
       "X[3], .noc_y = Y[1], "
       ".addr = A}, {.vc = 2, .trid = 5});"
       "noc.async_read_with_state<NocOptions::CUSTOM_VC>(there, here, 32, {.addr = A + 32}, "
       "{.offset_bytes = 128}, {.vc = 2}); noc.async_read_barrier();",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A + 64), l1(kMe, B), 64);
         r.copy(l1({3, 1}, A + 32), l1(kMe, B + 128), 32);
       }},
      {"Noc writes with state",
       "Noc noc(N); CoreLocalMem<uint32_t> here(A); UnicastEndpoint there;"
       "noc.set_async_write_state<NocOptions::POSTED>(there, 48, {.noc_x = X[2], .noc_y = Y[0], "
       ".addr = B}); for (uint32_t i = 0; i < 3; ++i) "
       "noc.async_write_with_state<NocOptions::POSTED>(here, there, 48, {.offset_bytes = i * 48}, "
       "{.addr = static_cast<uint32_t>(B) + i * 64});"
       "noc.async_writes_flushed<NocOptions::POSTED>(); noc.async_write_barrier();",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 3; ++i) r.copy(l1(kMe, A + i * 48), l1({2, 0}, B + i * 64), 48);
       }},
      {"Noc writes with state of any length, which the transfer gives, or of one packet, which the "
       "state has",
       "Noc noc(N); CoreLocalMem<uint32_t> here(A); UnicastEndpoint there;"
       "noc.set_async_write_state(there, 0, {.noc_x = X[2], .noc_y = Y[0], .addr = B});"
       "noc.async_write_with_state(here, there, 48, {}, {.addr = static_cast<uint32_t>(B)});"
       "noc.set_async_write_state<NocOptions::DEFAULT, 64>(there, 32, {.noc_x = X[2], .noc_y = "
       "Y[0], .addr = B}); noc.async_write_with_state<NocOptions::DEFAULT, 64>(here, there, 0, "
       "{.offset_bytes = 64}, {.addr = static_cast<uint32_t>(B) + 64});"
       "noc.async_write_barrier();",
       [](const Reference& r) {
         r.copy(l1(kMe, A), l1({2, 0}, B), 48);
         r.copy(l1(kMe, A + 64), l1({2, 0}, B + 64), 32);
       }},
      {"Noc transactions",
       "Noc noc(N); CoreLocalMem<uint32_t> here(B); UnicastEndpoint there; constexpr auto kId = "
       "NocOptions::TXN_ID; noc.async_read<kId>(there, here, 64, {.noc_x = X[2], .noc_y = Y[0], "
       ".addr = A}, {}, {.trid = 3}); noc.async_read_barrier<kId>({.trid = 3});"
       "out(0, noc.is_read_trid_flushed(3)); noc.async_write<kId | NocOptions::POSTED>(here, "
       "there, "
       "64, {}, {.noc_x = X[0], .noc_y = Y[0], .addr = B}, {.trid = 4});"
       "noc.async_write_barrier<kId>({.trid = 4});",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1(kMe, B), 64);
         r.copy(l1(kMe, B), l1({0, 0}, B), 64);
         r.out(0, 1);
       }},
      {"Noc fills memory with zeros",
       "Noc noc(N); CoreLocalMem<uint32_t> here(B); noc.async_write_zeros(here, 1040, "
       "{.offset_bytes = 16}); noc.write_zeros_l1_barrier();"
       "TensorAccessor pages(tensor_accessor::make_interleaved_dspec<true>(), A, 1024);"
       "noc.async_write_zeros(pages, 96, {.page_id = 5, .offset_bytes = 32}, "
       "CoreLocalMem<uint32_t>(B + 16)); noc.write_zeros_dram_barrier();",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 1040; i += 4) r.memory.put(l1(kMe, B + 16 + i), 0);
         const Place page = r.dram_page_place(5, A, 1024) + 32;
         for (uint32_t i = 0; i < 96; i += 4) r.memory.put(page + i, 0);
       }},
      {"Noc knows its own core",
       "Noc noc(N); out(0, noc.is_local_bank(X[1], Y[1])); out(1, noc.is_local_bank(X[1], Y[2]));"
       "out(2, noc.is_local_addr(get_noc_addr(X[1], Y[1], A))); out(3, "
       "noc.is_local_addr(get_noc_addr(X[0], Y[1], A)));",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 4; ++i) r.out(i, i % 2 == 0);
       }},
      {"bfloat16 and float as bits",
       "out(0, fp32_to_bf16(1.00390625f)); out(1, fp32_to_bf16(1.01171875f)); out(2, "
       "fp32_to_bf16_truncate(1.01171875f)); out(3, bf16_to_fp32(0xc040) == -3.0f);"
       "out(4, bfloat16_greater(0x3f80, 0xbf80)); out(5, bfloat16_greater(0xc000, 0xbf80));"
       "out(6, float32_greater(0xbf800000, 0xc0000000)); out(7, int32_greater(-1, 0));"
       "out(8, FloatBits(1.5f).high16); out(9, bfloat16_greater(0, 0x8000));",
       [](const Reference& r) {
         const uint32_t values[] = {0x3f80, 0x3f82, 0x3f81, 1, 1, 0, 1, 0, 0x3fc0, 0};
         for (uint32_t i = 0; i < 10; ++i) r.out(i, values[i]);
       }},
      {"An endpoint with an address on this core's own side",
       "Noc noc(N); noc.async_read(UnicastEndpoint{}, UnicastEndpoint{}, 64, {.noc_x = X[2], "
       ".noc_y = Y[0], .addr = A}, {.addr = B}); noc.async_read_barrier();"
       "noc.async_write(UnicastEndpoint{}, UnicastEndpoint{}, 64, {.addr = B}, {.noc_x = X[3], "
       ".noc_y = Y[1], .addr = B}); noc.async_write_barrier();",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1(kMe, B), 64);
         r.copy(l1(kMe, B), l1({3, 1}, B), 64);
       }},
      {"ncrisc_noc_fast_write_any_len to one core and to several",
       "ncrisc_noc_fast_write_any_len<noc_mode>(N, write_cmd_buf, A, get_noc_addr(X[2], Y[0], B), "
       "96, NOC_UNICAST_WRITE_VC, false, false, 1, true, true, 3);"
       "ncrisc_noc_fast_write_any_len<noc_mode>(N, write_cmd_buf, A + 96, "
       "get_noc_multicast_addr(X[0], Y[0], X[3], Y[2], B + 96), 64, NOC_MULTICAST_WRITE_VC, true, "
       "true, 11, true, true); noc_async_write_barrier();",
       [](const Reference& r) {
         r.copy(l1(kMe, A), l1({2, 0}, B), 96);
         r.multicast(A + 96, B + 96, 64, {0, 0}, {3, 2}, not_me);
       }},
      {"Asking the hardware's counters is a barrier",
       "auto* here = reinterpret_cast<volatile uint32_t*>(B);"
       "const auto there = [&](uint32_t at) { return get_noc_addr(X[0], Y[0], B + at, N); };"
       "noc_async_read(get_noc_addr(X[2], Y[0], A, N), B, 4, N);"
       "while (!ncrisc_noc_reads_flushed(N)) {} out(0, here[0]);"
       "noc_async_read(get_noc_addr(X[2], Y[0], A + 64, N), B, 4, N);"
       "while (!ncrisc_noc_read_with_transaction_id_flushed(N, 1)) {} out(1, here[0]);"
       "noc_async_write(B, there(0), 4, N); while (!ncrisc_noc_nonposted_writes_sent(N)) {}"
       "here[0] = 1; while (!ncrisc_noc_nonposted_writes_flushed(N)) {}"
       "noc_async_write(B, there(64), 4, N); while (!ncrisc_noc_posted_writes_sent(N)) {}"
       "here[0] = 2; while (!ncrisc_noc_nonposted_write_with_transaction_id_flushed(N, 1)) {}"
       "noc_semaphore_inc(there(128), 5, N); while (!ncrisc_noc_nonposted_atomics_flushed(N)) {}"
       "for (uint32_t i = 0; i < 3; ++i) noc_async_read(there(64 * i), B + 64 + 64 * i, 4, N);"
       "noc_async_read_barrier(N);",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 2; ++i) r.out(i, r.memory.get(l1({2, 0}, A + 64 * i)));
         r.copy(l1({2, 0}, A + 64), l1({0, 0}, B), 4);
         r.memory.put(l1(kMe, B), 2);
         r.memory.put(l1({0, 0}, B + 64), 1);
         r.memory.put(l1({0, 0}, B + 128), r.memory.get(l1({0, 0}, B + 128)) + 5);
         for (uint32_t i = 0; i < 3; ++i)
           r.copy(l1({0, 0}, B + 64 * i), l1(kMe, B + 64 + 64 * i), 4);
       }},
      {"Sizes of tiles under both of their names",
       "using namespace tt::constants; using namespace ckernel;"
       "out(0, FACE_WIDTH); out(1, TILE_HEIGHT); out(2, cb_addr_shift);",
       [](const Reference& r) {
         const uint32_t values[] = {16, 32, 0};
         for (uint32_t i = 0; i < 3; ++i) r.out(i, values[i]);
       }},
      {"The hardware's fence in assembly",
       "volatile uint32_t* here = reinterpret_cast<volatile uint32_t*>(B); here[0] = 5;"
       "asm volatile(\"fence\" ::: \"memory\"); asm volatile(\"fence rw, rw\"); out(0, here[0]);",
       [](const Reference& r) {
         r.memory.put(l1(kMe, B), 5);
         r.out(0, 5);
       }},
      {"A kernel is one thread",
       "out(0, get_num_threads()); out(1, get_my_thread_id()); sync_threads(); out(2, "
       "get_barrier_id());",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 3; ++i) r.out(i, i == 0);
       }},
      {"The name of a binding as a template's argument",
       "constexpr lightmetal::kernel::BindingName name = \"in\"; out(0, name.is(\"in\")); out(1, "
       "name.is(\"inn\")); out(2, name.is(\"on\"));",
       [](const Reference& r) {
         for (uint32_t i = 0; i < 3; ++i) r.out(i, i == 0);
       }},
  };
  return *rows;
}

}  // namespace lightmetal::device::testing
