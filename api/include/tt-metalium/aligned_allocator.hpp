#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace tt::stl {

// An allocator of the standard library for elements that begin at multiples of `Alignment`.
template <typename T, std::size_t Alignment = alignof(T)>
class aligned_allocator {
  static_assert(Alignment >= alignof(T), "the elements need more alignment");

 public:
  static constexpr std::align_val_t alignment{Alignment};
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  template <typename U>
  struct rebind {
    using other = aligned_allocator<U, Alignment>;
  };

  constexpr aligned_allocator() noexcept = default;
  template <typename U>
  constexpr aligned_allocator(const aligned_allocator<U, Alignment>&) noexcept {}

  constexpr std::size_t max_size() const noexcept {
    return std::numeric_limits<std::size_t>::max() / sizeof(T);
  }
  [[nodiscard]] T* allocate(std::size_t count) const {
    if (count > max_size()) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* elements, std::size_t /*count*/) const noexcept {
    ::operator delete(elements, alignment);
  }

  template <typename U>
  friend constexpr bool operator==(const aligned_allocator&,
                                   const aligned_allocator<U, Alignment>&) noexcept {
    return true;
  }
};

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
