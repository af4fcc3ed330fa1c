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

bool dump_flight_recorder() { return false; }

bool capture_is_compiled_in() { return false; }

absl::Status declare_file_data(std::span<const std::byte>, const std::string&, uint64_t) {
  return absl::OkStatus();
}

void undeclare_file_data(std::span<const std::byte>) {}

}  // namespace lightmetal
