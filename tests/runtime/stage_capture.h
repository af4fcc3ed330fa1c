#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/runtime/scaling_program.h"

namespace lightmetal::testing {

// y = factor * x + w in words.
struct Stage {
  uint32_t factor = 1;
  uint32_t weight = 0;        // the first of the values that count up in w, a constant;
  bool takes_weight = false;  // or w is an input of zeros
};

// Captures a program of stages into a file, where the result of one is the x of the next, and
// returns the last one's result. `x` is the first of the values that count up in the first stage's.
// The tensors are x, w0, w1, ... and y; the entry is "run".
enum class StageForm {
  kLaunched,
  kTraced,   // the entry replays a device trace of all stages
  kMovable,  // buffers may lie elsewhere
};
Words capture_stages(const std::string& path, uint32_t x, const std::vector<Stage>& stages,
                     StageForm form);

}  // namespace lightmetal::testing
