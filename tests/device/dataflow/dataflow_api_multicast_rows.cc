#include "tests/device/dataflow/dataflow_api_rows.h"

namespace lightmetal::device::testing {

const std::vector<Row>& multicast_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"noc_async_write_multicast",
       "noc_async_write_multicast(A, get_noc_multicast_addr(X[0], Y[0], X[3], Y[2], B, N), 20001, "
       "11, false, true, N); noc_async_write_barrier(N);",
       [](const Reference& r) {
         r.multicast(A, B, 20001, {0, 0}, {3, 2}, not_me);
       }},
      {"noc_async_write_multicast, corners the other way round",
       "noc_async_write_multicast(A, get_noc_multicast_addr(X[3], Y[2], X[0], Y[1], B, N), 64, 7); "
       "noc_async_write_barrier();"
       "noc_async_write_multicast(A + 64, get_noc_multicast_addr(X[3], Y[0], X[2], Y[2], B + 64, "
       "N), 64, 6, false); noc_async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 64, {0, 1}, {3, 2}, not_me);
         r.multicast(A + 64, B + 64, 64, {2, 0}, {3, 2}, any);
       }},
      {"noc_async_write_multicast, sender outside",
       "noc_async_write_multicast<64>(A, get_noc_multicast_addr(X[2], Y[0], X[3], Y[1], B, N), 64, "
       "4); noc_async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 64, {2, 0}, {3, 1}, any);
       }},
      {"noc_async_write_multicast_one_packet",
       "noc_async_write_multicast_one_packet(A, get_noc_multicast_addr(X[0], Y[0], X[1], Y[1], B, "
       "N), 64, 3, false, true, N); noc_async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 64, {0, 0}, {1, 1}, not_me);
       }},
      {"noc_async_write_multicast_loopback_src",
       "noc_async_write_multicast_loopback_src(A, get_noc_multicast_addr(X[0], Y[0], X[1], Y[1], "
       "B, N), 9000, 4, false, true, N); noc_async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 9000, {0, 0}, {1, 1}, any);
       }},
      {"noc_async_write_multicast_exclude_region, right and down",
       "noc_async_write_multicast_exclude_region(A, get_noc_multicast_addr(X[0], Y[0], X[3], Y[2], "
       "B, N), 64, 5,"
       " get_noc_exclude_region(X[2], Y[1], 1, 1, N), false, true, N); noc_async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 64, {0, 0}, {3, 2},
                     [](Core core) { return not_me(core) && !(core.x >= 2 && core.y >= 1); });
       }},
      {"noc_async_write_multicast_exclude_region, left and up",
       "noc_async_write_multicast_exclude_region(A, get_noc_multicast_addr(X[0], Y[0], X[3], Y[2], "
       "B), 64, 5,"
       " get_noc_exclude_region(X[0], Y[1], 0, 0)); noc_async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 64, {0, 0}, {3, 2},
                     [](Core core) { return not_me(core) && !(core.x == 0 && core.y <= 1); });
       }},
      {"noc_async_write_multicast_exclude_region, right and up",
       "noc_async_write_multicast_exclude_region(A, get_noc_multicast_addr(X[0], Y[0], X[3], Y[2], "
       "B), 64, 5,"
       " get_noc_exclude_region(X[1], Y[1], 1, 0)); noc_async_write_barrier();",
       [](const Reference& r) {
         r.multicast(A, B, 64, {0, 0}, {3, 2},
                     [](Core core) { return !(core.x >= 1 && core.y <= 1); });
       }},
  };
  return *rows;
}

const std::vector<Row>& semaphore_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"noc_semaphore_set and waits",
       "auto* s = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(B); noc_semaphore_set(s, 5); "
       "noc_semaphore_wait(s, 5);"
       "noc_semaphore_wait_min(s, 5); noc_semaphore_wait_min(s, 3);",
       [](const Reference& r) { r.memory.put(l1(kMe, B), 5); }},
      {"noc_semaphore_inc",
       "noc_semaphore_inc(get_noc_addr(X[3], Y[0], B, N), 3, N); "
       "noc_semaphore_inc<true>(get_noc_addr(X[3], Y[0], B), 0xffffffff); "
       "noc_async_atomic_barrier(N); noc_async_atomic_barrier();",
       [](const Reference& r) {
         r.memory.put(l1({3, 0}, B), r.memory.get(l1({3, 0}, B)) + 2);
       }},
      {"noc_semaphore_inc_multicast",
       "noc_semaphore_inc_multicast(get_noc_multicast_addr(X[0], Y[1], X[2], Y[2], B, N), 7, 5, "
       "N); noc_async_atomic_barrier(N);",
       [](const Reference& r) {
         for (uint32_t y = 1; y <= 2; ++y) {
           for (uint32_t x = 0; x <= 2; ++x) {
             if (not_me({x, y})) r.memory.put(l1({x, y}, B), r.memory.get(l1({x, y}, B)) + 7);
           }
         }
       }},
      {"noc_semaphore_set_remote",
       "noc_semaphore_set_remote(A, get_noc_addr(X[0], Y[2], B, N), N); "
       "noc_async_write_barrier(N);",
       [](const Reference& r) {
         r.copy(l1(kMe, A), l1({0, 2}, B), 4);
       }},
      {"noc_semaphore_set_multicast",
       "noc_semaphore_set_multicast(A, get_noc_multicast_addr(X[0], Y[0], X[2], Y[1], B, N), 5, "
       "false, true, N); noc_async_write_barrier(N);"
       "noc_semaphore_set_multicast(A, get_noc_multicast_addr(X[2], Y[1], X[0], Y[0], B + 16), 5);",
       [](const Reference& r) {
         r.multicast(A, B, 4, {0, 0}, {2, 1}, not_me);
         r.multicast(A, B + 16, 4, {0, 0}, {2, 1}, not_me);
       }},
      {"noc_semaphore_set_multicast_loopback_src",
       "noc_semaphore_set_multicast_loopback_src(A, get_noc_multicast_addr(X[0], Y[0], X[2], Y[1], "
       "B, N), 6, false, true, N); noc_async_write_barrier(N);",
       [](const Reference& r) {
         r.multicast(A, B, 4, {0, 0}, {2, 1}, any);
       }},
      {"get_semaphore",
       "out(0, get_semaphore(2)); out(1, *reinterpret_cast<volatile uint32_t*>(get_semaphore(2)));"
       "out(2, get_semaphore(3) - get_semaphore(2));",
       [](const Reference& r) {
         r.out(0, kernel_abi::kSemaphoreAddress + 2 * kernel_abi::kSemaphoreStride);
         r.out(1, 77);
         r.out(2, r.profile.l1_alignment);
       }},
  };
  return *rows;
}

}  // namespace lightmetal::device::testing
