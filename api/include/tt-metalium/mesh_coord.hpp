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
#include <tuple>
#include <type_traits>
#include <utility>
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
  // Throws if `sizes` is empty.
  explicit MeshShape(std::initializer_list<uint32_t> sizes) : sizes_(sizes) {
    TT_FATAL(!sizes_.empty(), "The shape of a mesh has no dimension");
  }
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

  // What lies beyond the last device of a dimension: the first one again, the last one again, or
  // nothing.
  enum class BoundaryMode { WRAP, CLAMP, NONE };
  // The device that lies `offset` steps further in that dimension; both may be negative, and a
  // negative dimension counts from the last. Returns nullopt when nothing is there, which only NONE
  // lets happen. Throws when this coordinate lies outside of the shape.
  std::optional<MeshCoordinate> get_neighbor(const MeshShape& shape, int32_t offset, int32_t dim,
                                             BoundaryMode mode = BoundaryMode::WRAP) const;

  friend bool operator==(const MeshCoordinate&, const MeshCoordinate&) = default;
  // In lexicographical order. Throws if the coordinates have different numbers of dimensions.
  friend std::strong_ordering operator<=>(const MeshCoordinate& a, const MeshCoordinate& b) {
    TT_FATAL(a.dims() == b.dims(), "Coordinates of {} and of {} dimensions have no order", a.dims(),
             b.dims());
    return a.coords_ <=> b.coords_;
  }

 private:
  std::vector<uint32_t> coords_;
};

size_t to_linear_index(const MeshShape& shape, const MeshCoordinate& coord);
std::ostream& operator<<(std::ostream& out, const MeshCoordinate& coord);

// All coordinates between two corners, both included. Never empty. A range that wraps goes on at
// coordinate 0 of a dimension behind its last one.
class MeshCoordinateRange {
 public:
  // Throws unless `start` is at most `end` in each dimension.
  MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end);
  // Where `start` is behind `end`, the range wraps in that dimension of `wraparound_shape`. Throws
  // unless both corners lie in that shape.
  MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end,
                      const MeshShape& wraparound_shape);
  // The whole mesh. Throws when a dimension is 0.
  explicit MeshCoordinateRange(const MeshShape& shape);
  explicit MeshCoordinateRange(const MeshCoordinate& coord) : MeshCoordinateRange(coord, coord) {}

  size_t dims() const { return start_.dims(); }
  const MeshCoordinate& start_coord() const { return start_; }
  const MeshCoordinate& end_coord() const { return end_; }
  MeshShape shape() const;
  // WRAP for a range that was made with a shape, NONE otherwise.
  MeshCoordinate::BoundaryMode get_boundary_mode() const;
  const std::optional<MeshShape>& wraparound_shape() const { return wraparound_shape_; }

  // These throw when the dimensions differ in number.
  bool contains(const MeshCoordinate& coord) const;
  bool contains(const MeshCoordinateRange& range) const;
  bool intersects(const MeshCoordinateRange& range) const;
  // Throws for ranges that wrap and meet at both of their ends, which is no one range: subtract()
  // gives sets.
  std::optional<MeshCoordinateRange> intersection(const MeshCoordinateRange& range) const;

  // Goes through the coordinates in row-major order. An iterator refers to its range, which must
  // outlive it.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = MeshCoordinate;
    using difference_type = std::ptrdiff_t;
    using pointer = const MeshCoordinate*;
    using reference = const MeshCoordinate&;

    Iterator() : current_(MeshCoordinate::zero_coordinate(0)) {}  // of no range
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

    const MeshCoordinateRange* range_ = nullptr;
    MeshCoordinate current_;
    size_t index_ = 0;  // of current_, in the range
  };
  Iterator begin() const { return Iterator(this, 0); }
  Iterator end() const { return Iterator(this, shape().mesh_size()); }

  // Equal ranges go through the same coordinates in the same order.
  friend bool operator==(const MeshCoordinateRange& a, const MeshCoordinateRange& b);
  // In lexicographical order of the corners.
  friend bool operator<(const MeshCoordinateRange& a, const MeshCoordinateRange& b);

 private:
  bool wraps() const;

  MeshCoordinate start_;
  MeshCoordinate end_;
  std::optional<MeshShape> wraparound_shape_;
};

std::ostream& operator<<(std::ostream& out, const MeshCoordinateRange& range);

// Any set of coordinates, as ranges that do not wrap and share no coordinate. Neighbours are joined
// where they make up a range; the ranges need not be as few as possible.
class MeshCoordinateRangeSet {
 public:
  MeshCoordinateRangeSet() = default;
  explicit MeshCoordinateRangeSet(const MeshCoordinateRange& range) { merge(range); }

  // Adds the coordinates of the range. Throws when the dimensions differ in number.
  void merge(const MeshCoordinateRange& to_merge);

  size_t size() const { return ranges_.size(); }  // of ranges
  bool empty() const { return ranges_.empty(); }
  // Both are in lexicographical order.
  const std::vector<MeshCoordinateRange>& ranges() const { return ranges_; }
  std::vector<MeshCoordinate> coords() const;

  // Compares the ranges, of which several sets may be one set of coordinates.
  friend bool operator==(const MeshCoordinateRangeSet&, const MeshCoordinateRangeSet&) = default;

 private:
  std::vector<MeshCoordinateRange> ranges_;
};

std::ostream& operator<<(std::ostream& out, const MeshCoordinateRangeSet& set);

// The coordinates of `parent` that `intersection` does not have. Throws when the dimensions differ
// in number.
MeshCoordinateRangeSet subtract(const MeshCoordinateRange& parent,
                                const MeshCoordinateRange& intersection);

namespace detail {

// A coordinate and the value there, for `for (auto& [coord, value] : container)`. The value is the
// container's own.
template <typename T>
class MeshCoordinateValueProxy {
 public:
  MeshCoordinateValueProxy(const MeshCoordinate& coord, T* value) : coord_(coord), value_(value) {}

  const MeshCoordinate& coord() const { return coord_; }
  T& value() { return *value_; }
  const T& value() const { return *value_; }

  template <std::size_t I>
  decltype(auto) get() & {
    if constexpr (I == 0) {
      return coord();
    } else {
      return value();
    }
  }
  template <std::size_t I>
  decltype(auto) get() const& {
    if constexpr (I == 0) {
      return coord();
    } else {
      return value();
    }
  }
  // Copies: `auto [coord, value]` takes its own.
  template <std::size_t I>
  auto get() const&& {
    return get<I>();
  }

 private:
  MeshCoordinate coord_;
  T* value_;
};

}  // namespace detail

// One value for each device of a mesh, in row-major order.
template <typename T>
class MeshContainer {
  template <typename Value>
  class BasicIterator;

 public:
  MeshContainer(const MeshShape& shape, const T& fill_value)
      : shape_(shape), range_(shape), values_(shape.mesh_size(), fill_value) {}
  // Throws unless there are as many values as devices.
  MeshContainer(const MeshShape& shape, std::vector<T> values)
      : shape_(shape), range_(shape), values_(std::move(values)) {
    TT_FATAL(values_.size() == shape.mesh_size(), "A mesh of {} devices was given {} values",
             shape.mesh_size(), values_.size());
  }

  const MeshShape& shape() const { return shape_; }
  const MeshCoordinateRange& coord_range() const { return range_; }
  size_t size() const { return values_.size(); }

  // Throw when the coordinate lies outside of the shape.
  T& at(const MeshCoordinate& coord) { return values_.at(coord.to_linear_index(shape_)); }
  const T& at(const MeshCoordinate& coord) const {
    return values_.at(coord.to_linear_index(shape_));
  }

  // Iterators give coordinate and value; they refer to the container, which must outlive them.
  using Iterator = BasicIterator<T>;
  using ConstIterator = BasicIterator<const T>;
  Iterator begin() { return Iterator(range_.begin(), values_.data()); }
  Iterator end() { return Iterator(range_.end(), values_.data() + values_.size()); }
  ConstIterator begin() const { return ConstIterator(range_.begin(), values_.data()); }
  ConstIterator end() const { return ConstIterator(range_.end(), values_.data() + values_.size()); }

  std::vector<T>& values() { return values_; }
  const std::vector<T>& values() const { return values_; }

  friend bool operator==(const MeshContainer& a, const MeshContainer& b) {
    return a.shape_ == b.shape_ && a.values_ == b.values_;
  }

 private:
  template <typename Value>
  class BasicIterator {
   public:
    using ValueProxy = detail::MeshCoordinateValueProxy<Value>;
    using iterator_category = std::forward_iterator_tag;
    using value_type = ValueProxy;
    using difference_type = std::ptrdiff_t;
    using Element = std::conditional_t<std::is_const_v<Value>, const ValueProxy, ValueProxy>;
    using pointer = Element*;
    using reference = Element&;

    BasicIterator& operator++() {
      ++coord_;
      proxy_ = ValueProxy(*coord_, ++value_);
      return *this;
    }
    BasicIterator operator++(int) {
      BasicIterator before = *this;
      ++*this;
      return before;
    }
    ValueProxy& operator*() { return proxy_; }
    const ValueProxy& operator*() const { return proxy_; }
    ValueProxy* operator->() { return &proxy_; }
    const ValueProxy* operator->() const { return &proxy_; }
    friend bool operator==(const BasicIterator& a, const BasicIterator& b) {
      return a.value_ == b.value_;
    }

   private:
    friend class MeshContainer;
    BasicIterator(MeshCoordinateRange::Iterator coord, Value* value)
        : coord_(std::move(coord)), value_(value), proxy_(*coord_, value) {}

    MeshCoordinateRange::Iterator coord_;
    Value* value_;
    ValueProxy proxy_;
  };

  MeshShape shape_;
  MeshCoordinateRange range_;
  std::vector<T> values_;
};

}  // namespace tt::tt_metal::distributed

template <typename T>
struct std::tuple_size<tt::tt_metal::distributed::detail::MeshCoordinateValueProxy<T>>
    : std::integral_constant<std::size_t, 2> {};
template <typename T>
struct std::tuple_element<0, tt::tt_metal::distributed::detail::MeshCoordinateValueProxy<T>> {
  using type = const tt::tt_metal::distributed::MeshCoordinate;
};
template <typename T>
struct std::tuple_element<1, tt::tt_metal::distributed::detail::MeshCoordinateValueProxy<T>> {
  using type = T;
};

template <>
struct std::hash<tt::tt_metal::distributed::MeshShape> {
  std::size_t operator()(const tt::tt_metal::distributed::MeshShape& shape) const noexcept;
};
template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinate> {
  std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinate& coord) const noexcept;
};
template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
  std::size_t operator()(
      const tt::tt_metal::distributed::MeshCoordinateRange& range) const noexcept;
};
template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRangeSet> {
  std::size_t operator()(
      const tt::tt_metal::distributed::MeshCoordinateRangeSet& set) const noexcept;
};

template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshShape> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshCoordinate> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshCoordinateRange> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<tt::tt_metal::distributed::MeshCoordinateRangeSet> : fmt::ostream_formatter {
};
