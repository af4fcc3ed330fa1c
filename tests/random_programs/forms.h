#pragma once

#include <functional>
#include <tt-metalium/lightmetal_binary.hpp>

namespace random_programs {

// Checks what tools make of a captured file: lines and the same file of them, an optimised file,
// trimmed files, a relocated file. Each that is not refused replays. `run_elsewhere` captures the
// program again while its buffers lie elsewhere; null for a program whose two captures may differ
// in the order of their commands. Ends the process at the first thing that is wrong.
void check_forms(const tt::tt_metal::LightMetalBinary& file,
                 const std::function<tt::tt_metal::LightMetalBinary()>& run_elsewhere);

}  // namespace random_programs
