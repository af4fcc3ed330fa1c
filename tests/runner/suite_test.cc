// `lightmetal_runner run` of many files: what each of them comes to, and that no other suffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runner/file_list.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace fs = std::filesystem;
namespace tm = tt::tt_metal;

using runner::files_named;
using runner::shard_of;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

enum class Kernel : uint32_t { kEnds, kSpins, kEndsItsProcess };

// The last one is kill(getpid(), SIGKILL).
constexpr char kKernel[] = R"(
void kernel_main() {
  volatile uint32_t what = get_arg_val<uint32_t>(0);
  while (what == 1) {}
  if (what != 2) return;
  long process;
  asm volatile("syscall" : "=a"(process) : "a"(39L) : "rcx", "r11", "memory");
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(62L), "D"(process), "S"(9L) : "rcx", "r11", "memory");
})";

class SuiteTest : public ::testing::Test {
 protected:
  SuiteTest() { testing::capture_write_and_read(good_); }

  static ProcessResult runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {LIGHTMETAL_RUNNER, "run"});
    return run_process(arguments);
  }

  // As root, in containers of few processors, too.
  static std::vector<std::string> in_ranks(int ranks, const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {LIGHTMETAL_MPIRUN,
                                    "--allow-run-as-root",
                                    "--oversubscribe",
                                    "-n",
                                    absl::StrCat(ranks),
                                    LIGHTMETAL_RUNNER,
                                    "run"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  std::string file_that_differs(const std::string& name) {
    return written(name, testing::with_changed_input(**schema::File::open(good_)));
  }

  // A file whose kernel does what it did not do when it was captured.
  std::string file_with(Kernel kernel, const std::string& name) {
    const std::string captured = good_folder_.path(name);
    tm::LightMetalBeginCapture({.path = captured});
    tm::IDevice* device = tm::CreateDevice(0);
    {
      tm::Program program = tm::CreateProgram();
      const auto id =
          tm::CreateKernelFromString(program, kKernel, CoreCoord{0, 0}, tm::DataMovementConfig{});
      tm::SetRuntimeArgs(program, id, CoreCoord{0, 0}, {0});
      tm::EnqueueProgram(device->command_queue(), program, true);
    }
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
    return written(name, testing::rewritten(**schema::File::open(captured),
                                            [&](schema::CommandT& command, auto&) {
                                              if (auto* args = command.call.AsSetRuntimeArgs())
                                                args->args.at(0) = static_cast<uint32_t>(kernel);
                                            }));
  }

  std::string copy_of_good(const std::string& name) {
    fs::create_directories(fs::path(folder_.path(name)).parent_path());
    fs::copy_file(good_, folder_.path(name));
    return folder_.path(name);
  }

  template <typename Content>
  std::string written(const std::string& name, const Content& bytes) {
    write_file(folder_.path(name), std::string(bytes.begin(), bytes.end()));
    return folder_.path(name);
  }

  TemporaryFolder folder_;
  TemporaryFolder good_folder_;
  const std::string good_ = good_folder_.path("good.lmb");
};

// The line of the table that is about the file.
std::string line_of(const ProcessResult& result, const std::string& file) {
  for (const absl::string_view line : absl::StrSplit(result.output, '\n')) {
    if (absl::StartsWith(line, file + " ")) return std::string(line);
  }
  return "";
}

std::string last_line(const ProcessResult& result) {
  const std::vector<std::string> lines = absl::StrSplit(result.output, '\n');
  return lines.size() < 2 ? "" : lines[lines.size() - 2];
}

void expect_no_process_with(const std::string& text) {
  for (int i = 0; i < 100 && !testing::processes_with(text).empty(); ++i)
    absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(testing::processes_with(text).size(), 0u) << text;
}

TEST_F(SuiteTest, EachFileHasItsOwnResultAndTheOthersGoOn) {
  const std::string a = copy_of_good("a.lmb"), b = file_that_differs("b.lmb"),
                    c = file_with(Kernel::kEndsItsProcess, "c.lmb"),
                    d = file_with(Kernel::kSpins, "d.lmb"), e = written("e.lmb", std::string("?")),
                    f = copy_of_good("f.lmb");
  const ProcessResult result = runner({folder_.path(), "--timeout", "4", "--jobs", "2"});
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(line_of(result, a), ContainsRegex("passed +1 +[0-9.]+$"));
  EXPECT_THAT(line_of(result, b),
              ContainsRegex("differs +0/1 +[0-9.]+  command 3: .*expected 5, found 4"));
  EXPECT_THAT(line_of(result, c), ContainsRegex("crashed +- .*signal 9 .*in command [0-9]+ "
                                                "\\(EnqueueProgram\\)"));
  EXPECT_THAT(line_of(result, d),
              ContainsRegex("timed out +- .*ended after 4 s \\(--timeout\\), in "
                            "command [0-9]+ \\(EnqueueProgram\\)"));
  EXPECT_THAT(line_of(result, e), ContainsRegex("failed +- "));
  EXPECT_THAT(line_of(result, f), HasSubstr("passed"));
  EXPECT_THAT(
      last_line(result),
      ContainsRegex("^6 files: 2 passed, 1 differs, 1 failed, 1 crashed, 1 timed out, in "));
  expect_no_process_with(folder_.path());
}

TEST_F(SuiteTest, TheExitCodeIsThatOfTheWorstFile) {
  const std::string good = copy_of_good("a.lmb"), changed = file_that_differs("b.lmb");
  EXPECT_EQ(runner({good, good_}).exit_code, 0);
  EXPECT_EQ(runner({good, changed}).exit_code, 1);
  EXPECT_EQ(runner({changed, good_folder_.path("missing.lmb")}).exit_code, 2);
}

TEST_F(SuiteTest, FortyFilesPassWithTwoJobs) {
  for (int i = 0; i < 40; ++i) copy_of_good(absl::StrCat("folder", i % 4, "/", i, ".lmb"));
  const ProcessResult result = runner({folder_.path(), "--jobs", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_THAT(last_line(result), HasSubstr("40 files: 40 passed, 0 differs"));
}

// Four files that take a second each.
TEST_F(SuiteTest, JobsIsHowManyFilesAreReplayedAtATime) {
  for (int i = 0; i < 4; ++i) file_with(Kernel::kSpins, absl::StrCat(i, ".lmb"));
  const auto seconds = [&](const std::string& jobs) {
    const absl::Time start = absl::Now();
    const ProcessResult result = runner({folder_.path(), "--timeout", "1", "--jobs", jobs});
    EXPECT_THAT(last_line(result), HasSubstr("4 timed out")) << result.output;
    return absl::ToDoubleSeconds(absl::Now() - start);
  };
  const double with_one = seconds("1"), with_two = seconds("2");
  EXPECT_GE(with_one, 4);
  EXPECT_GE(with_two, 2);
  EXPECT_LT(with_two, 0.9 * with_one);
}

TEST_F(SuiteTest, OptionsOfARunHoldForEachFile) {
  const std::string a = file_that_differs("a.lmb"), b = file_that_differs("b.lmb");
  EXPECT_EQ(runner({a, b, "--no-check"}).exit_code, 0);
  EXPECT_EQ(runner({good_, copy_of_good("c.lmb"), "--device", "null"}).exit_code, 1);
  EXPECT_EQ(runner({good_, folder_.path("c.lmb"), "--memory-limit", "1"}).exit_code, 2);
}

TEST_F(SuiteTest, WrongOptionsAreSaidOnce) {
  const std::string other = copy_of_good("b.lmb");
  const auto expect_failure = [&](const std::vector<std::string>& options,
                                  const std::string& message) {
    std::vector<std::string> arguments = {good_, other};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  };
  expect_failure({"--loop", "many"}, "--loop is a number");
  expect_failure({"--jobs", "0"}, "--jobs is a number from 1");
  expect_failure({"--timeout", "soon"}, "--timeout is a number from 0.01");
  expect_failure({"--watchdog", "3"}, "--watchdog is for one FILE");
  expect_failure({"--report", "json=" + folder_.path("out.json")},
                 "--report, --save-actual, --update-golden and --trace-out are for one FILE");
  expect_failure({"--junit", folder_.path("none/out.xml")}, "cannot create");
  expect_failure({"--junit", other}, "is an input");
  for (const std::string shard : {"0/2", "3/2", "1", "/", "1/", "a/b", "1/2/3", "-1/2"}) {
    expect_failure({"--shard=" + shard}, "--shard is I/N");
  }
}

TEST_F(SuiteTest, TheTimeoutGoesBeforeTheVariableOfTheWatchdogAndThatBeforeTheDefault) {
  const std::string other = copy_of_good("b.lmb");
  const auto run_with = [&](const std::string& variable, const std::string& value,
                            const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {LIGHTMETAL_RUNNER, "run", good_, other};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_process(arguments, {.environment = {{variable, value}}});
  };
  const std::string seconds = "LIGHTMETAL_RUNNER_WATCHDOG_SECONDS";
  const ProcessResult wrong = run_with(seconds, "soon", {});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.errors, absl::StrCat("lightmetal_runner: ", seconds,
                                       " is a number from 0.01 to 1000000, not soon\n"));
  EXPECT_EQ(run_with(seconds, "soon", {"--timeout", "60"}).exit_code, 0);
  // --watchdog is for one file, and so is its variable.
  EXPECT_EQ(run_with("LIGHTMETAL_RUNNER_WATCHDOG", "60", {}).exit_code, 0);
}

// The line is due after a second: while the second file spins, or when it has ended.
TEST_F(SuiteTest, ATerminalHasALineOfProgressThatIsGoneBeforeTheTable) {
  const std::string a = file_with(Kernel::kSpins, "a.lmb"), b = file_with(Kernel::kSpins, "b.lmb"),
                    c = copy_of_good("c.lmb");
  const std::string shown =
      run_process(
          {"/usr/bin/script", "-qec",
           absl::StrCat(LIGHTMETAL_RUNNER, " run ", a, " ", b, " ", c, " --jobs 1 --timeout 0.8"),
           "/dev/null"},
          {.environment = {{"TERM", "xterm"}}})
          .output;
  EXPECT_THAT(shown, ContainsRegex("\r\033\\[K (33|67) %  file [12] of 3, [0-9.]+ files/s, "));
  EXPECT_THAT(shown, HasSubstr(" left\r\033[KFILE "));
}

TEST_F(SuiteTest, NoFileAtAllIsAnError) {
  const ProcessResult folder = runner({folder_.path()});
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_EQ(folder.errors, absl::StrCat("lightmetal_runner: ", folder_.path(),
                                        ": no .lmb file lies in this folder or below\n"));
  const ProcessResult pattern = runner({folder_.path("*.lmb")});
  EXPECT_EQ(pattern.exit_code, 2);
  EXPECT_EQ(pattern.errors, absl::StrCat("lightmetal_runner: ", folder_.path("*.lmb"),
                                         ": no file matches this pattern\n"));
}

TEST_F(SuiteTest, NamesFoldersAndPatternsAreSortedFilesOnce) {
  const std::string c = copy_of_good("c.lmb"), a = copy_of_good("below/a.lmb"),
                    odd = copy_of_good("[b]*.lmb");
  copy_of_good("below/no.txt");
  const auto files = files_named({c, folder_.path(), folder_.path("c.*"), odd, "missing"});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, ElementsAre(odd, a, c, "missing"));
}

TEST_F(SuiteTest, AFolderStandsForItsFilesWhateverItIsCalledAndHoweverItIsNamed) {
  const std::string a = copy_of_good("below.lmb/a.lmb"), b = copy_of_good("below.lmb/more/b.lmb");
  for (const char* name : {"", "below.lmb", "bel*"}) {
    const auto files = files_named(std::vector<std::string>{folder_.path(name)});
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_THAT(*files, ElementsAre(a, b)) << name;
  }
}

TEST_F(SuiteTest, ShardsHoldEachFileOnce) {
  std::vector<std::string> files;
  for (int i = 0; i < 23; ++i) files.push_back(absl::StrCat(i));
  for (uint64_t count = 1; count <= 30; ++count) {
    std::map<std::string, int> times;
    for (uint64_t index = 1; index <= count; ++index) {
      for (const std::string& file : shard_of(files, {index, count})) ++times[file];
    }
    EXPECT_EQ(times.size(), files.size()) << count;
    for (const auto& [file, number] : times) EXPECT_EQ(number, 1) << file << " of " << count;
  }
}

TEST_F(SuiteTest, AShardReplaysItsFilesAlone) {
  for (int i = 0; i < 5; ++i) copy_of_good(absl::StrCat(i, ".lmb"));
  const ProcessResult result = runner({folder_.path(), "--shard", "2/3"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("/1.lmb"), HasSubstr("/4.lmb"),
                                   Not(HasSubstr("/0.lmb")), HasSubstr("2 files: 2 passed")));
  EXPECT_THAT(last_line(runner({good_, "--shard", "2/2"})), HasSubstr("0 files: 0 passed"));
}

// As python3 reads it, which also says what the attributes mean.
TEST_F(SuiteTest, TheJUnitReportParsesAndItsCountsAreRight) {
  copy_of_good("a<&>\"'\x1b.lmb");
  file_that_differs("b.lmb");
  written("c.lmb", std::string("?"));
  const std::string report = good_folder_.path("report.xml");
  EXPECT_EQ(runner({folder_.path(), "--junit", report}).exit_code, 2);
  const ProcessResult parsed = run_process({"/usr/bin/env", "python3", "-c", R"(
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
print(suite.tag, *(suite.get(name) for name in ("tests", "failures", "errors", "skipped")))
for case in suite: print(case.get("name").split("/")[-1], *((what.tag, what.get("message")) for what in case))
)",
                                            report});
  EXPECT_EQ(parsed.exit_code, 0) << parsed.errors;
  EXPECT_THAT(
      parsed.output,
      ContainsRegex("^testsuite 3 1 1 0\na<&>\"'\\\\x1b.lmb\nb.lmb \\('failure', 'command 3: "
                    ".*\nc.lmb \\('error', '.*\n$"));
}

// A terminal sends it to the runner alone, since each child is in a group of its own.
TEST_F(SuiteTest, AnInterruptEndsTheChildrenAndReportsWhatIsDone) {
  const std::string a = copy_of_good("a.lmb"), b = file_with(Kernel::kSpins, "b.lmb"),
                    c = file_with(Kernel::kSpins, "c.lmb"), d = copy_of_good("d.lmb");
  const std::string report = good_folder_.path("report.xml");
  for (const std::string signal : {"INT", "TERM"}) {
    const absl::Time start = absl::Now();
    const ProcessResult result =
        run_process({"/usr/bin/timeout", "--foreground", "--preserve-status", "--signal", signal,
                     "4", LIGHTMETAL_RUNNER, "run", a, b, c, d, "--jobs", "2", "--junit", report});
    EXPECT_LT(absl::Now() - start, absl::Seconds(60));
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_THAT(line_of(result, a), HasSubstr("passed"));
    for (const std::string& file : {b, c, d}) {
      EXPECT_THAT(line_of(result, file), HasSubstr("not finished")) << result.output;
    }
    EXPECT_THAT(last_line(result), HasSubstr("4 files: 1 passed, 0 differs, 0 failed, 0 crashed, 0 "
                                             "timed out, 3 not finished"));
    EXPECT_THAT(testing::read_file(report),
                AllOf(HasSubstr("tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"3\""),
                      HasSubstr("<skipped message="), Not(HasSubstr("<error"))));
    expect_no_process_with(folder_.path());
  }
}

TEST_F(SuiteTest, WhatEndsTheRunnerEndsItsChildren) {
  const std::string a = file_with(Kernel::kSpins, "a.lmb"), b = copy_of_good("b.lmb");
  const ProcessResult result = run_process({"/usr/bin/timeout", "--foreground", "--signal", "KILL",
                                            "2", LIGHTMETAL_RUNNER, "run", a, b});
  EXPECT_EQ(result.exit_code, 137);
  expect_no_process_with(folder_.path());
}

TEST_F(SuiteTest, TheEndsOfChildrenAreSeenThoughTheStarterIgnoresThem) {
  const ProcessResult result =
      run_process({"/usr/bin/env", "--ignore-signal=CHLD", LIGHTMETAL_RUNNER, "run", good_,
                   copy_of_good("b.lmb")});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST_F(SuiteTest, ASandboxHoldsEachFile) {
  if (LIGHTMETAL_SANITIZED) GTEST_SKIP() << "sanitizers make system calls of their own";
  const std::string a = copy_of_good("a.lmb"), b = file_with(Kernel::kEndsItsProcess, "b.lmb");
  const ProcessResult result = runner({a, b, "--sandbox=best-effort"});
  EXPECT_THAT(line_of(result, a), HasSubstr("passed"));
  EXPECT_THAT(line_of(result, b), ContainsRegex("failed .*makes the system call getpid"));
}

// ---- Ranks of MPI ----

constexpr bool kHasMpi = LIGHTMETAL_MPIRUN[0] != '\0';

class RankTest : public SuiteTest {
 protected:
  void SetUp() override {
    if (!kHasMpi) GTEST_SKIP() << "this runner was built without MPI";
  }

  void copies_of_good(int count) {
    for (int i = 0; i < count; ++i) copy_of_good(absl::StrCat("c", i, ".lmb"));
  }
};

// The text without what depends on time: times, and whether a kernel had begun when its time was
// over.
std::string without_times(std::string text) {
  text = std::regex_replace(text, std::regex(R"( +[0-9]+\.[0-9]{2}(  |\n|$))"), "$1");
  text = std::regex_replace(text, std::regex(R"(time="[^"]*")"), "");
  text =
      std::regex_replace(text, std::regex(R"(, while a kernel ran: core \S+ \w+ kernel \w+)"), "");
  return std::regex_replace(text, std::regex(R"(in [0-9.]+ s)"), "");
}

size_t lines_of_runner(const std::string& errors) {
  return static_cast<size_t>(std::ranges::count_if(
      std::vector<std::string>(absl::StrSplit(errors, '\n')),
      [](const std::string& line) { return absl::StartsWith(line, "lightmetal_runner: "); }));
}

// The runner's processes that have `text` among their arguments.
std::vector<pid_t> runners_of(const std::string& text) {
  std::vector<pid_t> found = testing::processes_with(text);
  std::erase_if(found, [](pid_t process) {
    std::error_code gone;
    const fs::path program = fs::read_symlink(absl::StrCat("/proc/", process, "/exe"), gone);
    return program.filename() != "lightmetal_runner";
  });
  return found;
}

// The processes that replay for rank 0 have a session of their own.
std::vector<pid_t> other_ranks(const std::string& text) {
  std::vector<pid_t> found = runners_of(text);
  std::erase_if(found, [](pid_t process) { return ::getsid(process) != process; });
  return found;
}

pid_t parent_of(pid_t process) {
  const std::string stat = testing::read_file(absl::StrCat("/proc/", process, "/stat"));
  std::istringstream words(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string state;
  pid_t parent = 0;
  words >> state >> parent;
  return parent;
}

// The process that replays for rank 0: a child of the only rank without a session of its own.
std::vector<pid_t> own_rank(const std::string& text) {
  std::vector<pid_t> found = runners_of(text);
  const std::vector<pid_t> all = found;
  const auto is_runner = [&](pid_t process) { return std::ranges::count(all, process) > 0; };
  std::erase_if(found, [&](pid_t process) {
    const pid_t parent = parent_of(process);
    return !is_runner(parent) || ::getsid(parent) == parent || is_runner(parent_of(parent));
  });
  return found;
}

TEST_F(RankTest, FourRanksReportTwoHundredFilesAsOneProcessDoes) {
  copies_of_good(197);
  file_that_differs("d.lmb");
  file_with(Kernel::kEndsItsProcess, "a.lmb");
  file_with(Kernel::kSpins, "b.lmb");
  const std::string alone = good_folder_.path("alone.xml"), shared = good_folder_.path("ranks.xml");
  const ProcessResult one = runner({folder_.path(), "--timeout", "4", "--junit", alone});
  const ProcessResult four =
      run_process(in_ranks(4, {folder_.path(), "--timeout", "4", "--junit", shared}));
  EXPECT_EQ(four.exit_code, 2) << four.errors;
  EXPECT_EQ(without_times(four.output), without_times(one.output));
  EXPECT_EQ(without_times(testing::read_file(shared)), without_times(testing::read_file(alone)));
  EXPECT_THAT(last_line(four),
              HasSubstr("200 files: 197 passed, 1 differs, 0 failed, 1 crashed, 1 timed out"));
  expect_no_process_with(folder_.path());
}

TEST_F(RankTest, TheExitCodeIsThatOfTheWorstFile) {
  copies_of_good(6);
  EXPECT_EQ(run_process(in_ranks(3, {folder_.path()})).exit_code, 0);
  file_that_differs("d.lmb");
  EXPECT_EQ(run_process(in_ranks(3, {folder_.path()})).exit_code, 1);
}

// Each of the four begins with a file that has no end.
TEST_F(RankTest, ARankThatIsKilledLosesItsFileAlone) {
  for (int i = 0; i < 4; ++i) file_with(Kernel::kSpins, absl::StrCat("a", i, ".lmb"));
  copies_of_good(196);
  std::thread killer([&] {
    for (int i = 0; i < 500 && other_ranks(folder_.path()).size() < 3; ++i) {
      absl::SleepFor(absl::Milliseconds(10));
    }
    absl::SleepFor(absl::Seconds(1));
    const std::vector<pid_t> ranks = other_ranks(folder_.path());
    EXPECT_EQ(ranks.size(), 3u);
    if (!ranks.empty()) ::kill(ranks.front(), SIGKILL);
  });
  const ProcessResult result = run_process(in_ranks(4, {folder_.path(), "--timeout", "6"}));
  killer.join();
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  EXPECT_THAT(last_line(result), HasSubstr("200 files: 196 passed, 0 differs, 0 failed, 1 crashed, "
                                           "3 timed out"));
  EXPECT_THAT(
      result.output,
      ContainsRegex("a[0-3].lmb +crashed .*  rank [1-3] \\(.*\\), which replayed it, has died"));
  expect_no_process_with(folder_.path());
}

TEST_F(RankTest, AnotherProcessReplaysForRank0WhenItsOwnAndAllOtherRanksAreKilled) {
  for (const char* name : {"a0.lmb", "a1.lmb"}) file_with(Kernel::kSpins, name);
  copies_of_good(4);
  std::thread killer([&] {
    const auto both = [&] {
      return std::array{other_ranks(folder_.path()), own_rank(folder_.path())};
    };
    const auto are_there = [](const auto& ranks) {
      return std::ranges::all_of(ranks, [](const auto& one) { return one.size() == 1; });
    };
    for (int i = 0; i < 3000 && !are_there(both()); ++i) absl::SleepFor(absl::Milliseconds(10));
    absl::SleepFor(absl::Seconds(1));
    const auto ranks = both();
    EXPECT_TRUE(are_there(ranks));
    for (const auto& one : ranks) {
      if (!one.empty()) ::kill(one.front(), SIGKILL);
    }
  });
  std::vector<std::string> arguments = in_ranks(2, {folder_.path()});
  arguments.insert(arguments.begin(), {"/usr/bin/timeout", "--foreground", "300"});
  const ProcessResult result = run_process(arguments);
  killer.join();
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  EXPECT_THAT(last_line(result), HasSubstr("6 files: 4 passed, 0 differs, 0 failed, 2 crashed"));
  EXPECT_THAT(result.output, ContainsRegex("rank 0 \\(.*\\), which replayed it, has died"));
  EXPECT_THAT(result.output, ContainsRegex("rank 1 \\(.*\\), which replayed it, has died"));
  expect_no_process_with(folder_.path());
}

TEST_F(RankTest, OneFileIsASuiteToo) {
  const ProcessResult result = run_process(in_ranks(4, {good_}));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 file: 1 passed"));
}

TEST_F(RankTest, WhatIsWrongIsSaidOnce) {
  const auto expect_failure = [&](const std::vector<std::string>& arguments,
                                  const std::string& message) {
    const ProcessResult result = run_process(in_ranks(3, arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(lines_of_runner(result.errors), 1u) << result.errors;
  };
  expect_failure({good_, "--shard", "1/2"}, "--shard is for a runner that mpirun has not started");
  expect_failure({good_, "--jobs", "2"}, "--jobs is for a runner that mpirun has not started");
  expect_failure({good_, "--loops", "2"}, "does not exist");
  expect_failure({good_, "--timeout", "soon"}, "--timeout is a number");
  expect_failure({folder_.path()}, "no .lmb file lies in this folder");
}

TEST_F(RankTest, WhatEndsMpirunEndsAllRanks) {
  for (int i = 0; i < 3; ++i) file_with(Kernel::kSpins, absl::StrCat("a", i, ".lmb"));
  for (const std::string signal : {"INT", "KILL"}) {
    std::vector<std::string> arguments = in_ranks(3, {folder_.path()});
    arguments.insert(arguments.begin(),
                     {"/usr/bin/timeout", "--foreground", "--signal", signal, "4"});
    EXPECT_NE(run_process(arguments).exit_code, 0);
    expect_no_process_with(folder_.path());
  }
}

// What a launcher says and the runner's MPI does not confirm.
TEST_F(SuiteTest, ARankWithoutItsJobIsAnError) {
  const ProcessResult result =
      run_process({LIGHTMETAL_RUNNER, "run", good_},
                  {.environment = {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "0"}}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr(kHasMpi ? "they are of different MPIs"
                                               : "mpirun has started 4 of this runner, which was "
                                                 "built without MPI"));
}

TEST_F(SuiteTest, NumbersOfNoJobMakeNoRankAndHelpNeedsNoJob) {
  using Variables = std::map<std::string, std::string>;
  for (const Variables& alone :
       std::vector<Variables>{{{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}},
                              {{"PMI_SIZE", "2"}, {"PMI_RANK", "2"}},
                              {{"PMI_SIZE", "4"}},
                              {{"OMPI_COMM_WORLD_SIZE", "x"}, {"OMPI_COMM_WORLD_RANK", "0"}}}) {
    const ProcessResult result =
        run_process({LIGHTMETAL_RUNNER, "run", good_}, {.environment = alone});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(": 6 commands on 1 device, 1 golden matched"));
  }
  for (const std::string rank : {"0", "1"}) {
    const ProcessResult help =
        run_process({LIGHTMETAL_RUNNER, "run", "--help"},
                    {.environment = {{"PMI_SIZE", "4"}, {"PMI_RANK", rank}}});
    EXPECT_THAT(help.output, HasSubstr("lightmetal_runner run [OPTION...] FILE...")) << rank;
  }
}

// The real ones, which other versions have captured. Those that are no whole file by themselves
// fail alone.
TEST_F(SuiteTest, TheGoldenFilesPass) {
  const ProcessResult result = runner({LIGHTMETAL_GOLDEN_FOLDER, "--allow-incomplete", "--quiet"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(line_of(result, LIGHTMETAL_GOLDEN_FOLDER "/1.1/external.lmb"), HasSubstr("failed"));
  EXPECT_THAT(last_line(result), ContainsRegex("passed, 0 differs, 1 failed, 0 crashed, 0 timed"));
}

}  // namespace
}  // namespace lightmetal
