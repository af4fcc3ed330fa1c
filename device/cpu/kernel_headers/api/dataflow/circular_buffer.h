#pragma once

#include "lightmetal/circular_buffers.h"
#include "lightmetal/formats.h"

// A circular buffer as an object, as of 2026. It holds only its index: objects of one index are
// one circular buffer.
class CircularBuffer {
 public:
  // Which of its two addresses a transfer uses (`use`, in noc.h).
  enum class AddrSelector : uint8_t { WRITE_PTR, READ_PTR };

  explicit CircularBuffer(uint32_t cb_id) : id_(cb_id) {}

  uint32_t get_cb_id() const { return id_; }

  FORCE_INLINE void reserve_back(int32_t num_pages) { cb_reserve_back(index(), num_pages); }
  FORCE_INLINE void push_back(int32_t num_pages) { cb_push_back(index(), num_pages); }
  FORCE_INLINE void wait_front(int32_t num_pages) { cb_wait_front(index(), num_pages); }
  FORCE_INLINE void pop_front(int32_t num_pages) { cb_pop_front(index(), num_pages); }

#ifndef COMPILE_FOR_TRISC
  FORCE_INLINE uint32_t get_write_ptr() const {
    return lightmetal::kernel::circular_buffer(index()).write_ptr;
  }
  FORCE_INLINE uint32_t get_read_ptr() const {
    return lightmetal::kernel::circular_buffer(index()).read_ptr;
  }
  FORCE_INLINE bool pages_reservable_at_back(int32_t num_pages) const {
    return cb_pages_reservable_at_back(index(), num_pages);
  }
  FORCE_INLINE bool pages_available_at_front(int32_t num_pages) const {
    return cb_pages_available_at_front(index(), num_pages);
  }
  FORCE_INLINE int32_t get_tile_size() const { return ::get_tile_size(index()); }
  FORCE_INLINE uint32_t get_tile_hw() const { return ::get_tile_hw(index()); }
  FORCE_INLINE DataFormat get_dataformat() const { return ::get_dataformat(index()); }
#endif

 private:
  int32_t index() const { return static_cast<int32_t>(id_); }

  uint32_t id_;
};
