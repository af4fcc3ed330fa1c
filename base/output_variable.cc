#include "base/output_variable.h"

#include <cstdlib>

namespace lightmetal {

const char* variable_of(Output output) {
  switch (output) {
    case Output::kCapture:
      return "LIGHTMETAL_CAPTURE";
    case Output::kKernelEvents:
      return "LIGHTMETAL_CPU_DEVICE_EVENTS";
    case Output::kKernelPrints:
      return "TT_METAL_DPRINT_FILE";
    case Output::kLog:
      return "TT_LOGGER_FILE";
    case Output::kTimeline:
      return "LIGHTMETAL_TIMELINE";
  }
  return "";
}

std::string value_of(Output output) {
  const char* value = std::getenv(variable_of(output));
  return value == nullptr ? "" : value;
}

}  // namespace lightmetal
