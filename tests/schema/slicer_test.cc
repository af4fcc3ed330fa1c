#include "schema/verify/slicer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "tests/schema/semantics_calls.h"

namespace lightmetal::schema::testing {
namespace {

// A program whose arguments are set before each of its launches.
FilePointer launches(int count) {
  Calls calls = Calls().program(1).compute_kernel(1, 1);
  for (int i = 0; i < count; ++i) {
    SetCommonRuntimeArgsT set;
    set.kernel = 1;
    set.args = {static_cast<uint32_t>(i)};
    calls.add(std::move(set)).launch(1);
  }
  return calls.file();
}

// The processor time to find the commands that are used, which are all.
double time_of_used(int count) {
  const auto slicer = Slicer::create(launches(count));
  const std::clock_t begin = std::clock();
  const Slicer::Commands used = slicer->used();
  const std::clock_t end = std::clock();
  EXPECT_EQ(std::ranges::count(used, true), 3 + 2 * count);
  return static_cast<double>(end - begin);
}

TEST(Slicer, TakesTimeThatGrowsWithTheNumberOfCommands) {
  constexpr int kFew = 4000, kTimesAsMany = 16;
  const double few = time_of_used(kFew), many = time_of_used(kTimesAsMany * kFew);
  EXPECT_LT(many, 5 * kTimesAsMany * few)
      << "with its square, 16 times as many take 256 times as long";
}

}  // namespace
}  // namespace lightmetal::schema::testing
