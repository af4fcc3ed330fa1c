#pragma once

#include <cstdint>
#include <functional>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace lightmetal {

// What find_divergence() is asked for.
struct DivergenceOptions {
  // Loads both sides; `replace_kernels` is for the file alone, and neither runs on a
  // device of the caller's.
  LoadOptions load = {};
  // Runs both sides. These count: last_command, the policies, which say how far apart both sides
  // may be, and on_progress, which is told of both sides.
  RunOptions run = {};

  // What is compared with: this file, or the same file when it is null, on this backend, which is
  // as LoadOptions::backend. Empty: for another file that of `load`, for the same file the
  // recorded one.
  std::shared_ptr<const schema::File> reference = nullptr;
  std::string reference_backend = {};

  // Compares memory behind one launch at a time, and finds the first that diverges by halves: some
  // more replays, which compare little, instead of one of each side that compares all memory behind
  // each launch. What diverged and became equal again before the end is not found.
  bool bisect = false;
};

// Where two replays part.
struct Divergence {
  uint64_t command = 0;             // the first whose effect differs: a launch, a write or a read
  std::optional<uint64_t> program;  // that it launches, by its id in the file
  uint64_t launch = 0;              // which of the launches of the file it is, from 1; 0 for none
  uint64_t launches = 0;            // how many the file has
  // The first command that can be the one: before `command` when memory could not be looked at
  // behind each, because a queue waited for an event that only a later command records.
  uint64_t since = 0;
  // What differs in which buffer, or in what was read: `found` by the file, `expected` by the
  // reference.
  GoldenResult difference;

  // All of it in one sentence.
  std::string text() const;
};

// What find_divergence() came to.
struct DivergenceReport {
  uint64_t launches = 0;          // of the file, up to the last command
  uint64_t buffers_compared = 0;  // counted each time
  uint64_t reads_compared = 0;
  std::optional<Divergence> first;
};

// Replays the reference and then the file, and finds the first command after which they differ:
// behind each launch (a program or a device trace), and behind each write of which the two files
// have other data, it compares all buffers that hold memory on the devices; and it compares
// whatever the commands read. A read of another file that has a golden is compared with that
// golden.
//
// The element type of a buffer is the one that reads and writes of the file give it, or else that
// of the circular buffers when all of the file have one; else it is compared byte for byte. Memory
// that nobody has written counts as it is. What the reference's buffers hold lies in a temporary
// file meanwhile, each content once as long as it does not change.
//
// FailedPrecondition when the reference is another program: its commands differ in kind or in the
// objects that they name. Other errors are those of the two replays. Not thread-safe. REQUIRES: no
// device that the files open is open in this process, and the process is not captured.
absl::StatusOr<DivergenceReport> find_divergence(std::shared_ptr<const schema::File> file,
                                                 const DivergenceOptions& options);

}  // namespace lightmetal
