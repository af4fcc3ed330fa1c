#include "runner/run_entry.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <lightmetal/executable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/digest.h"
#include "base/file_error.h"
#include "base/machine.h"
#include "base/status.h"
#include "base/write_all.h"
#include "host/bindings.h"
#include "replay/environment_outputs.h"
#include "runner/device_option.h"
#include "runner/kernel_option.h"
#include "runner/memory_limit.h"
#include "runner/output_paths.h"
#include "runner/output_text.h"
#include "runner/races.h"
#include "runner/reference_options.h"
#include "runner/sandbox.h"
#include "runner/tensor_values.h"
#include "runner/trace_output.h"
#include "runner/verbs.h"
#include "runner/watchdog.h"
#include "schema/file/origin.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

// What makes sense of a replay of the whole file alone.
constexpr const char* kForReplays[] = {
    "update-golden",  "golden", "report", "save-actual", "no-check",          "races",
    "compare-with",   "bisect", "until",  "sync",        "continue-on-error", "jobs",
    "timeout",        "shard",  "junit",  "from",        "checkpoint",        "schedules",
    "require-goldens"};

void check_options(const cxxopts::ParseResult& arguments) {
  for (const char* option : kForReplays) {
    if (arguments.count(option) == 0) continue;
    throw cxxopts::exceptions::parsing(absl::StrCat(
        "--", option, " is for a replay of the whole file, not for --input, --output and --entry"));
  }
}

// A tensor that the command line names, and its values.
struct GivenTensor {
  ValuesPlace place;
  TensorDesc tensor;
  std::vector<std::byte> values;
  std::optional<schema::OutputFile> file = {};  // of an output that goes to one
};

// Loads the file, runs the entry as often as asked for, and writes its outputs.
class EntryRun {
 public:
  EntryRun(const cxxopts::ParseResult& arguments, TrustPolicy policy)
      : path_(file_of(arguments)),
        key_files_(key_files(arguments)),
        policy_(std::move(policy)),
        references_(reference_options(arguments)),
        sandbox_(sandbox_mode(arguments)),
        trace_(arguments),
        warmup_(count_option(arguments, "warmup", 0)),
        loop_(count_option(arguments, "loop", 1)),
        quiet_(is_set(arguments, "quiet")) {
    for (ValuesPlace& place : values_places(arguments, "input"))
      inputs_.push_back({std::move(place), {}, {}});
    for (ValuesPlace& place : values_places(arguments, "output"))
      outputs_.push_back({std::move(place), {}, {}});
    if (arguments.count("entry") != 0) entry_ = arguments["entry"].as<std::string>();
    options_.backend = device_option(arguments);
    options_.schedule = schedule_option(arguments);
    options_.memory_limit = memory_limit(arguments);
    options_.allow_incomplete = is_set(arguments, "allow-incomplete");
    options_.replace_kernels = kernel_replacements(arguments);
    if (sandbox_.is_on() && !options_.replace_kernels.empty()) {
      throw cxxopts::exceptions::parsing(
          "--replace-kernel compiles kernels, which the sandbox does not allow");
    }
  }

  int execute() {
    const absl::Status status = run();
    if (status.ok()) return finish_output();
    fail(status);
    // A process in which a sandboxed kernel has failed is not taken down in order: the kernel may
    // have broken its memory.
    if (is_confined_) std::_Exit(kFailure);
    return kFailure;
  }

 private:
  absl::Status run() {
    LM_RETURN_IF_ERROR(sandbox_.check_backend(options_.backend));
    const Stopwatch stopwatch;
    LM_ASSIGN_OR_RETURN(file, open_to_execute(path_, policy_, options_.backend, references_));
    print_warnings(*file);
    const auto prepare_timed = [&](const std::vector<std::string>& entries,
                                   const std::vector<BoundTensor>& tensors) {
      const Stopwatch preparation;
      const absl::Status prepared = prepare(*file, entries, tensors);
      preparation_time_ = preparation.milliseconds();
      return prepared;
    };
    LM_ASSIGN_OR_RETURN(executable,
                        Executable::load(file, options_, {.before_execution = prepare_timed}));
    load_time_ = stopwatch.milliseconds() - preparation_time_;
    for (uint64_t run = 0; run < warmup_ + loop_; ++run)
      LM_RETURN_IF_ERROR(run_once(*executable, run >= warmup_));
    LM_RETURN_IF_ERROR(write_outputs());
    LM_RETURN_IF_ERROR(trace_.finish());
    print_summary();
    return absl::OkStatus();
  }

  // ---- Before anything is executed ----

  absl::Status prepare(const schema::File& file, const std::vector<std::string>& entries,
                       const std::vector<BoundTensor>& tensors) {
    LM_RETURN_IF_ERROR(choose_entry(entries));
    for (GivenTensor& input : inputs_)
      LM_RETURN_IF_ERROR(find(tensors, "input", &BoundTensor::is_input, input));
    for (GivenTensor& output : outputs_)
      LM_RETURN_IF_ERROR(find(tensors, "output", &BoundTensor::is_output, output));
    std::vector<std::string> read = files_that_are_read(file);
    LM_RETURN_IF_ERROR(replay::check_environment_spares(read, "this run", "which it reads"));
    for (GivenTensor& input : inputs_) {
      LM_ASSIGN_OR_RETURN(values, read_values(input.place, input.tensor));
      input.values = std::move(values);
    }
    LM_RETURN_IF_ERROR(begin_outputs(std::move(read)));
    return enter_sandbox();
  }

  absl::Status choose_entry(const std::vector<std::string>& entries) {
    if (entry_.empty() && entries.size() == 1) entry_ = entries.front();
    if (entry_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          path_, " has the entries ", absl::StrJoin(entries, ", "), ": --entry says which is run"));
    }
    if (std::ranges::find(entries, entry_) != entries.end()) return absl::OkStatus();
    return absl::NotFoundError(
        absl::StrCat(path_, " has no entry ", entry_, ": it has ", absl::StrJoin(entries, ", ")));
  }

  absl::Status find(const std::vector<BoundTensor>& tensors, absl::string_view option,
                    bool (BoundTensor::*has_role)() const, GivenTensor& given) const {
    const std::string& name = given.place.tensor;
    const auto found = std::ranges::find(tensors, name, &BoundTensor::name);
    if (found == tensors.end()) {
      std::vector<std::string> names;
      for (const BoundTensor& tensor : tensors) names.push_back(tensor.name);
      return absl::NotFoundError(absl::StrCat(path_, " has no tensor ", name, ": it has ",
                                              names.empty() ? "none" : absl::StrJoin(names, ", ")));
    }
    if (!(*found.*has_role)()) {
      return absl::InvalidArgumentError(absl::StrCat("--", option, " names ", name, ", which is ",
                                                     name_of(found->role), " in ", path_));
    }
    given.tensor = found->tensor;
    return absl::OkStatus();
  }

  std::vector<std::string> files_that_are_read(const schema::File& file) const {
    std::vector<std::string> read = file.paths();
    read.insert(read.end(), key_files_.begin(), key_files_.end());
    for (const KernelReplacement& each : options_.replace_kernels) read.push_back(each.path);
    for (const GivenTensor& input : inputs_) {
      if (!input.place.is_standard()) read.push_back(input.place.path);
    }
    return read;
  }

  absl::Status begin_outputs(std::vector<std::string> read) {
    LM_RETURN_IF_ERROR(check_what_the_sandbox_allows());
    LM_RETURN_IF_ERROR(check_standard_output());
    OutputPaths paths;
    for (GivenTensor& output : outputs_) {
      output.values.resize(output.tensor.size());
      if (!output.place.is_standard()) LM_RETURN_IF_ERROR(begin_output(output, read, paths));
    }
    if (!trace_.writes()) return absl::OkStatus();
    LM_RETURN_IF_ERROR(paths.add(trace_.path()));
    return trace_.begin(read);
  }

  static absl::Status begin_output(GivenTensor& output, const std::vector<std::string>& read,
                                   OutputPaths& paths) {
    const std::string& path = output.place.path;
    LM_RETURN_IF_ERROR(paths.add(path));
    std::error_code error;
    if (std::filesystem::is_symlink(path, error)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " is a link: an output is written to a file itself"));
    }
    LM_ASSIGN_OR_RETURN(file, schema::OutputFile::create(path, read));
    output.file.emplace(std::move(file));
    return absl::OkStatus();
  }

  absl::Status check_what_the_sandbox_allows() const {
    const bool writes_file = std::ranges::any_of(
        outputs_, [](const GivenTensor& output) { return !output.place.is_standard(); });
    if (!sandbox_.is_on() || (!writes_file && !trace_.writes())) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--output and --trace-out write files, which the sandbox does not allow: --output NAME=- "
        "goes to standard output");
  }

  // What kernels print would lie among the values.
  absl::Status check_standard_output() const {
    const auto is_set_in_environment = [](const char* name) {
      const char* value = std::getenv(name);
      return value != nullptr && *value != '\0';
    };
    if (!writes_standard_output() || !is_set_in_environment("TT_METAL_DPRINT_CORES") ||
        is_set_in_environment("TT_METAL_DPRINT_FILE")) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "an output goes to standard output, to which TT_METAL_DPRINT_CORES has kernels print: "
        "TT_METAL_DPRINT_FILE names a file for that");
  }

  absl::Status enter_sandbox() {
    LM_RETURN_IF_ERROR(sandbox_.prepare());
    LM_RETURN_IF_ERROR(sandbox_.enter());
    is_confined_ = sandbox_.is_on();
    for (const std::string& warning : sandbox_.warnings()) {
      fail(absl::StrCat("warning: ", warning));
    }
    return absl::OkStatus();
  }

  // ---- The runs, and behind them ----

  absl::Status run_once(Executable& executable, bool is_timed) {
    std::vector<InputValues> inputs;
    for (const GivenTensor& input : inputs_)
      inputs.push_back({input.place.tensor, input.tensor.type, input.tensor.shape, input.values});
    std::vector<OutputValues> outputs;
    for (GivenTensor& output : outputs_) {
      outputs.push_back({output.place.tensor, output.tensor.type, output.tensor.shape,
                         absl::MakeSpan(output.values)});
    }
    const Stopwatch stopwatch;
    LM_RETURN_IF_ERROR(executable.run(entry_, inputs, outputs));
    if (is_timed) times_.push_back(stopwatch.milliseconds());
    return absl::OkStatus();
  }

  // All are written before the first one gets its name.
  absl::Status write_outputs() {
    for (GivenTensor& output : outputs_) {
      const std::string content = values_content(output.place, output.tensor, output.values);
      const Bytes bytes = bytes_of(content.data(), content.size());
      if (output.file.has_value()) {
        LM_RETURN_IF_ERROR(write(*output.file, {bytes}));
      } else if (std::fflush(stdout) != 0 || !write_all(STDOUT_FILENO, bytes)) {
        return file_error("write to", "standard output", errno);
      }
    }
    for (GivenTensor& output : outputs_) {
      if (output.file.has_value()) LM_RETURN_IF_ERROR(output.file->finish());
    }
    return absl::OkStatus();
  }

  bool writes_standard_output() const {
    return std::ranges::any_of(
        outputs_, [](const GivenTensor& output) { return output.place.is_standard(); });
  }

  void print_warnings(const schema::File& file) const {
    if (quiet_ || !file.session().origin.has_value()) return;
    for (const std::string& warning : schema::warnings_on(this_machine(), *file.session().origin))
      fail(absl::StrCat(path_, ": warning: ", warning));
  }

  // Not among values.
  void print_summary() const {
    const std::string line =
        absl::StrCat(path_, ": entry ", entry_, ", ", counted(inputs_.size(), "input"), ", ",
                     counted(outputs_.size(), "output"), ", loaded in ", duration_text(load_time_),
                     ", ", times_text(times_));
    if (!writes_standard_output()) return say(line);
    std::fputs(absl::StrCat(printable(line), "\n").c_str(), stderr);
  }

  const std::string path_;
  const std::vector<std::string> key_files_;
  const TrustPolicy policy_;
  const ReferenceOptions references_;
  Sandbox sandbox_;
  TraceOutput trace_;
  const uint64_t warmup_;
  const uint64_t loop_;
  const bool quiet_;
  LoadOptions options_;
  std::string entry_;  // empty: the only one
  std::vector<GivenTensor> inputs_;
  std::vector<GivenTensor> outputs_;
  bool is_confined_ = false;
  double preparation_time_ = 0;
  double load_time_ = 0;
  std::vector<double> times_;
};

}  // namespace

void add_entry_options(cxxopts::Options& options) {
  options.add_options()(
      "input",
      "Run an entry of the file with these values for an input: .npy, any other name for the bytes "
      "alone, or - (npy:-) for standard input; it may be given several times",
      cxxopts::value<std::vector<std::string>>(), "NAME=FILE")(
      "entry", "The entry to run; default: the only one", cxxopts::value<std::string>(), "NAME");
}

bool runs_entry(const cxxopts::ParseResult& arguments) {
  if (arguments.count("input") != 0 || arguments.count("entry") != 0) return true;
  return arguments.count("output") != 0 && !is_set(arguments, "update-golden");
}

int run_entry(const cxxopts::ParseResult& arguments, TrustPolicy policy) {
  check_options(arguments);
  Watchdog watchdog(arguments);
  return watchdog.guard(file_of(arguments),
                        [&] { return EntryRun(arguments, std::move(policy)).execute(); });
}

}  // namespace lightmetal::runner
