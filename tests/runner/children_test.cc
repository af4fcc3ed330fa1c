// The children in which a suite replays its files: what each of them can write to.
#include "runner/children.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

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
