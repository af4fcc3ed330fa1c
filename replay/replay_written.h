#pragma once

#include <lightmetal/replay.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "base/status.h"

namespace lightmetal::replay {

inline absl::StatusOr<ReplayResult> replay_file(const std::string& path,
                                                const ReplayOptions& options) {
  LM_ASSIGN_OR_RETURN(loaded, Replay::load_file(path, options));
  return loaded->run();
}

// Replays a file that was just written, on the backend and within the limits of `options`, which
// are those of whoever wrote it: before the file gets its name, it is seen whether it replays.
template <class Options>
absl::StatusOr<ReplayResult> replay_written(const std::string& path, const Options& options) {
  ReplayOptions replay;
  replay.backend = options.backend;
  replay.references = options.references;
  replay.memory_limit = options.memory_limit;
  replay.on_progress = options.on_progress;
  return replay_file(path, replay);
}

}  // namespace lightmetal::replay
