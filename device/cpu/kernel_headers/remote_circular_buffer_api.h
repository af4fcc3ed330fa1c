#pragma once

// Circular buffers between cores: a sender core writes pages into the L1 of its receivers, which
// read and acknowledge them. What was not read stays for later programs, if each core's kernel ends
// with update_remote_cb_config_in_l1.

#include "lightmetal/remote_circular_buffers.h"
#ifndef COMPILE_FOR_TRISC
#include "dataflow_api.h"
#endif

namespace lightmetal::kernel {

#ifndef COMPILE_FOR_TRISC

// Waits until a counter in this core's L1 has reached `target`. Counters wrap.
inline void wait_until_counted(uint32_t address, uint32_t target) {
  for (uint32_t found = l1_word(address); static_cast<int32_t>(found - target) < 0;
       found = l1_word(address)) {
    auto* running = context();
    if (target < found) {
      running->services->yield(running);  // before the counter wraps
    } else {
      running->services->semaphore_wait(running, address, target, 1);
    }
  }
}

FORCE_INLINE uint32_t sent_address(const RemoteSenderCBInterface& sender, uint32_t receiver) {
  return sender.aligned_pages_sent_ptr + receiver * 2 * kernel_abi::kRemoteUnit;
}

FORCE_INLINE uint64_t receiver_address(const RemoteSenderCBInterface& sender, uint32_t receiver,
                                       uint32_t address, uint8_t noc) {
  const uint32_t coordinates = sender.receiver_noc_xy_ptr + receiver * 8;
  return get_noc_addr(l1_word(coordinates), l1_word(coordinates + 4), address, noc);
}

// Counts on both sides.
inline void count_sent(const RemoteSenderCBInterface& sender, uint32_t bytes, uint8_t noc) {
  const uint32_t units = bytes / kernel_abi::kRemoteUnit;
  for (uint32_t i = 0; i < sender.num_receivers; ++i) {
    const uint32_t address = sent_address(sender, i);
    set_l1_word(address, l1_word(address) + units);
    noc_semaphore_inc(receiver_address(sender, i, address, noc), units, noc);
  }
}

inline void count_acked(const RemoteReceiverCBInterface& receiver, uint32_t bytes, uint8_t noc) {
  const uint32_t units = bytes / kernel_abi::kRemoteUnit;
  const uint32_t address = receiver.aligned_pages_acked_ptr;
  set_l1_word(address, l1_word(address) + units);
  noc_semaphore_inc(get_noc_addr(receiver.sender_noc_x, receiver.sender_noc_y, address, noc), units,
                    noc);
}

// What the pointer has skipped and the counters have not: the bytes around to it.
FORCE_INLINE uint32_t uncounted(RemoteCircularBuffer& cb) {
  return (remote_pointer(cb) + cb.fifo_size - cb.counted_ptr) % cb.fifo_size;
}

inline void count_skipped(RemoteCircularBuffer& cb, uint8_t noc) {
  const uint32_t bytes = uncounted(cb);
  if (bytes == 0) return;
  if (cb.is_sender) {
    count_sent(cb.sender, bytes, noc);
  } else {
    count_acked(cb.receiver, bytes, noc);
  }
  cb.counted_ptr = remote_pointer(cb);
}

// The bytes of the next pages and of what is skipped between them.
inline uint32_t span_of_pages(RemoteCircularBuffer& cb, uint32_t index, uint32_t num_pages) {
  const uint32_t bytes = num_pages * cb.sender.fifo_page_size;
  const uint32_t limit = cb.sender.fifo_limit_page_aligned;
  if (num_pages > (limit - cb.sender.fifo_start_addr) / cb.sender.fifo_page_size) {
    fail_circular_buffer(index, "more pages are asked for than it has");
  }
  const uint32_t end = cb.sender.fifo_start_addr + cb.fifo_size;
  return bytes <= limit - remote_pointer(cb) ? bytes : bytes + (end - limit);
}

// The pointer after these pages; the counters have counted up to there.
inline void advance_remote(RemoteCircularBuffer& cb, uint32_t span) {
  const uint32_t start = cb.sender.fifo_start_addr;
  cb.counted_ptr = start + (remote_pointer(cb) - start + span) % cb.fifo_size;
  remote_pointer(cb) = cb.counted_ptr >= cb.sender.fifo_limit_page_aligned ? start : cb.counted_ptr;
}

// Writes to a receiver's memory from `target` on, around its end; returns where it ends.
inline uint32_t write_around(const RemoteSenderCBInterface& sender, uint32_t receiver,
                             uint32_t source, uint32_t target, uint32_t size, uint8_t noc) {
  while (size != 0) {
    const uint32_t to_limit = sender.fifo_limit_page_aligned - target;
    const uint32_t part = size < to_limit ? size : to_limit;
    noc_async_write(source, receiver_address(sender, receiver, target, noc), part, noc);
    source += part;
    size -= part;
    target = part == to_limit ? sender.fifo_start_addr : target + part;
  }
  return target;
}

#endif  // COMPILE_FOR_TRISC

}  // namespace lightmetal::kernel

namespace experimental {

// Pages have another size from now on: the next one begins at a multiple of it. Both sides have to
// do this after the same page. With update_remote_over_noc the other side is told at once that
// bytes were skipped, otherwise with the next call that reserves, writes, waits or pops; a compute
// kernel leaves that to the core's other kernels.
template <bool update_remote_over_noc = false>
FORCE_INLINE void resize_remote_sender_cb_interface(uint32_t cb_id, uint32_t page_size,
                                                    uint8_t noc) {
  auto& cb = lightmetal::kernel::remote_sender(cb_id);
  lightmetal::kernel::set_remote_page_size(cb, cb_id, page_size);
#ifndef COMPILE_FOR_TRISC
  if constexpr (update_remote_over_noc) lightmetal::kernel::count_skipped(cb, noc);
#endif
}

template <bool update_remote_over_noc = false>
FORCE_INLINE void resize_remote_receiver_cb_interface(uint32_t cb_id, uint32_t page_size,
                                                      uint8_t noc) {
  auto& cb = lightmetal::kernel::remote_receiver(cb_id);
  lightmetal::kernel::set_remote_page_size(cb, cb_id, page_size);
#ifndef COMPILE_FOR_TRISC
  if constexpr (update_remote_over_noc) lightmetal::kernel::count_skipped(cb, noc);
#endif
}

// Local circular buffers in the memory of the remote one take over its pointer and its whole pages.
template <uint32_t num_local_cbs>
FORCE_INLINE void align_local_cbs_to_remote_cb(uint32_t remote_cb_index,
                                               const uint32_t (&local_cb_indices)[num_local_cbs]) {
  auto& cb = lightmetal::kernel::remote_circular_buffer(remote_cb_index);
  const uint32_t start = cb.sender.fifo_start_addr;
  const uint32_t size = cb.sender.fifo_limit_page_aligned - start;
  const uint32_t pointer = lightmetal::kernel::remote_pointer(cb);
  for (const uint32_t index : local_cb_indices) {
    auto& local = lightmetal::kernel::existing_circular_buffer(static_cast<int32_t>(index));
    if (size % local.page_size != 0 || (pointer - start) % local.page_size != 0) {
      lightmetal::kernel::fail_circular_buffer(
          index, "its page size does not divide the pages of the remote circular buffer");
    }
    local.base = start;
    local.limit = start + size;
    local.num_pages = size / local.page_size;
    local.read_ptr = pointer;
    local.write_ptr = pointer;
  }
}

// For kernels of later programs. One kernel of a core calls this, at its end.
FORCE_INLINE void update_remote_cb_config_in_l1(uint32_t remote_cb_index) {
  auto& cb = lightmetal::kernel::remote_circular_buffer(remote_cb_index);
  const auto field = static_cast<uint32_t>(lightmetal::kernel_abi::RemoteConfig::kFifoPointer);
  lightmetal::kernel::set_l1_word(cb.sender.config_ptr + field * 4, cb.counted_ptr);
}

#ifndef COMPILE_FOR_TRISC

// ---- Receivers ----

FORCE_INLINE void remote_cb_wait_front(uint32_t cb_id, uint32_t num_pages) {
  auto& cb = lightmetal::kernel::remote_receiver(cb_id);
  lightmetal::kernel::count_skipped(cb, noc_index);
  const uint32_t units =
      lightmetal::kernel::span_of_pages(cb, cb_id, num_pages) / lightmetal::kernel_abi::kRemoteUnit;
  const uint32_t acked = cb.receiver.aligned_pages_acked_ptr;
  lightmetal::kernel::wait_until_counted(acked - lightmetal::kernel_abi::kRemoteUnit,
                                         lightmetal::kernel::l1_word(acked) + units);
}

FORCE_INLINE void remote_cb_pop_front(uint32_t cb_id, uint32_t num_pages, uint8_t noc = noc_index) {
  auto& cb = lightmetal::kernel::remote_receiver(cb_id);
  lightmetal::kernel::count_skipped(cb, noc);
  const uint32_t span = lightmetal::kernel::span_of_pages(cb, cb_id, num_pages);
  lightmetal::kernel::count_acked(cb.receiver, span, noc);
  lightmetal::kernel::advance_remote(cb, span);
}

// ---- Senders ----

// Until every receiver has room.
FORCE_INLINE void remote_cb_reserve_back(uint32_t cb_id, uint32_t num_pages) {
  auto& cb = lightmetal::kernel::remote_sender(cb_id);
  lightmetal::kernel::count_skipped(cb, noc_index);
  const uint32_t span = lightmetal::kernel::span_of_pages(cb, cb_id, num_pages);
  const uint32_t most = (cb.fifo_size - span) / lightmetal::kernel_abi::kRemoteUnit;
  for (uint32_t i = 0; i < cb.sender.num_receivers; ++i) {
    const uint32_t sent = lightmetal::kernel::sent_address(cb.sender, i);
    lightmetal::kernel::wait_until_counted(sent + lightmetal::kernel_abi::kRemoteUnit,
                                           lightmetal::kernel::l1_word(sent) - most);
  }
}

// Writes `num_pages` pages to each receiver. `local_cb_addr` is where `num_rows` rows lie, each
// with the pieces of every receiver one after the other: coalesced_num_pages_per_row pieces of
// coalesced_page_size bytes for the first, then as many for the next.
// Whether the hardware counts the transfers makes no difference.
template <bool skip_ptr_update = true>
FORCE_INLINE void remote_cb_push_back_and_write_pages(uint32_t cb_id, uint32_t local_cb_addr,
                                                      uint32_t num_pages, uint32_t num_rows,
                                                      uint32_t coalesced_num_pages_per_row,
                                                      uint32_t coalesced_page_size,
                                                      uint8_t noc = noc_index) {
  auto& cb = lightmetal::kernel::remote_sender(cb_id);
  lightmetal::kernel::count_skipped(cb, noc);
  const uint32_t span = lightmetal::kernel::span_of_pages(cb, cb_id, num_pages);
  const uint32_t row_bytes = coalesced_num_pages_per_row * coalesced_page_size;
  if (row_bytes * num_rows > num_pages * cb.sender.fifo_page_size) {
    lightmetal::kernel::fail_circular_buffer(cb_id, "the rows to write are larger than the pages");
  }
  for (uint32_t i = 0; i < cb.sender.num_receivers; ++i) {
    uint32_t target = cb.sender.fifo_wr_ptr;
    for (uint32_t row = 0; row < num_rows; ++row) {
      const uint32_t source = local_cb_addr + (row * cb.sender.num_receivers + i) * row_bytes;
      target = lightmetal::kernel::write_around(cb.sender, i, source, target, row_bytes, noc);
    }
  }
  noc_async_write_barrier(noc);  // pages are there before they are counted
  lightmetal::kernel::count_sent(cb.sender, span, noc);
  lightmetal::kernel::advance_remote(cb, span);
}

// Until the receivers have popped all that was sent.
FORCE_INLINE void remote_cb_sender_barrier(uint32_t cb_id) {
  auto& cb = lightmetal::kernel::remote_sender(cb_id);
  for (uint32_t i = 0; i < cb.sender.num_receivers; ++i) {
    const uint32_t sent = lightmetal::kernel::sent_address(cb.sender, i);
    lightmetal::kernel::wait_until_counted(sent + lightmetal::kernel_abi::kRemoteUnit,
                                           lightmetal::kernel::l1_word(sent));
  }
}

#endif  // COMPILE_FOR_TRISC

}  // namespace experimental
