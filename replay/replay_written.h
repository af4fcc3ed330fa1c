#pragma once

#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "base/status.h"

namespace lightmetal::replay {

// Replays a file that was just written, before it gets its name, to see whether it replays.
inline absl::StatusOr<ReplayResult> replay_written(const std::string& path, const LoadOptions& load,
                                                   const RunOptions& run) {
  LM_ASSIGN_OR_RETURN(loaded, Replay::load_file(path, load));
  return loaded->run(run);
}

}  // namespace lightmetal::replay
