#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "schema/commands/forward.h"

namespace lightmetal::replay {

// What a run that goes on after errors knows of the commands that have failed: which objects are
// not as they were recorded. These are the objects that such a command would have made, programs
// with their kernels and circular buffers that it would have changed, and events that it named. A
// launch or a transfer that fails leaves its objects as they were. Not thread-safe.
class Failures {
 public:
  // Why the command cannot be executed as it was recorded; nullopt when nothing that it names has
  // suffered.
  std::optional<std::string> hindrance_of(const schema::Command& command) const;

  // Notes what belongs to what. Called after each command that was executed.
  void note_success(const schema::Command& command);

  // Notes that the command has failed or was skipped. Returns the events among the objects that
  // suffer by it.
  std::vector<uint64_t> note_failure(uint64_t number, const schema::Command& command);

 private:
  using Key = std::pair<uint16_t, uint64_t>;  // kind and id

  struct Spoilt {
    uint64_t cause = 0;  // the number of the command that failed
    bool exists = false;
  };

  void spoil(Key key, Spoilt spoilt);

  absl::flat_hash_map<Key, Spoilt> spoilt_;
  absl::flat_hash_map<Key, Key> owners_;  // programs, by their kernels and circular buffers
};

}  // namespace lightmetal::replay
