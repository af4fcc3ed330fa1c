#pragma once

#include <array>
#include <string>

namespace lightmetal {

// The files that the environment has this process write. Who writes one takes its path from here
// and reads no variable of its own, so that what protects inputs (replay/environment_outputs.h)
// knows all of them.
enum class Output { kCapture, kKernelEvents, kKernelPrints, kLog, kTimeline };

// Every value of Output.
inline constexpr std::array kOutputs = {Output::kCapture, Output::kKernelEvents,
                                        Output::kKernelPrints, Output::kLog, Output::kTimeline};

// The variable that names the file.
const char* variable_of(Output output);

// The variable's value; empty when it is not set. That of a capture may hold %p and %%
// (capture/environment.h).
std::string value_of(Output output);

}  // namespace lightmetal
