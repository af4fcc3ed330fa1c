// lightmetal_runner run: which command is at fault, in one replay and between two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

// What the kernel does instead of what it did when it was captured.
enum class Fault : uint32_t { kNone, kWaitsForEver, kEndsItsProcess };

// Adds argument 1 to the words of the page at argument 0; argument 2 is a Fault. The last one is
// kill(getpid(), SIGKILL).
constexpr char kKernel[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const uint32_t fault = get_arg_val<uint32_t>(2);
  if (fault == 1) cb_wait_front(1, 1);
  if (fault == 2) {
    long process;
    asm volatile("syscall" : "=a"(process) : "a"(39L) : "rcx", "r11", "memory");
    long result;
    asm volatile("syscall" : "=a"(result) : "a"(62L), "D"(process), "S"(9L) : "rcx", "r11", "memory");
  }
  const InterleavedAddrGen<true> dram = {.bank_base_address = get_arg_val<uint32_t>(0),
                                         .page_size = 64};
  const uint32_t l1 = get_write_ptr(0);
  noc_async_read(get_noc_addr(0, dram), l1, 64);
  noc_async_read_barrier();
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  for (uint32_t i = 0; i < 16; ++i) words[i] = words[i] + get_arg_val<uint32_t>(1);
  words[3] = words[3] + WRONG;
  noc_async_write(l1, get_noc_addr(0, dram), 64);
  noc_async_write_barrier();
})";

std::shared_ptr<tm::Buffer> new_buffer(tm::IDevice* device) {
  auto buffer =
      tm::CreateBuffer(tm::InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
  std::vector<uint32_t> words(16);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i;
  tm::EnqueueWriteBuffer(device->command_queue(), buffer, words, false);
  return buffer;
}

tm::Program new_program(const std::shared_ptr<tm::Buffer>& buffer, uint32_t amount, bool is_wrong) {
  tm::Program program = tm::CreateProgram();
  constexpr CoreCoord kCore = {0, 0};
  for (const uint8_t index : {0, 1}) {
    tm::CreateCircularBuffer(
        program, kCore,
        tm::CircularBufferConfig(64, {{index, tt::DataFormat::UInt32}}).set_page_size(index, 64));
  }
  const std::string text = absl::StrReplaceAll(kKernel, {{"WRONG", is_wrong ? "1" : "0"}});
  const auto kernel = tm::CreateKernelFromString(program, text, kCore, tm::DataMovementConfig{});
  tm::SetRuntimeArgs(program, kernel, kCore, {buffer->address(), amount, 0});
  return program;
}

void read(const std::shared_ptr<tm::Buffer>& buffer, bool blocking = true) {
  static std::vector<uint32_t> words;  // lives as long as a read that does not block
  tm::EnqueueReadBuffer(buffer->device()->command_queue(), buffer, words, blocking);
}

void capture(const std::string& path, const std::function<void(tm::IDevice*)>& run) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  run(device);
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

// Twelve programs that build on each other, launched once each. Only the end is read. Program
// `wrong` has a wrong kernel.
void run_chain(tm::IDevice* device, int wrong) {
  constexpr int kPrograms = 12;
  auto buffer = new_buffer(device);
  std::vector<tm::Program> programs;
  for (int i = 1; i <= kPrograms; ++i) programs.push_back(new_program(buffer, i, i == wrong));
  for (tm::Program& program : programs) tm::EnqueueProgram(device->command_queue(), program, false);
  read(buffer);
}

class FaultFindingTest : public ::testing::Test {
 protected:
  static ProcessResult runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {LIGHTMETAL_RUNNER, "run"});
    return run_process(arguments);
  }

  static void expect_failure(const std::vector<std::string>& arguments,
                             const std::string& message) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }

  std::string chain(const std::string& name, int wrong = 0) {
    capture(folder_.path(name), [wrong](tm::IDevice* device) { run_chain(device, wrong); });
    return folder_.path(name);
  }

  // Three programs, each launched on a buffer of its own, which is read at once.
  std::string three(const std::string& name) {
    capture(folder_.path(name), [](tm::IDevice* device) {
      for (uint32_t i = 1; i <= 3; ++i) {
        auto buffer = new_buffer(device);
        tm::Program program = new_program(buffer, i, false);
        tm::EnqueueProgram(device->command_queue(), program, false);
        read(buffer);
      }
    });
    return folder_.path(name);
  }

  using Change = std::function<void(schema::CommandT&, schema::Writer&)>;

  std::string changed(const std::string& path, const std::string& name, const Change& change) {
    const auto bytes = testing::rewritten(**schema::File::open(path), change);
    write_file(folder_.path(name), std::string(bytes.begin(), bytes.end()));
    return folder_.path(name);
  }

  // The file with that fault in the kernel with this id.
  std::string with_fault(const std::string& path, uint64_t kernel, Fault fault) {
    return changed(path, "faulty.lmb", [&](schema::CommandT& command, auto&) {
      auto* args = command.call.AsSetRuntimeArgs();
      if (args != nullptr && args->kernel == kernel)
        args->args.at(2) = static_cast<uint32_t>(fault);
    });
  }

  // The number of the `count`th command of that name, from 1.
  static uint64_t number_of(const std::string& path, const std::string& name, int count) {
    const std::vector<std::string> names = testing::names_of(**schema::File::open(path));
    for (uint64_t number = 0; number < names.size(); ++number) {
      if (names[number] == name && --count == 0) return number;
    }
    ADD_FAILURE() << path << " has too few commands " << name;
    return 0;
  }

  TemporaryFolder folder_;
};

// ---- One replay ----

TEST_F(FaultFindingTest, UntilEndsBehindItsCommandAndComparesWhatWasReadByThen) {
  const std::string file = three("three.lmb");
  const std::string wrong =
      changed(file, "wrong.lmb", [n = 0](auto& command, auto& writer) mutable {
        auto* read = command.call.AsEnqueueReadBuffer();
        if (read != nullptr && ++n == 2)
          *read->golden = *writer.append_blob(std::vector<std::byte>(64));
      });
  const uint64_t second = number_of(wrong, "EnqueueReadBuffer", 2);
  const ProcessResult before = runner({wrong, "--until", absl::StrCat(second - 1)});
  EXPECT_EQ(before.exit_code, 0) << before.errors;
  EXPECT_THAT(before.output,
              AllOf(HasSubstr(absl::StrCat(": ", second, " of ")), HasSubstr("1 golden matched")));
  const ProcessResult at = runner({wrong, "--until", absl::StrCat(second)});
  EXPECT_EQ(at.exit_code, 1);
  EXPECT_THAT(at.output, HasSubstr("1 of 2 goldens DIFFER"));
}

TEST_F(FaultFindingTest, UntilWaitsForReadsThatDoNotBlock) {
  const std::string file = folder_.path("file.lmb");
  capture(file, [](tm::IDevice* device) { read(new_buffer(device), false); });
  const std::string until = absl::StrCat(number_of(file, "EnqueueReadBuffer", 1));
  EXPECT_THAT(runner({file, "--until", until}).output, HasSubstr("1 golden matched"));
}

TEST_F(FaultFindingTest, UntilNamesACommandOfTheFile) {
  const std::string file = three("three.lmb");
  const uint64_t count = (*schema::File::open(file))->num_commands();
  EXPECT_EQ(runner({file, "--until", absl::StrCat(count - 1)}).exit_code, 0);
  expect_failure(
      {file, "--until", absl::StrCat(count)},
      absl::StrCat("has ", count, " commands, counted from 0: there is no command ", count));
  expect_failure({file, "--until=x"}, "--until is a number");
}

TEST_F(FaultFindingTest, SyncNamesTheLaunchThatFailsAndNotTheCommandThatWaits) {
  const std::string file = with_fault(chain("chain.lmb"), 5, Fault::kWaitsForEver);
  const uint64_t launch = number_of(file, "EnqueueProgram", 5);
  const std::string named = absl::StrCat("command ", launch, " (EnqueueProgram");
  const ProcessResult later = runner({file}), at_once = runner({file, "--sync"});
  EXPECT_EQ(later.exit_code, 2);
  EXPECT_THAT(later.errors, AllOf(HasSubstr("(EnqueueReadBuffer"), Not(HasSubstr(named))));
  EXPECT_EQ(at_once.exit_code, 2);
  EXPECT_THAT(at_once.errors, HasSubstr(named));
}

TEST_F(FaultFindingTest, SyncNamesTheLaunchThatEndsTheProcess) {
  const std::string file = with_fault(chain("chain.lmb"), 5, Fault::kEndsItsProcess);
  expect_failure({file, "--sync"},
                 absl::StrCat("signal 9 (SIGKILL) ended the process that executed it, in command ",
                              number_of(file, "EnqueueProgram", 5), " (EnqueueProgram)"));
}

TEST_F(FaultFindingTest, SyncReplaysAsEver) {
  for (const std::string& file : {chain("chain.lmb"), three("three.lmb")}) {
    const ProcessResult result = runner({file, "--sync"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }
}

// The first queue's wait cannot end before the second queue's record is made.
TEST_F(FaultFindingTest, SyncDoesNotWaitForAQueueThatALaterCommandReleases) {
  const std::string file = folder_.path("events.lmb");
  tm::LightMetalBeginCapture({.path = file, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0, 2);
  {
    auto event = std::make_shared<tm::Event>();
    tm::EnqueueWaitForEvent(device->command_queue(0), event);
    auto buffer = new_buffer(device);
    tm::EnqueueRecordEvent(device->command_queue(1), event);
    read(buffer);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  for (const char* option : {"--sync", "--continue-on-error"}) {
    const ProcessResult result = runner({file, option, "--watchdog", "60"});
    EXPECT_EQ(result.exit_code, 0) << option << result.errors;
  }
}

TEST_F(FaultFindingTest, ARunGoesOnBehindALaunchThatFails) {
  const std::string file = with_fault(three("three.lmb"), 2, Fault::kWaitsForEver);
  const ProcessResult result = runner({file, "--continue-on-error"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("1 FAILED, 0 skipped"), HasSubstr("1 of 3 goldens DIFFER")));
  EXPECT_THAT(result.errors,
              HasSubstr(absl::StrCat("command ", number_of(file, "EnqueueProgram", 2),
                                     " (EnqueueProgram")));
  EXPECT_THAT(result.errors,
              HasSubstr(absl::StrCat("command ", number_of(file, "EnqueueReadBuffer", 2), ": ")));
}

TEST_F(FaultFindingTest, ARunWithErrorsWritesNoReportAndNoTrace) {
  const std::string file = with_fault(three("three.lmb"), 2, Fault::kWaitsForEver);
  const std::string report = folder_.path("report.json"), trace = folder_.path("trace.json");
  const ProcessResult result =
      runner({file, "--continue-on-error", "--report", "json=" + report, "--trace-out", trace});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("1 FAILED, 0 skipped"));
  EXPECT_FALSE(std::filesystem::exists(report));
  EXPECT_FALSE(std::filesystem::exists(trace));
}

// Its queue waits for an event, and the file ends before the command that records it.
TEST_F(FaultFindingTest, WorkThatFailsAfterTheLastCommandHasFailed) {
  const std::string good = folder_.path("good.lmb");
  tm::LightMetalBeginCapture({.path = good, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0, 2);
  {
    auto event = std::make_shared<tm::Event>();
    tm::EnqueueWaitForEvent(device->command_queue(0), event);
    auto buffer = new_buffer(device);
    tm::Program program = new_program(buffer, 1, false);
    tm::EnqueueProgram(device->command_queue(0), program, false);
    tm::EnqueueRecordEvent(device->command_queue(1), event);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  const std::string file = with_fault(good, 1, Fault::kWaitsForEver);
  uint64_t end = 0;
  EXPECT_TRUE((*schema::File::open(file))
                  ->for_each_command(number_of(file, "EnqueueRecordEvent", 1), UINT64_MAX,
                                     [&](const schema::CommandView& view) {
                                       if (end == 0) end = view.offset;
                                       return absl::OkStatus();
                                     })
                  .ok());
  write_file(file, read_file(file).substr(0, end));
  const ProcessResult result = runner({file, "--continue-on-error", "--allow-incomplete"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("1 FAILED, 0 skipped")) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("after the last command: "));
}

TEST_F(FaultFindingTest, CommandsThatNeedWhatFailedAreSkippedAndTheOthersAreNot) {
  const std::string captured = folder_.path("devices.lmb");
  tm::LightMetalBeginCapture({.path = captured, .read_goldens = true});
  for (const chip_id_t chip : {0, 1, 2}) {
    tm::IDevice* device = tm::CreateDevice(chip);
    auto buffer = new_buffer(device);
    tm::Program program = new_program(buffer, 1, false);
    tm::EnqueueProgram(device->command_queue(), program, false);
    read(buffer);
    buffer.reset();
    tm::CloseDevice(device);
  }
  tm::LightMetalEndCapture();
  const std::string file = changed(captured, "abacus.lmb", [](schema::CommandT& command, auto&) {
    auto* create = command.call.AsCreateDevice();
    if (create != nullptr && create->chip_id == 1) create->backend = "abacus";
  });
  const ProcessResult result = runner({file, "--continue-on-error"});
  EXPECT_EQ(result.exit_code, 2);
  const std::string cause = absl::StrCat("command ", number_of(file, "CreateDevice", 2));
  EXPECT_THAT(result.output, AllOf(HasSubstr("1 FAILED, "), HasSubstr("2 goldens matched")));
  EXPECT_THAT(result.errors, HasSubstr(cause + " (CreateDevice"));
  // The program, which no device makes, is the only one to have its buffer's address as a word.
  for (const std::string name : {"BufferCreate", "EnqueueWriteBuffer", "EnqueueProgram",
                                 "EnqueueReadBuffer", "BufferDestroy", "CloseDevice"}) {
    EXPECT_THAT(result.errors,
                ContainsRegex(absl::StrCat("command ", number_of(file, name, 2), " \\(", name,
                                           ", .*skipped: .*", cause, " failed")));
  }
  expect_failure({file}, "(CreateDevice");
}

TEST_F(FaultFindingTest, AProgramWhoseKernelIsMissingIsNotLaunched) {
  const std::string file =
      changed(three("three.lmb"), "file.lmb", [](schema::CommandT& command, auto&) {
        auto* binary = command.call.AsKernelBinary();
        if (binary != nullptr && binary->kernel == 2) binary->target = "abacus-1";
      });
  const ProcessResult result = runner({file, "--continue-on-error"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("1 of 3 goldens DIFFER")) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("abacus-1"));
}

TEST_F(FaultFindingTest, EachPairOfOptionsIsCarriedOutOrRefusedInOneLine) {
  const std::string file = three("three.lmb");
  const uint64_t second = number_of(file, "EnqueueProgram", 2);
  std::vector<std::string> options = {"--loop=2",
                                      "--warmup=1",
                                      "--no-check",
                                      "--quiet",
                                      "--allow-incomplete",
                                      absl::StrCat("--until=", second),
                                      absl::StrCat("--from=", second),
                                      "--sync",
                                      "--continue-on-error",
                                      "--compare-with=cpu",
                                      "--golden=exact",
                                      "--report=json=" + folder_.path("report.json"),
                                      "--save-actual=" + folder_.path("actual"),
                                      "--require-goldens",
                                      "--schedule=fixed",
                                      "--schedules=2",
                                      "--races=2",
                                      "--trust",
                                      "--memory-limit=1G",
                                      "--watchdog=600",
                                      "--device=cpu",
                                      "--trace-out=" + folder_.path("trace.json"),
                                      "--references=size-time"};
  if (!LIGHTMETAL_SANITIZED) options.push_back("--sandbox=best-effort");
  const size_t step = LIGHTMETAL_SANITIZED ? 16 : 1;
  size_t pair = 0, carried_out = 0;
  for (size_t first = 0; first < options.size(); ++first) {
    for (size_t other = 0; other <= first; ++other) {
      if (pair++ % step != 0) continue;
      SCOPED_TRACE(options[first] + " " + options[other]);
      std::vector<std::string> arguments = {file, options[first]};
      if (other != first) arguments.push_back(options[other]);
      const ProcessResult result = runner(arguments);
      if (result.exit_code == 0) {
        ++carried_out;
        // A sandbox says what this machine does not have for it.
        const bool is_confined = absl::StrContains(absl::StrJoin(arguments, " "), "--sandbox");
        EXPECT_THAT(result.errors,
                    MatchesRegex(is_confined ? "(lightmetal_runner: warning: [^\n]*\n)*" : ""));
        EXPECT_NE(result.output, "");
        continue;
      }
      EXPECT_NE(other, first);
      EXPECT_EQ(result.exit_code, 2);
      EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
      for (const std::string& option : {options[first], options[other]})
        EXPECT_THAT(result.errors, HasSubstr(option.substr(2, option.find('=') - 2)));
    }
  }
  EXPECT_GT(carried_out, pair / step / 2);
}

// ---- Two replays ----

TEST_F(FaultFindingTest, AWrongKernelIsNamedByItsProgramThoughOnlyTheLastReadShowsIt) {
  const std::string good = chain("good.lmb"), wrong = chain("wrong.lmb", 7);
  const std::string expected =
      absl::StrCat("command ", number_of(good, "EnqueueProgram", 7),
                   ": EnqueueProgram of program 7, launch 7 of 12: buffer 1 (64 bytes at 0x20, "
                   "DRAM): 1 of 16 UInt32 elements differs: [3] expected 32, found 31\n");
  const ProcessResult all = runner({good, "--compare-with", wrong});
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_THAT(all.errors, HasSubstr(expected));
  EXPECT_THAT(all.output, HasSubstr("12 launches, 7 buffers and 0 reads compared with"));
  const ProcessResult halves = runner({good, "--compare-with", wrong, "--bisect"});
  EXPECT_EQ(halves.exit_code, 1);
  EXPECT_EQ(halves.errors, all.errors);
  EXPECT_EQ(runner({good, "--compare-with", wrong, "--until",
                    absl::StrCat(number_of(good, "EnqueueProgram", 6))})
                .exit_code,
            0);
}

// The launches wait for an event, so that nothing is known of the first one alone.
TEST_F(FaultFindingTest, TheFirstOfSeveralLaunchesThatCannotBeToldApartIsNamed) {
  const auto waiting = [&](const std::string& name, int wrong) {
    const std::string file = folder_.path(name);
    tm::LightMetalBeginCapture({.path = file, .read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0, 2);
    {
      auto buffer = new_buffer(device);
      tm::Finish(device->command_queue(0));
      auto event = std::make_shared<tm::Event>();
      tm::EnqueueWaitForEvent(device->command_queue(0), event);
      std::vector<tm::Program> programs;
      for (int i = 1; i <= 3; ++i) programs.push_back(new_program(buffer, i, i == wrong));
      for (tm::Program& program : programs)
        tm::EnqueueProgram(device->command_queue(0), program, false);
      tm::EnqueueRecordEvent(device->command_queue(1), event);
      read(buffer);
    }
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
    return file;
  };
  const std::string good = waiting("good.lmb", 0);
  const ProcessResult result = runner({good, "--compare-with", waiting("wrong.lmb", 2)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors,
              HasSubstr(absl::StrCat("command ", number_of(good, "EnqueueProgram", 3),
                                     " (or one from command ", number_of(good, "EnqueueProgram", 1),
                                     " on): EnqueueProgram of program 3, launch 3 of 3")));
}

TEST_F(FaultFindingTest, AKernelThatReplacesAnotherIsNamedByItsFirstLaunch) {
  const std::string good = chain("good.lmb"), kernel = folder_.path("wrong.cpp");
  write_file(kernel, absl::StrReplaceAll(kKernel, {{"WRONG", "1"}}));
  const std::string replacement = absl::StrCat("7=", kernel);
  const ProcessResult result = run_process(
      {LIGHTMETAL_RUNNER, "run", good, "--compare-with", good, "--replace-kernel", replacement});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("of program 7, launch 7 of 12"));
}

TEST_F(FaultFindingTest, TheFirstAndTheLastProgramAreFoundByHalves) {
  const std::string good = chain("good.lmb");
  for (const int wrong : {1, 2, 11, 12}) {
    const ProcessResult result =
        runner({good, "--bisect", "--compare-with", chain("wrong.lmb", wrong)});
    EXPECT_THAT(result.errors, HasSubstr(absl::StrCat("of program ", wrong, ", launch ", wrong)));
  }
}

TEST_F(FaultFindingTest, EqualRunsDoNotDiffer) {
  const std::string good = chain("good.lmb");
  for (const std::string& reference : {good, chain("again.lmb"), std::string("cpu")}) {
    for (const char* option : {"--bisect", "--sync"}) {
      const ProcessResult result = runner({good, "--compare-with", reference, option});
      EXPECT_EQ(result.exit_code, 0) << result.errors;
      EXPECT_THAT(result.output,
                  HasSubstr("1 read compared with " + reference + ": no difference"));
    }
  }
}

TEST_F(FaultFindingTest, AnotherDeviceThatKeepsNothingIsNamedByWhatIsRead) {
  const std::string file = folder_.path("file.lmb");
  testing::capture_write_and_read(file);
  const ProcessResult result = runner({file, "--compare-with", "null"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors,
              HasSubstr("command 3: EnqueueReadBuffer of buffer 1 (64 bytes at 0x20, "
                        "DRAM): 16 of 16 UInt32 elements differ: [0] expected 0, "
                        "found 5"));
  expect_failure({file, "--compare-with", "abacus"}, "abacus");
}

TEST_F(FaultFindingTest, OtherDataAndOtherGoldensAreNamedByTheirCommands) {
  const std::string good = chain("good.lmb");
  const std::string input = changed(good, "input.lmb", [](auto& command, auto& writer) {
    if (auto* write = command.call.AsEnqueueWriteBuffer())
      *write->data = *writer.append_blob(std::vector<std::byte>(64));
  });
  EXPECT_THAT(
      runner({good, "--compare-with", input}).errors,
      HasSubstr("EnqueueWriteBuffer of buffer 1 (64 bytes at 0x20, DRAM): 15 of 16 UInt32"));
  const std::string golden = changed(good, "golden.lmb", [](auto& command, auto& writer) {
    if (auto* read = command.call.AsEnqueueReadBuffer())
      *read->golden = *writer.append_blob(std::vector<std::byte>(64));
  });
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--bisect"}}) {
    std::vector<std::string> arguments = {good, "--compare-with", golden};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_THAT(runner(arguments).errors,
                HasSubstr("EnqueueReadBuffer of buffer 1 (64 bytes at 0x20, DRAM): 16 of 16"));
  }
}

TEST_F(FaultFindingTest, ACaptureIsComparedWithWhateverItIsCalled) {
  const ProcessResult result =
      runner({chain("good.lmb"), "--compare-with", chain("a capture without an ending", 7)});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("of program 7, launch 7 of 12"));
}

// One of the two devices would execute it.
TEST_F(FaultFindingTest, AForeignFileIsComparedWhereNeitherDeviceExecutesCode) {
  const std::string file = folder_.path("file.lmb");
  testing::capture_write_and_read(file);
  chmod(file.c_str(), 0666);
  for (const auto& [device, other] : {std::pair("null", "cpu"), {"cpu", "null"}}) {
    expect_failure({file, "--device", device, "--compare-with", other},
                   "machine code that would run with your rights, and everybody may write to it");
  }
  EXPECT_EQ(runner({file, "--device", "null", "--compare-with", "null"}).exit_code, 0);
  EXPECT_EQ(runner({file, "--device", "null", "--compare-with", "cpu", "--trust"}).exit_code, 1);
}

TEST_F(FaultFindingTest, FilesOfTwoProgramsAreNotCompared) {
  expect_failure({chain("good.lmb"), "--compare-with", three("three.lmb")},
                 "three.lmb is not of the program of ");
}

TEST_F(FaultFindingTest, FloatsAreComparedByThePolicy) {
  const auto file_of = [this](const std::string& name, float value) {
    capture(folder_.path(name), [value](tm::IDevice* device) {
      auto buffer = tm::CreateBuffer(
          tm::InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
      std::vector<float> floats(16, value);
      tm::EnqueueWriteBuffer(device->command_queue(), buffer, floats, false);
      tm::EnqueueReadBuffer(device->command_queue(), buffer, floats, true);
    });
    return folder_.path(name);
  };
  const std::string file = file_of("file.lmb", 8), reference = file_of("reference.lmb", 8.5);
  const auto code = [&](const std::string& policy) {
    return runner({file, "--compare-with", reference, "--golden", policy}).exit_code;
  };
  EXPECT_EQ(code("exact"), 1);
  EXPECT_EQ(code("atol:0.5"), 0);
  EXPECT_EQ(code("atol:0.49"), 1);
  EXPECT_EQ(code("buffer:1=atol:0.5"), 0);
}

TEST_F(FaultFindingTest, TheJsonReportOfAComparisonIsAsItsSchemaSays) {
  const std::string good = chain("good.lmb"), report = folder_.path("report.json");
  const uint64_t launch = number_of(good, "EnqueueProgram", 7);
  for (const std::string& reference : {chain("wrong.lmb", 7), good}) {
    const int code =
        runner({good, "--compare-with", reference, "--report", "json=" + report}).exit_code;
    EXPECT_EQ(code, reference == good ? 0 : 1);
    const ProcessResult valid = run_process(
        {"/usr/bin/env", "python3", LIGHTMETAL_SOURCE_FOLDER "/tests/runner/validate_json.py",
         LIGHTMETAL_SOURCE_FOLDER "/docs/divergence.schema.json", report});
    EXPECT_EQ(valid.exit_code, 0) << valid.errors << read_file(report);
    if (reference == good) {
      EXPECT_THAT(read_file(report), HasSubstr("\"diverges\":false}"));
    } else {
      EXPECT_THAT(read_file(report),
                  AllOf(HasSubstr("\"launches\":12,\"buffers_compared\":7,\"reads_compared\":0,"
                                  "\"diverges\":true,"),
                        HasSubstr(absl::StrCat("\"first\":{\"command\":", launch, ",\"since\":",
                                               launch, ",\"launch\":7,", "\"program\":7,")),
                        HasSubstr("\"buffer\":1,\"element_type\":\"UInt32\"")));
    }
  }
}

TEST_F(FaultFindingTest, OptionsOfOneReplayAreNoneOfAComparison) {
  const std::string good = chain("good.lmb");
  expect_failure({good, "--compare-with", good, "--loop", "2"},
                 "--loop is for one replay, not for --compare-with");
  for (const std::string option : {"--races=2", "--trace-out=trace.json"}) {
    expect_failure({good, "--compare-with", good, option},
                   "for one replay, not for --compare-with");
  }
  expect_failure({good, "--compare-with", good, "--update-golden"},
                 "one run of the whole file as it is, which --compare-with is not");
  expect_failure({good, "--bisect"}, "--bisect is for --compare-with alone");
  expect_failure({good, good, "--compare-with", good}, "--compare-with is for one FILE");
  expect_failure({good, "--compare-with", folder_.path("missing.lmb")}, "missing.lmb");
}

// ---- From a command on ----

size_t launches_in(const std::string& trace) {
  const std::string text = read_file(trace);
  size_t count = 0;
  for (size_t at = 0; (at = text.find("\"cores\":", at)) != text.npos; ++at) ++count;
  return count;
}

// Three launches, and a golden behind each; the first and the last golden are wrong.
class FromTest : public FaultFindingTest {
 protected:
  // What a run from this command on comes to: at first it writes a checkpoint, then it begins
  // there.
  ProcessResult from(uint64_t number, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {wrong_, "--from", absl::StrCat(number)});
    return runner(options);
  }
  ProcessResult from_checkpoint(uint64_t number, std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--checkpoint", checkpoint_});
    return from(number, options);
  }

  const std::string file_ = three("three.lmb");
  const std::string wrong_ =
      changed(file_, "wrong.lmb", [n = 0](auto& command, auto& writer) mutable {
        auto* read = command.call.AsEnqueueReadBuffer();
        if (read != nullptr && ++n != 2)
          *read->golden = *writer.append_blob(std::vector<std::byte>(64));
      });
  const uint64_t second_ = number_of(wrong_, "EnqueueProgram", 2);
  const uint64_t last_read_ = number_of(wrong_, "EnqueueReadBuffer", 3);
  const std::string checkpoint_ = folder_.path("checkpoint.lmb");
};

TEST_F(FromTest, WhatWasReadBeforeIsNotCompared) {
  const ProcessResult result = from(second_);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("1 of 2 goldens DIFFER"));
  EXPECT_EQ(from(second_, {"--until", absl::StrCat(last_read_ - 1)}).exit_code, 0);
  EXPECT_EQ(from(last_read_, {"--until", absl::StrCat(last_read_)}).exit_code, 1);
}

TEST_F(FromTest, ACheckpointStandsForTheCommandsBeforeIt) {
  const std::string trace = folder_.path("trace.json");
  const ProcessResult first = from_checkpoint(second_, {"--trace-out", trace});
  EXPECT_EQ(launches_in(trace), 3u);
  const ProcessResult again = from_checkpoint(second_, {"--trace-out", trace});
  EXPECT_EQ(launches_in(trace), 2u);
  EXPECT_EQ(first.exit_code, 1) << first.errors;
  EXPECT_EQ(again.exit_code, 1) << again.errors;
  EXPECT_THAT(again.output, HasSubstr("1 of 2 goldens DIFFER"));
  EXPECT_EQ(again.errors, first.errors);
  EXPECT_THAT(again.errors, HasSubstr(absl::StrCat(wrong_, ": command ", last_read_, ": ")));
  EXPECT_EQ(run_process({LIGHTMETAL_RUNNER, "verify", checkpoint_}).exit_code, 0);
}

TEST_F(FromTest, NumbersAreThoseOfTheFileAlsoAtACheckpoint) {
  from_checkpoint(second_);
  const std::string report = folder_.path("report.json");
  const ProcessResult until = from_checkpoint(second_, {"--until", absl::StrCat(last_read_ - 1)});
  EXPECT_EQ(until.exit_code, 0) << until.errors;
  EXPECT_THAT(until.output, HasSubstr("1 golden matched"));
  EXPECT_EQ(from_checkpoint(second_, {"--golden", absl::StrCat("command:", last_read_, "=exact"),
                                      "--report", "json=" + report})
                .exit_code,
            1);
  EXPECT_THAT(read_file(report), HasSubstr(absl::StrCat("\"command\":", last_read_, ",")));
}

// Read as bfloat16, the words that differ are all near 0.
TEST_F(FromTest, APolicyForTheFirstCommandHoldsAlsoAtACheckpoint) {
  const std::vector<std::string> near = {
      "--golden", absl::StrCat("command:", last_read_, "=atol:1,as:bfloat16")};
  for (const char* which : {"without a checkpoint", "at the checkpoint"}) {
    const ProcessResult result = from_checkpoint(last_read_, near);
    EXPECT_EQ(result.exit_code, 0) << which << result.errors;
    EXPECT_THAT(result.output, HasSubstr("1 golden matched"));
  }
  EXPECT_EQ(from_checkpoint(last_read_).exit_code, 1) << "the words differ";
  const uint64_t first_read = number_of(wrong_, "EnqueueReadBuffer", 1);
  const ProcessResult before =
      from_checkpoint(last_read_, {"--golden", absl::StrCat("command:", first_read, "=exact")});
  EXPECT_EQ(before.exit_code, 2);
  EXPECT_THAT(before.errors, HasSubstr("of which no golden was compared"));
}

// A checkpoint has no end of a buffer whose device is closed.
TEST_F(FromTest, TheFirstCommandBehindOneThatACheckpointLeavesOutHasItsNumber) {
  const std::string file = folder_.path("reopened.lmb");
  tm::LightMetalBeginCapture({.path = file, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  auto of_first = new_buffer(device);
  tm::CloseDevice(device);
  device = tm::CreateDevice(0);
  {
    auto buffer = new_buffer(device);
    of_first.reset();
    read(buffer);
    read(buffer);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  const std::string wrong = changed(file, "wrong_read.lmb", [](auto& command, auto& writer) {
    if (auto* golden_read = command.call.AsEnqueueReadBuffer())
      *golden_read->golden = *writer.append_blob(std::vector<std::byte>(64));
  });
  const std::vector<std::string> arguments = {
      wrong, "--from", absl::StrCat(number_of(wrong, "EnqueueWriteBuffer", 2)), "--checkpoint",
      checkpoint_};
  const ProcessResult first = runner(arguments), again = runner(arguments);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.errors, first.errors);
  const uint64_t end = number_of(wrong, "BufferDestroy", 1);
  EXPECT_EQ(end + 1, number_of(wrong, "EnqueueReadBuffer", 1));
  EXPECT_THAT(again.errors, HasSubstr(absl::StrCat("command ", end + 1, ": ")));
  EXPECT_LT(testing::names_of(**schema::File::open(checkpoint_)).size(),
            testing::names_of(**schema::File::open(wrong)).size());
}

TEST_F(FromTest, AnErrorBehindACheckpointNamesTheCommandOfTheFile) {
  const std::string faulty = with_fault(file_, 3, Fault::kWaitsForEver);
  const uint64_t launch = number_of(faulty, "EnqueueProgram", 3);
  const auto run = [&] {
    return runner({faulty, "--from", absl::StrCat(second_), "--checkpoint", checkpoint_, "--sync"});
  };
  EXPECT_EQ(run().exit_code, 2);
  const ProcessResult again = run();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.errors, HasSubstr(absl::StrCat("(command ", launch, " of ", faulty, ")")));
}

TEST_F(FromTest, ACheckpointOfSomethingElseIsRefused) {
  from_checkpoint(second_);
  expect_failure({file_, "--from", absl::StrCat(second_), "--checkpoint", checkpoint_},
                 checkpoint_ + " is a checkpoint of another file than " + file_);
  expect_failure(
      {wrong_, "--from", absl::StrCat(second_ + 1), "--checkpoint", checkpoint_},
      absl::StrCat(checkpoint_, " is a checkpoint at command ", second_, ", not ", second_ + 1));
  expect_failure({wrong_, "--from", absl::StrCat(second_), "--checkpoint", file_},
                 file_ + " is there and is no checkpoint");
  // It says that it has what it has not.
  const std::string shorter = changed(checkpoint_, "shorter.lmb", [&](auto& command, auto& writer) {
    if (auto* read = command.call.AsEnqueueReadBuffer())
      *read->golden = *writer.append_blob(std::vector<std::byte>(64, std::byte{1}));
  });
  expect_failure({wrong_, "--from", absl::StrCat(second_), "--checkpoint", shorter},
                 shorter + " is a checkpoint with commands that its file does not have");
}

TEST_F(FromTest, ADamagedCheckpointIsRefused) {
  from_checkpoint(second_);
  const std::string whole = read_file(checkpoint_), damaged = folder_.path("damaged.lmb");
  const auto code_of = [&](const std::string& bytes) {
    write_file(damaged, bytes);
    return runner({wrong_, "--from", absl::StrCat(second_), "--checkpoint", damaged}).exit_code;
  };
  for (size_t at = 40; at < whole.size(); at += whole.size() / 60) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_EQ(code_of(bytes), 2) << at;
    EXPECT_EQ(code_of(whole.substr(0, at)), 2) << at;
  }
  EXPECT_EQ(code_of(whole), 1);
}

TEST_F(FromTest, WrongStartsAreOneClearLine) {
  expect_failure({file_, "--from", "1000"}, "there is no command 1000");
  const std::string count = absl::StrCat((*schema::File::open(file_))->num_commands());
  expect_failure({file_, "--from", count}, "there is no command " + count + "\n");
  expect_failure({file_, "--from", "x"}, "--from is a number");
  expect_failure({file_, "--from", "5", "--until", "4"}, "--until 4 comes before --from 5");
  expect_failure({file_, "--checkpoint", checkpoint_}, "--checkpoint needs --from N");
  expect_failure({file_, "--from", "5", "--races", "3"}, "not for --races");
  expect_failure({file_, "--from", "5", "--checkpoint", checkpoint_, "--loop", "2"},
                 "a run with --loop does not write it");
  expect_failure({file_, file_ + "x", "--from", "5", "--checkpoint", checkpoint_},
                 "--checkpoint is for one FILE");
}

// ---- Real programs ----

class FaultsOfExample : public ::testing::TestWithParam<std::string> {};

TEST_P(FaultsOfExample, AreNoneHoweverTheyAreLookedFor) {
  const TemporaryFolder folder;
  const std::string file = folder.path("file.lmb"), cut = folder.path("cut.lmb");
  testing::capture_once(absl::StrCat(LIGHTMETAL_BIN_FOLDER, "/", GetParam()), file);
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--sync"},
                                                  {"--continue-on-error"},
                                                  {"--compare-with", "cpu"},
                                                  {"--compare-with", file, "--bisect"}}) {
    std::vector<std::string> arguments = {LIGHTMETAL_RUNNER, "run", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = run_process(arguments);
    EXPECT_EQ(result.exit_code, 0) << options[0] << result.output << result.errors;
  }
  write_file(cut, read_file(file).substr(0, read_file(file).size() - 100));
  const ProcessResult part =
      run_process({LIGHTMETAL_RUNNER, "run", cut, "--allow-incomplete", "--compare-with", "cpu"});
  EXPECT_EQ(part.exit_code, 0) << part.errors;
  EXPECT_EQ(run_process({LIGHTMETAL_RUNNER, "run", cut, "--compare-with", "cpu"}).exit_code, 2);
}

// At twelve commands of it.
TEST_P(FaultsOfExample, ReplaysFromItsCheckpointsAsItDoesFromItsBeginning) {
  const TemporaryFolder folder;
  const std::string file = folder.path("file.lmb");
  testing::capture_once(absl::StrCat(LIGHTMETAL_BIN_FOLDER, "/", GetParam()), file);
  const uint64_t commands = (*schema::File::open(file))->num_commands();
  for (uint64_t number = 0; number < commands; number += commands / 11) {
    const std::string checkpoint = folder.path(absl::StrCat(number, ".lmb"));
    for (int i = 0; i < 2; ++i) {
      const ProcessResult result = run_process({LIGHTMETAL_RUNNER, "run", file, "--from",
                                                absl::StrCat(number), "--checkpoint", checkpoint});
      // Between the beginning and the end of a device trace there is none.
      const bool is_refused = result.errors.find("captures device trace") != result.errors.npos;
      EXPECT_EQ(result.exit_code, is_refused ? 2 : 0) << number << result.output << result.errors;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FaultsOfExample,
                         ::testing::Values("loopback", "matmul_multi_core", "mesh_matmul",
                                           "trace_two_programs", "transformer_block"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lightmetal
