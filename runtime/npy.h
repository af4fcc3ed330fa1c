#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/tensor_desc.h"

// Arrays as NumPy stores them (numpy.lib.format): a magic number, the version, the length of a
// dictionary, the dictionary, and the elements.
namespace lightmetal {

// The name that NumPy has for an element type of files, such as "<f4" for "Float32"; empty when it
// has none.
std::string numpy_type(absl::string_view element_type);
// The same for the elements of tensors; "|V2", two bytes of which NumPy knows no more, for
// bfloat16. And the type of the elements that NumPy calls so; none for what no tensor has.
std::string numpy_type(TensorType type);
std::optional<TensorType> tensor_type_of(absl::string_view numpy_type);

// The head of a .npy file, version 1.0, of an array in C order, filled up so that the data begin at
// a multiple of 64 bytes; the second is that of one dimension.
std::string npy_head(const std::string& type, absl::Span<const uint32_t> shape);
std::string npy_head(const std::string& type, uint64_t elements);

// What the head of a .npy file says of the data behind it, which are in C order and little-endian.
struct NpyHead {
  std::string type;  // such as "<f4"
  std::vector<uint64_t> shape;
};

// Reads a head of version 1.0, 2.0 or 3.0, and nothing behind it. `read` fills the bytes that it is
// given, one behind the other; its error is returned. InvalidArgument for what is no such head, for
// Fortran order, for big-endian elements, and for records.
absl::StatusOr<NpyHead> read_npy_head(absl::FunctionRef<absl::Status(std::span<std::byte>)> read);

// An array in a .npy file.
struct NpyArray {
  std::string type;  // "<f4"
  std::vector<uint64_t> shape;
  Bytes data;
};

// Reads a whole .npy file, which may be hostile. Errors are those of read_npy_head(), and
// InvalidArgument for bytes that are more or fewer than its shape says.
absl::StatusOr<NpyArray> parse_npy(Bytes file);

}  // namespace lightmetal
