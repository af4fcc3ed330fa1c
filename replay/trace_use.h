#pragma once

#include <cstdint>
#include <unordered_map>

#include "schema/commands/forward.h"
#include "schema/file/reader.h"

namespace lightmetal::replay {

// What a replay does with the device traces that a file loads (docs/format.md, "Traces"). Does not
// change any more once all commands have been added, so several runs can ask it.
class TraceUse {
 public:
  explicit TraceUse(const schema::File& file);

  // Adds command `number`; called for all commands in their order.
  void add(uint64_t number, const schema::Command& command);

  enum class Load {
    kKeep,    // some command replays it, or it was there before the capture began
    kRun,     // no command replays it: it runs once, where it is loaded
    kUnused,  // what would have replayed it is not here, or is not executed
  };
  // What to do with `trace`, which command `number` loads, in a run that ends with command `last`.
  Load load(uint64_t number, uint64_t trace, uint64_t last) const;

 private:
  const bool has_its_end_;
  std::unordered_map<uint64_t, uint64_t> first_replay_;  // number of the command, by trace
  uint64_t snapshot_end_ =
      ~uint64_t{0};  // the first command that stands behind a snapshot's traces
};

}  // namespace lightmetal::replay
