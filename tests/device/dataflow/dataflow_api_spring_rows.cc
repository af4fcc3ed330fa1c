#include "tests/device/dataflow/dataflow_api_rows.h"

namespace lightmetal::device::testing {

// The objects in the form that they had from October 2025 to May 2026: in the namespace
// `experimental`, with a template argument for each mode of a call.
const std::vector<Row>& spring_rows() {
  static const auto* const rows = new std::vector<Row>{
      {"experimental: a read and a write with a channel and a transaction's id as arguments",
       "using experimental::Noc; Noc noc(N); experimental::CoreLocalMem<uint32_t> here(B);"
       "const experimental::UnicastEndpoint there;"
       "noc.async_read<Noc::TxnIdMode::ENABLED>(there, here, 64, {.noc_x = X[2], .noc_y = Y[0], "
       ".addr = A}, {.offset_bytes = 16}, NOC_UNICAST_WRITE_VC, 5);"
       "noc.async_read_barrier<Noc::BarrierMode::TXN_ID>(5);"
       "noc.async_write<Noc::TxnIdMode::ENABLED, Noc::ResponseMode::NON_POSTED>(here, there, 64, "
       "{.offset_bytes = 16}, {.noc_x = X[3], .noc_y = Y[1], .addr = B}, NOC_UNICAST_WRITE_VC, 6);"
       "noc.async_write_barrier<Noc::BarrierMode::TXN_ID>(6);",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1(kMe, B + 16), 64);
         r.copy(l1({2, 0}, A), l1({3, 1}, B), 64);
       }},
      {"experimental: a channel alone, a largest page, and posted writes that are flushed",
       "using experimental::Noc; Noc noc(N); const experimental::UnicastEndpoint there;"
       "noc.async_read(there, experimental::CoreLocalMem<uint32_t>(B), 64, {.noc_x = X[2], .noc_y "
       "= Y[0], .addr = A}, {}, 1); noc.async_read_barrier();"
       "noc.async_write<Noc::TxnIdMode::DISABLED, Noc::ResponseMode::POSTED, 64, false>("
       "experimental::CoreLocalMem<uint32_t>(B), there, 64, {}, {.noc_x = X[3], .noc_y = Y[1], "
       ".addr = B}, 1); noc.async_writes_flushed<Noc::ResponseMode::POSTED>();"
       "noc.async_write_barrier();",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1(kMe, B), 64);
         r.copy(l1({2, 0}, A), l1({3, 1}, B), 64);
       }},
      {"experimental: the other pointer of a circular buffer",
       "experimental::Noc noc(N); experimental::CircularBuffer cb(3); cb.reserve_back(2);"
       "cb.push_back(1); const experimental::UnicastEndpoint there;"
       "noc.async_read(there, cb, 32, {.noc_x = X[2], .noc_y = Y[0], .addr = A}, {});"
       "noc.async_read_barrier(); constexpr auto kWrite = "
       "experimental::CircularBuffer::AddrSelector::WRITE_PTR;"
       "noc.async_write(experimental::use<kWrite>(cb), there, 32, {}, {.noc_x = X[3], .noc_y = "
       "Y[1], .addr = B}); noc.async_full_barrier();",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1({3, 1}, B), 32);
       }},
      {"experimental: multicasts with and without the sender",
       "using experimental::Noc; Noc noc(N); experimental::CoreLocalMem<uint32_t> from(A);"
       "const experimental::MulticastEndpoint all;"
       "noc.async_write_multicast<Noc::McastMode::INCLUDE_SRC>(from, all, 64, 12, {}, "
       "{.noc_x_start = X[0], .noc_y_start = Y[0], .noc_x_end = X[3], .noc_y_end = Y[2], .addr = "
       "B}); noc.async_write_multicast<Noc::McastMode::EXCLUDE_SRC>(from, all, 64, 11, {}, "
       "{.noc_x_start = X[0], .noc_y_start = Y[0], .noc_x_end = X[3], .noc_y_end = Y[2], .addr = "
       "B + 64}, true); noc.async_write_barrier();",
       [](const Reference& r) {
         const auto any_core = [](Core) { return true; };
         const auto others = [](Core core) { return !(core == kMe); };
         r.multicast(A, B, 64, {0, 0}, {3, 2}, any_core);
         r.multicast(A, B + 64, 64, {0, 0}, {3, 2}, others);
       }},
      {"experimental: reads and writes with state",
       "using experimental::Noc; Noc noc(N); const experimental::UnicastEndpoint there;"
       "experimental::CoreLocalMem<uint32_t> here(B);"
       "noc.set_async_read_state<Noc::VcSelection::CUSTOM, 64>(there, 64, {.noc_x = X[2], .noc_y = "
       "Y[0], .addr = A}, 1);"
       "noc.async_read_with_state<Noc::VcSelection::CUSTOM, 64>(there, here, 0, {.noc_x = X[2], "
       ".noc_y = Y[0], .addr = A + 64}, {}, 1);"
       "noc.set_async_read_state(there, 0, {.noc_x = X[2], .noc_y = Y[0], .addr = A});"
       "noc.async_read_with_state(there, here, 32, {.noc_x = X[2], .noc_y = Y[0], .addr = A}, "
       "{.offset_bytes = 64}); noc.async_read_barrier();"
       "noc.set_async_write_state<Noc::ResponseMode::NON_POSTED, 64>(there, 64, {.noc_x = X[3], "
       ".noc_y = Y[1], .addr = B});"
       "noc.async_write_with_state<Noc::ResponseMode::NON_POSTED, 64>(here, there, 0, {}, {.noc_x "
       "= X[3], .noc_y = Y[1], .addr = B + 16}); noc.async_write_barrier();",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A + 64), l1(kMe, B), 64);
         r.copy(l1({2, 0}, A), l1(kMe, B + 64), 32);
         r.copy(l1(kMe, B), l1({3, 1}, B + 16), 64);
       }},
      {"experimental: inline writes, with a target's kind and enabled bytes",
       "using experimental::Noc; Noc noc(N); const experimental::UnicastEndpoint there;"
       "noc.inline_dw_write<Noc::TxnIdMode::DISABLED, InlineWriteDst::L1>(there, 0x12345678, "
       "{.noc_x = X[2], .noc_y = Y[2], .addr = B}); noc.inline_dw_write(there, 0xabcdabcd, {.noc_x "
       "= X[2], .noc_y = Y[2], .addr = B + 4}, 0x3, 1); noc.async_write_barrier();",
       [](const Reference& r) {
         r.memory.put(l1({2, 2}, B), 0x12345678);
         const uint32_t before = r.memory.get(l1({2, 2}, B + 4));
         r.memory.put(l1({2, 2}, B + 4), (before & 0xffff0000) | 0xabcd);
       }},
      {"experimental: a semaphore's multicast with the sender",
       "using experimental::Noc; Noc noc(N); experimental::Semaphore<> s(1); s.set(9);"
       "s.set_multicast<Noc::McastMode::INCLUDE_SRC>(noc, X[0], Y[0], X[1], Y[1], 4);"
       "noc.async_write_barrier(); noc.async_read(experimental::UnicastEndpoint{}, "
       "experimental::CoreLocalMem<uint32_t>(B), 4, {.noc_x = X[0], .noc_y = Y[1], .addr = "
       "static_cast<uint32_t>(s.get_l1_addr())}, {}); noc.async_read_barrier();",
       [](const Reference& r) { r.memory.put(l1(kMe, B), 9); }},
      {"experimental: an endpoint of the kernel's own, by its traits",
       "experimental::Noc noc(N); const experimental::Line line{B};"
       "noc.async_read(experimental::UnicastEndpoint{}, line, 32, {.noc_x = X[2], .noc_y = Y[0], "
       ".addr = A}, {.number = 2}); noc.async_read_barrier();"
       "noc.async_write(line, experimental::UnicastEndpoint{}, 32, {.number = 2}, {.noc_x = X[3], "
       ".noc_y = Y[1], .addr = B}); noc.async_write_barrier();"
       "noc.async_read(line, experimental::CoreLocalMem<uint32_t>(B + 512), 32, {.number = 2}, {});"
       "noc.async_read_barrier();",
       [](const Reference& r) {
         r.copy(l1({2, 0}, A), l1(kMe, B + 64), 32);
         r.copy(l1({2, 0}, A), l1({3, 1}, B), 32);
         r.copy(l1({2, 0}, A), l1(kMe, B + 512), 32);
       }},
      {"experimental: traits say where an endpoint is",
       "experimental::Noc noc(N); experimental::CircularBuffer cb(3);"
       "using Traits = experimental::noc_traits_t<experimental::CircularBuffer>;"
       "constexpr auto kLocal = experimental::Noc::AddressType::LOCAL_L1;"
       "out(0, Traits::src_addr<kLocal>(cb, noc, {.offset_bytes = 4}));"
       "out(1, noc_traits_t<UnicastEndpoint>::dst_addr<Noc::AddressType::NOC>(UnicastEndpoint{}, "
       "noc, {.noc_x = X[2], .noc_y = Y[0], .addr = A}) == get_noc_addr(X[2], Y[0], A, N));",
       [](const Reference& r) {
         r.out(0, 0x40000 + 4);
         r.out(1, 1);
       }},
  };
  return *rows;
}

}  // namespace lightmetal::device::testing
