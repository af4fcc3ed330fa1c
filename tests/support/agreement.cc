#include "tests/support/agreement.h"

#include <algorithm>
#include <lightmetal/replay.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/trace_use.h"
#include "schema/semantics/refusal.h"
#include "schema/verify/verify.h"

namespace lightmetal::testing {
namespace {

constexpr uint64_t kMemoryLimit = uint64_t{256} << 20;

// The text without empty words and words that have a number: the API and the check of files name
// objects by numbers of their own.
std::string without_numbers(absl::string_view text) {
  std::vector<absl::string_view> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  std::erase_if(words, [](absl::string_view word) {
    return std::any_of(word.begin(), word.end(), absl::ascii_isdigit);
  });
  return absl::StrJoin(words, " ");
}

absl::Status run(replay::Executor& executor, const RunOptions& options,
                 const std::vector<const schema::Command*>& commands) {
  executor.begin_run(options);
  for (uint64_t number = 0; number < commands.size(); ++number) {
    LM_RETURN_IF_ERROR(executor.execute(number, *commands[number]));
  }
  return executor.end_run();
}

}  // namespace

Verdict verified(const schema::File& file) {
  schema::VerifyReport report;
  absl::Status status = schema::verify(file, &report, {.memory_limit = kMemoryLimit});
  return {std::move(status), report.commands};
}

absl::Status replayed(const schema::File& file, uint64_t count) {
  replay::TraceUse traces(file);
  std::vector<const schema::Command*> commands;
  LM_RETURN_IF_ERROR(file.for_each_command([&](const schema::CommandView& view) {
    traces.add(view.number, *view.command);
    if (view.number < count) commands.push_back(view.command);
    return absl::OkStatus();
  }));
  const LoadOptions load{.backend = "null"};
  const RunOptions options{.last_command = count - 1};
  replay::Executor executor(file, load, {}, std::move(traces));
  const absl::Status status = run(executor, options, commands);
  if (!status.ok()) executor.abandon_run();
  return status;
}

bool is_of_files_alone(const schema::File& file, const Verdict& verdict) {
  return schema::semantics::is_of_files_alone(verdict.status) ||
         !schema::verify(file, nullptr, {.check_meaning = false}).ok();
}

std::string disagreement(const Verdict& verdict, const absl::Status& replayed) {
  if (verdict.status.ok() == replayed.ok()) {
    const auto sentence = schema::semantics::host_sentence_of(verdict.status);
    // A replay that refuses a file's own numbers has not asked the host API, whose errors are
    // internal ones.
    if (!absl::IsInternal(replayed) || !sentence ||
        absl::StrContains(without_numbers(replayed.message()), without_numbers(*sentence))) {
      return "";
    }
    return absl::StrCat("verify refuses it in other words: ", verdict.status.message(),
                        "\n  and a replay: ", replayed.message());
  }
  if (replayed.ok()) {
    return absl::StrCat("verify refuses what a replay takes: ", verdict.status.message());
  }
  return absl::StrCat("verify accepts what a replay refuses: ", replayed.message());
}

std::string disagreement_about(const schema::File& file,
                               const std::function<Verdict(const schema::File&)>& check) {
  const Verdict verdict = check(file);
  if (verdict.status.ok()) return disagreement(verdict, replayed(file, verdict.command));
  if (is_of_files_alone(file, verdict)) return "";
  return disagreement(verdict, replayed(file, verdict.command + 1));
}

}  // namespace lightmetal::testing
