#pragma once

#include <string>
#include <vector>

namespace lightmetal {

// What a file remembers of the machine that it was captured on. A text is empty where the system
// does not say it.
struct Machine {
  std::string host;
  std::string operating_system;  // "Linux 6.1.0-18-amd64 x86_64"
  std::string processor;         // the model's name
  // Those features of the processor that can make results differ: "amx_bf16", "avx512_bf16".
  std::vector<std::string> processor_features;

  friend bool operator==(const Machine&, const Machine&) = default;
};

// Asks the system when it is called first; never fails. Thread-safe.
const Machine& this_machine();

// Reads the processor's model and features out of the text of /proc/cpuinfo, where the first
// processor speaks for all. Leaves what the text does not say.
void read_processor(const std::string& cpuinfo, Machine& machine);

}  // namespace lightmetal
