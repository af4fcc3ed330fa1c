#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"

// What came of the files of a suite, and how that is shown.
namespace lightmetal::runner {

// The first three have the values of the exit codes of a run of one file.
enum class Outcome { kPassed, kDiffers, kFailed, kCrashed, kTimedOut, kNotFinished };

// How many goldens a run has compared, and how many of them differ.
struct Goldens {
  uint64_t compared = 0;
  uint64_t differing = 0;
};

struct FileResult {
  std::string file;
  Outcome outcome = Outcome::kNotFinished;
  Goldens goldens = {};
  double seconds = 0;
  std::string message = {};  // one line; empty where all is well
};

// Prints a table on standard output, one line to a file, and a line of counts.
void print_results(absl::Span<const FileResult> results, double seconds);

// The results as a JUnit report: what differs is a failure, what is worse an error, and what was
// not finished is skipped.
std::string junit_of(absl::Span<const FileResult> results, double seconds);

// 0 when all have passed, 1 when something differs and nothing is worse, 2 otherwise.
int exit_code_of(absl::Span<const FileResult> results);

}  // namespace lightmetal::runner
