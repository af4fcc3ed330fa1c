#include "runner/suite_result.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runner/command_line.h"
#include "runner/output_text.h"

namespace lightmetal::runner {
namespace {

constexpr Outcome kOutcomes[] = {Outcome::kPassed,  Outcome::kDiffers,  Outcome::kFailed,
                                 Outcome::kCrashed, Outcome::kTimedOut, Outcome::kNotFinished};

const char* name_of(Outcome outcome) {
  static constexpr const char* kNames[] = {"passed",  "differs",   "failed",
                                           "crashed", "timed out", "not finished"};
  static_assert(std::size(kNames) == std::size(kOutcomes));
  return kNames[static_cast<size_t>(outcome)];
}

Ink ink_of(Outcome outcome) {
  if (outcome == Outcome::kPassed) return Ink::kGood;
  return outcome == Outcome::kNotFinished ? Ink::kWarning : Ink::kBad;
}

size_t count_of(absl::Span<const FileResult> results, Outcome outcome) {
  return static_cast<size_t>(std::ranges::count(
      results, outcome, [](const FileResult& result) { return result.outcome; }));
}

bool has_goldens(const FileResult& result) {
  return result.outcome == Outcome::kPassed || result.outcome == Outcome::kDiffers;
}

std::string goldens_text(const FileResult& result) {
  if (!has_goldens(result)) return "-";
  const Goldens& goldens = result.goldens;
  if (goldens.differing == 0) return absl::StrCat(goldens.compared);
  return absl::StrCat(goldens.compared - goldens.differing, "/", goldens.compared);
}

// A pass that says nothing: there was no golden to compare.
bool compared_nothing(const FileResult& result) {
  return result.outcome == Outcome::kPassed && result.goldens.compared == 0;
}

size_t count_without_goldens(absl::Span<const FileResult> results) {
  return static_cast<size_t>(std::ranges::count_if(results, compared_nothing));
}

std::string counts_text(absl::Span<const FileResult> results) {
  std::string text;
  for (const Outcome outcome : kOutcomes) {
    const size_t count = count_of(results, outcome);
    if (outcome == Outcome::kNotFinished && count == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", name_of(outcome));
  }
  const size_t without = count_without_goldens(results);
  if (without != 0) absl::StrAppend(&text, ", ", without, " ", kNothingCompared);
  return text;
}

// ---- JUnit ----

std::string attribute(absl::string_view name, absl::string_view value) {
  return absl::StrCat(" ", name, "=\"", xml_text(value), "\"");
}

std::string time_attribute(double seconds) {
  return attribute("time", absl::StrFormat("%.3f", seconds));
}

const char* element_of(const FileResult& result) {
  switch (result.outcome) {
    case Outcome::kPassed:
      return compared_nothing(result) ? "skipped" : "";
    case Outcome::kDiffers:
      return "failure";
    case Outcome::kNotFinished:
      return "skipped";
    default:
      return "error";
  }
}

std::string test_case(const FileResult& result) {
  const std::string head =
      absl::StrCat("  <testcase", attribute("classname", "lightmetal_runner"),
                   attribute("name", result.file), time_attribute(result.seconds));
  const std::string element = element_of(result);
  if (element.empty()) return absl::StrCat(head, "/>\n");
  const std::string message = compared_nothing(result) ? kNothingCompared : result.message;
  const std::string type = element == "skipped" ? "" : attribute("type", name_of(result.outcome));
  return absl::StrCat(head, ">\n    <", element, attribute("message", message), type,
                      "/>\n  </testcase>\n");
}

std::string suite_attributes(absl::Span<const FileResult> results, double seconds) {
  const size_t passed = count_of(results, Outcome::kPassed);
  const size_t differ = count_of(results, Outcome::kDiffers);
  const size_t unfinished = count_of(results, Outcome::kNotFinished);
  const size_t skipped = unfinished + count_without_goldens(results);
  const auto number = [](absl::string_view name, size_t count) {
    return attribute(name, absl::StrCat(count));
  };
  return absl::StrCat(attribute("name", "lightmetal_runner"), number("tests", results.size()),
                      number("failures", differ),
                      number("errors", results.size() - passed - differ - unfinished),
                      number("skipped", skipped), time_attribute(seconds));
}

}  // namespace

void print_results(absl::Span<const FileResult> results, double seconds) {
  size_t width = 4;
  for (const FileResult& result : results) {
    width = std::max(width, in_one_line(result.file).size());
  }
  const int column = static_cast<int>(width);
  say(absl::StrFormat("%-*s  %-12s  %7s  %7s", column, "FILE", "RESULT", "GOLDENS", "SECONDS"));
  for (const FileResult& result : results) {
    const std::string message = in_one_line(result.message);
    say({{.text = absl::StrFormat("%-*s  ", column, in_one_line(result.file))},
         {.text = absl::StrFormat("%-12s", name_of(result.outcome)), .ink = ink_of(result.outcome)},
         {.text = absl::StrFormat("  %7s  %7.2f%s%s", goldens_text(result), result.seconds,
                                  message.empty() ? "" : "  ", message)}});
  }
  say(absl::StrFormat("%d %s: %s, in %.2f s", results.size(),
                      results.size() == 1 ? "file" : "files", counts_text(results), seconds));
}

std::string junit_of(absl::Span<const FileResult> results, double seconds) {
  std::string text = absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite",
                                  suite_attributes(results, seconds), ">\n");
  for (const FileResult& result : results) absl::StrAppend(&text, test_case(result));
  return absl::StrCat(text, "</testsuite>\n");
}

int exit_code_of(absl::Span<const FileResult> results) {
  const size_t passed = count_of(results, Outcome::kPassed);
  const size_t differ = count_of(results, Outcome::kDiffers);
  if (passed == results.size()) return kSuccess;
  return passed + differ == results.size() ? kDifference : kFailure;
}

}  // namespace lightmetal::runner
