#include "tests/device/dataflow/dataflow_api_rows.h"

namespace lightmetal::device::testing {

// The NoC, circular buffers and semaphores as objects.
const std::vector<Row>& object_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"Noc reads to a circular buffer's write pointer and writes from its read pointer",
       "Noc noc(N); CircularBuffer cb(3); cb.reserve_back(1);"
       "noc.async_read(UnicastEndpoint{}, cb, 64, {.noc_x = X[2], .noc_y = Y[0], .addr = A}, "
       "{.offset_bytes = 32}); noc.async_read_barrier(); cb.push_back(1); cb.wait_front(1);"
       "noc.async_write(cb, UnicastEndpoint{}, 64, {.offset_bytes = 32}, {.noc_x = X[3], .noc_y = "
       "Y[1], .addr = B}); noc.async_write_barrier(); cb.pop_front(1);",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1({3, 1}, B), 64);
       }},
      {"use: the other pointer of a circular buffer",
       "Noc noc(N); CircularBuffer cb(3); cb.reserve_back(2); cb.push_back(1);"
       "noc.async_read(UnicastEndpoint{}, cb, 32, {.noc_x = X[2], .noc_y = Y[0], .addr = A}, {});"
       "noc.async_read_barrier();"
       "noc.async_write(use<CircularBuffer::AddrSelector::WRITE_PTR>(cb), UnicastEndpoint{}, 32, "
       "{}, {.noc_x = X[3], .noc_y = Y[1], .addr = B}); noc.async_full_barrier();",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1({3, 1}, B), 32);
       }},
      {"AllocatorBank and CoreLocalMem",
       "Noc noc(N); CoreLocalMem<uint32_t> target(B);"
       "noc.async_read(AllocatorBank<AllocatorBankType::DRAM>{}, target, 96, {.bank_id = 3, .addr "
       "= A}, {.offset_bytes = 64}); noc.async_read_barrier();"
       "noc.async_write(target, AllocatorBank<AllocatorBankType::DRAM>{}, 96, {.offset_bytes = "
       "64}, {.bank_id = 5, .addr = B}); noc.async_writes_flushed(); noc.async_write_barrier();"
       "out(0, target[16]); out(1, noc.get_noc_id() == N); out(2, target.get_address());",
       [](const Reference& r) {
         r.copy(dram(3, A), l1(kMe, B + 64), 96);
         r.copy(dram(3, A), dram(5, B), 96);
         r.out(0, r.memory.get(dram(3, A)));
         r.out(1, 1);
         r.out(2, B);
       }},
      {"Noc::async_write_multicast without the sender",
       "Noc noc(N); noc.async_write_multicast(CoreLocalMem<uint32_t>(A), MulticastEndpoint{}, 64, "
       "11, {}, {.noc_x_start = X[0], .noc_y_start = Y[0], .noc_x_end = X[3], .noc_y_end = Y[2], "
       ".addr = B}); noc.async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 64, {0, 0}, {3, 2}, not_me);
       }},
      {"Noc::async_write_multicast with the sender",
       "Noc noc(N); noc.async_write_multicast<NocOptions::MCAST_INCL_SRC>(CoreLocalMem<uint32_t>("
       "A), MulticastEndpoint{}, 64, 12, {}, {.noc_x_start = X[0], .noc_y_start = Y[0], .noc_x_end "
       "= X[3], .noc_y_end = Y[2], .addr = B}); noc.async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 64, {0, 0}, {3, 2}, any);
       }},
      {"Noc::async_write_multicast to the circular buffers of other cores",
       "Noc noc(N); CircularBuffer cb(3); noc.async_write_multicast(CoreLocalMem<uint32_t>(A), cb, "
       "64, 2, {}, {.noc_x_start = X[0], .noc_y_start = Y[0], .noc_x_end = X[1], .noc_y_end = "
       "Y[0], .offset_bytes = 16}); noc.async_write_barrier();"
       "noc.async_read(UnicastEndpoint{}, CoreLocalMem<uint32_t>(B), 64, {.noc_x = X[0], .noc_y = "
       "Y[0], .addr = cb.get_write_ptr() + 16}, {}); noc.async_read_barrier();",
       [](const Reference& r) { r.copy(l1(kMe, A), l1(kMe, B), 64); }},
      {"Noc::inline_dw_write",
       "Noc noc(N); noc.inline_dw_write(UnicastEndpoint{}, 0x12345678, {.noc_x = X[2], .noc_y = "
       "Y[2], .addr = B}); noc.inline_dw_write(UnicastEndpoint{}, 0xabcdabcd, {.noc_x = X[2], "
       ".noc_y = Y[2], .addr = B + 4}, 0x3); noc.async_write_barrier();",
       [](const Reference& r) {
         r.memory.put(l1({2, 2}, B), 0x12345678);
         const uint32_t before = r.memory.get(l1({2, 2}, B + 4));
         r.memory.put(l1({2, 2}, B + 4), (before & 0xffff0000) | 0xabcd);
       }},
      {"CircularBuffer says what it is",
       "CircularBuffer cb(3); out(0, cb.get_cb_id()); out(1, cb.get_write_ptr());"
       "cb.reserve_back(1); cb.push_back(1); out(2, cb.get_write_ptr() - cb.get_read_ptr());"
       "out(3, cb.pages_available_at_front(1)); out(4, cb.pages_available_at_front(2));"
       "out(5, cb.pages_reservable_at_back(3)); out(6, cb.pages_reservable_at_back(4));",
       [](const Reference& r) {
         r.out(0, 3);
         r.out(1, 0x40000);
         r.out(2, 1024);
         for (uint32_t i : {3, 5}) r.out(i, 1);
         for (uint32_t i : {4, 6}) r.out(i, 0);
       }},
      {"Semaphore of this core",
       "Semaphore<> s(1); out(0, s.value()); s.up(4); out(1, s.value()); s.down(30); out(2, "
       "s.value()); s.wait(50); s.wait_min(49); s.set(7); out(3, s.value());",
       [](const Reference& r) {
         const uint32_t values[] = {76, 80, 50, 7};
         for (uint32_t i = 0; i < 4; ++i) r.out(i, values[i]);
       }},
      {"Semaphore through the NoC",
       "Noc noc(N); Semaphore<> s(1), t(2), u(3); s.up(noc, X[1], Y[1], 3); "
       "noc.async_atomic_barrier(); out(0, s.value());"
       "s.relay_unicast(noc, t, X[1], Y[1]); noc.async_write_barrier(); out(1, t.value());"
       "s.set(5); s.relay_multicast<NocOptions::MCAST_INCL_SRC>(noc, u, X[1], Y[1], X[1], Y[1], 1);"
       "noc.async_write_barrier(); out(2, u.value());",
       [](const Reference& r) {
         r.out(0, 79);
         r.out(1, 79);
         r.out(2, 5);
       }},
      {"Semaphore to other cores",
       "Noc noc(N); Semaphore<> s(1); s.set(9); "
       "s.set_multicast(noc, X[0], Y[0], X[0], Y[0], 1); noc.async_write_barrier();"
       "s.inc_multicast(noc, X[0], Y[0], X[0], Y[0], 2, 1); noc.async_atomic_barrier();"
       "noc.async_read(UnicastEndpoint{}, CoreLocalMem<uint32_t>(B), 4, {.noc_x = X[0], .noc_y = "
       "Y[0], .addr = get_semaphore(1)}, {}); noc.async_read_barrier();",
       [](const Reference& r) { r.memory.put(l1(kMe, B), 11); }},
  };
  return *rows;
}

}  // namespace lightmetal::device::testing
