#pragma once

#include <cstdint>
#include <lightmetal/replay.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "replay/trace_use.h"
#include "schema/commands/forward.h"
#include "schema/file/reader.h"

namespace lightmetal::replay {

// The commands of a file, and what has to be known of all of them before the first one runs. There
// may be very many commands, so no more is kept of each than where it lies.
struct LoadedFile {
  explicit LoadedFile(std::shared_ptr<const schema::File> the_file)
      : file(std::move(the_file)), traces(*file) {}

  // Calls `visit` for the commands up to number `last`, in order, until it returns an error, which
  // is returned. Gives back the memory of pages that lie behind.
  using Visit = absl::FunctionRef<absl::Status(uint64_t number, const schema::Command& command)>;
  absl::Status for_each_command(uint64_t last, Visit visit) const;

  std::shared_ptr<const schema::File> file;
  std::vector<const schema::Command*> commands;
  uint64_t devices = 0;         // how many devices the commands open
  ComparePolicy golden_policy;  // the capture's for all goldens
  TraceUse traces;
};

// Checks the file whole, as Replay::load() says, and loads the backend that the options name, which
// is then called by the name that devices are opened with.
absl::StatusOr<LoadedFile> load(std::shared_ptr<const schema::File> file, LoadOptions& options);

}  // namespace lightmetal::replay
