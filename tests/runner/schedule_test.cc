// lightmetal_runner run --schedule and --races: kernels in an order that the program alone decides,
// in random orders, and programs whose results depend on the order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <lightmetal/capture.hpp>
#include <lightmetal/races.hpp>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/file/reader.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using testing::TemporaryFolder;

constexpr CoreCoord kLeft = {0, 0}, kRight = {1, 0};
const CoreRange kAllCores({0, 0}, {7, 7});

// What a kernel does on some cores. It knows `first` and `second`, the NoC addresses of the two
// buffers; `word`, which lies at `l1` on its core; `semaphore` 0 of its core, and `peer`, the NoC
// address of that of the other one of the left and the right core.
struct OnCores {
  CoreRange cores;
  std::string body;
};

using ProgramText = std::vector<OnCores>;

constexpr char kBefore[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const uint64_t first = get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0));
  const uint64_t second = get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(1));
  const uint32_t l1 = get_write_ptr(0);
  auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  auto* semaphore = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
  const uint64_t peer =
      get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_semaphore(0));
)";

ProgramText on_two(const std::string& left, const std::string& right) {
  return {{CoreRange(kLeft, kLeft), left}, {CoreRange(kRight, kRight), right}};
}

// Adds one to the first word of `first`, without any order among the cores that do it: as often as
// there are kernels, so that what becomes of it depends on when each has read.
const ProgramText kLostUpdates = {{kAllCores, R"(
  for (uint32_t i = 0; i < 20; ++i) {
    noc_async_read(first, l1, 32);
    noc_async_read_barrier();
    *word = *word * 31 + my_x[0] * 8 + my_y[0];
    noc_async_write(l1, first, 32);
    noc_async_write_barrier();
  })"}};

// Both cores write the same word, the right one last: with the semaphore.
ProgramText two_writers(bool with_semaphore) {
  const std::string write = "noc_async_write(l1, first, 32); noc_async_write_barrier();";
  const std::string signal = with_semaphore ? "noc_semaphore_inc(peer, 1);" : "";
  const std::string wait = with_semaphore ? "noc_semaphore_wait(semaphore, 1);" : "";
  return on_two("*word = 1;" + write + signal, wait + "*word = 2;" + write);
}

// The left core writes to DRAM and signals the right one, which reads that and copies it to the
// other buffer.
ProgramText handed_over(const std::string& barrier) {
  return on_two(
      "*word = 7; noc_async_write(l1, first, 32);" + barrier + "noc_semaphore_inc(peer, 1);",
      R"(noc_semaphore_wait(semaphore, 1);
  noc_async_read(first, l1, 32);
  noc_async_read_barrier();
  noc_async_write(l1, second, 32);
  noc_async_write_barrier();)");
}

class Device {
 public:
  Device() : device_(tm::CreateDevice(0)), first_(buffer()), second_(buffer()) {
    std::vector<uint32_t> data(kWords, 5);
    tm::EnqueueWriteBuffer(device_->command_queue(), first_, data, false);
    tm::EnqueueWriteBuffer(device_->command_queue(), second_, data, false);
  }
  ~Device() {
    first_.reset();
    second_.reset();
    tm::CloseDevice(device_);
  }

  void run(const ProgramText& text) {
    tm::Program program = tm::CreateProgram();
    tm::CreateCircularBuffer(
        program, kAllCores,
        tm::CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
    tm::CreateSemaphore(program, kAllCores, 0);
    for (const OnCores& each : text) {
      const auto kernel = tm::CreateKernelFromString(program, kBefore + each.body + "\n}\n",
                                                     each.cores, tm::DataMovementConfig{});
      const CoreCoord peer =
          device_->worker_core_from_logical_core(each.cores.start_coord == kLeft ? kRight : kLeft);
      tm::SetRuntimeArgs(
          program, kernel, each.cores,
          {static_cast<uint32_t>(first_->address()), static_cast<uint32_t>(second_->address()),
           static_cast<uint32_t>(peer.x), static_cast<uint32_t>(peer.y)});
    }
    tm::EnqueueProgram(device_->command_queue(), program, /*blocking=*/true);
  }

  std::vector<uint32_t> read_first() { return read(first_); }
  std::vector<uint32_t> read_second() { return read(second_); }

 private:
  static constexpr uint32_t kWords = 16;

  std::shared_ptr<tm::Buffer> buffer() {
    return tm::CreateBuffer(tm::InterleavedBufferConfig{
        .device = device_, .size = kWords * 4, .page_size = kWords * 4});
  }
  std::vector<uint32_t> read(const std::shared_ptr<tm::Buffer>& buffer) {
    std::vector<uint32_t> data;
    tm::EnqueueReadBuffer(device_->command_queue(), buffer, data, true);
    return data;
  }

  tm::IDevice* const device_;
  std::shared_ptr<tm::Buffer> first_;
  std::shared_ptr<tm::Buffer> second_;
};

// Sets a variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

// Keeps all processors busy for as long as it lives.
class BusyNeighbours {
 public:
  BusyNeighbours() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
      threads_.emplace_back([this] {
        while (!over_) sum_ = sum_ + 1;
      });
  }
  ~BusyNeighbours() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyNeighbours(const BusyNeighbours&) = delete;
  BusyNeighbours& operator=(const BusyNeighbours&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::atomic<uint64_t> sum_{0};
  std::vector<std::thread> threads_;
};

constexpr char kSchedule[] = "LIGHTMETAL_CPU_DEVICE_SCHEDULE";
constexpr char kWorkers[] = "LIGHTMETAL_CPU_DEVICE_WORKERS";

class ScheduleTest : public ::testing::Test {
 protected:
  static ProcessResult runner(std::vector<std::string> arguments,
                              std::map<std::string, std::string> environment = {}) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    environment["PATH"] = "";
    return run_process(arguments, {.environment = environment, .empty_environment = true});
  }

  // A file of these programs, one after the other, which reads both buffers at its end. It does not
  // close the device, which stays open from one run of the file to the next.
  std::string capture(const std::vector<ProgramText>& programs, bool reads_first = true) {
    const Variable fixed(kSchedule, "fixed");
    const std::string path = folder_.path("file.lmb");
    tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
    {
      Device device;
      for (const ProgramText& program : programs) device.run(program);
      if (reads_first) device.read_first();
      device.read_second();
      tm::LightMetalEndCapture();
    }
    return path;
  }

  ProcessResult races(const std::vector<ProgramText>& programs, const std::string& count = "50") {
    return runner({"run", capture(programs), "--races", count});
  }

  void expect_race(const std::vector<ProgramText>& programs) {
    const ProcessResult result = races(programs);
    EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("a RACE"));
  }

  void expect_clean(const std::vector<ProgramText>& programs) {
    const ProcessResult result = races(programs);
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("2 outputs, 50 random schedules, no race found"));
    EXPECT_EQ(result.errors, "");
  }

  // What the file reads of `first` with this schedule.
  std::string read_with(const std::string& file, const std::string& schedule) {
    const std::string folder = folder_.path(schedule);
    const ProcessResult result =
        runner({"run", file, "--schedule", schedule, "--save-actual", folder});
    EXPECT_NE(result.exit_code, 2) << result.errors;
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      all += read_file(entry.path());
    return all;
  }

  TemporaryFolder folder_;
};

// ---- The fixed schedule ----

TEST_F(ScheduleTest, TheFixedScheduleIsTheSameWhateverTheWorkersAndTheLoad) {
  const std::string file = capture({kLostUpdates});
  const BusyNeighbours busy;
  for (const std::string workers : {"1", "2", "7"}) {
    for (int process = 0; process < 2; ++process) {
      const ProcessResult result =
          runner({"run", file, "--schedule", "fixed", "--loop", "20"}, {{kWorkers, workers}});
      EXPECT_EQ(result.exit_code, 0) << workers << result.errors;
      EXPECT_THAT(result.output, HasSubstr("2 goldens matched"));
    }
  }
}

TEST_F(ScheduleTest, AFileThatRacesReplaysAHundredTimesAlike) {
  const std::string file = capture({two_writers(false), kLostUpdates});
  const BusyNeighbours busy;
  for (const std::string workers : {"1", "2"}) {
    const ProcessResult result =
        runner({"run", file, "--loop", "50"}, {{kWorkers, workers}, {kSchedule, "fixed"}});
    EXPECT_EQ(result.exit_code, 0) << workers << result.errors;
  }
}

std::string error_of(const ProgramText& program) {
  Device device;
  try {
    device.run(program);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST_F(ScheduleTest, DeadlocksAreTheSameWhateverTheWorkersAndTheLoad) {
  const Variable fixed(kSchedule, "fixed"),
      watchdog("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", "0.1");
  const std::string update = kLostUpdates[0].body + "noc_semaphore_set(semaphore, *word);";
  const ProgramText waits = {{kAllCores, update + "noc_semaphore_wait(semaphore, 1);"}};
  const ProgramText polls = {
      {kAllCores, update + "while (*semaphore != 1) invalidate_l1_cache();"}};
  const BusyNeighbours busy;
  std::set<std::string> waiting, polling;
  for (const std::string workers : {"1", "2", "5"}) {
    const Variable with(kWorkers, workers);
    waiting.insert(error_of(waits));
    polling.insert(error_of(polls));
  }
  ASSERT_EQ(waiting.size(), 1);
  EXPECT_THAT(*waiting.begin(), AllOf(HasSubstr("every kernel waits for what no other will do"),
                                      HasSubstr("waits for == 1, holds ")));
  ASSERT_EQ(polling.size(), 1);
  EXPECT_THAT(*polling.begin(), HasSubstr("poll memory or loop for ever and nothing changes"));
}

// ---- Random schedules ----

TEST_F(ScheduleTest, ASeedGivesTheSameOrderAgainAndSeedsGiveOthers) {
  const std::string file = capture({kLostUpdates});
  std::set<std::string> seen;
  for (const std::string seed : {"random:1", "random:2", "random:3", "random:4"}) {
    const std::string once = read_with(file, seed);
    const BusyNeighbours busy;
    EXPECT_EQ(read_with(file, seed), once);
    seen.insert(once);
  }
  EXPECT_GE(seen.size(), 3);
}

TEST_F(ScheduleTest, RandomSchedulesRunSoundProgramsToTheSameEnd) {
  // Signals to and fro, once through a word that is waited for and once through one that is
  // polled.
  const ProgramText chain = on_two(
      R"(noc_semaphore_inc(peer, 1);
  while (*semaphore != 2) invalidate_l1_cache();
  *word = 9;
  noc_async_write(l1, first, 32);
  noc_async_write_barrier();)",
      "noc_semaphore_wait(semaphore, 1); noc_semaphore_inc(peer, 1); noc_semaphore_inc(peer, 1);"
      "noc_async_atomic_barrier();");
  expect_clean({chain, handed_over("noc_async_write_barrier();")});
}

// ---- Races ----

TEST_F(ScheduleTest, ARaceIsFoundAndItsBufferAndProgramAreNamed) {
  const ProcessResult result = races({two_writers(false)});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("2 outputs, "), HasSubstr(" random schedule"),
                                   HasSubstr("a RACE: --schedule random:")));
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr(" instead of fixed, EnqueueReadBuffer of buffer 1 (64 bytes at "),
                    HasSubstr("1 of 16 UInt32 elements differs: [0] expected 2, found 1"),
                    HasSubstr("EnqueueProgram of program 1, which leaves buffer 1 (64 bytes at "),
                    HasSubstr("word 0 is 2 with fixed, 1 with this one")));
}

TEST_F(ScheduleTest, TheFirstOfTheBuffersThatALaunchLeavesDifferentIsNamed) {
  const std::string write =
      "noc_async_write(l1, first, 32); noc_async_write(l1, second, 32); noc_async_write_barrier();";
  const ProcessResult result = races({on_two("*word = 1;" + write, "*word = 2;" + write)});
  EXPECT_THAT(result.errors,
              HasSubstr("EnqueueProgram of program 1, which leaves buffer 1 (64 bytes at "));
}

// One after the other, the two cores add 2, whichever comes first: only a core that is held up
// between its read and its write loses the other's addition.
TEST_F(ScheduleTest, AnUpdateThatIsLostWhileAKernelIsHeldUpIsFound) {
  const std::string add = R"(
  noc_async_read(first, l1, 32);
  noc_async_read_barrier();
  *word = *word + 1;
  noc_async_write(l1, first, 32);
  noc_async_write_barrier();)";
  const ProcessResult result = races({on_two(add, add)});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("[0] expected 7, found 6"));
}

// The golden is what the fixed schedule reads, whatever the captured run happened to read.
TEST_F(ScheduleTest, TheFirstOfManySchedulesThatDiffersIsNamed) {
  const std::string captured = capture({two_writers(false)}), file = folder_.path("fixed.lmb"),
                    report = folder_.path("report.json");
  EXPECT_EQ(
      runner({"run", captured, "--schedule", "fixed", "--update-golden", "-o", file}).exit_code, 0);
  const ProcessResult result =
      runner({"run", file, "--schedules", "50", "--report", "json=" + report});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  const size_t seed = result.output.find("DIFFER (--schedule random:");
  ASSERT_NE(seed, result.output.npos) << result.output;
  const size_t begin = seed + 19;
  const std::string schedule = result.output.substr(begin, result.output.find(')', begin) - begin);
  EXPECT_THAT(result.errors, HasSubstr("expected 2, found 1 (--schedule " + schedule + ")"));
  EXPECT_THAT(read_file(report), HasSubstr("\"schedule\":\"" + schedule + "\""));
  EXPECT_EQ(runner({"run", file, "--schedule", schedule}).exit_code, 1);
  // No seed before it differs.
  for (uint64_t i = 1; absl::StrCat("random:", i) != schedule; ++i) {
    ASSERT_LT(i, 50u);
    EXPECT_EQ(runner({"run", file, "--schedule", absl::StrCat("random:", i)}).exit_code, 0) << i;
  }
}

TEST_F(ScheduleTest, AProgramWithoutARaceMatchesWithAllSchedules) {
  const ProcessResult result = runner({"run", capture({two_writers(true)}), "--schedules", "20"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("2 goldens matched with each of 20 schedules"));
  EXPECT_THAT(result.output, HasSubstr("ran 20 times"));
}

// Here each fails: the device refuses to delay transfers in two ways.
TEST_F(ScheduleTest, ASeedWithWhichARunFailsIsNamed) {
  const std::string file = capture({two_writers(true)});
  const ProcessResult result =
      runner({"run", file, "--schedules", "3"}, {{"LIGHTMETAL_CPU_DEVICE_CHECKS", "races"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("(--schedule random:1)\n"));
}

TEST_F(ScheduleTest, TheSameProgramWithItsSemaphoreIsClean) { expect_clean({two_writers(true)}); }

TEST_F(ScheduleTest, TheSeedThatIsNamedShowsTheRace) {
  const std::string file = capture({two_writers(false)});
  const std::string output = runner({"run", file, "--races", "50"}).output;
  const size_t seed = output.find("random:");
  ASSERT_NE(seed, output.npos) << output;
  const std::string schedule = output.substr(seed, output.find(' ', seed) - seed);
  EXPECT_EQ(runner({"run", file, "--schedule", schedule}).exit_code, 1);
  EXPECT_EQ(runner({"run", file, "--schedule", "fixed"}).exit_code, 0);
}

TEST_F(ScheduleTest, TheProgramIsNamedWhoseEffectIsSeenOnlyLater) {
  const ProgramText sound = handed_over("noc_async_write_barrier();");
  const ProgramText copies = {{CoreRange(kLeft, kLeft), R"(
  noc_async_read(first, l1, 32);
  noc_async_read_barrier();
  noc_async_write(l1, second, 32);
  noc_async_write_barrier();)"}};
  const std::string file = capture({sound, two_writers(true), two_writers(false), copies, copies},
                                   /*reads_first=*/false);
  const ProcessResult result = runner({"run", file, "--races", "50"});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("EnqueueReadBuffer of buffer 2 "),
                    HasSubstr("EnqueueProgram of program 3, which leaves buffer 1 ")));
}

TEST_F(ScheduleTest, AWriteBarrierThatIsMissingIsFound) {
  expect_race({handed_over("")});
  expect_clean({handed_over("noc_async_write_barrier();")});
}

// The source of a write that was sent may be changed; but what was sent has not arrived.
TEST_F(ScheduleTest, AWriteThatWasOnlySentHasNotArrived) {
  expect_race({handed_over("noc_async_writes_flushed();")});
  expect_clean({handed_over("noc_async_writes_flushed(); *word = 8; noc_async_write_barrier();")});
  expect_race({handed_over("*word = 8; noc_async_write_barrier();")});
}

// What is read too early is what L1 holds, so a device that has run the program before, and holds
// the same data there, would hide the race.
ProgramText reads(const std::string& barrier) {
  return {{CoreRange(kLeft, kLeft), "noc_async_read(first, l1, 32);" + barrier + R"(
  noc_async_write(l1, second, 32);
  noc_async_write_barrier();)"}};
}

TEST_F(ScheduleTest, AReadBarrierThatIsMissingIsFound) {
  expect_race({reads("")});
  expect_clean({reads("noc_async_read_barrier();")});
}

// What goes the same way arrives in order, so the signal needs no barrier before it.
TEST_F(ScheduleTest, ASignalComesBehindTheDataThatWentTheSameWay) {
  const std::string take = R"(noc_semaphore_wait(semaphore, 1);
  noc_async_write(l1, second, 32);
  noc_async_write_barrier();)";
  const std::string to_peer =
      "get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), l1)";
  expect_clean({on_two(
      "*word = 7; noc_async_write(l1, " + to_peer + ", 32); noc_semaphore_inc(peer, 1);", take)});
}

// The right core resets its semaphore between two signals, which it takes for one when they come at
// once. With the fixed schedule it goes on while the left core yields.
TEST_F(ScheduleTest, ADeadlockThatOnlySomeOrdersHaveIsARace) {
  const std::string yields = "invalidate_l1_cache(); invalidate_l1_cache(); invalidate_l1_cache();";
  const ProcessResult result =
      races({on_two("noc_semaphore_inc(peer, 1);" + yields + "noc_semaphore_inc(peer, 1);",
                    "noc_semaphore_wait_min(semaphore, 1); noc_semaphore_set(semaphore, 0);"
                    "noc_semaphore_wait_min(semaphore, 1);")});
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("and not with fixed, the run fails: "),
                                   HasSubstr("waits for >= 1, holds 0")));
}

// The output depends on the time and not on the order of kernels.
TEST_F(ScheduleTest, AProgramThatReadsAClockHasNoRaceToBeFound) {
  const ProcessResult result = races({on_two(R"(
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  *word = low;
  noc_async_write(l1, first, 32);
  noc_async_write_barrier();)",
                                             "")});
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_THAT(result.errors, HasSubstr("two runs with the schedule fixed read different things"));
}

TEST_F(ScheduleTest, ASearchTellsItsCallerOfEachReplay) {
  const std::string path = capture({two_writers(true)});
  std::vector<uint64_t> replays;
  const auto result = find_race(*schema::File::open(path), {}, {}, 3,
                                [&](uint64_t number) { replays.push_back(number); });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(replays, (std::vector<uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(result->schedules, 3u);
  EXPECT_EQ(result->outputs, 2u);
  EXPECT_FALSE(result->race.has_value());
}

// ---- Options and reports ----

std::string validated(const std::string& report) {
  const ProcessResult valid = run_process(
      {"/usr/bin/env", "python3", LIGHTMETAL_SOURCE_FOLDER "/tests/runner/validate_json.py",
       LIGHTMETAL_SOURCE_FOLDER "/docs/race-report.schema.json", report});
  EXPECT_EQ(valid.exit_code, 0) << valid.errors << read_file(report);
  return read_file(report);
}

TEST_F(ScheduleTest, TheReportsSayTheSame) {
  const std::string json = folder_.path("report.json"), junit = folder_.path("report.xml");
  const auto report = [&](bool with_semaphore) {
    runner({"run", capture({two_writers(with_semaphore)}), "--races", "50", "--report",
            "json=" + json, "--report", "junit=" + junit});
    return validated(json);
  };
  EXPECT_THAT(report(false),
              AllOf(HasSubstr("\"outputs\":2,\"schedules\":"),
                    HasSubstr("\"race\":{\"schedule\":\"random:"),
                    HasSubstr("\"output\":{\"command\":"), HasSubstr("\"buffer\":1,"),
                    HasSubstr("\"first\":[{\"index\":0,\"expected\":\"2\",\"found\":\"1\"}]"),
                    HasSubstr("\"memory\":{\"command\":"),
                    HasSubstr("\"launch\":\"EnqueueProgram of program 1\"")));
  EXPECT_THAT(read_file(junit), AllOf(HasSubstr("failures=\"1\""), HasSubstr("random:")));
  EXPECT_THAT(report(true), AllOf(HasSubstr("\"schedules\":50"), Not(HasSubstr("race"))));
  EXPECT_THAT(read_file(junit), HasSubstr("failures=\"0\""));
}

TEST_F(ScheduleTest, WrongSchedulesAreOneClearLine) {
  const std::string file = capture({two_writers(true)});
  const auto refused = [&](std::vector<std::string> options, const std::string& message,
                           const std::map<std::string, std::string>& environment = {}) {
    options.insert(options.begin(), {"run", file});
    const ProcessResult result = runner(options, environment);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  };
  for (const std::string text :
       {"chaos", "random", "random:", "random:x", "random:-1", "random:+1", "random: 1",
        "random:18446744073709551616", "fixed:1", "split,split"}) {
    refused({"--schedule", text},
            "--schedule: \"" + text + "\" is no schedule: free, fixed or random:SEED is expected");
  }
  refused({"--races", "0"}, "races");
  refused({"--races", "5", "--schedule", "fixed"}, "it takes no --schedule");
  refused({"--races", "5", "--loop", "2"}, "it takes no --loop");
  refused({"--schedules", "0"}, "--schedules is a number from 1");
  refused({"--schedules", "5", "--schedule", "fixed"}, "it takes no --schedule");
  refused({"--schedules", "5", "--no-check"}, "it takes no --no-check");
  refused({"--device", "null", "--schedule", "fixed"},
          "the backend \"null\" has no schedule \"fixed\"");
  refused({"--schedule", "random:1"}, "delay transfers in two ways",
          {{"LIGHTMETAL_CPU_DEVICE_CHECKS", "races"}});
  refused({}, "LIGHTMETAL_CPU_DEVICE_SCHEDULE=\"often\" is no schedule", {{kSchedule, "often"}});
}

TEST_F(ScheduleTest, AnEmbeddingProgramChoosesTheScheduleOfDevicesThatTheReplayOpens) {
  const std::string path = capture({two_writers(true)});
  {
    auto replay = Replay::load_file(path, {.schedule = Schedule{.kind = Schedule::Kind::Random}});
    ASSERT_TRUE(replay.ok()) << replay.status();
    EXPECT_TRUE((*replay)->run()->matches());
    (*replay)->set_schedule({.kind = Schedule::Kind::Fixed});
    EXPECT_TRUE((*replay)->run()->matches());
  }
  tm::IDevice* device = tm::CreateDevice(0);
  const auto refused = Replay::load_file(
      path, {.device = device, .schedule = Schedule{.kind = Schedule::Kind::Fixed}});
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("the schedule fixed is for devices that the replay opens"));
  tm::CloseDevice(device);
}

}  // namespace
}  // namespace lightmetal
