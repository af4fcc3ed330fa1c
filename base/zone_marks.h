#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core.h"

// When kernels entered and left their profiler zones. Nothing is noted unless
// TT_METAL_DEVICE_PROFILER, TT-Metalium's variable, is set and not 0. Thread-safe.
namespace lightmetal::zone_marks {

struct Mark {
  int chip = 0;
  Core core = {};         // in NoC coordinates
  std::string processor;  // "BRISC"
  std::string zone;
  bool begins = true;
  int64_t time = 0;  // nanoseconds, by timeline::now()
  std::string kernel;
};

// At most so many are kept for each chip; later ones are dropped.
inline constexpr size_t kMostMarks = size_t{1} << 20;

// Returns true if the environment asks for marks now.
bool are_asked_for();

// Keeps a mark, and fills in the time.
void add(Mark mark);

// Returns the chip's marks since the last call, in the order in which they were added.
std::vector<Mark> take(int chip);

}  // namespace lightmetal::zone_marks
