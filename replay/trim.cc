#include <exception>
#include <lightmetal/capture.hpp>
#include <lightmetal/trim.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "api/src/support/sentence_of.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "replay/executor.h"
#include "replay/loaded_file.h"
#include "replay/replay_written.h"
#include "replay/written_goldens.h"
#include "schema/file/reader.h"
#include "schema/file/session_info.h"
#include "schema/semantics/golden_policy.h"
#include "schema/storage/output_file.h"

namespace lightmetal {
namespace {

using replay::Executor;
using replay::LoadedFile;
using replay::WrittenGoldens;

absl::Status check_can_capture() {
  if (capture_is_compiled_in()) return absl::OkStatus();
  return absl::UnimplementedError("this library was built without capture, which trim needs");
}

// What the environment has this process write while trim runs must be none of these.
absl::Status check_apart(std::vector<std::string> paths, const std::string& output) {
  paths.push_back(output);
  return replay::check_environment_spares(paths, "this process", "which trim reads or writes");
}

absl::Status check_range(const schema::File& file, const TrimOptions& options) {
  const uint64_t count = file.num_commands();
  const std::string counted =
      absl::StrCat(file.name(), " has ", count, " commands, counted from 0: ");
  if (options.first >= count) {
    return absl::InvalidArgumentError(absl::StrCat(counted, "there is no command ", options.first));
  }
  if (options.first <= options.last) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(counted, "commands ", options.first, " to ",
                                                 options.last, " are no range of them"));
}

// Whether reads are goldens, as the original capture was asked.
bool keeps_reads(const schema::File& file) {
  const std::string* option = schema::option_of(file.session(), "read_goldens");
  return option != nullptr && *option == "1";
}

// The capture of the commands to keep. A capture that was begun ends with this object.
class Trimmed {
 public:
  // `output` is what the file is called once it is finished.
  Trimmed(const schema::File& file, const ComparePolicy& policy,
          const schema::OutputFile& unfinished, const std::string& output)
      : output_(output),
        options_({.path = unfinished.unfinished(),
                  .read_goldens = keeps_reads(file),
                  .record_origin = file.session().origin.has_value(),
                  .golden_policy = policy}) {}
  ~Trimmed() {
    if (begun_) (void)end();
  }
  Trimmed(const Trimmed&) = delete;
  Trimmed& operator=(const Trimmed&) = delete;

  absl::Status begin() {
    const absl::Status status =
        without_exceptions([&] { tt::tt_metal::LightMetalBeginCapture(options_); });
    begun_ = status.ok();
    return status;
  }

  absl::Status end() {
    begun_ = false;
    return without_exceptions([] { tt::tt_metal::LightMetalEndCapture(); });
  }

 private:
  // Errors speak of the file by the name that its user gave it.
  template <class Function>
  absl::Status without_exceptions(Function&& function) const {
    try {
      function();
      return absl::OkStatus();
    } catch (const std::exception& error) {
      return absl::FailedPreconditionError(absl::StrReplaceAll(
          std::string(tt::tt_metal::sentence_of(error.what())), {{options_.path, output_}}));
    }
  }

  const std::string output_;
  const CaptureOptions options_;
  bool begun_ = false;
};

// A replay of the commands up to the last one, which captures those of the range.
class RangeRun {
 public:
  // The arguments must outlive the run.
  RangeRun(const LoadedFile& loaded, const TrimOptions& options, Trimmed& trimmed,
           Executor& executor)
      : loaded_(loaded),
        options_(options),
        run_({.check_goldens = options.check_goldens,
              .on_mismatch = options.on_mismatch,
              .last_command = options.last}),
        trimmed_(trimmed),
        executor_(executor) {}

  absl::StatusOr<TrimResult> run() {
    executor_.begin_run(run_);
    auto added = execute();
    const absl::Status status = added.ok() ? executor_.end_run() : added.status();
    if (!status.ok()) executor_.abandon_run();
    LM_RETURN_IF_ERROR(status);
    return TrimResult{.replay = executor_.take_result(), .added_goldens = *added};
  }

 private:
  // Returns how many goldens were added.
  absl::StatusOr<uint64_t> execute() {
    if (options_.add_goldens) {
      LM_ASSIGN_OR_RETURN(goldens, WrittenGoldens::create(loaded_, options_.first, options_.last));
      goldens_.emplace(std::move(goldens));
    }
    LM_RETURN_IF_ERROR(loaded_.for_each_command(
        options_.last, [this](uint64_t number, const schema::Command& command) {
          return execute(number, command);
        }));
    if (!goldens_.has_value()) return 0;
    return goldens_->finish(executor_);
  }

  absl::Status execute(uint64_t number, const schema::Command& command) {
    if (options_.on_progress) options_.on_progress(number, loaded_.commands.size());
    if (number == options_.first) {
      if (goldens_.has_value()) LM_RETURN_IF_ERROR(goldens_->begin(executor_));
      LM_RETURN_IF_ERROR(trimmed_.begin());
    }
    LM_RETURN_IF_ERROR(executor_.execute(number, command));
    if (!goldens_.has_value() || number < options_.first) return absl::OkStatus();
    return goldens_->add(command, executor_);
  }

  const LoadedFile& loaded_;
  const TrimOptions& options_;
  const RunOptions run_;
  Trimmed& trimmed_;
  Executor& executor_;
  std::optional<WrittenGoldens> goldens_;
};

// The objects of the replay live until the capture has ended: their end is none of the program's
// calls.
absl::StatusOr<TrimResult> capture_range(std::shared_ptr<const schema::File> file,
                                         const TrimOptions& options, Trimmed& trimmed) {
  LoadOptions load = options.load;
  LM_ASSIGN_OR_RETURN(loaded, replay::load(std::move(file), load));
  Executor executor(*loaded.file, load, loaded.golden_policy, loaded.traces);
  LM_ASSIGN_OR_RETURN(result, RangeRun(loaded, options, trimmed, executor).run());
  LM_RETURN_IF_ERROR(trimmed.end());
  return result;
}

absl::Status does_not_replay(const std::string& output, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat(output, " is not written, because it does not replay as the file does: ", why));
}

// A snapshot does not hold all that kernels may find, so the new file is replayed before it gets
// its name. Without goldens of the file's own it only has to run.
absl::Status check_replays(const schema::OutputFile& output, const TrimOptions& options) {
  const LoadOptions load{.backend = options.load.backend,
                         .references = {.allow = true},  // those of the file that was trusted
                         .memory_limit = options.load.memory_limit};
  const auto result = replay::replay_written(
      output.unfinished(), load,
      {.stop_at_mismatch = options.check_goldens, .on_progress = options.on_progress});
  if (!result.ok()) return does_not_replay(options.output, result.status().message());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TrimResult> trim(std::shared_ptr<const schema::File> file,
                                const TrimOptions& options) {
  LM_RETURN_IF_ERROR(check_can_capture());
  LM_RETURN_IF_ERROR(check_range(*file, options));
  LM_RETURN_IF_ERROR(check_apart(file->paths(), options.output));
  LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(options.output, file->paths()));
  LM_ASSIGN_OR_RETURN(policy, schema::golden_policy_of(file->session()));
  Trimmed trimmed(*file, policy, output, options.output);
  LM_ASSIGN_OR_RETURN(result, capture_range(std::move(file), options, trimmed));
  // A file whose outputs differ would hold what this machine computed: it is not written.
  if (!result.replay.matches()) return result;
  LM_RETURN_IF_ERROR(check_replays(output, options));
  LM_RETURN_IF_ERROR(output.finish());
  return result;
}

}  // namespace lightmetal
