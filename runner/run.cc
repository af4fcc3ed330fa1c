#include <algorithm>
#include <chrono>
#include <cstdio>
#include <lightmetal/replay.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runner/command_line.h"
#include "runner/progress.h"
#include "runner/verbs.h"

namespace lightmetal::runner {
namespace {

constexpr size_t kShownMismatches = 10;

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string duration_text(double milliseconds) {
  if (milliseconds >= 10000) return absl::StrFormat("%.1f s", milliseconds / 1000);
  if (milliseconds >= 10) return absl::StrFormat("%.0f ms", milliseconds);
  return absl::StrFormat("%.2f ms", milliseconds);
}

std::string counted(uint64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

// Loads the file, runs it as often as asked for, and says what came of it.
class Run {
 public:
  explicit Run(const cxxopts::ParseResult& arguments)
      : path_(file_of(arguments)),
        warmup_(arguments["warmup"].as<uint64_t>()),
        loop_(std::max<uint64_t>(1, arguments["loop"].as<uint64_t>())),
        check_(arguments.count("no-check") == 0) {
    options_.backend = arguments["device"].as<std::string>();
    options_.check_goldens = check_;
    options_.allow_incomplete = arguments.count("allow-incomplete") != 0;
    options_.on_progress = [this](uint64_t command, uint64_t commands) {
      progress_->update(run_, warmup_ + loop_, command, commands);
    };
  }

  int execute() {
    progress_.emplace();
    const Clock::time_point start = Clock::now();
    auto loaded = Replay::load_file(path_, options_);
    if (!loaded.ok()) return stop(loaded.status());
    load_time_ = milliseconds_since(start);
    for (run_ = 0; run_ < warmup_ + loop_; ++run_) {
      const absl::Status status = run_once(**loaded);
      if (!status.ok()) return stop(status);
    }
    progress_.reset();
    print_mismatches();
    print_summary(**loaded);
    const int written = finish_output();
    return written != kSuccess ? written : matches() ? kSuccess : kDifference;
  }

 private:
  int stop(const absl::Status& status) {
    progress_.reset();
    return fail(status);
  }

  absl::Status run_once(Replay& replay) {
    const Clock::time_point start = Clock::now();
    auto result = replay.run();
    if (!result.ok()) return result.status();
    if (run_ >= warmup_) times_.push_back(milliseconds_since(start));
    // The first run that differs is the one to show.
    if (matches()) result_ = *std::move(result);
    return absl::OkStatus();
  }

  bool matches() const { return !result_.has_value() || result_->matches(); }

  void print_mismatches() const {
    const std::vector<Mismatch>& mismatches = result_->mismatches;
    for (size_t i = 0; i < std::min(mismatches.size(), kShownMismatches); ++i) {
      fail(absl::StrCat(path_, ": command ", mismatches[i].command, ": ", mismatches[i].text()));
    }
    if (result_->mismatch_count > kShownMismatches) {
      fail(absl::StrCat(path_, ": ", result_->mismatch_count - kShownMismatches,
                        " more outputs differ"));
    }
  }

  std::string goldens_text() const {
    if (!check_) return "goldens not checked";
    if (result_->goldens_checked == 0) return "no goldens to check";
    if (matches()) return absl::StrCat(counted(result_->goldens_checked, "golden"), " matched");
    return absl::StrCat(result_->mismatch_count, " of ",
                        counted(result_->goldens_checked, "golden"), " DIFFER");
  }

  std::string time_text() {
    std::sort(times_.begin(), times_.end());
    if (times_.size() == 1) return absl::StrCat("ran in ", duration_text(times_[0]));
    return absl::StrCat("ran ", times_.size(), " times in ", duration_text(times_.front()), " to ",
                        duration_text(times_.back()), ", median ",
                        duration_text(times_[times_.size() / 2]));
  }

  void print_summary(const Replay& replay) {
    std::printf("%s: %s on %s, %s, loaded in %s, %s\n", path_.c_str(),
                counted(replay.num_commands(), "command").c_str(),
                counted(replay.num_devices(), "device").c_str(), goldens_text().c_str(),
                duration_text(load_time_).c_str(), time_text().c_str());
  }

  const std::string path_;
  const uint64_t warmup_;
  const uint64_t loop_;
  const bool check_;
  ReplayOptions options_;
  std::optional<Progress> progress_;
  uint64_t run_ = 0;
  double load_time_ = 0;
  std::vector<double> times_;
  std::optional<ReplayResult> result_;
};

}  // namespace

int run(int argc, const char* const* argv) {
  cxxopts::Options options =
      options_for("run", "Replays a file and compares what it reads with what was recorded.\n");
  options.add_options()("device", "Replay on this backend: cpu or null; default: the recorded one",
                        cxxopts::value<std::string>()->default_value(""), "NAME")(
      "loop", "Run it N times", cxxopts::value<uint64_t>()->default_value("1"), "N")(
      "warmup", "Run it N times before, without counting the time",
      cxxopts::value<uint64_t>()->default_value("0"),
      "N")("no-check", "Do not compare with the goldens")(
      "allow-incomplete", "Replay the whole records of a file whose capture was cut short");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  return Run(*arguments).execute();
}

}  // namespace lightmetal::runner
