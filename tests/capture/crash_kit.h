#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "schema/file/reader.h"
#include "tests/support/process.h"

// Captures of crash_child.cc by LIGHTMETAL_CAPTURE, for the tests of captures that end badly.
namespace lightmetal::testing {

using Environment = std::map<std::string, std::string>;

inline constexpr char kRunner[] = LIGHTMETAL_BIN_FOLDER "/lightmetal_runner";

// Signals and forks do to a child with a sanitizer what they do to any other: no report, which
// would have addresses in it, and no search for leaks in a fork that has lost its threads.
inline void leave_endings_alone(Environment& environment) {
  const std::string handlers =
      "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0";
  environment["ASAN_OPTIONS"] = handlers + ":detect_leaks=0";
  environment["TSAN_OPTIONS"] = handlers + ":die_after_fork=0";
}

// Runs the child with this ending; `file` empty: without a capture.
inline ProcessResult run_child(const std::string& ending, const std::string& file,
                               Environment environment = {}, const std::string& rounds = "40") {
  if (!file.empty()) environment["LIGHTMETAL_CAPTURE"] = file;
  leave_endings_alone(environment);
  ProcessOptions options;
  options.environment = std::move(environment);
  return run_process({LIGHTMETAL_CRASH_CHILD, ending, rounds}, options);
}

// Of two runs the second was captured.
inline void expect_same(const ProcessResult& plain, const ProcessResult& captured) {
  EXPECT_EQ(plain.exit_code, captured.exit_code) << captured.errors;
  EXPECT_EQ(plain.output, captured.output);
}

// What `lightmetal_runner info` says of it.
inline std::string info_of(const std::string& file) {
  return run_process({kRunner, "info", file}).output;
}

inline std::shared_ptr<const schema::File> opened(const std::string& path) {
  const auto file = schema::File::open(path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : nullptr;
}

// Verified and replayed by the runner, which is to accept it with these arguments.
inline void expect_replays(const std::string& file, bool incomplete) {
  std::vector<std::string> verify = {kRunner, "verify", file}, run = {kRunner, "run", file};
  if (incomplete) {
    EXPECT_EQ(run_process(run).exit_code, 2) << "an incomplete file was taken for a whole one";
    verify.emplace_back("--allow-incomplete");
    run.emplace_back("--allow-incomplete");
  }
  const ProcessResult verified = run_process(verify), ran = run_process(run);
  EXPECT_EQ(verified.exit_code, 0) << verified.errors;
  EXPECT_EQ(ran.exit_code, 0) << ran.output << ran.errors;
}

}  // namespace lightmetal::testing
