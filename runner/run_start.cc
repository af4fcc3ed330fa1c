#include "runner/run_start.h"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace lightmetal::runner {
namespace {

uint64_t from_option(const cxxopts::ParseResult& arguments) {
  if (arguments.count("from") == 0) {
    if (arguments.count("checkpoint") == 0) return 0;
    throw cxxopts::exceptions::parsing(
        "--checkpoint needs --from N, the command at which it is written or begins");
  }
  for (const char* other : {"races", "compare-with"}) {
    if (arguments.count(other) == 0) continue;
    throw cxxopts::exceptions::parsing(absl::StrCat(
        "--from is for runs that compare goldens from a command on, not for --", other));
  }
  return count_option(arguments, "from", 0);
}

std::string checkpoint_option(const cxxopts::ParseResult& arguments) {
  return arguments.count("checkpoint") == 0 ? "" : arguments["checkpoint"].as<std::string>();
}

}  // namespace

void add_start_options(cxxopts::Options& options) {
  options.add_options()("from", "Compare what command N and those behind it read, and no other",
                        cxxopts::value<std::string>(), "N")(
      "checkpoint",
      "With --from: begin with this file instead of the commands before N; where it is not there "
      "yet, write it",
      cxxopts::value<std::string>(), "FILE");
}

RunStart::RunStart(const cxxopts::ParseResult& arguments)
    : arguments_(arguments),
      from_(from_option(arguments)),
      checkpoint_(checkpoint_option(arguments)) {}

absl::Status RunStart::check(const schema::File& file, const RunOptions& options) const {
  if (from_ != 0 && from_ >= file.num_commands()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.name(), " has ", file.num_commands(),
                     " commands, counted from 0: there is no command ", from_));
  }
  if (from_ <= options.last_command) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--until ", options.last_command, " comes before --from ", from_));
}

absl::Status RunStart::check_can_write() const {
  for (const char* other : {"loop", "warmup", "schedules", "replace-kernel", "sandbox"}) {
    if (arguments_.count(other) == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        checkpoint_, " is not there yet, and a run with --", other, " does not write it"));
  }
  return absl::OkStatus();
}

void RunStart::renumber(RunOptions& options) const {
  if (options.last_command != UINT64_MAX)
    options.last_command = numbers_.in_checkpoint(options.last_command);
  std::map<uint64_t, ComparePolicy> policies;
  for (auto& [command, policy] : std::exchange(options.command_policies, {})) {
    if (command >= from_) policies.emplace(numbers_.in_checkpoint(command), policy);
  }
  options.command_policies = std::move(policies);
  options.first_command = numbers_.first();
}

absl::StatusOr<std::shared_ptr<const schema::File>> RunStart::begin(
    std::shared_ptr<const schema::File> file, RunOptions& options, Open open) {
  LM_RETURN_IF_ERROR(check(*file, options));
  options.first_command = from_;
  std::error_code ignored;
  if (checkpoint_.empty()) return file;
  if (!std::filesystem::exists(checkpoint_, ignored)) {
    LM_RETURN_IF_ERROR(check_can_write());
    options.checkpoint = checkpoint_;
    return file;
  }
  LM_ASSIGN_OR_RETURN(checkpoint, open(checkpoint_));
  LM_ASSIGN_OR_RETURN(numbers, CheckpointNumbers::create(*checkpoint, *file, from_));
  numbers_ = std::move(numbers);
  is_at_checkpoint_ = true;
  renumber(options);
  return checkpoint;
}

}  // namespace lightmetal::runner
