// What somebody meant who mistyped a word.
#include "runner/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lightmetal::runner {
namespace {

const std::vector<std::string> kKnown = {"run", "device", "trust", "trim", "memory-limit"};

TEST(Nearest, OneEditOfEachKindIsForgiven) {
  EXPECT_EQ(nearest("devise", kKnown), "device");
  EXPECT_EQ(nearest("devce", kKnown), "device");
  EXPECT_EQ(nearest("deviice", kKnown), "device");
  EXPECT_EQ(nearest("deivce", kKnown), "device");
  EXPECT_EQ(nearest("rnu", kKnown), "run");
}

TEST(Nearest, LongWordsMayHaveMoreEdits) {
  EXPECT_EQ(nearest("memorylimt", kKnown), "memory-limit");
  EXPECT_EQ(nearest("men", kKnown), "");
}

TEST(Nearest, TheNearestOfSeveralIsMeant) {
  EXPECT_EQ(nearest("trus", kKnown), "trust");
  EXPECT_EQ(nearest("trust", {"trusty", "trust"}), "trust");
  EXPECT_EQ(nearest("bat", {"cat", "hat"}), "cat");
}

TEST(Nearest, WhatIsFarFromAllIsNoneOfThem) {
  EXPECT_EQ(nearest("nonsense", kKnown), "");
  EXPECT_EQ(nearest("", kKnown), "");
  EXPECT_EQ(nearest("word", {}), "");
  EXPECT_EQ(suggestion("nonsense", kKnown), "");
  EXPECT_EQ(suggestion("devise", kKnown, "--"), "; did you mean --device?");
}

}  // namespace
}  // namespace lightmetal::runner
