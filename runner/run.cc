#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "replay/environment_outputs.h"
#include "runner/command_line.h"
#include "runner/compare.h"
#include "runner/device_option.h"
#include "runner/fault_options.h"
#include "runner/golden_rules.h"
#include "runner/kernel_option.h"
#include "runner/memory_limit.h"
#include "runner/mpi_job.h"
#include "runner/output_text.h"
#include "runner/progress.h"
#include "runner/races.h"
#include "runner/rank_link.h"
#include "runner/rank_suite.h"
#include "runner/reference_options.h"
#include "runner/report.h"
#include "runner/run_entry.h"
#include "runner/run_start.h"
#include "runner/sandbox.h"
#include "runner/suite.h"
#include "runner/trace_output.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "runner/watchdog.h"

namespace lightmetal::runner {
namespace {

constexpr size_t kShownMismatches = 10;

// Loads the file, runs it as often as asked for, and says what came of it.
class Run {
 public:
  Run(const cxxopts::ParseResult& arguments, const std::string& path, TrustPolicy policy,
      Watchdog& watchdog)
      : arguments_(arguments),
        path_(path),
        key_files_(key_files(arguments)),
        policy_(std::move(policy)),
        watchdog_(watchdog),
        sandbox_(sandbox_mode(arguments)),
        start_(arguments),
        report_(arguments),
        trace_(arguments),
        warmup_(count_option(arguments, "warmup", 0)),
        schedules_(schedules_option(arguments)),
        loop_(schedules_ != 0 ? schedules_ : count_option(arguments, "loop", 1)),
        races_(races_option(arguments)),
        check_(!is_set(arguments, "no-check")),
        requires_goldens_(requires_goldens(arguments)),
        quiet_(is_set(arguments, "quiet")) {
    load_options_.backend = device_option(arguments);
    load_options_.schedule = schedule_option(arguments);
    run_options_.check_goldens = check_;
    load_options_.references = reference_options(arguments);
    load_options_.memory_limit = memory_limit(arguments);
    load_options_.allow_incomplete = is_set(arguments, "allow-incomplete");
    run_options_.sync = is_set(arguments, "sync");
    run_options_.continue_on_error = is_set(arguments, "continue-on-error");
    set_golden_policies(arguments, run_options_);
    load_options_.replace_kernels = kernel_replacements(arguments);
    if (sandbox_.is_on() && !load_options_.replace_kernels.empty()) {
      throw cxxopts::exceptions::parsing(
          "--replace-kernel compiles kernels, which the sandbox does not allow");
    }
    run_options_.error_histograms = report_.writes();
    if (report_.listens(run_options_)) {
      run_options_.on_golden = [this](const GoldenResult& golden,
                                      absl::Span<const std::byte> found) {
        GoldenResult in_file = golden;
        in_file.command = start_.number_in_file(golden.command);
        if (is_reported()) report_.add(in_file, found);
      };
    }
    run_options_.on_progress = [this](uint64_t command, uint64_t commands) {
      at_ = start_.number_in_file(command);
      watchdog_.at(at_);
      progress_->update(run_, races_ != 0 ? 1 + races_ : warmup_ + loop_, command, commands);
    };
  }

  int execute() {
    progress_.emplace();
    if (races_ != 0) return find_races();
    const Stopwatch stopwatch;
    auto loaded = load();
    if (!loaded.ok()) return stop(loaded.status());
    const absl::Status entered = enter_sandbox();
    if (!entered.ok()) return stop(entered);
    load_time_ = stopwatch.milliseconds();
    print_warnings(**loaded);
    for (run_ = 0; run_ < warmup_ + loop_ && (schedules_ == 0 || is_clean()); ++run_) {
      const absl::Status status = run_once(**loaded);
      if (!status.ok()) return stop_run(status);
    }
    // Nothing is said of a run that was not compared as it was to be.
    if (errors() == 0) {
      const absl::Status used = report_.check_policies_were_used(run_options_);
      if (!used.ok()) return stop(used);
    }
    progress_.reset();
    print_errors();
    print_mismatches();
    print_summary(**loaded);
    const absl::Status reported = finish_files();
    if (!reported.ok()) return fail(reported);
    const int written = finish_output();
    return written != kSuccess ? written : exit_code();
  }

  // Whether it is told to write files of what the run came to.
  bool writes_files() const { return report_.writes() || trace_.writes(); }

  Goldens goldens() const {
    if (!result_.has_value()) return {};
    return {.compared = result_->goldens_checked, .differing = result_->mismatch_count};
  }

 private:
  // Of a run with errors nothing is written: what was read behind them says nothing.
  absl::Status finish_files() {
    if (errors() != 0) return absl::OkStatus();
    LM_RETURN_IF_ERROR(report_.finish(path_, load_options_.schedule));
    LM_RETURN_IF_ERROR(trace_.finish());
    print_update();
    return absl::OkStatus();
  }

  // What the environment has this process write is begun by the calls of the replay.
  absl::Status begin_outputs(const std::shared_ptr<const schema::File>& file) {
    std::vector<std::string> inputs = file->paths();
    inputs.insert(inputs.end(), key_files_.begin(), key_files_.end());
    for (const KernelReplacement& each : load_options_.replace_kernels) inputs.push_back(each.path);
    if (!start_.checkpoint().empty()) inputs.push_back(start_.checkpoint());
    LM_RETURN_IF_ERROR(replay::check_environment_spares(inputs, "this run", "which it reads"));
    if (writes_files() && sandbox_.is_on()) {
      return absl::InvalidArgumentError(
          "--report, --save-actual, --update-golden and --trace-out write files, which the sandbox "
          "does not allow");
    }
    LM_RETURN_IF_ERROR(trace_.begin(inputs));
    if (trace_.writes()) inputs.push_back(trace_.path());
    return report_.begin(file, std::move(inputs));
  }

  absl::StatusOr<std::shared_ptr<const schema::File>> open() {
    LM_RETURN_IF_ERROR(sandbox_.check_backend(load_options_.backend));
    LM_ASSIGN_OR_RETURN(
        file, open_to_execute(path_, policy_, load_options_.backend, load_options_.references));
    LM_ASSIGN_OR_RETURN(last, last_command(arguments_, *file));
    run_options_.last_command = last;
    LM_RETURN_IF_ERROR(begin_outputs(file));
    return file;
  }

  absl::StatusOr<std::unique_ptr<Replay>> load() {
    LM_ASSIGN_OR_RETURN(file, open());
    executed_options_ = run_options_;
    LM_ASSIGN_OR_RETURN(
        executed, start_.begin(std::move(file), executed_options_, [this](const std::string& path) {
          return open_to_execute(path, policy_, load_options_.backend, load_options_.references);
        }));
    return Replay::load(std::move(executed), load_options_);
  }

  int find_races() {
    auto file = open();
    if (!file.ok()) return stop(file.status());
    const absl::Status entered = enter_sandbox();
    if (!entered.ok()) return stop(entered);
    // Behind a race there are a few more replays, to find where it begins.
    const auto result = find_race(*file, load_options_, run_options_, races_,
                                  [this](uint64_t replays) { run_ = std::min(replays, races_); });
    if (!result.ok()) return stop_run(result.status());
    progress_.reset();
    print_races(path_, *result);
    const absl::Status reported =
        report_.finish_with(races_json(path_, *result), races_junit(path_, *result));
    if (!reported.ok()) return fail(reported);
    const int written = finish_output();
    return written != kSuccess ? written : result->race.has_value() ? kDifference : kSuccess;
  }

  // Entered once everything is open. What the file executes is executed by Replay::run(), behind
  // this.
  absl::Status enter_sandbox() {
    LM_RETURN_IF_ERROR(sandbox_.prepare());
    LM_RETURN_IF_ERROR(sandbox_.enter());
    for (const std::string& warning : sandbox_.warnings()) {
      warn(absl::StrCat("warning: ", warning));
    }
    return absl::OkStatus();
  }

  int stop(const absl::Status& status) {
    progress_.reset();
    return fail(status);
  }

  // A process in which a sandboxed kernel has failed is not taken down in order: the kernel may
  // have broken its memory.
  int stop_run(const absl::Status& status) {
    const int code = stop(status);
    if (!sandbox_.is_on()) return code;
    std::fflush(stdout);
    ::_exit(code);
  }

  absl::Status run_once(Replay& replay) {
    if (schedules_ != 0) {
      load_options_.schedule = {.kind = Schedule::Kind::Random, .seed = run_ + 1};
      replay.set_schedule(*load_options_.schedule);
    }
    const Stopwatch stopwatch;
    if (is_reported()) report_.begin_run();
    auto result = replay.run(executed_options_);
    if (!result.ok()) {
      return absl::Status(result.status().code(),
                          absl::StrCat(result.status().message(), place_text(), schedule_text()));
    }
    if (run_ >= warmup_) times_.push_back(stopwatch.milliseconds());
    // The first run that differs or has errors is the one to show.
    if (is_clean()) result_ = *std::move(result);
    return absl::OkStatus();
  }

  // The report is of the run that is shown.
  bool is_reported() const { return is_clean(); }

  bool is_clean() const { return matches() && errors() == 0; }
  bool matches() const { return !result_.has_value() || result_->matches(); }
  uint64_t errors() const {
    return result_.has_value() ? result_->failed_count + result_->skipped_count : 0;
  }

  // A process in which a sandboxed kernel has failed: see stop_run().
  int exit_code() const {
    if (errors() == 0) return code_of_goldens();
    if (sandbox_.is_on()) ::_exit(kFailure);
    return kFailure;
  }

  int code_of_goldens() const {
    if (requires_goldens_ && result_->goldens_checked == 0) {
      return fail(
          absl::StrCat(path_, ": ", kNothingCompared, ", and --require-goldens demands some"));
    }
    return matches() || report_.updates() ? kSuccess : kDifference;
  }

  void print_errors() const {
    for (const CommandError& error : result_->errors) fail(error.message);
    const uint64_t more = errors() - result_->errors.size();
    if (more != 0) fail(absl::StrCat(path_, ": ", more, " more commands failed or were skipped"));
  }

  void print_warnings(const Replay& replay) const {
    if (quiet_) return;
    for (const std::string& warning : replay.warnings()) {
      warn(absl::StrCat(path_, ": warning: ", warning));
    }
  }

  void print_mismatches() const {
    const std::vector<GoldenResult>& mismatches = result_->mismatches;
    for (size_t i = 0; i < std::min(mismatches.size(), kShownMismatches); ++i) {
      fail(absl::StrCat(path_, ": command ", start_.number_in_file(mismatches[i].command), ": ",
                        mismatches[i].text(), schedule_text()));
    }
    if (result_->mismatch_count > kShownMismatches) {
      fail(absl::StrCat(path_, ": ", result_->mismatch_count - kShownMismatches,
                        " more outputs differ"));
    }
  }

  void print_update() const {
    if (!report_.updates()) return;
    const schema::GoldenUpdateReport& report = *report_.updated();
    say(absl::StrCat(
        report_.update_path(), ": ", path_, " with ",
        counted(report.goldens_replaced, "new golden"),
        report.signatures_dropped == 0 ? "" : "; its signature is gone: sign it anew"));
  }

  // What a command of a checkpoint is in the file.
  std::string place_text() const {
    return start_.is_at_checkpoint() ? absl::StrCat(" (command ", at_, " of ", path_, ")") : "";
  }

  // With which of many schedules it was.
  std::string schedule_text() const {
    return schedules_ == 0 ? ""
                           : absl::StrCat(" (--schedule ", load_options_.schedule->text(), ")");
  }

  std::string goldens_text() const {
    if (!check_) return absl::StrCat(kNothingCompared, ": goldens not checked");
    if (result_->goldens_checked == 0) {
      return absl::StrCat(kNothingCompared, ": no goldens to check");
    }
    const std::string goldens = counted(result_->goldens_checked, "golden");
    if (!matches()) {
      return absl::StrCat(result_->mismatch_count, " of ", goldens, " DIFFER", schedule_text());
    }
    return absl::StrCat(
        goldens, " matched",
        schedules_ == 0 ? "" : absl::StrCat(" with each of ", counted(schedules_, "schedule")));
  }

  Ink goldens_ink() const {
    if (!check_ || result_->goldens_checked == 0) return Ink::kPlain;
    return matches() ? Ink::kGood : Ink::kBad;
  }

  // How many of the commands were executed, where it is not all.
  std::string commands_text(const Replay& replay) const {
    const uint64_t all = replay.num_commands(), executed = result_->commands;
    return absl::StrCat(executed == all ? "" : absl::StrCat(executed, " of "),
                        counted(all, "command"));
  }

  std::string errors_text() const {
    if (errors() == 0) return "";
    return absl::StrCat(", ", result_->failed_count, " FAILED, ", result_->skipped_count,
                        " skipped");
  }

  void print_summary(const Replay& replay) const {
    say({{.text = absl::StrCat(path_, ": ", commands_text(replay), " on ",
                               counted(replay.num_devices(), "device"))},
         {.text = errors_text(), .ink = Ink::kBad},
         {.text = ", "},
         {.text = goldens_text(), .ink = goldens_ink()},
         {.text =
              absl::StrCat(", loaded in ", duration_text(load_time_), ", ", times_text(times_))}});
  }

  const cxxopts::ParseResult& arguments_;
  const std::string path_;
  const std::vector<std::string> key_files_;
  const TrustPolicy policy_;
  Watchdog& watchdog_;
  Sandbox sandbox_;
  RunStart start_;
  Report report_;
  TraceOutput trace_;
  const uint64_t warmup_;
  const uint64_t schedules_;  // 0: all runs have the same
  const uint64_t loop_;
  const uint64_t races_;  // 0: goldens are compared, not schedules
  const bool check_;
  const bool requires_goldens_;
  const bool quiet_;
  LoadOptions load_options_;
  RunOptions run_options_;
  RunOptions executed_options_;  // with the numbers of a checkpoint, if one is executed
  std::optional<Progress> progress_;
  uint64_t run_ = 0;
  uint64_t at_ = 0;  // the command that is executed now
  double load_time_ = 0;
  std::vector<double> times_;
  std::optional<ReplayResult> result_;
};

VerbOptions run_options() {
  VerbOptions options =
      options_for("run",
                  "Replays a file and compares what it reads with what was recorded. Of more than "
                  "one file, each is\nreplayed in a process of its own.\n",
                  "lightmetal_runner run model.lmb\n"
                  "lightmetal_runner run model.lmb --golden ulp:2 --update-golden -o new.lmb\n"
                  "lightmetal_runner run model.lmb --sync --until 120\n"
                  "lightmetal_runner run model.lmb --input x=in.npy --output y=out.npy\n"
                  "lightmetal_runner run captures --jobs 4 --timeout 60 --junit report.xml\n"
                  "mpirun -n 4 lightmetal_runner run captures");
  options.positional_help("FILE...");
  add_device_option(options);
  options.add_options()("loop", "Run it N times", cxxopts::value<std::string>()->default_value("1"),
                        "N")("warmup", "Run it N times before, without counting the time",
                             cxxopts::value<std::string>()->default_value("0"),
                             "N")("no-check", "Do not compare with the goldens")(
      "quiet", "No warnings that this machine may compute something else than the recorded one")(
      "allow-incomplete", "Replay the whole records of a file whose capture was cut short");
  add_fault_options(options);
  add_start_options(options);
  add_compare_options(options);
  add_kernel_option(options);
  add_golden_options(options);
  add_require_goldens_option(options);
  add_entry_options(options);
  add_schedule_options(options);
  add_trust_options(options);
  add_sandbox_option(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  add_watchdog_option(options);
  add_trace_option(options);
  add_suite_options(options);
  return options;
}

// With a rank 0, this process is another rank, and replays what it is given.
int run_files(int argc, const char* const* argv, RankLink* rank_0) {
  VerbOptions options = run_options();
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  check_whole_run(*arguments);
  auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  // A best effort is no reason to execute a file that nobody vouches for.
  policy->sandboxed = sandbox_mode(*arguments) == SandboxMode::kStrict;
  const auto replay = [&](const std::string& file, Watchdog& watchdog, Goldens& goldens) {
    return watchdog.guard(file, [&] {
      if (is_comparison(*arguments)) return compare_runs(*arguments, file, *policy, watchdog);
      Run run(*arguments, file, *policy, watchdog);
      const int code = run.execute();
      goldens = run.goldens();
      return code;
    });
  };
  if (runs_entry(*arguments)) return run_entry(*arguments, *std::move(policy));
  Watchdog watchdog(*arguments, is_suite(*arguments) ? "timeout" : "watchdog");
  if (!is_suite(*arguments)) {
    Goldens ignored;
    return replay(file_of(*arguments), watchdog, ignored);
  }
  if (is_comparison(*arguments)) return fail("--compare-with is for one FILE");
  if (arguments->count("checkpoint") != 0) return fail("--checkpoint is for one FILE");
  // Wrong options are said here, once, and not by every child.
  if (Run(*arguments, "", *policy, watchdog).writes_files())
    return fail(
        "--report, --save-actual, --update-golden and --trace-out are for one FILE; of many, "
        "--junit "
        "tells what came of each");
  return rank_0 != nullptr ? run_as_rank(*arguments, *rank_0, replay)
                           : run_suite(*arguments, replay);
}

// The ranks know the same arguments, and rank 0 says what is wrong with them: the others do nothing
// before they have found it.
int run_in_job(const MpiJob& job, int argc, const char* const* argv) {
  if (!is_built_with_mpi()) {
    return job.rank != 0 ? kSuccess
                         : fail(absl::StrCat("mpirun has started ", job.ranks,
                                             " of this runner, which was built without MPI"));
  }
  if (job.rank == 0) return run_files(argc, argv, nullptr);
  const auto rank_0 = join_rank_0(job);
  if (!rank_0.ok()) return fail(rank_0.status());
  return *rank_0 == nullptr ? kSuccess : run_files(argc, argv, rank_0->get());
}

bool asks_for_help(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc, [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
}

}  // namespace

int run(int argc, const char* const* argv) {
  const auto job = mpi_job();
  const bool is_alone = !job || asks_for_help(argc, argv);
  return is_alone ? run_files(argc, argv, nullptr) : run_in_job(*job, argc, argv);
}

}  // namespace lightmetal::runner
