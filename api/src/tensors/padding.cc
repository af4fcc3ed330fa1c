#include "api/src/tensors/padding.h"

#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/math.hpp>

namespace tt::tt_metal::tensors {
namespace {

// The number that stands `back` places from the right, 1 where there is none.
size_t from_right(tt::stl::Span<const uint32_t> numbers, size_t back) {
  return back < numbers.size() ? numbers[numbers.size() - 1 - back] : 1;
}

}  // namespace

Padding::Padding(const Shape& shape, const Alignment& alignment) {
  const size_t dims = std::max<size_t>({shape.rank(), alignment.size(), 1});
  for (size_t i = 0; i < dims; ++i) {
    extents_.push_back(from_right(shape.view(), i));
    const size_t inner = i < 2 ? 1 : spans_.back();
    spans_.push_back(tt::round_up(extents_[i] * inner, from_right(alignment.view(), i)));
    (i == 0 ? width_ : rows_) *= extents_[i];
  }
}

Shape Padding::padded_shape() const {
  Shape::Container padded(spans_.size());
  for (size_t i = 0; i < spans_.size(); ++i) {
    const size_t inner = i < 2 ? 1 : spans_[i - 1];
    TT_FATAL(inner == 0 || spans_[i] % inner == 0,
             "{} rows are no whole number of the {} rows that a dimension counts: the alignment "
             "does not fit the shape",
             spans_[i], inner);
    padded[spans_.size() - 1 - i] =
        static_cast<uint32_t>(inner == 0 ? extents_[i] : spans_[i] / inner);
  }
  return Shape(std::move(padded));
}

size_t Padding::physical_row(size_t row) const {
  size_t result = 0, left = row;
  for (size_t i = 1; i < extents_.size(); ++i) {
    result += left % extents_[i] * (i < 2 ? 1 : spans_[i - 1]);
    left /= extents_[i];
  }
  return result;
}

}  // namespace tt::tt_metal::tensors
