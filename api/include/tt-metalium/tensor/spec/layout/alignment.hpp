#pragma once

#include <fmt/ostream.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/small_vector.hpp>
#include <tt-metalium/span.hpp>
#include <utility>

namespace tt::tt_metal {

// To what the dimensions of a tensor are padded, counted from the last one: the last number is for
// the width, the one before for the height. What stands further left is for the rows of that
// dimension and all within it, in elements, so it is a multiple of the height of what it holds.
// Dimensions without a number are not padded. A value; indices may be negative.
class Alignment final {
 public:
  using Container = tt::stl::SmallVector<uint32_t>;

  Alignment() = default;
  explicit Alignment(Container numbers) : numbers_(std::move(numbers)) {}
  explicit Alignment(std::initializer_list<uint32_t> numbers) : numbers_(Container(numbers)) {}
  explicit Alignment(tt::stl::Span<const uint32_t> numbers) : numbers_(numbers) {}
  template <std::size_t N>
  explicit Alignment(const std::array<uint32_t, N>& numbers) : numbers_(numbers) {}

  uint32_t operator[](int32_t index) const { return numbers_[index]; }
  uint32_t& operator[](int32_t index) { return numbers_[index]; }
  Container::const_iterator cbegin() const { return numbers_.cbegin(); }
  Container::const_iterator cend() const { return numbers_.cend(); }
  bool empty() const { return numbers_.empty(); }
  std::size_t size() const { return numbers_.size(); }
  tt::stl::Span<const uint32_t> view() const { return numbers_.view(); }

  friend bool operator==(const Alignment&, const Alignment&) = default;
  friend bool operator==(const Alignment& alignment, const Container& numbers) {
    return alignment.numbers_ == numbers;
  }
  template <std::size_t N>
  friend bool operator==(const Alignment& alignment, const std::array<uint32_t, N>& numbers) {
    return alignment.numbers_ == numbers;
  }

 private:
  Shape numbers_;
};

std::ostream& operator<<(std::ostream& os, const Alignment& alignment);  // "Alignment([32, 32])"

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::Alignment> : fmt::ostream_formatter {};
