#pragma once

#include "lightmetal/formats.h"
#include "lightmetal/kernel.h"
#include "lightmetal/parts.h"
#include "lightmetal_kernel_abi_diagnosis.h"
#include "lightmetal_kernel_abi_parts.h"
#include "tt-metalium/circular_buffer_constants.h"

// Circular buffers. A kernel has read and write pointers of its own; the counters of pages pushed
// and popped are shared with the core's other kernels, which run on the same thread: a kernel is
// interrupted only in services. Waiting looks at the counters first and asks the device to let
// others run only when it must.

namespace lightmetal::kernel {

using kernel_abi::CircularBuffer;

inline constexpr const char* kNotBelow =
    NUM_CIRCULAR_BUFFERS == 64 ? "the index is not below 64" : "the index is not below 32";

FORCE_INLINE CircularBuffer& circular_buffer(int32_t index) {
  const auto number = static_cast<uint32_t>(index);
  if (number >= NUM_CIRCULAR_BUFFERS) fail_circular_buffer(number, kNotBelow);
  return kernel_abi::circular_buffer_at(*context(), number);
}

FORCE_INLINE CircularBuffer& existing_circular_buffer(int32_t index) {
  CircularBuffer& cb = circular_buffer(index);
  if (cb.num_pages == 0) fail_circular_buffer(static_cast<uint32_t>(index), "this core has none");
  return cb;
}

// Without a sign, as on the hardware: when more pages were popped than pushed there are very many,
// and a wait for them ends; likewise free ones when more were pushed than fit.
FORCE_INLINE uint32_t pages_available(const CircularBuffer& cb) {
  return cb.counters->pushed - cb.counters->popped;
}

FORCE_INLINE uint32_t pages_free(const CircularBuffer& cb) {
  return cb.num_pages - pages_available(cb);
}

// Pointers wrap only by reaching the limit exactly, as on the hardware; there, passing it corrupts
// memory.
FORCE_INLINE uint32_t advance(const CircularBuffer& cb, int32_t index, uint32_t pointer,
                              int32_t pages) {
  const uint64_t next = pointer + uint64_t{static_cast<uint32_t>(pages)} * cb.page_size;
  if (next > cb.limit) {
    fail_circular_buffer(static_cast<uint32_t>(index),
                         "pages pushed or popped at once cross its end; "
                         "they must divide the number of its pages");
  }
  return next == cb.limit ? cb.base : static_cast<uint32_t>(next);
}

// What is popped without being there may be more than the buffer has: it is not looked at.
FORCE_INLINE uint32_t advance_past_nothing(const CircularBuffer& cb, uint32_t pointer,
                                           uint32_t pages) {
  const uint64_t moved = pointer - cb.base + uint64_t{pages} * cb.page_size;
  return cb.base + static_cast<uint32_t>(moved % (cb.limit - cb.base));
}

// Tells the device about a call when it watches for errors that are not always looked for.
FORCE_INLINE void note_call(kernel_abi::CircularBufferCall call, int32_t index, int32_t pages) {
  constexpr uint32_t kWatching = kernel_abi::kCheckCircularBuffers | kernel_abi::kDelayTransfers;
  if ((context()->checks & kWatching) == 0) [[likely]]
    return;
  context()->services->diagnosis->circular_buffer_call(
      context(), call, static_cast<uint32_t>(index), static_cast<uint32_t>(pages));
}

// Addresses of circular buffers as kernels are told them: compute kernels count units of 16 bytes.
#ifdef COMPILE_FOR_TRISC
inline constexpr uint32_t kAddressShift = 4;
#else
inline constexpr uint32_t kAddressShift = 0;
#endif
FORCE_INLINE uint32_t in_address_units(uint32_t address) { return address >> kAddressShift; }

// Gives the kernel what `read` returns. The unpacking part, which alone knows the tiles that can be
// read, sends the number to the other two, as on the hardware.
template <typename Read>
FORCE_INLINE uint32_t as_unpacked(Read read) {
  if constexpr (!kUnpacks)
    return context()->services->parts->mailbox_read(context(), kernel_abi::Part::kUnpack);
  const uint32_t value = read();
  if constexpr (kIsPart) {
    const auto* parts = context()->services->parts;
    parts->mailbox_write(context(), kernel_abi::Part::kMath, value);
    parts->mailbox_write(context(), kernel_abi::Part::kPack, value);
  }
  return value;
}

// The L1 address in bytes of a tile that can be read, and an element of it.
FORCE_INLINE uint32_t own_front_tile_address(int32_t index, uint32_t tile) {
  const CircularBuffer& cb = existing_circular_buffer(index);
  return cb.read_ptr + tile * cb.page_size;
}
FORCE_INLINE uint32_t front_tile_address(int32_t index, uint32_t tile) {
  return as_unpacked([=] { return own_front_tile_address(index, tile); });
}
template <typename T>
FORCE_INLINE T front_tile_element(int32_t index, uint32_t tile, uint32_t element) {
  return static_cast<T>(as_unpacked([=] {
    const uint64_t address = context()->l1_base + own_front_tile_address(index, tile);
    return static_cast<uint32_t>(reinterpret_cast<const volatile T*>(address)[element]);
  }));
}

// On hardware one processor of a compute kernel packs and another unpacks. Where the one waits for
// room in a circular buffer that the kernel fills for itself, the other goes on, and comes to pop.
// Here one thread does both: it owes such a reservation, and waits for the room before it packs or
// pushes anything, which the packing processor could not do either, or ends. A part owes nothing.
#ifdef COMPILE_FOR_TRISC
inline uint64_t own_input = 0;  // bit i: the kernel has waited for pages of circular buffer i
inline uint64_t owed = 0;       // bit i: owed_pages[i] are reserved, but not known to be free
inline uint32_t owed_pages[NUM_CIRCULAR_BUFFERS];

FORCE_INLINE void note_input(uint32_t index) { own_input |= uint64_t{1} << index; }

// False for what cannot wait: another kernel makes the room, or there is never enough.
FORCE_INLINE bool owe_reservation(const CircularBuffer& cb, uint32_t index, uint32_t pages) {
  if constexpr (kIsPart) return false;
  if ((own_input >> index & 1) == 0 || pages > cb.num_pages) return false;
  const bool owed_more = (owed >> index & 1) != 0 && owed_pages[index] > pages;
  owed |= uint64_t{1} << index;
  if (!owed_more) owed_pages[index] = pages;
  return true;
}

FORCE_INLINE void settle_reservations() {
  if (owed == 0) [[likely]]
    return;
  for (; owed != 0; owed &= owed - 1) {
    const auto index = static_cast<uint32_t>(__builtin_ctzll(owed));
    if (pages_free(kernel_abi::circular_buffer_at(*context(), index)) < owed_pages[index])
      context()->services->cb_reserve_back(context(), index, owed_pages[index]);
  }
}
#else
FORCE_INLINE void note_input(uint32_t index) {}
FORCE_INLINE bool owe_reservation(const CircularBuffer& cb, uint32_t index, uint32_t pages) {
  return false;
}
FORCE_INLINE void settle_reservations() {}
#endif

// The context, for a service that packs.
FORCE_INLINE auto* packing_context() {
  settle_reservations();
  return context();
}

FORCE_INLINE void let_others_run() { context()->services->yield(context()); }

}  // namespace lightmetal::kernel

// The unpacking part of a compute kernel waits and pops, and the packing part reserves and pushes.
FORCE_INLINE void cb_wait_front(int32_t operand, int32_t num_pages) {
  if constexpr (!lightmetal::kernel::kUnpacks) return;
  using lightmetal::kernel_abi::CircularBufferCall;
  auto& cb = lightmetal::kernel::existing_circular_buffer(operand);
  lightmetal::kernel::note_input(static_cast<uint32_t>(operand));
  if (lightmetal::kernel::pages_available(cb) < static_cast<uint32_t>(num_pages)) {
    auto* context = lightmetal::kernel::context();
    context->services->cb_wait_front(context, static_cast<uint32_t>(operand),
                                     static_cast<uint32_t>(num_pages));
  }
  lightmetal::kernel::note_call(CircularBufferCall::kWait, operand, num_pages);
}

FORCE_INLINE void cb_reserve_back(int32_t operand, int32_t num_pages) {
  if constexpr (!lightmetal::kernel::kPacks) return;
  using lightmetal::kernel_abi::CircularBufferCall;
  auto& cb = lightmetal::kernel::existing_circular_buffer(operand);
  const auto index = static_cast<uint32_t>(operand), pages = static_cast<uint32_t>(num_pages);
  if (lightmetal::kernel::pages_free(cb) < pages &&
      !lightmetal::kernel::owe_reservation(cb, index, pages)) {
    auto* context = lightmetal::kernel::context();
    context->services->cb_reserve_back(context, index, pages);
  }
  lightmetal::kernel::note_call(CircularBufferCall::kReserve, operand, num_pages);
}

FORCE_INLINE void cb_push_back(int32_t operand, int32_t num_pages) {
  if constexpr (!lightmetal::kernel::kPacks) return;
  using namespace lightmetal;
  kernel::settle_reservations();
  auto& cb = kernel::circular_buffer(operand);
  if (cb.num_pages == 0) [[unlikely]]
    return kernel::tolerate_missing(static_cast<uint32_t>(operand), "pushes");
  const auto pages = static_cast<uint32_t>(num_pages);
  const auto room = static_cast<int32_t>(kernel::pages_free(cb));
  const uint32_t next = kernel::advance(cb, operand, cb.write_ptr, num_pages);
  if (num_pages > room) [[unlikely]]
    kernel::tolerate_pages(static_cast<uint32_t>(operand), "pushes", pages, "but free are only",
                           room);
  kernel::note_call(kernel_abi::CircularBufferCall::kPush, operand, num_pages);
  cb.write_ptr = next;
  cb.packed_tiles = 0;
  cb.counters->pushed += pages;
}

FORCE_INLINE void cb_pop_front(int32_t operand, int32_t num_pages) {
  if constexpr (!lightmetal::kernel::kUnpacks) return;
  using namespace lightmetal;
  auto& cb = kernel::circular_buffer(operand);
  if (cb.num_pages == 0) [[unlikely]]
    return kernel::tolerate_missing(static_cast<uint32_t>(operand), "pops");
  const auto pages = static_cast<uint32_t>(num_pages);
  const auto there = static_cast<int32_t>(kernel::pages_available(cb));
  if (num_pages > there) [[unlikely]] {
    kernel::tolerate_pages(static_cast<uint32_t>(operand), "pops", pages, "but there are only",
                           there);
    cb.read_ptr = kernel::advance_past_nothing(cb, cb.read_ptr, pages);
  } else {
    kernel::note_call(kernel_abi::CircularBufferCall::kPop, operand, num_pages);
    cb.read_ptr = kernel::advance(cb, operand, cb.read_ptr, num_pages);
  }
  cb.counters->popped += pages;
}

// Polling: lets others run when the answer would be no.
FORCE_INLINE bool cb_pages_available_at_front(int32_t operand, int32_t num_pages) {
  using lightmetal::kernel_abi::CircularBufferCall;
  auto& cb = lightmetal::kernel::existing_circular_buffer(operand);
  const auto pages = static_cast<uint32_t>(num_pages);
  if (lightmetal::kernel::pages_available(cb) < pages) lightmetal::kernel::let_others_run();
  const bool available = lightmetal::kernel::pages_available(cb) >= pages;
  if (available) lightmetal::kernel::note_call(CircularBufferCall::kWait, operand, num_pages);
  return available;
}

FORCE_INLINE bool cb_pages_reservable_at_back(int32_t operand, int32_t num_pages) {
  using lightmetal::kernel_abi::CircularBufferCall;
  auto& cb = lightmetal::kernel::existing_circular_buffer(operand);
  const auto pages = static_cast<uint32_t>(num_pages);
  if (lightmetal::kernel::pages_free(cb) < pages) lightmetal::kernel::let_others_run();
  const bool reservable = lightmetal::kernel::pages_free(cb) >= pages;
  if (reservable) lightmetal::kernel::note_call(CircularBufferCall::kReserve, operand, num_pages);
  return reservable;
}

// Where the pages that were pushed and popped are counted; both counters wrap, at 32 bits.
FORCE_INLINE volatile tt_reg_ptr uint32_t* get_cb_tiles_received_ptr(int32_t operand) {
  return &lightmetal::kernel::existing_circular_buffer(operand).counters->pushed;
}

FORCE_INLINE volatile tt_reg_ptr uint32_t* get_cb_tiles_acked_ptr(int32_t operand) {
  return &lightmetal::kernel::existing_circular_buffer(operand).counters->popped;
}
