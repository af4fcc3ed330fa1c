#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/memory_limit.h"
#include "runner/reduction.h"
#include "runner/shell_command.h"
#include "runner/verbs.h"
#include "schema/storage/output_file.h"
#include "schema/verify/slicer.h"
#include "schema/verify/verify.h"

namespace lightmetal::runner {
namespace {

using schema::Slicer;

// A folder for candidates, which is nobody else's. It is removed with this object.
class Folder {
 public:
  static absl::StatusOr<std::unique_ptr<Folder>> create() {
    const char* const parent = std::getenv("TMPDIR");
    std::string path = absl::StrCat(parent != nullptr && *parent != '\0' ? parent : "/tmp",
                                    "/lightmetal-reduce-XXXXXX");
    if (::mkdtemp(path.data()) == nullptr)
      return absl::UnavailableError(absl::StrCat("cannot make the folder ", path));
    return std::unique_ptr<Folder>(new Folder(std::move(path)));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string candidate() const { return path_ + "/candidate.lmb"; }

 private:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  const std::string path_;
};

// The text with "N" for each number behind `word`.
std::string without_numbers_behind(absl::string_view word, const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    if (!absl::StartsWith(absl::string_view(text).substr(at), word)) {
      result += text[at++];
      continue;
    }
    absl::StrAppend(&result, word, "N");
    at += word.size();
    while (at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) ++at;
  }
  return result;
}

// How a command has failed. Its message is the first line that is no warning, without what changes
// with every file: its name, numbers of commands, and offsets.
struct Failure {
  int exit_code = 0;
  std::string message;

  friend bool operator==(const Failure&, const Failure&) = default;
};

std::string message_of(const std::string& errors, const std::string& file) {
  for (const absl::string_view line : absl::StrSplit(errors, '\n')) {
    if (absl::StrContains(line, "warning: ")) continue;
    std::string message = absl::StrReplaceAll(line, {{file, "FILE"}});
    for (const char* word : {"command ", "offset "})
      message = without_numbers_behind(word, message);
    return message;
  }
  return "";
}

class Reduce {
 public:
  Reduce(const cxxopts::ParseResult& arguments, std::string path)
      : path_(std::move(path)),
        output_(output_of(arguments, "reduce needs -o OUT, the file to write")),
        command_(arguments["keep-failing"].as<std::string>()),
        memory_limit_(memory_limit(arguments)),
        limit_(static_cast<double>(count_option(arguments, "timeout", 1))),
        by_exit_code_(is_set(arguments, "any-message")) {}

  absl::Status execute() {
    LM_ASSIGN_OR_RETURN(file, schema::File::open(path_));
    LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(output_, file->paths()));
    LM_RETURN_IF_ERROR(
        schema::verify(*file, nullptr, {.allow_incomplete = true, .memory_limit = memory_limit_}));
    LM_ASSIGN_OR_RETURN(folder, Folder::create());
    folder_ = std::move(folder);
    LM_ASSIGN_OR_RETURN(slicer, Slicer::create(file));
    LM_RETURN_IF_ERROR(find_failure(slicer));
    LM_ASSIGN_OR_RETURN(kept, reduce_commands(slicer, [&](const Slicer::Commands& candidate) {
                          return fails(slicer, candidate);
                        }));
    LM_ASSIGN_OR_RETURN(sink, output.sink());
    LM_RETURN_IF_ERROR(slicer.write(kept, std::move(sink)));
    LM_RETURN_IF_ERROR(output.finish());
    print(slicer, kept);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Failure> run(const std::string& file) {
    LM_ASSIGN_OR_RETURN(result, run_shell(with_file(command_, file), limit_, signals_));
    ++runs_;
    if (result.timed_out) return Failure{.exit_code = kTimedOut, .message = ""};
    return Failure{result.exit_code, by_exit_code_ ? "" : message_of(result.errors, file)};
  }

  // Finds how the command fails for a copy of FILE, and for FILE with its commands written again.
  // The command never gets FILE itself, which it could change. Where the two messages differ, no
  // message counts.
  absl::Status find_failure(const Slicer& slicer) {
    LM_RETURN_IF_ERROR(write_copy(slicer.file()));
    LM_ASSIGN_OR_RETURN(first, run(folder_->candidate()));
    if (first.exit_code == 0)
      return absl::FailedPreconditionError(absl::StrCat(command_, " does not fail for ", path_));
    if (first.exit_code == kTimedOut) {
      return absl::DeadlineExceededError(
          absl::StrCat(command_, " takes longer than --timeout for ", path_));
    }
    wanted_ = first;
    LM_RETURN_IF_ERROR(write_candidate(slicer, slicer.first(slicer.file().num_commands())));
    LM_ASSIGN_OR_RETURN(second, run(folder_->candidate()));
    if (second.exit_code != first.exit_code) {
      return absl::FailedPreconditionError(
          absl::StrCat(command_, " ends with ", first.exit_code, " for ", path_, " and with ",
                       second.exit_code, " for a copy: it has to fail each time"));
    }
    by_exit_code_ |= first.message != second.message;
    if (by_exit_code_) wanted_.message.clear();
    return absl::OkStatus();
  }

  // Returns the file of the next candidate.
  absl::StatusOr<schema::OutputFile> new_candidate() const {
    const std::string path = folder_->candidate();
    // The command may have left something else there, such as a link to a file of the user's.
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    return schema::OutputFile::create(path, {});
  }

  absl::Status write_copy(const schema::File& file) const {
    LM_ASSIGN_OR_RETURN(target, new_candidate());
    LM_ASSIGN_OR_RETURN(sink, target.sink());
    LM_RETURN_IF_ERROR(sink->append({file.bytes()}));
    LM_RETURN_IF_ERROR(sink->close());
    return target.finish();
  }

  absl::Status write_candidate(const Slicer& slicer, const Slicer::Commands& kept) const {
    LM_ASSIGN_OR_RETURN(target, new_candidate());
    LM_ASSIGN_OR_RETURN(sink, target.sink());
    LM_RETURN_IF_ERROR(slicer.write(kept, std::move(sink)));
    return target.finish();
  }

  absl::StatusOr<bool> fails(const Slicer& slicer, const Slicer::Commands& candidate) {
    LM_RETURN_IF_ERROR(write_candidate(slicer, candidate));
    if (!is_sound()) return false;
    LM_ASSIGN_OR_RETURN(failure, run(folder_->candidate()));
    return failure == wanted_;
  }

  // A set of commands need not make a program: then it is no candidate.
  bool is_sound() const {
    const auto file = schema::File::open(folder_->candidate());
    return file.ok() && schema::verify(**file, nullptr, {.memory_limit = memory_limit_}).ok();
  }

  void print(const Slicer& slicer, const Slicer::Commands& kept) const {
    say(absl::StrCat(output_, ": ", std::count(kept.begin(), kept.end(), true), " of ",
                     slicer.file().num_commands(), " commands of ", path_,
                     " fail as all do, after ", runs_, " runs"));
    if (wanted_.message.empty()) {
      say(absl::StrCat("  by exit code ", wanted_.exit_code, " alone"));
    } else {
      say(absl::StrCat("  by exit code ", wanted_.exit_code,
                       " and the message: ", wanted_.message));
    }
  }

  static constexpr int kTimedOut = -1;

  const std::string path_;
  const std::string output_;
  const std::string command_;
  const uint64_t memory_limit_;
  const std::chrono::duration<double> limit_;
  bool by_exit_code_;
  const UserSignals signals_;
  std::unique_ptr<Folder> folder_;
  Failure wanted_;
  uint64_t runs_ = 0;
};

}  // namespace

int reduce(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "reduce",
      "Writes a small file for which a command still fails as it fails for FILE: with the same "
      "exit "
      "code and the same first\nline on standard error, apart from names, numbers of commands and "
      "offsets.\n",
      "lightmetal_runner reduce model.lmb --keep-failing \"lightmetal_runner run {}\" -o "
      "small.lmb");
  options.add_options()("keep-failing",
                        "The command, for a shell; FILE's name stands for each {}, or behind it",
                        cxxopts::value<std::string>(),
                        "CMD")("o,output", "The file to write", cxxopts::value<std::string>(),
                               "OUT")("any-message", "Let the exit code alone tell a failure")(
      "timeout", "Take a run of CMD that lasts longer for one that does not fail",
      cxxopts::value<std::string>()->default_value("600"), "SECONDS");
  add_memory_limit_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (arguments->count("keep-failing") == 0)
    return fail("reduce needs --keep-failing CMD, the command that fails");
  const absl::Status status = Reduce(*arguments, file_of(*arguments)).execute();
  return status.ok() ? finish_output() : fail(status);
}

}  // namespace lightmetal::runner
