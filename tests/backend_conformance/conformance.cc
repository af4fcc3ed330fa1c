#include "tests/backend_conformance/conformance.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace lightmetal::device::conformance {
namespace {

bool is_check(const std::string& name) {
  return std::ranges::any_of(checks(), [&](const Check& check) { return name == check.name; });
}

absl::Status add_gap(absl::string_view name, absl::string_view reason, Gaps& gaps) {
  if (!is_check(std::string(name)))
    return absl::InvalidArgumentError(absl::StrCat("there is no check \"", name, "\""));
  if (reason.empty())
    return absl::InvalidArgumentError(absl::StrCat("the gap ", name, " has no reason"));
  if (gaps.try_emplace(std::string(name), reason).second) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the gap ", name, " is there twice"));
}

absl::Status add_gaps(absl::string_view line, Gaps& gaps) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(':', 1));
  const absl::string_view reason = absl::StripAsciiWhitespace(parts.second);
  if (absl::StripAsciiWhitespace(parts.first).empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the line \"", line, "\" names no check"));
  }
  for (const absl::string_view name : absl::StrSplit(parts.first, ' ', absl::SkipEmpty())) {
    const absl::Status added = add_gap(name, reason, gaps);
    if (!added.ok()) return added;
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<Check> checks() {
  std::vector<Check> all;
  for (const auto& part : {opening_checks(), memory_checks(), kernel_checks(), launch_checks(),
                           error_checks(), concurrency_checks()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

absl::StatusOr<Gaps> parse_gaps(const std::string& text) {
  Gaps gaps;
  for (const absl::string_view each : absl::StrSplit(text, '\n')) {
    const absl::string_view line = absl::StripAsciiWhitespace(each);
    if (line.empty() || line.front() == '#') continue;
    const absl::Status added = add_gaps(line, gaps);
    if (!added.ok()) return added;
  }
  return gaps;
}

std::vector<std::string> failures_of(const Check& check, const Open& open) {
  ::testing::TestPartResultArray results;
  std::vector<std::string> failures;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    try {
      check.run(open);
    } catch (const std::exception& error) {
      failures.push_back(absl::StrCat("an exception: ", error.what()));
    }
  }
  for (int i = 0; i < results.size(); ++i) {
    const ::testing::TestPartResult& result = results.GetTestPartResult(i);
    if (result.passed() || result.skipped()) continue;
    failures.push_back(
        absl::StrCat(result.file_name(), ":", result.line_number(), ": ", result.message()));
  }
  return failures;
}

std::string verdict(const Check& check, const std::vector<std::string>& failures,
                    const Gaps& gaps) {
  const auto gap = gaps.find(check.name);
  if (gap == gaps.end()) return absl::StrJoin(failures, "\n");
  if (gap->second.empty()) return absl::StrCat("the gap ", check.name, " has no reason");
  if (!failures.empty()) return "";
  return absl::StrCat("the gap ", check.name, " is none any more (\"", gap->second,
                      "\"): the check passes, so take it off the list");
}

}  // namespace lightmetal::device::conformance
