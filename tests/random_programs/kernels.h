#pragma once

// The kernels of random programs. Core i of n handles pages i, i + n, i + 2 n, ... of its buffers.
// Arguments: first page, step, end, page size, then what the kernel names.
namespace random_programs::kernels {

inline constexpr char kAdd[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const uint32_t size = get_arg_val<uint32_t>(3);
  const InterleavedAddrGen<get_compile_time_arg_val(0)> from = {
      .bank_base_address = get_arg_val<uint32_t>(4), .page_size = size};
  const InterleavedAddrGen<get_compile_time_arg_val(1)> to = {
      .bank_base_address = get_arg_val<uint32_t>(5), .page_size = size};
  const uint32_t l1 = get_write_ptr(0);
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  for (uint32_t i = get_arg_val<uint32_t>(0); i < get_arg_val<uint32_t>(2);
       i += get_arg_val<uint32_t>(1)) {
    noc_async_read(get_noc_addr(i, from), l1, size);
    noc_async_read_barrier();
    for (uint32_t w = 0; w < size / 4; ++w) words[w] = words[w] + get_common_arg_val<uint32_t>(0);
    noc_async_write(l1, get_noc_addr(i, to), size);
    noc_async_write_barrier();
  }
}
)";

inline constexpr char kSumReader[] = R"(
#include "dataflow_api.h"
template <typename From>
void push(uint32_t cb, uint32_t page, const From& from, uint32_t size) {
  cb_reserve_back(cb, 1);
  noc_async_read(get_noc_addr(page, from), get_write_ptr(cb), size);
  noc_async_read_barrier();
  cb_push_back(cb, 1);
}
void kernel_main() {
  const uint32_t size = get_arg_val<uint32_t>(3);
  const InterleavedAddrGen<get_compile_time_arg_val(0)> a = {
      .bank_base_address = get_arg_val<uint32_t>(4), .page_size = size};
  const InterleavedAddrGen<get_compile_time_arg_val(1)> b = {
      .bank_base_address = get_arg_val<uint32_t>(5), .page_size = size};
  for (uint32_t i = get_arg_val<uint32_t>(0); i < get_arg_val<uint32_t>(2);
       i += get_arg_val<uint32_t>(1)) {
    push(0, i, a, size);
    push(1, i, b, size);
  }
}
)";

inline constexpr char kSumWriter[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const uint32_t size = get_arg_val<uint32_t>(3);
  const InterleavedAddrGen<get_compile_time_arg_val(0)> to = {
      .bank_base_address = get_arg_val<uint32_t>(4), .page_size = size};
  for (uint32_t i = get_arg_val<uint32_t>(0); i < get_arg_val<uint32_t>(2);
       i += get_arg_val<uint32_t>(1)) {
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    auto* a = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(0));
    auto* b = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(1));
    for (uint32_t w = 0; w < size / 4; ++w) a[w] = a[w] + b[w];
    noc_async_write(get_read_ptr(0), get_noc_addr(i, to), size);
    noc_async_write_barrier();
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
  }
}
)";

// Semaphore 0 of the sender says that the receiver has room; semaphore 1 of the receiver says that
// a page has come.
inline constexpr char kSend[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const uint32_t size = get_arg_val<uint32_t>(3);
  const uint32_t x = get_arg_val<uint32_t>(5), y = get_arg_val<uint32_t>(6);
  const InterleavedAddrGen<get_compile_time_arg_val(0)> from = {
      .bank_base_address = get_arg_val<uint32_t>(4), .page_size = size};
  auto* room = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
  const uint32_t l1 = get_write_ptr(0);
  for (uint32_t i = get_arg_val<uint32_t>(0); i < get_arg_val<uint32_t>(2);
       i += get_arg_val<uint32_t>(1)) {
    noc_async_read(get_noc_addr(i, from), l1, size);
    noc_async_read_barrier();
    noc_semaphore_wait(room, 1);
    noc_semaphore_set(room, 0);
    noc_async_write(l1, get_noc_addr(x, y, l1), size);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
    noc_async_atomic_barrier();
  }
}
)";

inline constexpr char kReceive[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const uint32_t size = get_arg_val<uint32_t>(3);
  const uint32_t x = get_arg_val<uint32_t>(5), y = get_arg_val<uint32_t>(6);
  const InterleavedAddrGen<get_compile_time_arg_val(0)> to = {
      .bank_base_address = get_arg_val<uint32_t>(4), .page_size = size};
  auto* come = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
  const uint32_t l1 = get_write_ptr(0);
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  for (uint32_t i = get_arg_val<uint32_t>(0); i < get_arg_val<uint32_t>(2);
       i += get_arg_val<uint32_t>(1)) {
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
    noc_async_atomic_barrier();
    noc_semaphore_wait(come, 1);
    noc_semaphore_set(come, 0);
    for (uint32_t w = 0; w < size / 4; ++w) words[w] = words[w] + get_common_arg_val<uint32_t>(0);
    noc_async_write(l1, get_noc_addr(i, to), size);
    noc_async_write_barrier();
  }
}
)";

inline constexpr char kCount[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(4));
  const uint32_t amount = get_common_arg_val<uint32_t>(0) + get_arg_val<uint32_t>(0);
  for (uint32_t w = 0; w < get_arg_val<uint32_t>(3) / 4; ++w) words[w] = words[w] + amount;
}
)";

inline constexpr char kSignal[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6),
                                 get_arg_val<uint32_t>(4)),
                    get_common_arg_val<uint32_t>(0));
  noc_async_atomic_barrier();
}
)";

// The same for programs from specifications, with arguments by name.
inline constexpr char kNamedSumReader[] = R"(
#include "api/dataflow/dataflow_buffer.h"
#include "dataflow_api.h"
template <typename From>
void push(DataflowBuffer& pages, uint32_t page, const From& from, uint32_t size) {
  pages.reserve_back(1);
  noc_async_read(get_noc_addr(page, from), pages.get_write_ptr(), size);
  noc_async_read_barrier();
  pages.push_back(1);
}
void kernel_main() {
  DataflowBuffer of_a(dfb::of_a), of_b(dfb::of_b);
  const uint32_t size = get_arg(args::size);
  const InterleavedAddrGen<get_arg(args::flag0)> a = {
      .bank_base_address = get_arg(args::word4), .page_size = size};
  const InterleavedAddrGen<get_arg(args::flag1)> b = {
      .bank_base_address = get_arg(args::word5), .page_size = size};
  for (uint32_t i = get_arg(args::first); i < get_arg(args::end); i += get_arg(args::step)) {
    push(of_a, i, a, size);
    push(of_b, i, b, size);
  }
}
)";

inline constexpr char kNamedSumWriter[] = R"(
#include "api/dataflow/dataflow_buffer.h"
#include "dataflow_api.h"
void kernel_main() {
  DataflowBuffer of_a(dfb::of_a), of_b(dfb::of_b);
  const uint32_t size = get_arg(args::size);
  const InterleavedAddrGen<get_arg(args::flag0)> to = {
      .bank_base_address = get_arg(args::word4), .page_size = size};
  for (uint32_t i = get_arg(args::first); i < get_arg(args::end); i += get_arg(args::step)) {
    of_a.wait_front(1);
    of_b.wait_front(1);
    auto* a = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(of_a.get_read_ptr());
    auto* b = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(of_b.get_read_ptr());
    for (uint32_t w = 0; w < size / 4; ++w) a[w] = a[w] + b[w];
    noc_async_write(of_a.get_read_ptr(), get_noc_addr(i, to), size);
    noc_async_write_barrier();
    of_a.pop_front(1);
    of_b.pop_front(1);
  }
}
)";

inline constexpr char kNamedCount[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg(args::word4));
  const uint32_t amount = get_arg(args::amount) + get_arg(args::first);
  for (uint32_t w = 0; w < get_arg(args::size) / 4; ++w) words[w] = words[w] + amount;
}
)";

inline constexpr char kNamedSignal[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  noc_semaphore_inc(get_noc_addr(get_arg(args::word5), get_arg(args::word6), get_arg(args::word4)),
                    get_arg(args::amount));
  noc_async_atomic_barrier();
}
)";

}  // namespace random_programs::kernels
