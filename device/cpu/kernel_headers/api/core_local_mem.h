#pragma once

#include "api/lock.h"
#include "lightmetal/kernel.h"
#ifndef COMPILE_FOR_TRISC
#include "api/dataflow/noc.h"
#endif

// L1 of this core as a pointer: the address of a T, counted in Ts. As endpoint of a NoC transfer,
// its offset counts bytes.
template <typename T, typename AddressType = uintptr_t>
class CoreLocalMem {
  using Difference = std::ptrdiff_t;

 public:
  CoreLocalMem(AddressType address) : address_(static_cast<uint32_t>(address)) {}
  CoreLocalMem(T* pointer) : address_(lightmetal::kernel::l1_address(pointer)) {}

  AddressType get_address() const { return static_cast<AddressType>(address_); }
  T* get_unsafe_ptr() const {
    return reinterpret_cast<T*>(lightmetal::kernel::context()->l1_base + address_);
  }
  T& operator[](uint32_t index) const { return get_unsafe_ptr()[index]; }
  T& operator*() const { return *get_unsafe_ptr(); }
  T* operator->() const { return get_unsafe_ptr(); }

  CoreLocalMem& operator+=(Difference count) {
    address_ += static_cast<uint32_t>(count * static_cast<Difference>(sizeof(T)));
    return *this;
  }
  CoreLocalMem& operator-=(Difference count) { return *this += -count; }
  CoreLocalMem& operator++() { return *this += 1; }
  CoreLocalMem& operator--() { return *this -= 1; }
  CoreLocalMem operator++(int) {
    const CoreLocalMem before = *this;
    ++*this;
    return before;
  }
  CoreLocalMem operator--(int) {
    const CoreLocalMem before = *this;
    --*this;
    return before;
  }
  CoreLocalMem operator+(Difference count) const { return CoreLocalMem(*this) += count; }
  CoreLocalMem operator-(Difference count) const { return CoreLocalMem(*this) -= count; }
  Difference operator-(const CoreLocalMem& other) const {
    return (static_cast<Difference>(address_) - static_cast<Difference>(other.address_)) /
           static_cast<Difference>(sizeof(T));
  }

  bool operator==(const CoreLocalMem& other) const { return address_ == other.address_; }
  bool operator!=(const CoreLocalMem& other) const { return address_ != other.address_; }
  bool operator<(const CoreLocalMem& other) const { return address_ < other.address_; }
  bool operator<=(const CoreLocalMem& other) const { return address_ <= other.address_; }
  bool operator>(const CoreLocalMem& other) const { return address_ > other.address_; }
  bool operator>=(const CoreLocalMem& other) const { return address_ >= other.address_; }
  explicit operator bool() const { return address_ != 0; }

  [[nodiscard]] auto scoped_lock(size_t num_elements = 1) const {
    return Lock(lightmetal::kernel::ReleaseNothing{});
  }

 private:
  uint32_t address_;
};

namespace experimental {

using ::CoreLocalMem;

}  // namespace experimental

#ifndef COMPILE_FOR_TRISC

template <typename T, typename AddressType>
struct noc_traits_t<CoreLocalMem<T, AddressType>>
    : lightmetal::kernel::LocalTraits<noc_traits_t<CoreLocalMem<T, AddressType>>,
                                      CoreLocalMem<T, AddressType>> {
  static FORCE_INLINE uint32_t read_pointer(const CoreLocalMem<T, AddressType>& memory) {
    return static_cast<uint32_t>(memory.get_address());
  }
  static FORCE_INLINE uint32_t write_pointer(const CoreLocalMem<T, AddressType>& memory) {
    return read_pointer(memory);
  }
};

#endif
