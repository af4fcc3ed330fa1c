#include <algorithm>
#include <functional>
#include <numeric>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/shape.hpp>

namespace tt::tt_metal {

uint32_t Shape::get_normalized_index(int64_t index) const {
  const auto rank = static_cast<int64_t>(extents_.size());
  const int64_t normalized = index < 0 ? index + rank : index;
  TT_FATAL(normalized >= 0 && normalized < rank, "A shape of {} dimensions has no dimension {}",
           rank, index);
  return static_cast<uint32_t>(normalized);
}

uint64_t Shape::volume() const {
  return std::accumulate(extents_.begin(), extents_.end(), uint64_t{1}, std::multiplies<>());
}

Shape Shape::to_rank(std::size_t new_rank) const {
  const std::size_t kept = std::min(new_rank, rank());
  const auto first_kept = extents_.end() - static_cast<std::ptrdiff_t>(kept);
  TT_FATAL(std::all_of(extents_.begin(), first_kept, [](uint32_t extent) { return extent == 1; }),
           "A shape of {} dimensions cannot have {}: it would lose extents that are not 1", rank(),
           new_rank);
  Container extents(new_rank - kept, 1);
  extents.insert(extents.end(), first_kept, extents_.end());
  return Shape(std::move(extents));
}

std::array<uint32_t, 4> Shape::to_array_4D() const {
  const Shape shape = to_rank(4);
  return {shape[0], shape[1], shape[2], shape[3]};
}

std::ostream& operator<<(std::ostream& os, const Shape& shape) {
  os << "Shape([";
  for (std::size_t i = 0; i < shape.rank(); ++i) os << (i == 0 ? "" : ", ") << shape.view()[i];
  return os << "])";
}

tt::stl::SmallVector<uint32_t> compute_strides(const Shape& shape) {
  tt::stl::SmallVector<uint32_t> strides(shape.rank(), 1);
  for (std::size_t i = shape.rank(); i > 1; --i) {
    strides[i - 2] = strides[i - 1] * shape.view()[i - 1];
  }
  return strides;
}

}  // namespace tt::tt_metal
