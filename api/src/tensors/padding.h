#pragma once

#include <cstddef>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tt-metalium/tensor/spec/layout/alignment.hpp>
#include <vector>

namespace tt::tt_metal::tensors {

// Where the rows of a tensor lie in the padded matrix that a device holds. tensor_layout.hpp says
// how the dimensions are padded.
class Padding {
 public:
  Padding(const Shape& shape, const Alignment& alignment);

  Shape2D logical() const { return {rows_, width_}; }
  Shape2D physical() const { return {spans_.size() > 1 ? spans_.back() : 1, spans_[0]}; }
  // Throws when the padding of a dimension is no whole number of what it counts.
  Shape padded_shape() const;
  // The row of the matrix in which row `row` of the tensor lies.
  size_t physical_row(size_t row) const;

 private:
  std::vector<size_t> extents_;  // of the tensor, the last dimension first
  // Of the padded tensor, the last dimension first: the width, then the rows of all dimensions up
  // to that one.
  std::vector<size_t> spans_;
  size_t rows_ = 1;
  size_t width_ = 1;
};

}  // namespace tt::tt_metal::tensors
