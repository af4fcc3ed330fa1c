// Files of what a failure or an output needs: lightmetal_runner reduce and trim --outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace fs = std::filesystem;
namespace tm = tt::tt_metal;

using testing::AccumulatingProgram;
using ::testing::AllOf;
using ::testing::Contains;
using testing::counting_buffer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;
using testing::words_in;
using testing::write_file;

ProcessResult runner(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
  return run_process(arguments);
}

void capture(const std::string& path, const std::function<void(tm::IDevice*)>& run) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  run(device);
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

std::vector<std::string> names(const std::string& path) {
  const auto file = schema::File::open(path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? testing::names_of(**file) : std::vector<std::string>();
}

class SlicingTest : public ::testing::Test {
 protected:
  // So many programs, each launched on a buffer of its own that is read at once; all objects live
  // until the end.
  void capture_programs(int count) {
    capture(file_, [count](tm::IDevice* device) {
      std::vector<std::shared_ptr<tm::Buffer>> buffers;
      std::vector<std::unique_ptr<AccumulatingProgram>> programs;
      for (int i = 0; i < count; ++i) {
        buffers.push_back(counting_buffer(device, 1));
        programs.push_back(std::make_unique<AccumulatingProgram>(buffers.back()));
        tm::EnqueueProgram(device->command_queue(), programs.back()->program, false);
        words_in(buffers.back());
      }
    });
  }

  // Launches that build on each other, each with a read.
  void capture_accumulation(int count) {
    capture(file_, [count](tm::IDevice* device) {
      auto buffer = counting_buffer(device, 1);
      AccumulatingProgram accumulate(buffer);
      for (int i = 0; i < count; ++i) {
        tm::GetCommonRuntimeArgs(accumulate.program, accumulate.kernel)[0] = 2 + i % 2;
        tm::EnqueueProgram(device->command_queue(), accumulate.program, false);
        words_in(buffer);
      }
    });
  }

  // Gives the kernel with this id another amount to add: what is read behind it differs.
  void make_wrong(uint64_t kernel) {
    const auto bytes =
        testing::rewritten(**schema::File::open(file_), [kernel](schema::CommandT& command, auto&) {
          auto* args = command.call.AsSetRuntimeArgs();
          if (args != nullptr && args->kernel == kernel) ++args->args.at(1);
        });
    write_file(file_, std::string(bytes.begin(), bytes.end()));
  }

  ProcessResult reduce(const std::string& command, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"reduce", file_, "--keep-failing", command, "-o", small_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runner(arguments);
  }

  // The message of a replay from the kind of command on, which is about the same buffer.
  static std::string difference(const std::string& path) {
    const std::string errors = runner({path}).errors;
    const size_t begin = errors.find("EnqueueReadBuffer of ");
    return begin == std::string::npos ? errors : errors.substr(begin, errors.find('\n') - begin);
  }

  void expect_failure(const ProcessResult& result, const std::string& message) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_FALSE(fs::exists(small_));
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.path("file.lmb");
  const std::string small_ = folder_.path("small.lmb");
  const std::string run_ = absl::StrCat(LIGHTMETAL_RUNNER, " run {}");
};

// ---- reduce ----

TEST_F(SlicingTest, OneBadProgramOfTwoThousandCommandsIsReducedToFewerThanTwenty) {
  capture_programs(210);
  make_wrong(123);
  ASSERT_GE(names(file_).size(), 2000u);
  const ProcessResult result = reduce(run_);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LT(names(small_).size(), 20u) << result.output;
  EXPECT_THAT(names(small_), AllOf(Contains("EnqueueProgram"), Contains("KernelBinary"),
                                   Contains("EnqueueWriteBuffer"), Contains("EnqueueReadBuffer")));
  EXPECT_EQ(runner({small_}).exit_code, 1);
  EXPECT_EQ(difference(small_), difference(file_));
  EXPECT_EQ(runner({"verify", small_}).exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("by exit code 1 and the message: lightmetal_runner: FILE: "
                                       "command N: EnqueueReadBuffer of buffer 123"));
  EXPECT_THAT(result.output, HasSubstr(absl::StrCat(small_, ": ", names(small_).size(), " of ",
                                                    names(file_).size(), " commands of ", file_,
                                                    " fail as all do, after ")));
}

// Every launch before the bad one may have written what it reads.
TEST_F(SlicingTest, AFailureBehindALongChainKeepsItsMessage) {
  capture_accumulation(12);
  const auto bytes = testing::rewritten(
      **schema::File::open(file_), [n = 0](schema::CommandT& command, auto&) mutable {
        if (auto* args = command.call.AsWriteCommonRuntimeArgs(); args != nullptr && ++n == 8)
          args->args.at(0) = 7;
      });
  write_file(file_, std::string(bytes.begin(), bytes.end()));
  const ProcessResult result = reduce(run_);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  // The values depend on all launches up to the bad one, and on no read but the last.
  EXPECT_EQ(std::ranges::count(names(small_), "EnqueueProgram"), 8);
  EXPECT_EQ(std::ranges::count(names(small_), "EnqueueReadBuffer"), 1);
  EXPECT_EQ(difference(small_), difference(file_));
}

TEST_F(SlicingTest, TheExitCodeAloneCountsWhenItIsAskedFor) {
  capture_programs(5);
  make_wrong(3);
  const ProcessResult result = reduce(run_, {"--any-message"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("by exit code 1 alone"));
  EXPECT_THAT(names(small_), Not(Contains("EnqueueProgram")));
  EXPECT_EQ(runner({small_}).exit_code, 1);
}

TEST_F(SlicingTest, AFailureIsKnownByItsFirstLineThatIsNoWarning) {
  capture_programs(1);
  EXPECT_THAT(reduce("f() { echo warning: $$ >&2; echo \"$1: command 7 at offset 12 of 3\" >&2; "
                     "echo $$ >&2; exit 3; }; f")
                  .output,
              HasSubstr("by exit code 3 and the message: FILE: command N at offset N of 3\n"));
  // This line is another one each time.
  EXPECT_THAT(reduce("f() { echo $$ >&2; exit 4; }; f").output, HasSubstr("by exit code 4 alone"));
  EXPECT_THAT(names(small_), IsEmpty());
  EXPECT_THAT(reduce("kill -9 $$;").output, HasSubstr("by exit code 137 alone"));
}

TEST_F(SlicingTest, TheNameOfTheFileIsQuotedWhateverItsFolderIsCalled) {
  capture_programs(1);
  const std::string odd = folder_.path("it's $HOME here");
  fs::create_directory(odd);
  const ProcessResult result =
      run_process({LIGHTMETAL_RUNNER, "reduce", file_, "--keep-failing", "test ! -s", "-o", small_},
                  {.environment = {{"TMPDIR", odd}}});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("by exit code 1 alone"));
  EXPECT_TRUE(fs::is_empty(odd));
}

TEST_F(SlicingTest, TheCommandGetsTheFileInQuotesBehindItOrForEachPairOfBraces) {
  capture_programs(2);
  for (const std::string command : {"test ! -s", "! { test -s {} && test -r {}; }"}) {
    fs::remove(small_);
    EXPECT_EQ(reduce(command).exit_code, 0) << command;
    EXPECT_THAT(names(small_), IsEmpty()) << command;
  }
}

TEST_F(SlicingTest, ACommandThatDoesNotFailEachTimeIsRefused) {
  capture_programs(1);
  expect_failure(reduce("true"), "true does not fail for ");
  expect_failure(reduce(absl::StrCat("f() { mkdir ", folder_.path("once"),
                                     " && return 3; return 4; "
                                     "}; f")),
                 "it has to fail each time");
  expect_failure(reduce("sleep 100;", {"--timeout", "1"}), "takes longer than --timeout");
}

TEST_F(SlicingTest, ASignalEndsTheReductionAndWhatItStarted) {
  capture_programs(1);
  const ProcessResult result =
      run_process({"/usr/bin/env", "TMPDIR=" + folder_.path(), LIGHTMETAL_RUNNER, "reduce", file_,
                   "--keep-failing", "kill -INT $PPID; sleep 1000.125;", "-o", small_});
  expect_failure(result, "ended by a signal");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(SlicingTest, TheCommandGetsOnlyCandidatesThatVerify) {
  capture_programs(3);
  const std::string unsound = folder_.path("unsound"), runner = LIGHTMETAL_RUNNER;
  const ProcessResult result = reduce(absl::StrCat(
      "f() { ", runner, " verify \"$1\" > ", folder_.path("verified"), " 2>&1 || cat ",
      folder_.path("verified"), " >> ", unsound, "; ", runner,
      " dump \"$1\" --command EnqueueReadBuffer | grep -q EnqueueReadBuffer && exit 3; exit 0; }; "
      "f"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_FALSE(fs::exists(unsound)) << testing::read_file(unsound);
  EXPECT_THAT(names(small_), ::testing::Contains("EnqueueReadBuffer"));
}

TEST_F(SlicingTest, ATimeoutEndsAllThatTheCommandHasStarted) {
  capture_programs(1);
  const std::string seconds = absl::StrCat("1000.", ::getpid());
  expect_failure(reduce(absl::StrCat("(sleep ", seconds, "; true) & wait;"), {"--timeout", "1"}),
                 "takes longer than --timeout");
  // The signal has been sent, and ends them soon.
  for (int i = 0; i < 1000 && !testing::processes_with(seconds).empty(); ++i) usleep(10'000);
  EXPECT_TRUE(testing::processes_with(seconds).empty());
}

TEST_F(SlicingTest, ALinkInPlaceOfTheCandidateLeadsNowhere) {
  capture_programs(2);
  const std::string victim = folder_.path("victim");
  write_file(victim, "mine");
  const ProcessResult result = reduce("f() { ln -sf " + victim + " \"$1\"; exit 3; }; f");
  EXPECT_EQ(testing::read_file(victim), "mine") << result.errors;
}

TEST_F(SlicingTest, ACommandThatChangesWhatItReadsChangesACopy) {
  capture_programs(2);
  const std::string before = testing::read_file(file_);
  const ProcessResult result = reduce("f() { echo more >> \"$1\"; exit 3; }; f");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(testing::read_file(file_) == before);
}

TEST_F(SlicingTest, WhatACommandSaysTakesNoRoom) {
  capture_programs(1);
  // More than a file may have here, and more than the pipe takes at a time.
  const ProcessResult result = run_process(
      {"/bin/sh", "-c", "ulimit -f 1000; exec \"$0\" \"$@\"", LIGHTMETAL_RUNNER, "reduce", file_,
       "--keep-failing", "f() { echo first >&2; head -c 3000000 /dev/zero >&2 && exit 5; }; f",
       "-o", small_});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("by exit code 5 and the message: first"));
}

TEST_F(SlicingTest, WrongArgumentsAreOneClearLine) {
  capture_programs(1);
  expect_failure(runner({"reduce", file_, "-o", small_}), "reduce needs --keep-failing CMD");
  expect_failure(runner({"reduce", file_, "--keep-failing", "false"}), "reduce needs -o OUT");
  EXPECT_EQ(runner({"reduce", file_, "--keep-failing", "false", "-o", file_}).exit_code, 2);
  EXPECT_EQ(runner({file_}).exit_code, 0);
}

TEST_F(SlicingTest, WhatThereIsOfAFileIsReducedAndADamagedOneIsRefused) {
  capture_programs(3);
  make_wrong(2);
  const std::string whole = testing::read_file(file_);
  write_file(file_, whole.substr(0, whole.size() - 100));
  const ProcessResult result = reduce(run_ + " --allow-incomplete");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(runner({small_}).exit_code, 1);
  fs::remove(small_);
  std::string damaged = whole;
  damaged[whole.size() / 2] ^= 4;
  write_file(file_, damaged);
  expect_failure(reduce("false"), "file.lmb");
  expect_failure(runner({"trim", file_, "--outputs", "buffer:2", "-o", small_}), "file.lmb");
}

// ---- trim --outputs ----

TEST_F(SlicingTest, AnOutputIsTrimmedToItsProgram) {
  capture_programs(20);
  const ProcessResult result = runner({"trim", file_, "--outputs", "buffer:13", "-o", small_});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(std::ranges::count(names(small_), "EnqueueProgram"), 1);
  EXPECT_EQ(names(small_).back(), "CloseDevice");
  EXPECT_THAT(runner({small_}).output, HasSubstr(" 1 golden matched"));
  EXPECT_THAT(result.output, Not(HasSubstr("no arguments tell less")));
}

TEST_F(SlicingTest, WhatThereIsOfAFileIsTrimmedWhenAllowed) {
  capture_programs(3);
  write_file(file_, testing::read_file(file_).substr(0, fs::file_size(file_) - 100));
  const std::vector<std::string> trim = {"trim", file_, "--outputs", "buffer:2", "-o", small_};
  expect_failure(runner(trim), "is incomplete");
  std::vector<std::string> allowed = trim;
  allowed.push_back("--allow-incomplete");
  const ProcessResult result = runner(allowed);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(runner({small_}).output, HasSubstr(" 1 golden matched"));
}

TEST_F(SlicingTest, AnOutputKeepsAllLaunchesThatBuildIt) {
  capture_accumulation(6);
  const std::vector<std::string> all = names(file_);
  const auto last = std::ranges::find(all.rbegin(), all.rend(), "EnqueueReadBuffer");
  const std::string output = absl::StrCat("command:", all.rend() - last - 1);
  ASSERT_EQ(runner({"trim", file_, "--outputs", output, "-o", small_}).exit_code, 0);
  EXPECT_EQ(std::ranges::count(names(small_), "EnqueueProgram"), 6);
  EXPECT_EQ(std::ranges::count(names(small_), "EnqueueReadBuffer"), 1);
  EXPECT_THAT(runner({small_}).output, HasSubstr(" 1 golden matched"));
}

// Copies the page at the address that lies in the buffer at argument 0 onto the page behind it in
// that list.
constexpr char kByTable[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const InterleavedAddrGen<true> table = {.bank_base_address = get_arg_val<uint32_t>(0),
                                          .page_size = 64};
  const uint32_t l1 = get_write_ptr(0);
  noc_async_read(get_noc_addr(0, table), l1, 64);
  noc_async_read_barrier();
  auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
  const InterleavedAddrGen<true> from = {.bank_base_address = words[0], .page_size = 64};
  const InterleavedAddrGen<true> to = {.bank_base_address = words[1], .page_size = 64};
  noc_async_read(get_noc_addr(0, from), l1, 64);
  noc_async_read_barrier();
  noc_async_write(l1, get_noc_addr(0, to), 64);
  noc_async_write_barrier();
})";

TEST_F(SlicingTest, WhatAKernelFindsWithoutAnArgumentIsKeptWithAllElse) {
  capture(file_, [](tm::IDevice* device) {
    auto from = counting_buffer(device, 1), to = counting_buffer(device, 1),
         table = counting_buffer(device, 1);
    const auto idle = tm::CreateBuffer({.device = device, .size = 64, .page_size = 64});
    std::vector<uint32_t> ones(16, 1), addresses(16);
    addresses[0] = from->address();
    addresses[1] = to->address();
    tm::EnqueueWriteBuffer(device->command_queue(), from, ones, true);
    tm::EnqueueWriteBuffer(device->command_queue(), table, addresses, true);
    tm::Program program = tm::CreateProgram();
    tm::CreateCircularBuffer(
        program, CoreCoord{0, 0},
        tm::CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
    const auto kernel =
        tm::CreateKernelFromString(program, kByTable, CoreCoord{0, 0}, tm::DataMovementConfig{});
    tm::SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {table->address()});
    tm::EnqueueProgram(device->command_queue(), program, false);
    words_in(to);
  });
  const ProcessResult result = runner({"trim", file_, "--outputs", "buffer:2", "-o", small_});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("all up to the last: no arguments tell less"));
  EXPECT_THAT(names(small_), Contains("EnqueueProgram"));
  EXPECT_THAT(runner({small_}).output, HasSubstr(" 1 golden matched"));

  const std::string optimized = folder_.path("optimized.lmb");
  const ProcessResult whole = runner({"optimize", file_, "-o", optimized});
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  EXPECT_THAT(whole.output, HasSubstr("; no arguments tell what reads need"));
  EXPECT_THAT(runner({optimized}).output, HasSubstr(" 1 golden matched"));
}

TEST_F(SlicingTest, APartOfAnIncompleteFileSaysThatTheEndWasMissing) {
  capture_programs(2);
  const std::vector<std::string> trim = {"trim", file_,  "--outputs=buffer:1",
                                         "-o",   small_, "--allow-incomplete"};
  ASSERT_EQ(runner(trim).exit_code, 0);
  EXPECT_THAT(runner({"info", small_}).output, Not(HasSubstr("repaired")));
  const std::string whole = testing::read_file(file_);
  write_file(file_, whole.substr(0, whole.size() - 100));
  ASSERT_EQ(runner(trim).exit_code, 0);
  EXPECT_THAT(runner({"info", small_}).output, HasSubstr("\noption     repaired="));
}

TEST_F(SlicingTest, AnOutputThatDiffersIsNotWritten) {
  capture_programs(3);
  make_wrong(2);
  const ProcessResult result = runner({"trim", file_, "--outputs", "buffer:2", "-o", small_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("small.lmb is not written: "));
  EXPECT_FALSE(fs::exists(small_));
  EXPECT_EQ(runner({"trim", file_, "--outputs", "buffer:3", "-o", small_}).exit_code, 0);
}

TEST_F(SlicingTest, WrongOutputsAreOneClearLine) {
  capture_programs(1);
  const auto refused = [&](const std::string& output, const std::string& message) {
    expect_failure(runner({"trim", file_, "--outputs", output, "-o", small_}), message);
  };
  refused("command:0", "command 0 of " + file_ + " is no read");
  refused("command:100000", "is no read");
  refused("buffer:7", "no read of buffer 7 of ");
  refused("program:1", "--outputs is buffer:ID or command:N, not program:1");
  expect_failure(runner({"trim", file_, "--outputs=buffer:1", "--calls=1-", "-o", small_}),
                 "trim needs ");
  expect_failure(runner({"trim", file_, "--outputs=buffer:1", "--no-check", "-o", small_}),
                 "--no-check is not for --outputs");
}

TEST_F(SlicingTest, TheOutputOfATransformerBlockReplaysToItsGolden) {
  ASSERT_EQ(run_process({LIGHTMETAL_BIN_FOLDER "/transformer_block", "--capture", file_}).exit_code,
            0);
  const std::vector<std::string> all = names(file_);
  uint64_t number = all.size();
  while (all[--number] != "EnqueueReadBuffer") {
  }
  const ProcessResult result =
      runner({"trim", file_, "--outputs", absl::StrCat("command:", number), "-o", small_});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, Not(HasSubstr("no arguments tell less")));
  EXPECT_LT(names(small_).size(), all.size());
  const ProcessResult run = runner({small_});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.output, HasSubstr(" 1 golden matched"));
}

}  // namespace
}  // namespace lightmetal
