#pragma once

#include <cstdint>
#include <lightmetal/executable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "replay/loaded_file.h"
#include "schema/index/object_index.h"

namespace lightmetal::runtime {

// One thing that a run does.
struct Step {
  enum class Kind : uint8_t {
    kCommand,    // executes the command
    kInput,      // writes the tensor's value, or else executes the command, if there is one
    kOutput,     // reads the tensor
    kSemaphore,  // gives the global semaphore that the command makes its initial value
    kEvent,      // makes the event that the command waits for unrecorded again
  };
  Kind kind = Kind::kCommand;
  std::optional<uint64_t> command = {};
  size_t tensor = 0;  // its number in Plan::tensors
};

struct Entry {
  std::string name;
  std::vector<Step> steps;
  std::vector<bool> early;  // by tensor: it gets its value before the devices do anything
};

// The writes of load to each input and constant: the value of an input that a run does not give,
// and of a constant after a run that has written to it.
using Defaults = std::vector<std::vector<uint64_t>>;

// A command of load. One that stands within an entry makes what other commands of the entry use.
struct LoadStep {
  uint64_t command = 0;
  bool in_entry = false;
};

// What of a file is done when an executable is loaded, and what each time that an entry is run.
struct Plan {
  std::vector<LoadStep> load;
  std::vector<Entry> entries;
  std::vector<BoundTensor> tensors;
  Defaults defaults;            // by tensor
  schema::ObjectIndex objects;  // of the whole file
};

// FailedPrecondition when an entry does what cannot be done again.
absl::StatusOr<Plan> make_plan(const replay::LoadedFile& file);

}  // namespace lightmetal::runtime
