#include <algorithm>
#include <limits>
#include <tt-metalium/mesh_coord.hpp>
#include <tuple>
#include <utility>

namespace tt::tt_metal::distributed {
namespace {

// Prints numbers as "(1, 2)".
std::ostream& print(std::ostream& out, tt::stl::Span<const uint32_t> numbers) {
  const char* separator = "(";
  for (const uint32_t number : numbers) {
    out << separator << number;
    separator = ", ";
  }
  return out << (numbers.empty() ? "()" : ")");
}

size_t index_of(int32_t dim, size_t dims) {
  const int64_t index = dim < 0 ? int64_t{dim} + static_cast<int64_t>(dims) : dim;
  TT_FATAL(index >= 0 && static_cast<size_t>(index) < dims,
           "There is no dimension {}: there are {} of them", dim, dims);
  return static_cast<size_t>(index);
}

void check_same_dims(size_t a, size_t b) {
  TT_FATAL(a == b, "Coordinates with {} and with {} dimensions cannot be compared", a, b);
}

MeshCoordinate last_of(const MeshShape& shape) {
  std::vector<uint32_t> last(shape.view().begin(), shape.view().end());
  for (uint32_t& coord : last) {
    TT_FATAL(coord > 0, "A mesh of {} has no devices: it is no range", shape);
    --coord;
  }
  return MeshCoordinate(last);
}

// What a range has of one dimension: the coordinates first to last, and of a range that wraps those
// from 0 to last_wrapped, too.
struct Extent {
  uint32_t first = 0;
  uint32_t last = 0;
};
using Extents = std::vector<Extent>;  // one or two, that of the start first

Extents extents_of(const MeshCoordinateRange& range, size_t dim) {
  const uint32_t first = range.start_coord().coords()[dim];
  const uint32_t last = range.end_coord().coords()[dim];
  if (first <= last) return {{first, last}};
  return {{first, range.wraparound_shape()->view()[dim] - 1}, {0, last}};
}

size_t length_of(const Extents& extents) {
  size_t length = 0;
  for (const Extent& extent : extents) length += size_t{extent.last} - extent.first + 1;
  return length;
}

// The coordinates that both have, as pieces that share none.
Extents overlap_of(const Extents& a, const Extents& b) {
  Extents overlap;
  for (const Extent& x : a) {
    for (const Extent& y : b) {
      const Extent both{std::max(x.first, y.first), std::min(x.last, y.last)};
      if (both.first <= both.last) overlap.push_back(both);
    }
  }
  return overlap;
}

// One range of a dimension that has these pieces. Throws when they are none. REQUIRES: there are
// pieces, and `size` is that of the dimension which they wrap around.
Extent joined(const Extents& pieces, const std::optional<uint32_t>& size) {
  if (pieces.size() == 1) return pieces.front();
  const auto from_zero = std::ranges::find(pieces, 0u, &Extent::first);
  const auto to_the_end = std::ranges::find_if(
      pieces, [&](const Extent& piece) { return size.has_value() && piece.last + 1 == *size; });
  TT_FATAL(pieces.size() == 2 && from_zero != pieces.end() && to_the_end != pieces.end(),
           "Two ranges that wrap meet in {} pieces, which is no range", pieces.size());
  return {to_the_end->first, from_zero->last};
}

// Splits a range that wraps into ranges that do not.
std::vector<MeshCoordinateRange> unwrapped(const MeshCoordinateRange& range) {
  using Corners = std::pair<MeshCoordinate, MeshCoordinate>;
  std::vector<Corners> corners = {{range.start_coord(), range.end_coord()}};
  for (int32_t dim = 0; dim < static_cast<int32_t>(range.dims()); ++dim) {
    std::vector<Corners> split;
    for (const Extent& extent : extents_of(range, static_cast<size_t>(dim))) {
      for (Corners part : corners) {
        part.first[dim] = extent.first;
        part.second[dim] = extent.last;
        split.push_back(std::move(part));
      }
    }
    corners = std::move(split);
  }
  std::vector<MeshCoordinateRange> ranges;
  for (const auto& [first, last] : corners) ranges.emplace_back(first, last);
  return ranges;
}

// Adds to `rest` what is left of `from` without `taken`: slabs, dimension by dimension. REQUIRES:
// neither wraps.
void subtract_unwrapped(const MeshCoordinateRange& from, const MeshCoordinateRange& taken,
                        std::vector<MeshCoordinateRange>& rest) {
  const auto overlap = from.intersection(taken);
  if (!overlap) return rest.push_back(from);
  MeshCoordinate start = from.start_coord(), end = from.end_coord();
  for (int32_t dim = 0; dim < static_cast<int32_t>(from.dims()); ++dim) {
    const uint32_t first = overlap->start_coord()[dim], last = overlap->end_coord()[dim];
    if (start[dim] < first) {
      MeshCoordinate before = end;
      before[dim] = first - 1;
      rest.emplace_back(start, before);
    }
    if (last < end[dim]) {
      MeshCoordinate behind = start;
      behind[dim] = last + 1;
      rest.emplace_back(behind, end);
    }
    start[dim] = first;
    end[dim] = last;
  }
}

// `ranges` without the coordinates of `taken`; none of them wraps.
std::vector<MeshCoordinateRange> without(const std::vector<MeshCoordinateRange>& ranges,
                                         const MeshCoordinateRange& taken) {
  std::vector<MeshCoordinateRange> rest;
  for (const MeshCoordinateRange& range : ranges) subtract_unwrapped(range, taken, rest);
  return rest;
}

// The range that two neighbours make up: they differ in one dimension, where one goes on behind the
// other.
std::optional<MeshCoordinateRange> union_of(const MeshCoordinateRange& a,
                                            const MeshCoordinateRange& b) {
  size_t differing = 0;
  for (size_t dim = 0; dim < a.dims(); ++dim) {
    const uint32_t a_first = a.start_coord().coords()[dim], a_last = a.end_coord().coords()[dim];
    const uint32_t b_first = b.start_coord().coords()[dim], b_last = b.end_coord().coords()[dim];
    if (a_first == b_first && a_last == b_last) continue;
    if (++differing > 1 || a_last + 1 != b_first) return std::nullopt;
  }
  return MeshCoordinateRange(a.start_coord(), b.end_coord());
}

// Joins neighbours until no two make up a range.
void join_neighbours(std::vector<MeshCoordinateRange>& ranges) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    for (size_t j = 0; j < ranges.size(); ++j) {
      const auto joined = i == j ? std::nullopt : union_of(ranges[i], ranges[j]);
      if (!joined) continue;
      ranges[i] = *joined;
      ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(j));
      return join_neighbours(ranges);
    }
  }
}

size_t hash_of(tt::stl::Span<const uint32_t> numbers) {
  size_t hash = numbers.size();
  for (const uint32_t number : numbers) hash = hash * 1'000'003 + number;
  return hash;
}

}  // namespace

size_t MeshShape::mesh_size() const {
  size_t size = 1;
  for (const uint32_t count : sizes_) size *= count;
  return size;
}

size_t MeshShape::get_stride(size_t dim) const {
  index_of(static_cast<int32_t>(dim), dims());  // checked
  size_t stride = 1;
  for (size_t inner = dim + 1; inner < dims(); ++inner) stride *= sizes_[inner];
  return stride;
}

bool MeshShape::is_line_topology() const {
  return std::ranges::count_if(sizes_, [](uint32_t count) { return count != 1; }) <= 1;
}

uint32_t MeshShape::operator[](int32_t dim) const { return sizes_[index_of(dim, dims())]; }

bool is_line_topology(const MeshShape& shape) { return shape.is_line_topology(); }

std::ostream& operator<<(std::ostream& out, const MeshShape& shape) {
  return print(out << "MeshShape", shape.view());
}

MeshCoordinate MeshCoordinate::zero_coordinate(size_t dimensions) {
  return MeshCoordinate(std::vector<uint32_t>(dimensions));
}

uint32_t MeshCoordinate::operator[](int32_t dim) const { return coords_[index_of(dim, dims())]; }
uint32_t& MeshCoordinate::operator[](int32_t dim) { return coords_[index_of(dim, dims())]; }

size_t MeshCoordinate::to_linear_index(const MeshShape& shape) const {
  check_same_dims(dims(), shape.dims());
  size_t index = 0;
  for (size_t dim = 0; dim < dims(); ++dim) {
    TT_FATAL(coords_[dim] < shape.view()[dim], "{} is outside of a mesh of {}", *this, shape);
    index += coords_[dim] * shape.get_stride(dim);
  }
  return index;
}

size_t to_linear_index(const MeshShape& shape, const MeshCoordinate& coord) {
  return coord.to_linear_index(shape);
}

std::optional<MeshCoordinate> MeshCoordinate::get_neighbor(const MeshShape& shape, int32_t offset,
                                                           int32_t dim, BoundaryMode mode) const {
  to_linear_index(shape);  // throws outside of the shape
  const size_t index = index_of(dim, dims());
  const int64_t size = shape.view()[index];
  int64_t there = int64_t{coords_[index]} + offset;
  if (there < 0 || there >= size) {
    if (mode == BoundaryMode::NONE) return std::nullopt;
    there = mode == BoundaryMode::CLAMP ? std::clamp<int64_t>(there, 0, size - 1)
                                        : (there % size + size) % size;
  }
  MeshCoordinate neighbor = *this;
  neighbor.coords_[index] = static_cast<uint32_t>(there);
  return neighbor;
}

std::ostream& operator<<(std::ostream& out, const MeshCoordinate& coord) {
  return print(out << "MeshCoordinate", coord.coords());
}

MeshCoordinateRange::MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end)
    : start_(start), end_(end) {
  check_same_dims(start.dims(), end.dims());
  for (size_t dim = 0; dim < dims(); ++dim) {
    TT_FATAL(start.coords()[dim] <= end.coords()[dim], "A range cannot go from {} to {}", start,
             end);
  }
}

MeshCoordinateRange::MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end,
                                         const MeshShape& wraparound_shape)
    : start_(start), end_(end), wraparound_shape_(wraparound_shape) {
  check_same_dims(start.dims(), end.dims());
  for (const MeshCoordinate* corner : {&start, &end}) corner->to_linear_index(wraparound_shape);
}

MeshCoordinateRange::MeshCoordinateRange(const MeshShape& shape)
    : MeshCoordinateRange(MeshCoordinate::zero_coordinate(shape.dims()), last_of(shape)) {}

MeshShape MeshCoordinateRange::shape() const {
  std::vector<uint32_t> sizes;
  for (size_t dim = 0; dim < dims(); ++dim) {
    const size_t length = length_of(extents_of(*this, dim));
    TT_FATAL(length <= std::numeric_limits<uint32_t>::max(),
             "A range of {} coordinates is no mesh's", length);
    sizes.push_back(static_cast<uint32_t>(length));
  }
  return MeshShape(tt::stl::Span<const uint32_t>(sizes));
}

MeshCoordinate::BoundaryMode MeshCoordinateRange::get_boundary_mode() const {
  return wraparound_shape_ ? MeshCoordinate::BoundaryMode::WRAP
                           : MeshCoordinate::BoundaryMode::NONE;
}

bool MeshCoordinateRange::wraps() const {
  for (size_t dim = 0; dim < dims(); ++dim) {
    if (start_.coords()[dim] > end_.coords()[dim]) return true;
  }
  return false;
}

bool MeshCoordinateRange::contains(const MeshCoordinate& coord) const {
  return contains(MeshCoordinateRange(coord));
}

bool MeshCoordinateRange::contains(const MeshCoordinateRange& range) const {
  check_same_dims(dims(), range.dims());
  for (size_t dim = 0; dim < dims(); ++dim) {
    const Extents inner = extents_of(range, dim);
    if (length_of(overlap_of(extents_of(*this, dim), inner)) != length_of(inner)) return false;
  }
  return true;
}

bool MeshCoordinateRange::intersects(const MeshCoordinateRange& range) const {
  check_same_dims(dims(), range.dims());
  for (size_t dim = 0; dim < dims(); ++dim) {
    if (overlap_of(extents_of(*this, dim), extents_of(range, dim)).empty()) return false;
  }
  return true;
}

std::optional<MeshCoordinateRange> MeshCoordinateRange::intersection(
    const MeshCoordinateRange& range) const {
  if (!intersects(range)) return std::nullopt;
  const std::optional<MeshShape>& shape =
      wraparound_shape_ ? wraparound_shape_ : range.wraparound_shape_;
  std::vector<uint32_t> first, last;
  for (size_t dim = 0; dim < dims(); ++dim) {
    const Extents pieces = overlap_of(extents_of(*this, dim), extents_of(range, dim));
    const Extent both =
        joined(pieces, shape ? std::optional<uint32_t>(shape->view()[dim]) : std::nullopt);
    first.push_back(both.first);
    last.push_back(both.last);
  }
  const MeshCoordinate start(first), end(last);
  return shape ? MeshCoordinateRange(start, end, *shape) : MeshCoordinateRange(start, end);
}

bool operator==(const MeshCoordinateRange& a, const MeshCoordinateRange& b) {
  return a.start_ == b.start_ && a.end_ == b.end_ &&
         (!a.wraps() || a.wraparound_shape_ == b.wraparound_shape_);
}

bool operator<(const MeshCoordinateRange& a, const MeshCoordinateRange& b) {
  return std::tie(a.start_, a.end_) < std::tie(b.start_, b.end_);
}

MeshCoordinateRange::Iterator& MeshCoordinateRange::Iterator::operator++() {
  ++index_;
  for (auto dim = static_cast<int32_t>(range_->dims()) - 1; dim >= 0; --dim) {
    if (current_[dim] == range_->end_[dim]) {
      // This dimension begins anew, and the next outer one goes on.
      current_[dim] = range_->start_[dim];
      continue;
    }
    const auto& wrapped = range_->wraparound_shape_;
    current_[dim] = wrapped && current_[dim] + 1 == (*wrapped)[dim] ? 0 : current_[dim] + 1;
    break;
  }
  return *this;
}

MeshCoordinateRange::Iterator MeshCoordinateRange::Iterator::operator++(int) {
  Iterator before = *this;
  ++*this;
  return before;
}

std::ostream& operator<<(std::ostream& out, const MeshCoordinateRange& range) {
  return out << "MeshCoordinateRange(" << range.start_coord() << ", " << range.end_coord() << ")";
}

void MeshCoordinateRangeSet::merge(const MeshCoordinateRange& to_merge) {
  std::vector<MeshCoordinateRange> added = unwrapped(to_merge);
  for (const MeshCoordinateRange& range : ranges_) added = without(added, range);
  ranges_.insert(ranges_.end(), added.begin(), added.end());
  join_neighbours(ranges_);
  std::ranges::sort(ranges_, [](const auto& a, const auto& b) { return a < b; });
}

std::vector<MeshCoordinate> MeshCoordinateRangeSet::coords() const {
  std::vector<MeshCoordinate> coords;
  for (const MeshCoordinateRange& range : ranges_) {
    coords.insert(coords.end(), range.begin(), range.end());
  }
  std::ranges::sort(coords);
  return coords;
}

std::ostream& operator<<(std::ostream& out, const MeshCoordinateRangeSet& set) {
  out << "MeshCoordinateRangeSet(";
  const char* separator = "";
  for (const MeshCoordinateRange& range : set.ranges()) {
    out << separator << range;
    separator = ", ";
  }
  return out << ")";
}

MeshCoordinateRangeSet subtract(const MeshCoordinateRange& parent,
                                const MeshCoordinateRange& intersection) {
  check_same_dims(parent.dims(), intersection.dims());
  std::vector<MeshCoordinateRange> rest = unwrapped(parent);
  for (const MeshCoordinateRange& taken : unwrapped(intersection)) rest = without(rest, taken);
  MeshCoordinateRangeSet set;
  for (const MeshCoordinateRange& range : rest) set.merge(range);
  return set;
}

}  // namespace tt::tt_metal::distributed

namespace dist = tt::tt_metal::distributed;

size_t std::hash<dist::MeshShape>::operator()(const dist::MeshShape& shape) const noexcept {
  return dist::hash_of(shape.view());
}

size_t std::hash<dist::MeshCoordinate>::operator()(
    const dist::MeshCoordinate& coord) const noexcept {
  return dist::hash_of(coord.coords());
}

size_t std::hash<dist::MeshCoordinateRange>::operator()(
    const dist::MeshCoordinateRange& range) const noexcept {
  return dist::hash_of(range.start_coord().coords()) * 1'000'003 +
         dist::hash_of(range.end_coord().coords());
}

size_t std::hash<dist::MeshCoordinateRangeSet>::operator()(
    const dist::MeshCoordinateRangeSet& set) const noexcept {
  size_t hash = set.size();
  for (const dist::MeshCoordinateRange& range : set.ranges()) {
    hash = hash * 1'000'003 + std::hash<dist::MeshCoordinateRange>()(range);
  }
  return hash;
}
