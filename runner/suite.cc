#include "runner/suite.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <ranges>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/digest.h"
#include "base/status.h"
#include "runner/children.h"
#include "runner/file_list.h"
#include "runner/lost_file.h"
#include "runner/mpi_job.h"
#include "runner/output_text.h"
#include "runner/rank_suite.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

constexpr const char* kSuiteOptions[] = {"jobs", "timeout", "shard", "junit"};

size_t jobs_of(const Arguments& arguments) {
  if (arguments.count("jobs") != 0) return count_option(arguments, "jobs", 1);
  return std::max(1u, std::thread::hardware_concurrency());
}

Shard shard_option(const Arguments& arguments) {
  Shard shard;
  if (arguments.count("shard") == 0) return shard;
  const std::string text = arguments["shard"].as<std::string>();
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('/', 1));
  const auto index = digits_of(parts.first), count = digits_of(parts.second);
  if (!index || !count || *index < 1 || *index > *count) {
    throw cxxopts::exceptions::parsing(
        absl::StrCat("--shard is I/N, such as 1/4 to 4/4, not ", text));
  }
  return {.index = *index, .count = *count};
}

// Executes the file below a watchdog, whose child comes back here with its exit code, too.
Outcome outcome_of(const Arguments& arguments, const std::string& file, Goldens& goldens,
                   ReplayFile replay) {
  Watchdog watchdog(arguments, "timeout");
  report_loss_of(printable(file));
  const int code = replay(file, watchdog, goldens);
  if (watchdog.end() == Watchdog::End::kStopped) return Outcome::kTimedOut;
  if (watchdog.end() == Watchdog::End::kCrashed) return Outcome::kCrashed;
  return static_cast<Outcome>(std::min(code, kFailure));
}

// The report is begun before the files are replayed, so that a place that cannot be written to is
// known at once.
absl::StatusOr<std::optional<schema::OutputFile>> begin_junit(const Arguments& arguments,
                                                              absl::Span<const std::string> files) {
  if (arguments.count("junit") == 0) return std::nullopt;
  LM_ASSIGN_OR_RETURN(output,
                      schema::OutputFile::create(arguments["junit"].as<std::string>(), files));
  return std::optional(std::move(output));
}

absl::Status write_junit(schema::OutputFile& output, const std::string& text) {
  LM_RETURN_IF_ERROR(write(output, {bytes_of(text.data(), text.size())}));
  return output.finish();
}

void check_suite_options(const Arguments& arguments, bool has_ranks) {
  if (is_given(arguments, "watchdog")) {
    throw cxxopts::exceptions::parsing("--watchdog is for one FILE; of many, --timeout ends each");
  }
  for (const char* option : {"jobs", "shard"}) {
    if (!has_ranks || !is_given(arguments, option)) continue;
    throw cxxopts::exceptions::parsing(
        absl::StrCat("--", option,
                     " is for a runner that mpirun has not started: here each rank "
                     "replays one file at a time, and rank 0 shares them out"));
  }
}

absl::StatusOr<int> replay_all(const Arguments& arguments, ReplayFile replay) {
  const std::optional<MpiJob> job = mpi_job();
  check_suite_options(arguments, job.has_value());
  const size_t jobs = jobs_of(arguments);
  const Shard shard = shard_option(arguments);
  LM_ASSIGN_OR_RETURN(all, files_named(files_of(arguments)));
  const std::vector<std::string> files = shard_of(all, shard);
  LM_ASSIGN_OR_RETURN(junit, begin_junit(arguments, files));
  const auto start = std::chrono::steady_clock::now();
  const auto execute = [&](const std::string& file, Goldens& goldens) {
    return outcome_of(arguments, file, goldens, replay);
  };
  LM_ASSIGN_OR_RETURN(results, job ? execute_in_ranks(*job, files, execute)
                                   : execute_in_children(files, jobs, execute));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  print_results(results, time.count());
  const int written = finish_output();
  if (junit) LM_RETURN_IF_ERROR(write_junit(*junit, junit_of(results, time.count())));
  return std::max(written, exit_code_of(results));
}

}  // namespace

void add_suite_options(cxxopts::Options& options) {
  options.add_options()("jobs", "Of many files, replay N at a time; default: one on each processor",
                        cxxopts::value<std::string>(),
                        "N")("timeout", "Of many files, end each that takes longer",
                             cxxopts::value<std::string>()->default_value("600"), "SECONDS")(
      "shard", "Of many files, sorted by name, replay every N-th, beginning with the I-th",
      cxxopts::value<std::string>(), "I/N")("junit", "Write what came of many files as JUnit's XML",
                                            cxxopts::value<std::string>(), "OUT");
}

bool is_suite(const Arguments& arguments) {
  if (std::ranges::any_of(kSuiteOptions,
                          [&](const char* option) { return is_given(arguments, option); })) {
    return true;
  }
  if (arguments.count("file") == 0) return false;
  if (mpi_job().has_value()) return true;
  const std::vector<std::string> files = files_of(arguments);
  return files.size() > 1 || names_many(files.front());
}

int run_as_rank(const Arguments& arguments, RankLink& rank_0, ReplayFile replay) {
  return execute_for_rank_0(rank_0, [&](const std::string& file, Goldens& goldens) {
    return outcome_of(arguments, file, goldens, replay);
  });
}

int run_suite(const Arguments& arguments, ReplayFile replay) {
  const auto code = replay_all(arguments, replay);
  return code.ok() ? *code : fail(code.status());
}

}  // namespace lightmetal::runner
