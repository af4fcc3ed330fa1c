#pragma once

#include <string>

namespace lightmetal::device::cpu {

// A file that takes lines of what kernels do. A process begins it anew, and its devices append.
struct AppendedFile {
  int descriptor = -1;  // of the caller from now on; -1: errno says why there is none
  bool is_new = false;  // the process opens it for the first time: it is empty
};
AppendedFile open_appended_file(const std::string& path);

}  // namespace lightmetal::device::cpu
