#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/tensor_desc.h"
#include "runner/command_line.h"
#include "schema/storage/output_file.h"

// Values of tensors in files: `--input NAME=FILE` and `--output NAME=FILE`. They lie row by row
// without padding: as .npy, or as their bytes alone. For bfloat16, which NumPy does not have, a
// .npy file is of float32.
namespace lightmetal::runner {

// Where the values of a tensor are.
struct ValuesPlace {
  std::string tensor;
  std::string path;  // empty: standard input or output
  bool is_npy = false;

  bool is_standard() const { return path.empty(); }
};

// The values of an option that is NAME=FILE: a FILE that ends with .npy is one, "-" is standard
// input or output, and "npy:-" the same in the form of .npy; any other FILE has the bytes alone.
// Throws for anything else, for a NAME that comes twice, and for "-" that comes twice.
std::vector<ValuesPlace> values_places(const cxxopts::ParseResult& arguments,
                                       const std::string& option);

// Reads values of this tensor: float32 of .npy becomes the nearest bfloat16, and its uint16 or
// 2-byte voids are taken as the bits. InvalidArgument for another type, shape or size. No more is
// read, and no more memory taken, than the tensor has.
absl::StatusOr<std::vector<std::byte>> read_values(const ValuesPlace& place,
                                                   const TensorDesc& tensor);

// Values of this tensor as the content of a file at that place.
std::string values_content(const ValuesPlace& place, const TensorDesc& tensor,
                           absl::Span<const std::byte> values);

}  // namespace lightmetal::runner
