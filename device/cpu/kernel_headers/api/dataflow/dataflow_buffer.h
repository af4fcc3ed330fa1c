#pragma once

#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dfb_binding_token.h"
#include "lightmetal/remote_circular_buffers.h"

// A dataflow buffer of a program in the style of late 2026: on this generation of hardware the
// circular buffer of its number, whichever class or function it is used through.

// Some entries of a dataflow buffer, for as long as the lock lives.
template <bool IsWrite, typename ReleaseFunc>
class DfbScopedLock : public Lock<ReleaseFunc> {
 public:
  FORCE_INLINE DfbScopedLock(uint32_t pointer, ReleaseFunc release)
      : Lock<ReleaseFunc>(release), pointer_(pointer) {}

  // The first of them.
  template <typename T = uint32_t>
  [[nodiscard]] FORCE_INLINE CoreLocalMem<std::conditional_t<IsWrite, T, const T>> get_ptr() const {
    return {uintptr_t{pointer_}};
  }

 private:
  uint32_t pointer_;
};

class DataflowBuffer {
 public:
  template <dfb::AccessPattern Pap, dfb::AccessPattern Cap>
  DataflowBuffer(DFBBindingToken<Pap, Cap> token)
      : DataflowBuffer(static_cast<uint16_t>(uint32_t{token})) {}
  DataflowBuffer(RelayDFBBindingToken token)
      : DataflowBuffer(static_cast<uint16_t>(uint32_t{token})) {}
  DataflowBuffer(uint16_t logical_dfb_id) : buffer_(logical_dfb_id) {}

  constexpr uint16_t get_id() const { return static_cast<uint16_t>(buffer_.get_cb_id()); }

  // An entry is a page. The buffer is whole in each kernel's sight, so all of these agree.
  uint32_t get_entry_size() const { return storage().page_size; }
  uint32_t get_stride_size() const { return get_entry_size(); }
  uint32_t get_total_num_entries() const { return storage().num_pages; }
  uint32_t get_total_size_bytes() const { return storage().limit - storage().base; }
  uint32_t get_local_num_entries() const { return get_total_num_entries(); }
  uint32_t get_local_size_bytes() const { return get_total_size_bytes(); }
  uint32_t get_ring_span_bytes() const { return get_total_size_bytes(); }
  uint32_t get_ring_span_num_entries() const { return get_total_num_entries(); }

  FORCE_INLINE void reserve_back(uint16_t num_entries) { buffer_.reserve_back(num_entries); }
  FORCE_INLINE void push_back(uint16_t num_entries) { buffer_.push_back(num_entries); }
  FORCE_INLINE void wait_front(uint16_t num_entries) { buffer_.wait_front(num_entries); }
  FORCE_INLINE void pop_front(uint16_t num_entries) { buffer_.pop_front(num_entries); }

  FORCE_INLINE uint32_t get_write_ptr() const { return buffer_.get_write_ptr(); }
  FORCE_INLINE uint32_t get_read_ptr() const { return buffer_.get_read_ptr(); }
  // Moves a pointer of this kernel alone, in the units of the two above.
  FORCE_INLINE void evil_set_write_ptr(uint32_t addr) {
    lightmetal::kernel::existing_circular_buffer(index()).write_ptr =
        addr << lightmetal::kernel::kAddressShift;
  }
  FORCE_INLINE void evil_set_read_ptr(uint32_t addr) {
    lightmetal::kernel::existing_circular_buffer(index()).read_ptr =
        addr << lightmetal::kernel::kAddressShift;
  }

  constexpr uint32_t get_tile_size() const {
    return static_cast<uint32_t>(::get_tile_size(index()));
  }
  constexpr uint32_t get_tile_hw() const { return ::get_tile_hw(index()); }
  constexpr uint32_t get_tile_r_dim() const { return unpack_tile_r_dim[get_id()]; }
  constexpr uint32_t get_tile_c_dim() const { return unpack_tile_c_dim[get_id()]; }
  constexpr uint32_t get_tile_num_faces() const { return unpack_tile_num_faces[get_id()]; }
  constexpr uint32_t get_face_r_dim() const { return unpack_tile_face_r_dim[get_id()]; }
  constexpr uint32_t get_partial_face() const { return unpack_partial_face[get_id()]; }
  constexpr uint32_t get_narrow_tile() const { return unpack_narrow_tile[get_id()]; }
  constexpr DataFormat get_dataformat() const { return ::get_dataformat(index()); }

#ifdef COMPILE_FOR_TRISC
  FORCE_INLINE uint32_t get_tile_address(uint32_t tile_index) {
    return lightmetal::kernel::front_tile_address(index(), tile_index);
  }
  template <typename T = uint32_t>
  FORCE_INLINE T read_tile_value(uint32_t tile_index, uint32_t element_offset) {
    return lightmetal::kernel::front_tile_element<T>(index(), tile_index, element_offset);
  }
#else
  FORCE_INLINE bool pages_reservable_at_back(int32_t num_pages) const {
    return buffer_.pages_reservable_at_back(num_pages);
  }
  FORCE_INLINE bool pages_available_at_front(int32_t num_pages) const {
    return buffer_.pages_available_at_front(num_pages);
  }
  // Deprecated upstream: nothing is left to wait for.
  FORCE_INLINE void write_barrier(const Noc&) const {}
#endif
  FORCE_INLINE void finish() {}

  [[nodiscard]] auto scoped_lock() { return Lock(lightmetal::kernel::ReleaseNothing{}); }
  [[nodiscard]] auto scoped_write_lock(uint16_t num_entries = 1) {
    return DfbScopedLock<true, lightmetal::kernel::ReleaseNothing>(
        get_write_ptr() << lightmetal::kernel::kAddressShift, {});
  }
  [[nodiscard]] auto scoped_read_lock(uint16_t num_entries = 1) {
    return DfbScopedLock<false, lightmetal::kernel::ReleaseNothing>(
        get_read_ptr() << lightmetal::kernel::kAddressShift, {});
  }

 private:
  constexpr int32_t index() const { return static_cast<int32_t>(buffer_.get_cb_id()); }
  const lightmetal::kernel_abi::CircularBuffer& storage() const {
    return lightmetal::kernel::existing_circular_buffer(index());
  }

  CircularBuffer buffer_;
};

namespace experimental {

using ::DataflowBuffer;
using ::DFBAccessor;

}  // namespace experimental

#ifndef COMPILE_FOR_TRISC

template <>
struct noc_traits_t<DataflowBuffer>
    : lightmetal::kernel::LocalTraits<noc_traits_t<DataflowBuffer>, DataflowBuffer,
                                      DataflowBufferArgs> {
  static FORCE_INLINE uint32_t read_pointer(const DataflowBuffer& buffer) {
    return buffer.get_read_ptr();
  }
  static FORCE_INLINE uint32_t write_pointer(const DataflowBuffer& buffer) {
    return buffer.get_write_ptr();
  }
};

#endif
