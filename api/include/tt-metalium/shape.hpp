#pragma once

#include <fmt/ostream.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <tt-metalium/logger.hpp>
#include <tt-metalium/small_vector.hpp>  // IWYU pragma: export
#include <tt-metalium/span.hpp>          // IWYU pragma: export
#include <utility>
#include <vector>

namespace tt::tt_metal {

// The extents of a tensor, outermost first. A value. Indices may be negative: -1 is the last
// dimension. Throws std::runtime_error for an index that is outside.
class Shape final {
 public:
  using Container = tt::stl::SmallVector<uint32_t>;
  using coord_type = uint32_t;

  Shape() = default;
  explicit Shape(Container extents) : extents_(std::move(extents)) {}
  explicit Shape(std::initializer_list<uint32_t> extents) : extents_(extents) {}
  explicit Shape(tt::stl::Span<const uint32_t> extents)
      : extents_(extents.begin(), extents.end()) {}
  template <std::size_t N>
  explicit Shape(const std::array<uint32_t, N>& extents)
      : extents_(extents.begin(), extents.end()) {}

  uint32_t operator[](int32_t index) const { return extents_[get_normalized_index(index)]; }
  uint32_t& operator[](int32_t index) { return extents_[get_normalized_index(index)]; }
  uint32_t get_normalized_index(int64_t index) const;

  Container::const_iterator cbegin() const { return extents_.cbegin(); }
  Container::const_iterator cend() const { return extents_.cend(); }
  Container::const_iterator begin() const { return extents_.begin(); }
  Container::const_iterator end() const { return extents_.end(); }
  tt::stl::Span<const uint32_t> view() const { return {extents_.data(), extents_.size()}; }

  std::size_t rank() const { return extents_.size(); }
  std::size_t size() const { return extents_.size(); }
  bool empty() const { return extents_.empty(); }
  // How many elements the tensor has: 1 without dimensions.
  uint64_t volume() const;
  // The same elements with extents of 1 put in front or taken away there. Throws when other extents
  // would have to go. to_array_4D() is to_rank(4).
  Shape to_rank(std::size_t new_rank) const;
  std::array<uint32_t, 4> to_array_4D() const;

  friend bool operator==(const Shape&, const Shape&) = default;
  friend bool operator==(const Shape& shape, const Container& extents) {
    return shape.extents_ == extents;
  }
  template <std::size_t N>
  friend bool operator==(const Shape& shape, const std::array<uint32_t, N>& extents) {
    return shape == Shape(extents);
  }

 private:
  Container extents_;
};

std::ostream& operator<<(std::ostream& os, const Shape& shape);  // "Shape([1, 2, 3])"

// How far apart neighbours of each dimension lie in a row-major tensor, in elements.
tt::stl::SmallVector<uint32_t> compute_strides(const Shape& shape);

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::Shape> : fmt::ostream_formatter {};
