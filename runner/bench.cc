#include <algorithm>
#include <chrono>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/timeline.h"
#include "replay/environment_outputs.h"
#include "runner/bench_result.h"
#include "runner/command_line.h"
#include "runner/device_option.h"
#include "runner/measurements.h"
#include "runner/memory_limit.h"
#include "runner/reference_options.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "runner/watchdog.h"
#include "schema/commands/calls.h"

namespace lightmetal::runner {
namespace {

using Clock = std::chrono::steady_clock;

// How many runs are made to see where the time goes, at most, and how many to tell a time at least.
constexpr size_t kDetailedRuns = 10;
constexpr size_t kLeastRuns = 3;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double seconds_option(const cxxopts::ParseResult& arguments, const std::string& option) {
  const std::string text = arguments[option].as<std::string>();
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds) && seconds > 0 && seconds <= 1e6) return seconds;
  throw cxxopts::exceptions::parsing(
      absl::StrCat("--", option, " is a number of seconds up to 1000000, not ", text));
}

std::optional<double> max_regression(const cxxopts::ParseResult& arguments) {
  if (arguments.count("max-regression") == 0) return std::nullopt;
  if (arguments.count("compare") == 0) {
    throw cxxopts::exceptions::parsing(
        "--max-regression needs --compare, which says what times are compared with");
  }
  const std::string text = arguments["max-regression"].as<std::string>();
  double percent = 0;
  if (absl::SimpleAtod(text, &percent) && percent >= 0 && percent <= 1e6) return percent;
  throw cxxopts::exceptions::parsing(
      absl::StrCat("--max-regression is a percentage from 0 to 1000000, not ", text));
}

// How long the program's scopes took at capture, the mean of each, by their names as
// RunDetails has them.
std::vector<Measurement> recorded_scopes(const schema::File& file) {
  std::vector<Measurement> scopes;
  std::vector<std::string> open;
  file.for_each_command([&](const schema::CommandView& view) {
        if (const auto* begin = view.command->call_as_ScopeBegin()) {
          open.push_back(absl::StrCat(open.empty() ? "scope " : absl::StrCat(open.back(), "/"),
                                      begin->name()->str()));
        } else if (const auto* end = view.command->call_as_ScopeEnd(); end && !open.empty()) {
          const auto found =
              std::find_if(scopes.begin(), scopes.end(),
                           [&](const Measurement& scope) { return scope.name == open.back(); });
          Measurement& scope =
              found != scopes.end() ? *found : scopes.emplace_back(Measurement{open.back()});
          if (end->nanoseconds() != 0) {
            scope.times.push_back(static_cast<double>(end->nanoseconds()) * 1e-9);
          }
          open.pop_back();
        }
        return absl::OkStatus();
      })
      .IgnoreError();  // the file was verified when it was loaded
  std::erase_if(scopes, [](const Measurement& scope) { return scope.times.empty(); });
  return scopes;
}

// Loads the file once and runs it many times.
class Bench {
 public:
  Bench(const cxxopts::ParseResult& arguments, std::string path, const TrustPolicy& policy,
        Watchdog& watchdog)
      : path_(std::move(path)),
        policy_(policy),
        key_files_(key_files(arguments)),
        warmup_(count_option(arguments, "warmup", 0)),
        compares_(arguments.count("compare") != 0),
        most_(max_regression(arguments)) {
    if (arguments.count("loop") != 0) {
      loop_ = count_option(arguments, "loop", 1);
      if (arguments.count("min-time") != 0) {
        throw cxxopts::exceptions::parsing("--loop and --min-time both say how long to run");
      }
    }
    min_time_ = seconds_option(arguments, "min-time");
    if (compares_) reference_ = arguments["compare"].as<std::string>();
    is_json_ = choice(arguments, "format", "text", "json") == "json";
    load_options_.backend = device_option(arguments);
    run_options_.check_goldens = false;
    load_options_.memory_limit = memory_limit(arguments);
    load_options_.references = reference_options(arguments);
    run_options_.on_progress = [&watchdog](uint64_t command, uint64_t) { watchdog.at(command); };
  }

  int execute() {
    const absl::Status status = measure();
    if (!status.ok()) return fail(status);
    const std::vector<Measurement> all = measurements();
    const absl::Status compared = check_common(all);
    if (!compared.ok()) return fail(compared);
    if (is_json_) {
      print_as_is(json_of(all));
    } else {
      say(absl::StrCat(path_, ": ", replay_->num_commands(), " commands on ",
                       replay_->num_devices(),
                       replay_->num_devices() == 1 ? " device" : " devices"));
      print_measurements(all);
    }
    const int written = finish_output();
    return written != kSuccess ? written : regressions(all);
  }

 private:
  absl::Status load() {
    LM_ASSIGN_OR_RETURN(
        file, open_to_execute(path_, policy_, load_options_.backend, load_options_.references));
    std::vector<std::string> inputs = file->paths();
    inputs.insert(inputs.end(), key_files_.begin(), key_files_.end());
    LM_RETURN_IF_ERROR(replay::check_environment_spares(inputs, "this run", "which it reads"));
    const Clock::time_point start = Clock::now();
    LM_ASSIGN_OR_RETURN(replay, Replay::load(file, load_options_));
    load_.times = {seconds_since(start)};
    replay_ = std::move(replay);
    if (!with_capture()) return absl::OkStatus();
    recorded_ = recorded_scopes(*file);
    if (!recorded_.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(
        path_, " does not say how long scopes took at capture: it has no scopes, or no origin"));
  }

  absl::Status measure() {
    timeline::enable();
    if (compares_ && !with_capture()) {
      LM_ASSIGN_OR_RETURN(result, read_bench_result(reference_));
      recorded_ = std::move(result);
    }
    LM_RETURN_IF_ERROR(load());
    for (uint64_t i = 0; i < warmup_; ++i) LM_RETURN_IF_ERROR(replay_->run(run_options_).status());
    const Clock::time_point start = Clock::now();
    while (goes_on(start)) {
      const Clock::time_point begin = Clock::now();
      LM_RETURN_IF_ERROR(replay_->run(run_options_).status());
      whole_.times.push_back(seconds_since(begin));
    }
    for (size_t i = 0; i < std::min(whole_.times.size(), kDetailedRuns); ++i) {
      timeline::start();
      const absl::Status status = replay_->run(run_options_).status();
      details_.add(timeline::take());
      LM_RETURN_IF_ERROR(status);
    }
    return absl::OkStatus();
  }

  bool goes_on(Clock::time_point start) const {
    if (loop_.has_value()) return whole_.times.size() < *loop_;
    return whole_.times.size() < kLeastRuns || seconds_since(start) < min_time_;
  }

  std::vector<Measurement> measurements() const {
    std::vector<Measurement> all = {load_, whole_};
    all.back().bytes = details_.bytes_moved();
    all.insert(all.end(), details_.scopes().begin(), details_.scopes().end());
    all.insert(all.end(), details_.programs().begin(), details_.programs().end());
    for (Measurement& measurement : all) {
      for (const Measurement& recorded : recorded_) {
        if (recorded.name == measurement.name) measurement.reference = quantile(recorded, 0.5);
      }
    }
    return all;
  }

  bool with_capture() const { return reference_ == "capture"; }

  // Every result has times of loading and of the whole run: a result is of this file, or of another
  // version of it, when it has one of its scopes or programs, if there are any.
  absl::Status check_common(const std::vector<Measurement>& all) const {
    if (!compares_) return absl::OkStatus();
    constexpr size_t kWhole = 2;
    const auto is_common = [](const Measurement& each) { return each.reference > 0; };
    const auto parts = all.begin() + kWhole;
    if (parts == all.end() ? is_common(all.back()) : std::any_of(parts, all.end(), is_common))
      return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(
        reference_, " has nothing in common with what ", path_, " does: none of its ",
        parts == all.end() ? "runs" : "scopes and programs", " goes by the same name"));
  }

  // Says what takes longer than is allowed; the time of loading, which is measured once, may.
  int regressions(const std::vector<Measurement>& all) const {
    if (!most_.has_value()) return kSuccess;
    int code = kSuccess;
    const double allowed = 1 + *most_ / 100;
    for (const Measurement& each : all) {
      if (each.reference <= 0 || each.name == "load") continue;
      const double ratio = quantile(each, 0.5) / each.reference;
      if (ratio <= allowed) continue;
      fail(
          absl::StrFormat("%s: %s takes %.3f times as long as in %s, and --max-regression allows "
                          "%.3f",
                          path_, each.name, ratio, reference_, allowed));
      code = kDifference;
    }
    return code;
  }

  const std::string path_;
  const TrustPolicy& policy_;
  const std::vector<std::string> key_files_;
  const uint64_t warmup_;
  std::optional<uint64_t> loop_;
  double min_time_ = 0;
  const bool compares_;
  std::string reference_ = {};        // "capture", or the path of a result
  const std::optional<double> most_;  // percent that things may take longer
  bool is_json_ = false;
  LoadOptions load_options_;
  RunOptions run_options_;
  std::unique_ptr<Replay> replay_;
  std::vector<Measurement> recorded_;
  Measurement load_{"load"}, whole_{"run"};
  RunDetails details_;
};

}  // namespace

int bench(int argc, const char* const* argv) {
  VerbOptions options =
      options_for("bench",
                  "Runs a file many times and says how long it takes, whole, by scope and by "
                  "program. It compares no goldens.\n",
                  "lightmetal_runner bench model.lmb --min-time 5\n"
                  "lightmetal_runner bench model.lmb --loop 100 --format json > model.json\n"
                  "lightmetal_runner bench model.lmb --compare model.json --max-regression 20");
  add_device_option(options);
  options.add_options()("warmup", "Run it N times before",
                        cxxopts::value<std::string>()->default_value("1"),
                        "N")("loop", "Run it N times", cxxopts::value<std::string>(), "N")(
      "min-time", "Run it until so many seconds have passed, at least three times",
      cxxopts::value<std::string>()->default_value("1"),
      "SECONDS")("compare",
                 "Say how many times as long things take as in this result of an earlier "
                 "--format json; or capture: as scopes did at capture",
                 cxxopts::value<std::string>(), "RESULT.json")(
      "max-regression", "End with 1 when anything takes longer by more than this",
      cxxopts::value<std::string>(),
      "PERCENT")("format", "text, or json as of Google Benchmark",
                 cxxopts::value<std::string>()->default_value("text"), "FORMAT");
  add_trust_options(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  add_watchdog_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  const std::string path = file_of(*arguments);
  Watchdog watchdog(*arguments);
  Bench bench(*arguments, path, *policy, watchdog);
  return watchdog.guard(path, [&] { return bench.execute(); });
}

}  // namespace lightmetal::runner
