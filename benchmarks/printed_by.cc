#include "benchmarks/printed_by.h"

#include <cstdio>
#include <stdexcept>

namespace lightmetal::bench {

std::string printed_by(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  for (size_t read = 1; pipe != nullptr && read != 0; output.append(buffer, read))
    read = std::fread(buffer, 1, sizeof(buffer), pipe);
  if (pipe == nullptr || pclose(pipe) != 0) throw std::runtime_error("cannot run " + command);
  return output;
}

}  // namespace lightmetal::bench
