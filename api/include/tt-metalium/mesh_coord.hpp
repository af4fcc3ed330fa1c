#pragma once

#include <fmt/ostream.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ostream>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/span.hpp>
#include <type_traits>
#include <vector>

// Where devices lie in a mesh: plain values with any number of dimensions, the outermost first.
// Coordinates are counted in row-major order, the last dimension fastest. Errors are
// std::runtime_error. Values may be used by several threads as long as nobody changes them.
namespace tt::tt_metal::distributed {

// How many devices a mesh has in each dimension.
class MeshShape {
 public:
  explicit MeshShape(uint32_t s) : sizes_{s} {}
  MeshShape(uint32_t s0, uint32_t s1) : sizes_{s0, s1} {}
  MeshShape(uint32_t s0, uint32_t s1, uint32_t s2) : sizes_{s0, s1, s2} {}
  explicit MeshShape(std::initializer_list<uint32_t> sizes) : sizes_(sizes) {}
  explicit MeshShape(tt::stl::Span<const uint32_t> sizes) : sizes_(sizes.begin(), sizes.end()) {}

  size_t dims() const { return sizes_.size(); }
  size_t mesh_size() const;  // the number of devices
  // By how much the linear index grows with one step in that dimension.
  size_t get_stride(size_t dim) const;
  // True when at most one dimension has more than one device.
  bool is_line_topology() const;
  // A negative index counts from the last dimension.
  uint32_t operator[](int32_t dim) const;
  tt::stl::Span<const uint32_t> view() const { return sizes_; }

  friend bool operator==(const MeshShape&, const MeshShape&) = default;

 private:
  std::vector<uint32_t> sizes_;
};

bool is_line_topology(const MeshShape& shape);
std::ostream& operator<<(std::ostream& out, const MeshShape& shape);

// The place of one device.
class MeshCoordinate {
 public:
  explicit MeshCoordinate(uint32_t c) : coords_{c} {}
  MeshCoordinate(uint32_t c0, uint32_t c1) : coords_{c0, c1} {}
  MeshCoordinate(uint32_t c0, uint32_t c1, uint32_t c2) : coords_{c0, c1, c2} {}
  explicit MeshCoordinate(tt::stl::Span<const uint32_t> coords)
      : coords_(coords.begin(), coords.end()) {}
  static MeshCoordinate zero_coordinate(size_t dimensions);

  size_t dims() const { return coords_.size(); }
  tt::stl::Span<const uint32_t> coords() const { return coords_; }
  // A negative index counts from the last dimension.
  uint32_t operator[](int32_t dim) const;
  uint32_t& operator[](int32_t dim);
  // Throws when the coordinate lies outside of the shape.
  size_t to_linear_index(const MeshShape& shape) const;

  // In lexicographical order.
  friend auto operator<=>(const MeshCoordinate&, const MeshCoordinate&) = default;

 private:
  std::vector<uint32_t> coords_;
};

size_t to_linear_index(const MeshShape& shape, const MeshCoordinate& coord);
std::ostream& operator<<(std::ostream& out, const MeshCoordinate& coord);

// All coordinates between two corners, both included. Never empty.
class MeshCoordinateRange {
 public:
  // Throws unless `start` is at most `end` in each dimension.
  MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end);
  // The whole mesh. Throws when a dimension is 0.
  explicit MeshCoordinateRange(const MeshShape& shape);
  explicit MeshCoordinateRange(const MeshCoordinate& coord) : MeshCoordinateRange(coord, coord) {}

  size_t dims() const { return start_.dims(); }
  const MeshCoordinate& start_coord() const { return start_; }
  const MeshCoordinate& end_coord() const { return end_; }
  MeshShape shape() const;
  // These throw when the dimensions differ in number.
  bool contains(const MeshCoordinate& coord) const;
  bool contains(const MeshCoordinateRange& range) const;
  bool intersects(const MeshCoordinateRange& range) const;
  std::optional<MeshCoordinateRange> intersection(const MeshCoordinateRange& range) const;

  // Goes through the coordinates in row-major order. An iterator refers to its range, which must
  // outlive it.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = MeshCoordinate;
    using difference_type = std::ptrdiff_t;
    using pointer = const MeshCoordinate*;
    using reference = const MeshCoordinate&;

    Iterator& operator++();
    Iterator operator++(int);
    const MeshCoordinate& operator*() const { return current_; }
    const MeshCoordinate* operator->() const { return &current_; }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.range_ == b.range_ && a.index_ == b.index_;
    }

   private:
    friend class MeshCoordinateRange;
    Iterator(const MeshCoordinateRange* range, size_t index)
        : range_(range), current_(range->start_), index_(index) {}

    const MeshCoordinateRange* range_;
    MeshCoordinate current_;
    size_t index_;  // of current_, in the range
  };
  Iterator begin() const { return Iterator(this, 0); }
  Iterator end() const { return Iterator(this, shape().mesh_size()); }

  friend bool operator==(const MeshCoordinateRange&, const MeshCoordinateRange&) = default;

 private:
  MeshCoordinate start_;
  MeshCoordinate end_;
};

std::ostream& operator<<(std::ostream& out, const MeshCoordinateRange& range);

}  // namespace tt::tt_metal::distributed

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinate> {
  std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinate& coord) const noexcept {
    std::size_t hash = coord.dims();
    for (const uint32_t c : coord.coords()) hash = hash * 1'000'003 + c;
    return hash;
  }
};
template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
  std::size_t operator()(
      const tt::tt_metal::distributed::MeshCoordinateRange& range) const noexcept {
    const std::hash<tt::tt_metal::distributed::MeshCoordinate> hash;
    return hash(range.start_coord()) * 1'000'003 + hash(range.end_coord());
  }
};

template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshShape> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshCoordinate> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshCoordinateRange> : fmt::ostream_formatter {};
