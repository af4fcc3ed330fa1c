#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/digest.h"
#include "base/tensor_desc.h"

namespace lightmetal::runtime {

// How the elements of a tensor lie in a buffer, of which the host sees the pages one behind the
// other. Immutable.
class BufferForm {
 public:
  // `size` and `page_size` are the buffer's, in bytes. `row_stride` is how many bytes rows without
  // tiles lie apart, 0 for rows without gaps; none: the rows have gaps where the buffer has as many
  // pages as the tensor has rows, and they are longer. REQUIRES: the tensor is one (check()), and
  // fits into the buffer.
  BufferForm(const TensorDesc& tensor, uint64_t size, uint64_t page_size,
             std::optional<uint64_t> row_stride = {});

  // How many bytes rows without tiles lie apart; 0 for tiles, and for rows without gaps.
  uint64_t row_stride() const {
    return order_ == Order::kTiles || row_stride_ == row_bytes_ ? 0 : row_stride_;
  }
  // True when some bytes of the buffer are no element of the tensor.
  bool has_padding() const { return rows_ * row_bytes_ != buffer_size_; }

  // How many bytes the tensor takes in the buffer, and whether its rows are as short as they lie
  // apart. A form for which they are not, or which is larger than the buffer, is used for nothing
  // else.
  uint64_t extent() const { return extent_; }
  bool rows_fit() const { return row_bytes_ <= row_stride_; }

  // Elements that lie one behind the other in the buffer: from an offset on, in bytes.
  struct Piece {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  // The elements from this byte of the rows on, as far as they lie one behind the other in the
  // buffer. REQUIRES: there are some.
  Piece piece_at(uint64_t in_rows) const;

  // True when the buffer holds the elements row by row and nothing else: then there is nothing to
  // convert.
  bool is_plain() const { return order_ == Order::kRows && !has_padding(); }

  // Between `rows`, the elements row by row without padding, and `buffer`, all bytes of the buffer.
  // encode() leaves padding alone, and decode() does not look at it.
  void encode(Bytes rows, std::span<std::byte> buffer) const;
  void decode(Bytes buffer, std::span<std::byte> rows) const;

 private:
  enum class Order { kRows, kTiles };

  // Calls visit(offset among the rows, offset in the buffer, bytes) for pieces that lie in one.
  template <class Visit>
  void for_each_piece(Visit visit) const;
  template <class Visit>
  void for_each_piece_of_tiles(Visit visit) const;
  // Where, in elements, a row of the tensor begins in the tiles; and how far behind that the
  // elements of a column lie that begins a face.
  uint64_t begin_of_row(uint64_t row) const;
  static uint64_t begin_of_face(uint64_t column);

  Order order_;
  uint64_t rows_;         // of all dimensions but the last
  uint64_t matrix_rows_;  // of the last but one
  uint64_t row_bytes_;
  uint64_t row_stride_;  // of rows in the buffer, where it has no tiles
  uint32_t element_size_;
  uint64_t buffer_size_;
  uint64_t extent_;
};

}  // namespace lightmetal::runtime
