#pragma once

#include "lightmetal/circular_buffers.h"

// What kernels see of circular buffers: of their own as LocalCBInterface, of those that a remote
// index reaches as RemoteSenderCBInterface on the core that writes, RemoteReceiverCBInterface on
// one that reads. Each kernel has pointers of its own. Addresses and sizes are those of bytes, but
// of a LocalCBInterface in a compute kernel those of units of 16 bytes, as on the hardware.

// By how many bits the latter are shifted, of which kernels of 2026 ask.
inline constexpr uint32_t cb_addr_shift = lightmetal::kernel::kAddressShift;

#ifdef COMPILE_FOR_TRISC
// An address or a size of a LocalCBInterface, kept in bytes.
struct LocalCBUnits {
  operator uint32_t() const { return bytes >> cb_addr_shift; }
  LocalCBUnits& operator=(uint32_t units) {
    bytes = units << cb_addr_shift;
    return *this;
  }
  LocalCBUnits& operator+=(uint32_t units) { return *this = *this + units; }
  LocalCBUnits& operator-=(uint32_t units) { return *this = *this - units; }

 private:
  uint32_t bytes;
};
#else
using LocalCBUnits = uint32_t;
#endif

// fifo_size of a LocalCBInterface: a number that can be read.
struct LocalCBSize {
  operator uint32_t() const {
    return (reinterpret_cast<const uint32_t*>(this)[1] - start) >> cb_addr_shift;
  }

 private:
  uint32_t start;
};

// The parts of kernel_abi::CircularBuffer under the names that kernels know.
struct __attribute__((may_alias)) LocalCBInterface {
  LocalCBSize fifo_size;
  LocalCBUnits fifo_limit;
  LocalCBUnits fifo_page_size;
  uint32_t fifo_num_pages;
  LocalCBUnits fifo_rd_ptr;
  LocalCBUnits fifo_wr_ptr;
};
static_assert(offsetof(LocalCBInterface, fifo_limit) ==
              offsetof(lightmetal::kernel_abi::CircularBuffer, limit));
static_assert(offsetof(LocalCBInterface, fifo_page_size) ==
              offsetof(lightmetal::kernel_abi::CircularBuffer, page_size));
static_assert(offsetof(LocalCBInterface, fifo_num_pages) ==
              offsetof(lightmetal::kernel_abi::CircularBuffer, num_pages));
static_assert(offsetof(LocalCBInterface, fifo_rd_ptr) ==
              offsetof(lightmetal::kernel_abi::CircularBuffer, read_ptr));
static_assert(offsetof(LocalCBInterface, fifo_wr_ptr) ==
              offsetof(lightmetal::kernel_abi::CircularBuffer, write_ptr));

struct RemoteSenderCBInterface {
  uint32_t config_ptr;
  uint32_t fifo_start_addr;
  uint32_t fifo_limit_page_aligned;
  uint32_t fifo_page_size;
  uint32_t fifo_wr_ptr;
  uint32_t receiver_noc_xy_ptr;
  uint32_t aligned_pages_sent_ptr;
  uint32_t num_receivers;
};

struct RemoteReceiverCBInterface {
  uint32_t config_ptr;
  uint32_t fifo_start_addr;
  uint32_t fifo_limit_page_aligned;
  uint32_t fifo_page_size;
  uint32_t fifo_rd_ptr;
  uint32_t sender_noc_x;
  uint32_t sender_noc_y;
  uint32_t aligned_pages_acked_ptr;
};

namespace lightmetal::kernel {

using kernel_abi::RemoteConfig;

// A remote index during one launch of one kernel. Positions in the memory are counted around it: a
// lap has fifo_size bytes, those behind the last whole page included, and the counters of what was
// sent and acknowledged count all of them. So the bytes between both ends are right whatever the
// page sizes were.
struct RemoteCircularBuffer {
  union {
    RemoteSenderCBInterface sender;
    RemoteReceiverCBInterface receiver;
  };
  bool known;
  bool is_sender;
  uint32_t fifo_size;
  uint32_t counted_ptr;  // up to where the counters have counted: the pointer, or what it skipped
};
inline RemoteCircularBuffer remote_circular_buffers[NUM_CIRCULAR_BUFFERS];

FORCE_INLINE uint32_t l1_word(uint32_t address) {
  return __atomic_load_n(reinterpret_cast<uint32_t*>(static_cast<uint64_t>(address)),
                         __ATOMIC_ACQUIRE);
}

FORCE_INLINE void set_l1_word(uint32_t address, uint32_t value) {
  __atomic_store_n(reinterpret_cast<uint32_t*>(static_cast<uint64_t>(address)), value,
                   __ATOMIC_RELEASE);
}

FORCE_INLINE uint32_t remote_config(uint32_t config, RemoteConfig field) {
  return l1_word(config + static_cast<uint32_t>(field) * 4);
}

// The page size and pointer are at the same place in both interfaces.
FORCE_INLINE uint32_t& remote_pointer(RemoteCircularBuffer& cb) {
  return cb.is_sender ? cb.sender.fifo_wr_ptr : cb.receiver.fifo_rd_ptr;
}

// The next page begins at the next multiple of the page size, or at the start when none fits there.
inline void set_remote_page_size(RemoteCircularBuffer& cb, uint32_t index, uint32_t page_size) {
  if (page_size == 0 || page_size > cb.fifo_size || page_size % kernel_abi::kRemoteUnit != 0) {
    fail_circular_buffer(index,
                         "the page size of a remote circular buffer must be a multiple of 16 and "
                         "no more than its size");
  }
  const uint32_t start = cb.sender.fifo_start_addr;
  const uint32_t limit = start + cb.fifo_size / page_size * page_size;
  const uint32_t position = remote_pointer(cb) - start;
  const uint32_t next = start + (position + page_size - 1) / page_size * page_size;
  cb.sender.fifo_limit_page_aligned = limit;
  cb.sender.fifo_page_size = page_size;
  remote_pointer(cb) = next >= limit ? start : next;
}

inline void load_remote_circular_buffer(RemoteCircularBuffer& cb, uint32_t index) {
  const kernel_abi::RemoteCircularBuffer& given =
      kernel_abi::remote_circular_buffer_at(*context(), index);
  const uint32_t config = given.config_address;
  if (config == 0) fail_circular_buffer(index, "this core has no remote circular buffer there");
  cb.is_sender = remote_config(config, RemoteConfig::kIsSender) != 0;
  cb.fifo_size = remote_config(config, RemoteConfig::kFifoSize);
  const uint32_t coordinates = remote_config(config, RemoteConfig::kRemoteNocXy);
  const uint32_t counters = remote_config(config, RemoteConfig::kCounters);
  if (cb.is_sender) {
    cb.sender.receiver_noc_xy_ptr = coordinates;
    cb.sender.aligned_pages_sent_ptr = counters;
    cb.sender.num_receivers = remote_config(config, RemoteConfig::kNumReceivers);
  } else {
    cb.receiver.sender_noc_x = l1_word(coordinates);
    cb.receiver.sender_noc_y = l1_word(coordinates + 4);
    cb.receiver.aligned_pages_acked_ptr = counters + kernel_abi::kRemoteUnit;
  }
  cb.sender.config_ptr = config;
  cb.sender.fifo_start_addr = remote_config(config, RemoteConfig::kFifoStart);
  remote_pointer(cb) = remote_config(config, RemoteConfig::kFifoPointer);
  cb.counted_ptr = remote_pointer(cb);
  set_remote_page_size(cb, index, given.page_size);
  cb.known = true;
}

FORCE_INLINE RemoteCircularBuffer& remote_circular_buffer(uint32_t index) {
  if (index >= NUM_CIRCULAR_BUFFERS) fail_circular_buffer(index, kNotBelow);
  RemoteCircularBuffer& cb = remote_circular_buffers[index];
  if (!cb.known) load_remote_circular_buffer(cb, index);
  return cb;
}

FORCE_INLINE RemoteCircularBuffer& remote_sender(uint32_t index) {
  RemoteCircularBuffer& cb = remote_circular_buffer(index);
  if (!cb.is_sender)
    fail_circular_buffer(index, "this core is a receiver, and the call a sender's");
  return cb;
}

FORCE_INLINE RemoteCircularBuffer& remote_receiver(uint32_t index) {
  RemoteCircularBuffer& cb = remote_circular_buffer(index);
  if (cb.is_sender) fail_circular_buffer(index, "this core is a sender, and the call a receiver's");
  return cb;
}

}  // namespace lightmetal::kernel

FORCE_INLINE LocalCBInterface& get_local_cb_interface(uint32_t cb_id) {
  return reinterpret_cast<LocalCBInterface&>(
      lightmetal::kernel::circular_buffer(static_cast<int32_t>(cb_id)));
}

FORCE_INLINE RemoteSenderCBInterface& get_remote_sender_cb_interface(uint32_t cb_id) {
  return lightmetal::kernel::remote_sender(cb_id).sender;
}

FORCE_INLINE RemoteReceiverCBInterface& get_remote_receiver_cb_interface(uint32_t cb_id) {
  return lightmetal::kernel::remote_receiver(cb_id).receiver;
}
