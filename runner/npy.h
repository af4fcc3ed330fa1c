#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

// Arrays as NumPy stores them.
namespace lightmetal::runner {

// The name that NumPy has for an element type of files, such as "<f4" for "Float32"; empty when it
// has none.
std::string numpy_type(absl::string_view element_type);

// The head of a .npy file of one dimension, version 1.0 (numpy.lib.format): a magic number, the
// length of a dictionary, and that, filled up so that the data begin at a multiple of 64 bytes.
std::string npy_head(const std::string& type, uint64_t elements);

}  // namespace lightmetal::runner
