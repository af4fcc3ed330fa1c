#pragma once

#include <cstdint>
#include <lightmetal/checkpoint.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "runner/command_line.h"
#include "schema/file/reader.h"

// `run --from N` and `--checkpoint FILE`: where the part of a run begins that somebody looks at.
namespace lightmetal::runner {

void add_start_options(cxxopts::Options& options);

// Where one run begins. What is executed is the file, or a checkpoint of it, whose commands have
// other numbers; people hear of the file's. Not thread-safe.
class RunStart {
 public:
  // Throws for what is no number, and for options that would have no effect beside these.
  explicit RunStart(const cxxopts::ParseResult& arguments);

  // The checkpoint's path; empty without one.
  const std::string& checkpoint() const { return checkpoint_; }

  // What to execute: the checkpoint where it is there, which `open` opens, or else the file, which
  // then writes it. Sets the options for it, whose numbers are the file's.
  using Open = absl::FunctionRef<absl::StatusOr<std::shared_ptr<const schema::File>>(
      const std::string& path)>;
  absl::StatusOr<std::shared_ptr<const schema::File>> begin(
      std::shared_ptr<const schema::File> file, RunOptions& options, Open open);

  bool is_at_checkpoint() const { return is_at_checkpoint_; }

  // The number in the file of the command that has this number in what is executed; that of the
  // first, for those that make what lives then.
  uint64_t number_in_file(uint64_t executed) const {
    return is_at_checkpoint_ ? numbers_.in_file(executed) : executed;
  }

 private:
  absl::Status check(const schema::File& file, const RunOptions& options) const;
  absl::Status check_can_write() const;
  void renumber(RunOptions& options) const;

  const cxxopts::ParseResult& arguments_;
  const uint64_t from_;
  const std::string checkpoint_;
  bool is_at_checkpoint_ = false;
  CheckpointNumbers numbers_;
};

}  // namespace lightmetal::runner
