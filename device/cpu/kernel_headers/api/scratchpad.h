#pragma once

#include "api/core_local_mem.h"
#include "api/scratchpad_binding_token.h"
#include "experimental/kernel_args.h"
#include "lightmetal/formats.h"

// L1 memory that the host gave this kernel, as an array of as many Ts as fit, and as endpoint of
// the NoC.
template <typename T>
class Scratchpad {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = uint32_t;
  using pointer = CoreLocalMem<T>;
  using const_pointer = CoreLocalMem<const T>;
  using reference = T&;
  using const_reference = const T&;
  using iterator = pointer;

  [[nodiscard]] explicit Scratchpad(const ScratchpadBindingToken& token) noexcept
      : begin_(get_common_arg_val<uint32_t>(static_cast<int>(token.crta_offset_))),
        size_in_bytes_(token.size_in_bytes_),
        format_(static_cast<DataFormat>(token.llk_metadata_.format)) {}

  [[nodiscard]] reference operator[](uint32_t index) const { return begin_[index]; }
  [[nodiscard]] size_type size() const noexcept { return size_in_bytes_ / sizeof(T); }
  [[nodiscard]] size_type size_in_bytes() const noexcept { return size_in_bytes_; }
  [[nodiscard]] constexpr DataFormat get_dataformat() const noexcept { return format_; }
  [[nodiscard]] uint32_t get_base_address() const noexcept {
    return static_cast<uint32_t>(begin_.get_address());
  }
  [[nodiscard]] iterator begin() const noexcept { return begin_; }
  [[nodiscard]] iterator end() const noexcept { return begin_ + size(); }
  [[nodiscard]] pointer local_mem() const noexcept { return begin_; }
  [[nodiscard]] auto scoped_lock(uint32_t offset, uint32_t num_elements) const {
    return (begin_ + offset).scoped_lock(num_elements);
  }

 private:
  pointer begin_;
  size_type size_in_bytes_;
  DataFormat format_;
};

#ifndef COMPILE_FOR_TRISC

template <typename T>
struct noc_traits_t<Scratchpad<T>>
    : lightmetal::kernel::LocalTraits<noc_traits_t<Scratchpad<T>>, Scratchpad<T>> {
  static FORCE_INLINE uint32_t read_pointer(const Scratchpad<T>& pad) {
    return pad.get_base_address();
  }
  static FORCE_INLINE uint32_t write_pointer(const Scratchpad<T>& pad) { return read_pointer(pad); }
};

#endif
