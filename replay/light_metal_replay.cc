#include <lightmetal/replay.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <tt-metalium/logger.hpp>
#include <utility>

#include "api/src/capture/binary_content.h"
#include "base/status.h"

namespace tt::tt_metal {
namespace {

void log_failure(const absl::Status& status) {
  log_error(LogMetalTrace, "LightMetalReplay: {}", std::string(status.message()));
}

void log_mismatches(const lightmetal::ReplayResult& result) {
  for (const lightmetal::GoldenResult& mismatch : result.mismatches) {
    log_error(LogMetalTrace, "LightMetalReplay: command {}: {}", mismatch.command, mismatch.text());
  }
}

absl::StatusOr<std::unique_ptr<lightmetal::Replay>> load(const LightMetalBinary& binary,
                                                         lightmetal::LoadOptions options) {
  if (binary.content() == nullptr) return lightmetal::Replay::load_bytes({}, std::move(options));
  // References to other files are allowed: the caller lets the kernels of this binary run in the
  // process, which is more than reading the files that it names.
  LM_ASSIGN_OR_RETURN(file, binary.content()->open({.references = {.allow = true}}));
  return lightmetal::Replay::load(std::move(file), std::move(options));
}

}  // namespace

LightMetalReplay::LightMetalReplay(LightMetalBinary&& binary, IDevice* device)
    : binary_(std::move(binary)), device_(device) {}
LightMetalReplay::~LightMetalReplay() = default;
LightMetalReplay::LightMetalReplay(LightMetalReplay&&) noexcept = default;
LightMetalReplay& LightMetalReplay::operator=(LightMetalReplay&&) noexcept = default;

bool LightMetalReplay::run() {
  if (replay_ == nullptr) {
    auto loaded = load(binary_, {.device = device_});
    if (!loaded.ok()) {
      log_failure(loaded.status());
      return false;
    }
    replay_ = *std::move(loaded);
  }
  const auto result = replay_->run();
  if (!result.ok()) {
    log_failure(result.status());
    return false;
  }
  log_mismatches(*result);
  return result->matches();
}

}  // namespace tt::tt_metal
