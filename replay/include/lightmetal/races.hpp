#pragma once

#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/schedule.h"

namespace lightmetal {

// Memory that depends on the order in which kernels run.
struct RacedMemory {
  uint64_t command = 0;  // the first launch behind which memory differs: its number, from 0
  std::string launch;    // "EnqueueProgram of program 3"
  // The first buffer that differs then, by its id, as words: `expected` with the fixed schedule.
  GoldenResult content;
};

// A schedule with which a program comes to something else than with the fixed one.
struct Race {
  Schedule schedule;
  // The first output that differs; `expected` is what the fixed schedule gives. None when the run
  // fails before.
  std::optional<GoldenResult> output = {};
  // The error of the run; empty when it ends well. With the fixed schedule the run ends well.
  std::string failure = {};
  // Where the difference begins. None when the run fails, or when no buffer differs behind any
  // launch.
  std::optional<RacedMemory> memory = {};
};

struct RaceResult {
  uint64_t schedules = 0;  // random ones that were tried
  uint64_t outputs = 0;    // that were compared with each
  std::optional<Race> race = {};
};

// Replays a file with the fixed schedule and then with the random ones of the seeds 1 to
// `schedules`, until one of them reads something else: a race. Each replay opens its devices anew,
// so that it finds no memory of another one. Goldens are not compared. A race that needs an order
// which none of the seeds gives is not found.
//
// The schedule of `load`, and the callbacks of `run` but on_progress, and its check_goldens, do not
// count. `begins`, if any, is called before each replay with how many there were.
//
// Errors are those of Replay::load() and of a run with the fixed schedule; FailedPrecondition when
// two runs of one schedule differ, since then the outputs depend on more than the order of kernels:
// on a clock, or on the order of several queues.
absl::StatusOr<RaceResult> find_race(const std::shared_ptr<const schema::File>& file,
                                     const LoadOptions& load, const RunOptions& run,
                                     uint64_t schedules,
                                     const std::function<void(uint64_t replays)>& begins = {});

}  // namespace lightmetal
