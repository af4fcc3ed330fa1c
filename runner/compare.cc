#include "runner/compare.h"

#include <fstream>
#include <iterator>
#include <lightmetal/divergence.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/digest.h"
#include "base/output_variable.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "runner/device_option.h"
#include "runner/fault_options.h"
#include "runner/golden_json.h"
#include "runner/kernel_option.h"
#include "runner/memory_limit.h"
#include "runner/output_text.h"
#include "runner/progress.h"
#include "runner/races.h"
#include "runner/reference_options.h"
#include "runner/report.h"
#include "schema/file/frame.h"
#include "schema/show/json.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

constexpr char kCompareWith[] = "compare-with";

// What makes sense of one replay alone.
constexpr const char* kForOneReplay[] = {
    "loop",  "warmup",    "no-check",  "save-actual", "continue-on-error", "sandbox",
    "races", "schedules", "trace-out", "from",        "checkpoint",        "require-goldens"};

void check_options(const cxxopts::ParseResult& arguments) {
  for (const char* option : kForOneReplay) {
    if (arguments.count(option) == 0) continue;
    throw cxxopts::exceptions::parsing(
        absl::StrCat("--", option, " is for one replay, not for --compare-with"));
  }
  if (value_of(Output::kCapture).empty()) return;
  throw cxxopts::exceptions::parsing(
      "--compare-with replays twice, which LIGHTMETAL_CAPTURE would capture as one: unset it");
}

// True when the value names a captured file rather than a device.
bool is_capture(const std::string& name) {
  std::string begin(schema::kMagic.size(), '\0');
  std::ifstream(name, std::ios::binary).read(begin.data(), std::ssize(begin));
  return begin == schema::kMagic || absl::EndsWith(name, ".lmb");
}

// The file that the report is written to; empty for none.
std::string report_path(const cxxopts::ParseResult& arguments) {
  if (arguments.count("report") == 0) return "";
  const auto& reports = arguments["report"].as<std::vector<std::string>>();
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(reports.front(), absl::MaxSplits('=', 1));
  if (reports.size() == 1 && parts.first == "json" && !parts.second.empty()) return parts.second;
  throw cxxopts::exceptions::parsing("with --compare-with, --report is json=FILE, once");
}

std::string json_of(const std::string& file, const std::string& reference,
                    const DivergenceReport& report) {
  schema::JsonWriter json;
  json.begin_object().member("version", 1).member("file", file).member("reference", reference);
  json.member("launches", report.launches).member("buffers_compared", report.buffers_compared);
  json.member("reads_compared", report.reads_compared);
  json.member("diverges", report.first.has_value());
  if (report.first.has_value()) {
    const Divergence& first = *report.first;
    json.key("first").begin_object().member("command", first.command);
    json.member("since", first.since);
    if (first.launch != 0) json.member("launch", first.launch);
    if (first.program.has_value()) json.member("program", *first.program);
    json.key("difference");
    append_golden(json, first.difference);
    json.end_object();
  }
  return json.end_object().take() + "\n";
}

// One comparison: its files, the replays, and what is written of them.
class CompareRuns {
 public:
  CompareRuns(const cxxopts::ParseResult& arguments, std::string path, const TrustPolicy& policy,
              Watchdog& watchdog)
      : arguments_(arguments),
        path_(std::move(path)),
        reference_(arguments[kCompareWith].as<std::string>()),
        report_path_(report_path(arguments)),
        policy_(policy),
        watchdog_(watchdog) {
    options_.load.backend = device_option(arguments);
    options_.load.memory_limit = memory_limit(arguments);
    options_.load.allow_incomplete = is_set(arguments, "allow-incomplete");
    options_.load.replace_kernels = kernel_replacements(arguments);
    options_.load.schedule = schedule_option(arguments);
    options_.bisect = is_set(arguments, "bisect");
    set_golden_policies(arguments, options_.run);
  }

  absl::StatusOr<int> execute() {
    const bool is_file = is_capture(reference_);
    // Code that nobody vouches for is for backends that execute none: here for both, or for none.
    const std::string& device = options_.load.backend;
    const std::string backend = is_file || device == reference_ ? device : "";
    LM_ASSIGN_OR_RETURN(file, open(path_, backend));
    if (is_file) {
      LM_ASSIGN_OR_RETURN(reference, open(reference_, backend));
      options_.reference = std::move(reference);
    } else {
      options_.reference_backend = reference_;
    }
    LM_ASSIGN_OR_RETURN(last, last_command(arguments_, *file));
    options_.run.last_command = last;
    LM_RETURN_IF_ERROR(begin_report());
    LM_ASSIGN_OR_RETURN(report, find(std::move(file)));
    LM_RETURN_IF_ERROR(finish_report(report));
    return print(report);
  }

 private:
  absl::StatusOr<std::shared_ptr<const schema::File>> open(const std::string& path,
                                                           const std::string& backend) {
    LM_ASSIGN_OR_RETURN(file,
                        open_to_execute(path, policy_, backend, reference_options(arguments_)));
    const std::vector<std::string> paths = file->paths();
    inputs_.insert(inputs_.end(), paths.begin(), paths.end());
    return file;
  }

  absl::Status begin_report() {
    const std::vector<std::string> keys = key_files(arguments_);
    inputs_.insert(inputs_.end(), keys.begin(), keys.end());
    for (const KernelReplacement& each : options_.load.replace_kernels)
      inputs_.push_back(each.path);
    LM_RETURN_IF_ERROR(replay::check_environment_spares(inputs_, "this run", "which it reads"));
    if (report_path_.empty()) return absl::OkStatus();
    LM_ASSIGN_OR_RETURN(output, schema::OutputFile::create(report_path_, inputs_));
    output_.emplace(std::move(output));
    return absl::OkStatus();
  }

  absl::StatusOr<DivergenceReport> find(std::shared_ptr<const schema::File> file) {
    Progress progress;
    options_.run.on_progress = [&](uint64_t command, uint64_t commands) {
      watchdog_.at(command);
      progress.update(0, 1, command, commands);
    };
    return find_divergence(std::move(file), options_);
  }

  absl::Status finish_report(const DivergenceReport& report) {
    if (!output_.has_value()) return absl::OkStatus();
    const std::string text = json_of(path_, reference_, report);
    LM_RETURN_IF_ERROR(write(*output_, {bytes_of(text.data(), text.size())}));
    return output_->finish();
  }

  int print(const DivergenceReport& report) const {
    const std::string compared = absl::StrCat(
        path_, ": ", report.launches, report.launches == 1 ? " launch, " : " launches, ",
        counted(report.buffers_compared, "buffer"), " and ", counted(report.reads_compared, "read"),
        " compared with ", reference_);
    if (report.first.has_value()) fail(absl::StrCat(path_, ": ", report.first->text()));
    say(absl::StrCat(compared, report.first.has_value() ? ": they DIFFER" : ": no difference"));
    const int written = finish_output();
    if (written != kSuccess) return written;
    return report.first.has_value() ? kDifference : kSuccess;
  }

  const cxxopts::ParseResult& arguments_;
  const std::string path_;
  const std::string reference_;
  const std::string report_path_;
  const TrustPolicy& policy_;
  Watchdog& watchdog_;
  DivergenceOptions options_;
  std::vector<std::string> inputs_;
  std::optional<schema::OutputFile> output_;
};

}  // namespace

void add_compare_options(cxxopts::Options& options) {
  options.add_options()(kCompareWith,
                        "Replay it on this device as well, or also this file, and name the first "
                        "command after which memory or reads differ",
                        cxxopts::value<std::string>(), "DEVICE|FILE")(
      "bisect", "With --compare-with: find that command by halves, comparing memory less often");
}

bool is_comparison(const cxxopts::ParseResult& arguments) {
  if (arguments.count(kCompareWith) != 0) return true;
  if (arguments.count("bisect") == 0) return false;
  throw cxxopts::exceptions::parsing("--bisect is for --compare-with alone");
}

int compare_runs(const cxxopts::ParseResult& arguments, const std::string& path,
                 const TrustPolicy& policy, Watchdog& watchdog) {
  check_options(arguments);
  const auto code = CompareRuns(arguments, path, policy, watchdog).execute();
  return code.ok() ? *code : fail(code.status());
}

}  // namespace lightmetal::runner
