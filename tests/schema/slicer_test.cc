#include "schema/verify/slicer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
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

constexpr uint64_t kSize = 2 << 20;

// Transfers of one buffer, a letter each: W writes it, F its first half, S its second, R reads it.
FilePointer transfers(const std::string& letters) {
  Calls calls;
  calls.buffer(2, 1 << 20, kSize);
  for (const char letter : letters) {
    if (letter == 'R') {
      calls.read(2, /*blocking=*/true);
    } else if (letter == 'W') {
      EnqueueWriteBufferT write;
      write.device = 1;
      write.buffer = 2;
      write.data = std::make_unique<BlobRef>();
      calls.add(std::move(write));
    } else {
      EnqueueWriteSubBufferT write;
      write.device = 1;
      write.buffer = 2;
      write.offset = letter == 'F' ? 0 : kSize / 2;
      write.size = kSize / 2;
      write.data = std::make_unique<BlobRef>();
      calls.add(std::move(write));
    }
  }
  return calls.file();
}

// The letters of those transfers without which the last one reads something else.
std::string sources_of_last(const std::string& letters) {
  const auto slicer = Slicer::create(transfers(letters));
  constexpr size_t kFirst = 2;  // after the device's and the buffer's
  Slicer::Commands last = slicer->none();
  last.at(kFirst + letters.size() - 1) = true;
  const Slicer::Commands kept = slicer->with_sources(std::move(last));
  std::string found;
  for (size_t i = 0; i < letters.size(); ++i) {
    if (kept[kFirst + i]) found += letters[i];
  }
  return found;
}

TEST(Slicer, AWriteReplacesEarlierOnesOnlyIfItWritesTheWholeBuffer) {
  const std::pair<const char*, const char*> rows[] = {
      {"WR", "WR"},   {"WWR", "WR"},    {"FWR", "WR"},    {"WFR", "WFR"},
      {"FSR", "FSR"}, {"WFSR", "WFSR"}, {"WFWSR", "WSR"}, {"FFR", "FFR"},
      {"WRWR", "WR"}, {"WRFR", "WFR"},  {"FSWFWR", "WR"}, {"R", "R"},
  };
  for (const auto& [letters, sources] : rows)
    EXPECT_EQ(sources_of_last(letters), sources) << letters;
}

}  // namespace
}  // namespace lightmetal::schema::testing
