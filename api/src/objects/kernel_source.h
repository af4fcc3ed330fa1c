#pragma once

#include <string>

namespace tt::tt_metal {

// The text of a kernel, and where it came from. A plain value.
struct KernelText {
  std::string path;       // as the program gave it; empty for a text from a string
  std::string directory;  // of the file that was found; where its #include "..." look first
  std::string text;
  std::string declarations = {};  // what the kernel sees before its text; no part of any file
};

// Reads the file at `path`: absolute or relative to the working directory, or else, with or without
// a leading slash, relative to TT_METAL_HOME or TT_METAL_KERNEL_PATH, in this order. Throws
// std::runtime_error that names the places when it is in none.
KernelText read_kernel_file(const std::string& path);

}  // namespace tt::tt_metal
