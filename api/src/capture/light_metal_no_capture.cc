#include <lightmetal/capture.hpp>
#include <memory>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/logger.hpp>

#include "absl/status/status.h"
#include "api/src/capture/living.h"

// The Light Metal calls of a library that was built with LIGHTMETAL_ENABLE_CAPTURE=OFF.
namespace tt::tt_metal {

void LightMetalBeginCapture() { LightMetalBeginCapture(lightmetal::CaptureOptions{}); }

void LightMetalBeginCapture(const lightmetal::CaptureOptions&) {
  log_warning(LogMetalTrace,
              "LightMetalBeginCapture does nothing: capture is compiled out "
              "(LIGHTMETAL_ENABLE_CAPTURE=OFF)");
}

absl::Status capture_living(const ObjectNames&, std::shared_ptr<lightmetal::schema::Sink>) {
  return absl::UnimplementedError("this library was built without capture, which checkpoints need");
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
