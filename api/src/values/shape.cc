#include <algorithm>
#include <functional>
#include <numeric>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/shape.hpp>

namespace tt::tt_metal {

Shape::Shape(tt::stl::Span<const uint32_t> extents)
    : rank_(extents.size()), padded_(std::max<std::size_t>(rank_, 4), 1) {
  std::ranges::copy(extents, padded_.end() - static_cast<std::ptrdiff_t>(rank_));
}

uint32_t Shape::get_normalized_index(int64_t index) const {
  const auto rank = static_cast<int64_t>(rank_);
  const int64_t normalized = index < 0 ? index + rank : index;
  TT_FATAL(normalized >= 0 && normalized < rank, "A shape of {} dimensions has no dimension {}",
           rank, index);
  return static_cast<uint32_t>(normalized);
}

std::size_t Shape::padded_index(int64_t index) const {
  const auto size = static_cast<int64_t>(padded_.size());
  if (index < 0 && index >= -size) return static_cast<std::size_t>(index + size);
  return padded_.size() - rank_ + get_normalized_index(index);
}

uint64_t Shape::volume() const {
  return std::accumulate(begin(), end(), uint64_t{1}, std::multiplies<>());
}

Shape Shape::to_rank(std::size_t new_rank) const {
  const std::size_t kept = std::min(new_rank, rank());
  const auto first_kept = end() - static_cast<std::ptrdiff_t>(kept);
  TT_FATAL(std::all_of(begin(), first_kept, [](uint32_t extent) { return extent == 1; }),
           "A shape of {} dimensions cannot have {}: it would lose extents that are not 1", rank(),
           new_rank);
  Container extents(new_rank - kept, 1);
  extents.insert(extents.end(), first_kept, end());
  return Shape(extents);
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

tt::stl::SmallVector<std::size_t> compute_strides(const Shape& shape) {
  tt::stl::SmallVector<std::size_t> strides(shape.rank(), 1);
  for (std::size_t i = shape.rank(); i > 1; --i) {
    strides[i - 2] = strides[i - 1] * shape.view()[i - 1];
  }
  return strides;
}

}  // namespace tt::tt_metal
