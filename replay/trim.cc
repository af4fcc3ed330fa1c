#include <algorithm>
#include <exception>
#include <lightmetal/capture.hpp>
#include <lightmetal/trim.hpp>
#include <string>
#include <string_view>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/src/support/sentence_of.h"
#include "base/status.h"
#include "capture/environment.h"
#include "schema/file/reader.h"
#include "schema/storage/output_file.h"

namespace lightmetal {
namespace {

absl::Status check_can_capture() {
  if (capture_is_compiled_in()) return absl::OkStatus();
  return absl::UnimplementedError("this library was built without capture, which trim needs");
}

// The environment's capture goes on while trim runs, and has emptied its file.
absl::Status check_is_not_captured_to(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!capture::environment_captures_to(path)) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("LIGHTMETAL_CAPTURE captures this process to ", path,
                     ", which trim reads or writes: unset it"));
  }
  return absl::OkStatus();
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
  return std::ranges::any_of(file.session().options, [](const auto& option) {
    return option.first == "read_goldens" && option.second == "1";
  });
}

template <class Function>
absl::Status without_exceptions(Function&& function) {
  try {
    function();
    return absl::OkStatus();
  } catch (const std::exception& error) {
    return absl::FailedPreconditionError(std::string(tt::tt_metal::sentence_of(error.what())));
  }
}

// The capture of the commands to keep. A capture that was begun ends with this object.
class Trimmed {
 public:
  Trimmed(const schema::File& file, const std::string& path)
      : options_({.path = path,
                  .read_goldens = keeps_reads(file),
                  .record_origin = file.session().origin.has_value()}) {}
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
  const CaptureOptions options_;
  bool begun_ = false;
};

ReplayOptions replay_options(const TrimOptions& options, Trimmed& trimmed) {
  ReplayOptions replay;
  replay.backend = options.backend;
  replay.check_goldens = options.check_goldens;
  replay.allow_incomplete = options.allow_incomplete;
  replay.memory_limit = options.memory_limit;
  replay.on_mismatch = options.on_mismatch;
  replay.on_progress = options.on_progress;
  replay.last_command = options.last;
  replay.before_command = [&trimmed, first = options.first](uint64_t command) {
    return command == first ? trimmed.begin() : absl::OkStatus();
  };
  return replay;
}

}  // namespace

absl::StatusOr<ReplayResult> trim(std::shared_ptr<const schema::File> file,
                                  const TrimOptions& options) {
  LM_RETURN_IF_ERROR(check_can_capture());
  LM_RETURN_IF_ERROR(check_range(*file, options));
  LM_RETURN_IF_ERROR(check_is_not_captured_to(file->paths()));
  LM_RETURN_IF_ERROR(check_is_not_captured_to({options.output}));
  LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(options.output, file->paths()));
  Trimmed trimmed(*file, output.unfinished());
  // The objects of the replay live until the capture has ended: their end is none of the program's
  // calls.
  LM_ASSIGN_OR_RETURN(replay, Replay::load(std::move(file), replay_options(options, trimmed)));
  LM_ASSIGN_OR_RETURN(result, replay->run());
  LM_RETURN_IF_ERROR(trimmed.end());
  // A file whose outputs differ would hold what this machine computed: it is not written.
  if (result.matches()) LM_RETURN_IF_ERROR(output.finish());
  return result;
}

}  // namespace lightmetal
