#include "runtime/buffer_form.h"

#include <algorithm>
#include <cstring>

#include "base/round.h"

namespace lightmetal::runtime {
namespace {

constexpr uint64_t kTile = 32;  // rows and columns
constexpr uint64_t kFace = 16;

// Where row `row` of a tile begins in its left face, in elements; the right face lies kFace * kFace
// elements behind.
uint64_t row_in_tile(uint64_t row) { return row / kFace * (kTile * kFace) + row % kFace * kFace; }

// Most pieces are rows of a face, for which the compiler knows what to do.
void copy(std::byte* to, const std::byte* from, uint64_t size) {
  switch (size) {
    case 2 * kFace:
      std::memcpy(to, from, 2 * kFace);
      return;
    case 4 * kFace:
      std::memcpy(to, from, 4 * kFace);
      return;
    default:
      std::memcpy(to, from, size);
  }
}

}  // namespace

BufferForm::BufferForm(const TensorDesc& tensor, uint64_t size, uint64_t page_size,
                       std::optional<uint64_t> row_stride)
    : order_(tensor.order == TensorOrder::Tile ? Order::kTiles : Order::kRows),
      rows_(tensor.rows()),
      matrix_rows_(tensor.shape.size() < 2 ? 1 : tensor.shape[tensor.shape.size() - 2]),
      row_bytes_(uint64_t{tensor.row_elements()} * element_size(tensor.type)),
      row_stride_(row_bytes_),
      element_size_(element_size(tensor.type)),
      buffer_size_(size) {
  if (row_stride.has_value()) {
    row_stride_ = *row_stride == 0 ? row_bytes_ : *row_stride;
  } else if (page_size > row_bytes_ && size == rows_ * page_size) {
    row_stride_ = page_size;
  }
  extent_ =
      order_ == Order::kTiles ? tensor.size_in_buffer() : (rows_ - 1) * row_stride_ + row_bytes_;
}

uint64_t BufferForm::begin_of_row(uint64_t row) const {
  const uint64_t tiles_across = round_up(row_bytes_ / element_size_, kTile) / kTile;
  const uint64_t padded = row / matrix_rows_ * round_up(matrix_rows_, kTile) + row % matrix_rows_;
  return padded / kTile * tiles_across * kTile * kTile + row_in_tile(padded % kTile);
}

uint64_t BufferForm::begin_of_face(uint64_t column) {
  return column / kTile * kTile * kTile + column % kTile / kFace * kFace * kFace;
}

BufferForm::Piece BufferForm::piece_at(uint64_t in_rows) const {
  const uint64_t row = in_rows / row_bytes_, in_row = in_rows % row_bytes_;
  if (order_ == Order::kRows) {
    const bool dense = row_stride_ == row_bytes_;
    return {row * row_stride_ + in_row,
            (dense ? rows_ * row_bytes_ - in_rows : row_bytes_ - in_row)};
  }
  const uint64_t face_bytes = kFace * element_size_, in_face = in_row % face_bytes;
  const uint64_t face_column = in_row / face_bytes * kFace;
  return {(begin_of_row(row) + begin_of_face(face_column)) * element_size_ + in_face,
          std::min(face_bytes - in_face, row_bytes_ - in_row)};
}

template <class Visit>
void BufferForm::for_each_piece_of_tiles(Visit visit) const {
  const uint64_t columns = row_bytes_ / element_size_;
  for (uint64_t row = 0; row < rows_; ++row) {
    const uint64_t begin = begin_of_row(row);
    for (uint64_t column = 0; column < columns; column += kFace) {
      visit(row * row_bytes_ + column * element_size_,
            (begin + begin_of_face(column)) * element_size_,
            std::min(kFace, columns - column) * element_size_);
    }
  }
}

template <class Visit>
void BufferForm::for_each_piece(Visit visit) const {
  if (order_ == Order::kTiles) return for_each_piece_of_tiles(visit);
  if (row_stride_ == row_bytes_) return visit(0, 0, rows_ * row_bytes_);
  for (uint64_t row = 0; row < rows_; ++row) visit(row * row_bytes_, row * row_stride_, row_bytes_);
}

void BufferForm::encode(Bytes rows, std::span<std::byte> buffer) const {
  for_each_piece([&](uint64_t in_rows, uint64_t in_buffer, uint64_t size) {
    copy(buffer.data() + in_buffer, rows.data() + in_rows, size);
  });
}

void BufferForm::decode(Bytes buffer, std::span<std::byte> rows) const {
  for_each_piece([&](uint64_t in_rows, uint64_t in_buffer, uint64_t size) {
    copy(rows.data() + in_rows, buffer.data() + in_buffer, size);
  });
}

}  // namespace lightmetal::runtime
