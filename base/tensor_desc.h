#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace lightmetal {

// The type of a tensor's elements. Files store the values: a value never changes its meaning.
enum class TensorType : uint8_t {
  UInt8 = 1,
  UInt16 = 2,
  Int32 = 3,
  UInt32 = 4,
  Float32 = 5,
  BFloat16 = 6
};

// How the elements lie in a buffer: row by row; or in tiles of 32x32 of the last two dimensions,
// tile after tile, row by row, each as four faces of 16x16, with padding where the tensor ends
// inside of a tile. Files store the values.
enum class TensorOrder : uint8_t { RowMajor = 0, Tile = 1 };

const char* name_of(TensorType type);    // "float32"
const char* name_of(TensorOrder order);  // "row_major"

// Bytes of one element; 0 for a value that is no type.
uint32_t element_size(TensorType type);

// What a buffer holds, as one who gives or takes the values of it sees it. A plain value.
struct TensorDesc {
  static constexpr size_t kMostDimensions = 8;

  std::vector<uint32_t> shape;  // elements along each dimension; none for a single element
  TensorType type = TensorType::Float32;
  TensorOrder order = TensorOrder::RowMajor;

  // Takes what text() returns, and the same without an order. InvalidArgument, with what was
  // expected, for any other text.
  static absl::StatusOr<TensorDesc> parse(std::string_view text);
  // "float32:2x33x65:tile"; "float32:scalar:row_major" for a single element.
  std::string text() const;

  // InvalidArgument unless the type and the order are ones that there are, and the tensor has 1 to
  // 2^32 - 1 elements in at most kMostDimensions dimensions, padding included. What follows
  // REQUIRES that it is OK.
  absl::Status check() const;

  uint64_t elements() const;        // without padding
  uint64_t size() const;            // of the elements alone, in bytes
  uint64_t size_in_buffer() const;  // with padding, in bytes
  uint32_t row_elements() const;    // of the last dimension
  uint64_t rows() const;            // of all other dimensions together

  friend bool operator==(const TensorDesc&, const TensorDesc&) = default;
};

}  // namespace lightmetal
