#pragma once

#include "api/lock.h"
#include "lightmetal/circular_buffers.h"
#include "lightmetal/formats.h"
#ifndef COMPILE_FOR_TRISC
#include "api/dataflow/noc.h"
#endif

// A circular buffer as an object, as of 2026. It holds only its index: objects of one index are
// one circular buffer. Compute kernels see addresses in units of 16 bytes.
class CircularBuffer {
 public:
  // Which of its two addresses a transfer uses (`use`, below).
  enum class AddrSelector : uint8_t { WRITE_PTR, READ_PTR };

  explicit constexpr CircularBuffer(uint32_t cb_id) : id_(cb_id) {}

  constexpr uint32_t get_cb_id() const { return id_; }

  FORCE_INLINE void reserve_back(int32_t num_pages) { cb_reserve_back(index(), num_pages); }
  FORCE_INLINE void push_back(int32_t num_pages) { cb_push_back(index(), num_pages); }
  FORCE_INLINE void wait_front(int32_t num_pages) { cb_wait_front(index(), num_pages); }
  FORCE_INLINE void pop_front(int32_t num_pages) { cb_pop_front(index(), num_pages); }

  FORCE_INLINE uint32_t get_write_ptr() const {
    return lightmetal::kernel::in_address_units(
        lightmetal::kernel::circular_buffer(index()).write_ptr);
  }
  FORCE_INLINE uint32_t get_read_ptr() const {
    return lightmetal::kernel::in_address_units(
        lightmetal::kernel::circular_buffer(index()).read_ptr);
  }

#ifdef COMPILE_FOR_TRISC
  // The address in bytes of a tile that can be read, and one of its 32-bit words.
  FORCE_INLINE uint32_t get_tile_address(uint32_t tile_index) {
    return lightmetal::kernel::front_tile_address(index(), tile_index);
  }
  FORCE_INLINE uint32_t read_tile_value(uint32_t tile_index, uint32_t element_offset) {
    return lightmetal::kernel::front_tile_element<uint32_t>(index(), tile_index, element_offset);
  }
#else
  FORCE_INLINE bool pages_reservable_at_back(int32_t num_pages) const {
    return cb_pages_reservable_at_back(index(), num_pages);
  }
  FORCE_INLINE bool pages_available_at_front(int32_t num_pages) const {
    return cb_pages_available_at_front(index(), num_pages);
  }
  FORCE_INLINE uint32_t get_tile_size() const {
    return static_cast<uint32_t>(::get_tile_size(index()));
  }
  FORCE_INLINE uint32_t get_tile_hw() const { return ::get_tile_hw(index()); }
  FORCE_INLINE DataFormat get_dataformat() const { return ::get_dataformat(index()); }
#endif

  [[nodiscard]] auto scoped_lock() { return Lock(lightmetal::kernel::ReleaseNothing{}); }

 private:
  int32_t index() const { return static_cast<int32_t>(id_); }

  uint32_t id_;
};

namespace experimental {

using ::CircularBuffer;

}  // namespace experimental

#ifndef COMPILE_FOR_TRISC

// A circular buffer at one of its two addresses, whichever side of a transfer it is.
template <CircularBuffer::AddrSelector AddrSel>
struct CircularBufferView {
  explicit constexpr CircularBufferView(const CircularBuffer& c) : cb(c) {}

  const CircularBuffer& cb;
};

template <CircularBuffer::AddrSelector AddrSel>
constexpr auto use(const CircularBuffer& cb) {
  return CircularBufferView<AddrSel>{cb};
}

template <>
struct noc_traits_t<CircularBuffer>
    : lightmetal::kernel::LocalTraits<noc_traits_t<CircularBuffer>, CircularBuffer> {
  static FORCE_INLINE uint32_t read_pointer(const CircularBuffer& cb) { return cb.get_read_ptr(); }
  static FORCE_INLINE uint32_t write_pointer(const CircularBuffer& cb) {
    return cb.get_write_ptr();
  }
};

template <CircularBuffer::AddrSelector AddrSel>
struct noc_traits_t<CircularBufferView<AddrSel>>
    : lightmetal::kernel::LocalTraits<noc_traits_t<CircularBufferView<AddrSel>>,
                                      CircularBufferView<AddrSel>> {
  static FORCE_INLINE uint32_t read_pointer(const CircularBufferView<AddrSel>& view) {
    return AddrSel == CircularBuffer::AddrSelector::READ_PTR ? view.cb.get_read_ptr()
                                                             : view.cb.get_write_ptr();
  }
  static FORCE_INLINE uint32_t write_pointer(const CircularBufferView<AddrSel>& view) {
    return read_pointer(view);
  }
};

namespace experimental {

using ::CircularBufferView;
using ::use;

}  // namespace experimental

#endif
