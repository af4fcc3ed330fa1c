#pragma once

#include <fmt/ostream.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <tuple>
#include <utility>

namespace tt::tt_metal {

// The height and the width of a matrix, in elements. A value; it takes part in structured bindings:
// `auto [height, width] = shape`.
class Shape2D final {
 public:
  constexpr Shape2D(std::size_t height, std::size_t width) : height_(height), width_(width) {}
  constexpr Shape2D(const std::pair<std::size_t, std::size_t>& size)
      : Shape2D(size.first, size.second) {}
  constexpr Shape2D(const std::array<std::size_t, 2>& size) : Shape2D(size[0], size[1]) {}
  constexpr Shape2D(const std::array<uint32_t, 2>& size) : Shape2D(size[0], size[1]) {}

  constexpr operator std::pair<std::size_t, std::size_t>() const { return {height_, width_}; }
  constexpr operator std::array<std::size_t, 2>() const { return {height_, width_}; }
  constexpr operator std::array<uint32_t, 2>() const {
    return {static_cast<uint32_t>(height_), static_cast<uint32_t>(width_)};
  }

  constexpr Shape2D operator*(std::size_t factor) const {
    return {height_ * factor, width_ * factor};
  }
  friend constexpr bool operator==(const Shape2D&, const Shape2D&) = default;

  constexpr std::size_t height() const { return height_; }
  constexpr std::size_t width() const { return width_; }

  // For structured bindings.
  template <std::size_t I>
  constexpr std::size_t get() const {
    static_assert(I < 2, "a Shape2D has a height and a width");
    return I == 0 ? height_ : width_;
  }

 private:
  std::size_t height_ = 0;
  std::size_t width_ = 0;
};

inline std::ostream& operator<<(std::ostream& os, const Shape2D& shape) {
  return os << "Shape2D{" << shape.height() << ", " << shape.width() << "}";
}

}  // namespace tt::tt_metal

template <>
struct std::tuple_size<tt::tt_metal::Shape2D> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, tt::tt_metal::Shape2D> {
  using type = std::size_t;
};

template <>
struct fmt::formatter<tt::tt_metal::Shape2D> : fmt::ostream_formatter {};
