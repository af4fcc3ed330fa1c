#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/digest.h"
#include "base/tensor_desc.h"

namespace lightmetal::runtime {

// How the elements of a tensor lie in a buffer, of which the host sees the pages one behind the
// other. Immutable.
class BufferForm {
 public:
  // `size` and `page_size` are the buffer's, in bytes. REQUIRES: the tensor is one (check()), and
  // fits into the buffer.
  BufferForm(const TensorDesc& tensor, uint64_t size, uint64_t page_size);

  // True when the buffer holds the elements row by row and nothing else: then there is nothing to
  // convert.
  bool is_plain() const { return order_ == Order::kRows && row_stride_ == row_bytes_ && fills_; }

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

  Order order_;
  uint64_t rows_;         // of all dimensions but the last
  uint64_t matrix_rows_;  // of the last but one
  uint64_t row_bytes_;
  uint64_t row_stride_;  // of rows in the buffer, where it has no tiles
  uint32_t element_size_;
  bool fills_;  // the buffer has no bytes behind the tensor
};

}  // namespace lightmetal::runtime
