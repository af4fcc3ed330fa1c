#include "schema/verify/slicer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/schema/semantics_calls.h"

namespace lightmetal::schema::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

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

// ---- What is left ----

// The numbers of the commands that are left of the calls when those are removed.
std::vector<uint64_t> left_of(const Calls& calls, const std::vector<uint64_t>& removed) {
  const auto slicer = Slicer::create(calls.file());
  Slicer::Commands gone = slicer->none();
  for (const uint64_t number : removed) gone.at(number) = true;
  const Slicer::Commands kept = slicer->without(slicer->first(calls.commands().size()), gone);
  std::vector<uint64_t> left;
  for (uint64_t number = 0; number < kept.size(); ++number) {
    if (kept[number]) left.push_back(number);
  }
  return left;
}

TEST(Slicer, AWaitGoesWithTheLastRecordingOfItsEvent) {
  Calls calls;
  calls.event(1).record(1, 0).wait(1, 1).record(1, 0).synchronize(1);
  EXPECT_THAT(left_of(calls, {}), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(left_of(calls, {2}), ElementsAre(0, 1, 3, 4, 5));
  EXPECT_THAT(left_of(calls, {2, 4}), ElementsAre(0, 1));
  EXPECT_THAT(left_of(calls, {1}), ElementsAre(0));
}

TEST(Slicer, ATraceGoesWithItsLastReplayAndAReplayWithItsTrace) {
  LoadTraceT load;
  load.id = load.device = 1;
  load.content = std::make_unique<TraceContentT>();
  ReplayTraceT replay;
  replay.device = replay.trace = 1;
  ReleaseTraceT release;
  release.device = release.trace = 1;
  Calls calls;
  calls.add(std::move(load)).add(replay).add(replay).add(release).program(1).launch(1);
  EXPECT_THAT(left_of(calls, {2}), ElementsAre(0, 1, 3, 4, 5, 6));
  EXPECT_THAT(left_of(calls, {2, 3}), ElementsAre(0, 5, 6));
  EXPECT_THAT(left_of(calls, {1}), ElementsAre(0, 5, 6));
  EXPECT_THAT(left_of(calls, {5}), ElementsAre(0, 1, 2, 3, 4));
}

// Command 7 writes buffer 1, command 8 launches a program with the address of buffer 2, command 9
// writes buffer 3, and command 10 memory after it by address.
TEST(Slicer, BuffersAreWrittenByTransfersThatNameThemAndLaunchesWithTheirAddresses) {
  const auto write = [](uint64_t buffer) {
    EnqueueWriteBufferT call;
    call.device = 1;
    call.buffer = buffer;
    call.data = std::make_unique<BlobRef>();
    return call;
  };
  SetCommonRuntimeArgsT args;
  args.kernel = 1;
  args.args = {4096};
  WriteToDeviceDRAMChannelT by_address;
  by_address.device = 1;
  by_address.address = 16384;
  by_address.data = std::make_unique<BlobRef>();
  Calls calls;
  calls.buffer(1, 32, 16, 16).buffer(2, 4096, 16, 16).buffer(3, 8192, 16, 16);
  calls.program(1).compute_kernel(1, 1).add(std::move(args)).add(write(1)).launch(1).add(write(3));
  const auto slicer = Slicer::create(calls.add(std::move(by_address)).file());
  EXPECT_THAT(slicer->buffers_written(0, 6), UnorderedElementsAre());
  EXPECT_THAT(slicer->buffers_written(0, 7), UnorderedElementsAre(1));
  EXPECT_THAT(slicer->buffers_written(7, 8), UnorderedElementsAre(1, 2));
  EXPECT_THAT(slicer->buffers_written(8, 8), UnorderedElementsAre(2));
  EXPECT_THAT(slicer->buffers_written(9, 1000), UnorderedElementsAre(3));
}

}  // namespace
}  // namespace lightmetal::schema::testing
