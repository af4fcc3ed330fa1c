#pragma once

#include <fmt/ostream.h>

#include <algorithm>
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
// dimension. As upstream's, a shape of fewer than four dimensions has extents of 1 before its
// first for negative indices down to -4. Throws std::runtime_error for an index that is outside.
class Shape final {
 public:
  using Container = tt::stl::SmallVector<uint32_t>;
  using coord_type = uint32_t;

  Shape() = default;
  explicit Shape(const Container& extents) : Shape(tt::stl::Span<const uint32_t>(extents)) {}
  explicit Shape(std::initializer_list<uint32_t> extents) : Shape(Container(extents)) {}
  explicit Shape(tt::stl::Span<const uint32_t> extents);
  template <std::size_t N>
  explicit Shape(const std::array<uint32_t, N>& extents)
      : Shape(tt::stl::Span<const uint32_t>(extents)) {}

  uint32_t operator[](int32_t index) const { return padded_[padded_index(index)]; }
  uint32_t& operator[](int32_t index) { return padded_[padded_index(index)]; }
  // The dimension that an index means, from 0. Throws for those before the first.
  uint32_t get_normalized_index(int64_t index) const;

  Container::const_iterator cbegin() const {
    return padded_.end() - static_cast<std::ptrdiff_t>(rank_);
  }
  Container::const_iterator cend() const { return padded_.cend(); }
  Container::const_iterator begin() const { return cbegin(); }
  Container::const_iterator end() const { return cend(); }
  tt::stl::Span<const uint32_t> view() const {
    return tt::stl::Span<const uint32_t>(padded_).last(rank_);
  }

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  // How many elements the tensor has: 1 without dimensions.
  uint64_t volume() const;
  // The same elements with extents of 1 put in front or taken away there. Throws when other extents
  // would have to go. to_array_4D() is to_rank(4).
  Shape to_rank(std::size_t new_rank) const;
  std::array<uint32_t, 4> to_array_4D() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator==(const Shape& shape, const Container& extents) {
    return shape == Shape(extents);
  }
  template <std::size_t N>
  friend bool operator==(const Shape& shape, const std::array<uint32_t, N>& extents) {
    return shape == Shape(extents);
  }

 private:
  std::size_t padded_index(int64_t index) const;

  std::size_t rank_ = 0;
  // Four extents at least, of which the last `rank_` are the shape's.
  Container padded_ = {1, 1, 1, 1};
};

std::ostream& operator<<(std::ostream& os, const Shape& shape);  // "Shape([1, 2, 3])"

// How far apart neighbours of each dimension lie in a row-major tensor, in elements.
tt::stl::SmallVector<std::size_t> compute_strides(const Shape& shape);

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::Shape> : fmt::ostream_formatter {};
