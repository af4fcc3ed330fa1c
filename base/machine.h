#pragma once

#include <string>
#include <vector>

namespace lightmetal {

// What a file remembers of the machine that it was captured on. What the system does not say is
// empty.
struct Machine {
  std::string host;
  std::string operating_system;  // "Linux 6.1.0-18-amd64 x86_64"
  std::string processor;         // the model's name
  // Of the features of the processor those by which results can differ: "amx_bf16", "avx512_bf16".
  std::vector<std::string> processor_features;

  friend bool operator==(const Machine&, const Machine&) = default;
};

// Asks the system; never fails. Thread-safe.
Machine this_machine();

// Model and features from the text of /proc/cpuinfo; its first processor speaks for all.
void read_processor(const std::string& cpuinfo, Machine& machine);

}  // namespace lightmetal
