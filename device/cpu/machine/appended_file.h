#pragma once

#include <string>

namespace lightmetal::device::cpu {

// A file that takes lines about what kernels do. The first device of a process that opens the file
// empties it, and all later ones append, so that one run of a program leaves one file.
struct AppendedFile {
  int descriptor = -1;  // belongs to the caller; -1: errno says why the file cannot be opened
  bool is_new = false;  // this process opens the path for the first time, so the file is empty
};

// Opens `path`, which it makes when it is missing. Two spellings of one path count as two files.
// Thread-safe.
AppendedFile open_appended_file(const std::string& path);

}  // namespace lightmetal::device::cpu
