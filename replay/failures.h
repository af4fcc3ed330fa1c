#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "schema/commands/forward.h"
#include "schema/index/object_index.h"

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
  void note_success(uint64_t number, const schema::Command& command) {
    objects_.add(number, command);
  }

  // Notes that the command has failed or was skipped. Returns the events among the objects that
  // suffer by it.
  std::vector<uint64_t> note_failure(uint64_t number, const schema::Command& command);

 private:
  struct Spoilt {
    uint64_t cause = 0;  // the number of the command that failed
    bool exists = false;
  };

  void spoil(const schema::ObjectName& name, Spoilt spoilt);

  absl::flat_hash_map<schema::ObjectName, Spoilt> spoilt_;
  schema::ObjectIndex objects_;
};

}  // namespace lightmetal::replay
