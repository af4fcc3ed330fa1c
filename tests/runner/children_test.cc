// The children in which a suite replays its files: what each of them can write to.
#include "runner/children.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "runner/command_line.h"

namespace lightmetal::runner {
namespace {

// How many mappings this process shares with others and can write to.
uint64_t writable_shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  uint64_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(" rw-s ") != line.npos;
  return count;
}

const std::vector<std::string> kFiles = {"a", "b", "c", "d", "e", "f", "g", "h"};

// A file that takes over its process can set the numbers of no other.
TEST(ChildrenTest, EachSharesItsOwnGoldensWithTheRunnerAndNothingElse) {
  const uint64_t before = writable_shared_mappings();
  const auto results =
      execute_in_children(kFiles, 4, [before](const std::string&, Goldens& goldens) {
        goldens.compared = writable_shared_mappings() - before;
        return Outcome::kPassed;
      });
  ASSERT_EQ(results.size(), kFiles.size());
  for (const FileResult& result : results) {
    EXPECT_EQ(result.outcome, Outcome::kPassed) << result.message;
    EXPECT_EQ(result.goldens.compared, 1u) << result.file;
  }
  EXPECT_EQ(writable_shared_mappings(), before) << "the runner has let go of them";
}

// All of a page, which is all that such a mapping has.
TEST(ChildrenTest, WhatOneWritesOverItsOwnReachesNoOther) {
  const auto results =
      execute_in_children(kFiles, 4, [](const std::string& file, Goldens& goldens) {
        auto* const words = reinterpret_cast<uint64_t*>(&goldens);
        const size_t count = static_cast<size_t>(::sysconf(_SC_PAGESIZE)) / sizeof(uint64_t);
        if (file == "a") std::fill(words, words + count, 99);
        return Outcome::kPassed;
      });
  for (const FileResult& result : results)
    EXPECT_EQ(result.goldens.compared, result.file == "a" ? 99u : 0u) << result.file;
}

// Two errors among warnings and a line that is not the runner's.
Outcome say_two_errors(const std::string& file, Goldens&) {
  warn(file + ": warning: before all");
  std::fputs("a line of somebody else\n", stderr);
  fail(file + ": the first error");
  fail(file + ": the second error");
  warn(file + ": warning: after all");
  return file == "differs" ? Outcome::kDiffers : Outcome::kFailed;
}

TEST(ChildrenTest, TheFirstDifferenceOrElseTheLastErrorIsTheMessage) {
  const std::vector<std::string> files = {"differs", "fails"};
  const auto results = execute_in_children(files, 2, say_two_errors);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].outcome, Outcome::kDiffers);
  EXPECT_EQ(results[0].message, "the first error");
  EXPECT_EQ(results[1].outcome, Outcome::kFailed);
  EXPECT_EQ(results[1].message, "the second error");
}

TEST(ChildrenTest, AChildThatASignalEndsHasCrashedAndTheOthersPass) {
  const auto results = execute_in_children(kFiles, 2, [](const std::string& file, Goldens&) {
    if (file == "b") ::raise(SIGKILL);
    return Outcome::kPassed;
  });
  ASSERT_EQ(results.size(), kFiles.size());
  for (const FileResult& result : results)
    EXPECT_EQ(result.outcome, result.file == "b" ? Outcome::kCrashed : Outcome::kPassed);
  EXPECT_EQ(results[1].message, "signal 9 ended its process");
}

TEST(ChildrenTest, MoreFilesPassThanAProcessMayHaveDescriptors) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto results =
      execute_in_children(std::vector<std::string>(200, "file"), 4,
                          [](const std::string&, Goldens&) { return Outcome::kPassed; });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(results.size(), 200u);
  for (const FileResult& result : results)
    EXPECT_EQ(result.outcome, Outcome::kPassed) << result.message;
}

}  // namespace
}  // namespace lightmetal::runner
