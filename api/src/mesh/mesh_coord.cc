#include <algorithm>
#include <tt-metalium/mesh_coord.hpp>

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

MeshCoordinateRange::MeshCoordinateRange(const MeshShape& shape)
    : MeshCoordinateRange(MeshCoordinate::zero_coordinate(shape.dims()), last_of(shape)) {}

MeshShape MeshCoordinateRange::shape() const {
  std::vector<uint32_t> sizes;
  for (size_t dim = 0; dim < dims(); ++dim) {
    sizes.push_back(end_.coords()[dim] - start_.coords()[dim] + 1);
  }
  return MeshShape(tt::stl::Span<const uint32_t>(sizes));
}

bool MeshCoordinateRange::contains(const MeshCoordinate& coord) const {
  return contains(MeshCoordinateRange(coord));
}

bool MeshCoordinateRange::contains(const MeshCoordinateRange& range) const {
  return intersection(range) == range;
}

bool MeshCoordinateRange::intersects(const MeshCoordinateRange& range) const {
  return intersection(range).has_value();
}

std::optional<MeshCoordinateRange> MeshCoordinateRange::intersection(
    const MeshCoordinateRange& range) const {
  check_same_dims(dims(), range.dims());
  std::vector<uint32_t> first, last;
  for (size_t dim = 0; dim < dims(); ++dim) {
    first.push_back(std::max(start_.coords()[dim], range.start_.coords()[dim]));
    last.push_back(std::min(end_.coords()[dim], range.end_.coords()[dim]));
    if (first.back() > last.back()) return std::nullopt;
  }
  return MeshCoordinateRange(MeshCoordinate(first), MeshCoordinate(last));
}

MeshCoordinateRange::Iterator& MeshCoordinateRange::Iterator::operator++() {
  ++index_;
  for (auto dim = static_cast<int32_t>(range_->dims()) - 1; dim >= 0; --dim) {
    if (++current_[dim] <= range_->end_[dim]) break;
    // this dimension begins anew, and the next outer one goes on
    current_[dim] = range_->start_[dim];
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

}  // namespace tt::tt_metal::distributed
