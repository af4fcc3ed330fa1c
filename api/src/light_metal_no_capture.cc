#include <lightmetal/capture.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/logger.hpp>

// The Light Metal calls of a library that was built with LIGHTMETAL_ENABLE_CAPTURE=OFF.
namespace tt::tt_metal {

void LightMetalBeginCapture() { LightMetalBeginCapture(lightmetal::CaptureOptions{}); }

void LightMetalBeginCapture(const lightmetal::CaptureOptions&) {
  log_warning(LogMetalTrace,
              "LightMetalBeginCapture does nothing: capture is compiled out "
              "(LIGHTMETAL_ENABLE_CAPTURE=OFF)");
}

LightMetalBinary LightMetalEndCapture() { return {}; }

}  // namespace tt::tt_metal

namespace lightmetal {

bool capture_is_compiled_in() { return false; }

}  // namespace lightmetal
