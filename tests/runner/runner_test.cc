// lightmetal_runner as a person meets it: exit codes, messages, forms of output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <lightmetal/capture.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/output_variable.h"
#include "schema/storage/output_file.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProcessResult;
using testing::read_file;
using testing::run_process;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using testing::write_file;

class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() { testing::capture_write_and_read(good_); }

  // With an environment that holds nothing.
  static ProcessResult runner(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    testing::ProcessOptions options;
    options.environment = {{"PATH", ""}};
    options.empty_environment = true;
    return run_process(arguments, options);
  }

  // One line on standard error that starts with the program's name, and exit code 2.
  static void expect_failure(const std::vector<std::string>& arguments,
                             const std::string& message) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors,
                AllOf(StartsWith("lightmetal_runner: "), HasSubstr(message), EndsWith("\n")));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(result.output, "");
  }

  // A verb that fails leaves what was at its OUT as it was, and nothing beside it.
  void expect_output_stays(std::vector<std::string> arguments, int exit_code) {
    TemporaryFolder outputs;
    const std::string output = outputs.path("out.lmb");
    write_file(output, "precious");
    arguments.insert(arguments.end(), {"-o", output});
    EXPECT_EQ(runner(arguments).exit_code, exit_code) << arguments[0];
    EXPECT_EQ(read_file(output), "precious") << arguments[0];
    std::filesystem::remove(output);
    EXPECT_TRUE(std::filesystem::is_empty(outputs.path())) << arguments[0];
  }

  // The good file with one byte of its input changed.
  std::string changed_file() {
    const auto bytes = testing::with_changed_input(**schema::File::open(good_));
    write_file(folder_.path("changed.lmb"), std::string(bytes.begin(), bytes.end()));
    return folder_.path("changed.lmb");
  }

  // A capture to `path` that refers to `weights`, a new file of these values, for its payload.
  static void capture_weights_in(const std::string& weights, const std::string& path,
                                 const std::vector<uint32_t>& data) {
    write_file(weights, {reinterpret_cast<const char*>(data.data()), 4 * data.size()});
    const auto bytes = std::as_bytes(std::span(data));
    ASSERT_TRUE(declare_file_data(bytes, weights).ok());
    tm::LightMetalBeginCapture(
        {.path = path, .payloads = PayloadPolicy::Reference, .min_reference_size = 0});
    tm::IDevice* device = tm::CreateDevice(0);
    {
      auto buffer = tm::CreateBuffer(tm::InterleavedBufferConfig{
          .device = device, .size = bytes.size(), .page_size = bytes.size()});
      tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, true);
    }
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
    undeclare_file_data(bytes);
  }

  TemporaryFolder folder_;
  const std::string good_ = folder_.path("good.lmb");
};

TEST_F(RunnerTest, AGoodFileIsOneLineAndExitCodeZero) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{good_}, {"run", good_}}) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, ContainsRegex("good.lmb: 6 commands on 1 device, 1 golden matched, "
                                             "loaded in [0-9.]+ m?s, ran in [0-9.]+ m?s\n$"));
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1);
    EXPECT_EQ(result.errors, "");
  }
}

TEST_F(RunnerTest, AChangedInputIsExitCodeOneAndSaysWhatDiffers) {
  const ProcessResult result = runner({changed_file()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("1 of 1 golden DIFFER"));
  EXPECT_THAT(
      result.errors,
      HasSubstr("command 3: EnqueueReadBuffer of buffer 1 (64 bytes at 0x20, DRAM): 1 of 16 UInt32 "
                "elements differs: [0] expected 5, found 4"));
}

TEST_F(RunnerTest, NoCheckSeesNoDifference) {
  const ProcessResult result = runner({"run", changed_file(), "--no-check"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("goldens not checked"));
}

TEST_F(RunnerTest, LoopRunsAgainAndTellsTheSpread) {
  const ProcessResult result = runner({good_, "--loop", "3", "--warmup", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, ContainsRegex("ran 3 times in .* to .*, median "));
}

TEST_F(RunnerTest, AnotherDeviceCanBeNamed) {
  EXPECT_EQ(runner({good_, "--device", "null"}).exit_code, 1);  // it keeps nothing
  EXPECT_EQ(runner({good_, "--device=null", "--no-check"}).exit_code, 0);
  expect_failure({good_, "--device", "abacus"}, "abacus");
}

TEST_F(RunnerTest, AMissingFileIsOneClearLine) {
  for (const char* verb : {"run", "info", "dump", "verify"}) {
    expect_failure({verb, folder_.path("missing.lmb")}, "missing.lmb: No such file or directory");
  }
}

TEST_F(RunnerTest, AFolderIsOneClearLine) {
  expect_failure({"info", folder_.path()}, folder_.path());
}

TEST_F(RunnerTest, AFileWithoutPermissionIsOneClearLine) {
  if (geteuid() == 0) {
    // Root may read everything: an unreadable file is found where nobody can be root of.
    expect_failure({"/proc/self/mem"}, "/proc/self/mem");
    return;
  }
  chmod(good_.c_str(), 0);
  expect_failure({good_}, "Permission denied");
}

TEST_F(RunnerTest, AnEmptyFileIsOneClearLine) {
  write_file(folder_.path("empty.lmb"), "");
  expect_failure({folder_.path("empty.lmb")}, "empty.lmb");
}

TEST_F(RunnerTest, AFileOfAnotherKindIsOneClearLine) {
  write_file(folder_.path("picture.png"),
             "\x89PNG\r\n\x1a\n and much more that is not a capture at all");
  expect_failure({folder_.path("picture.png")}, "picture.png");
}

TEST_F(RunnerTest, AFileCutShortIsOneClearLine) {
  const std::string content = read_file(good_);
  for (const size_t size : {content.size() - 1, content.size() / 2, size_t{20}}) {
    write_file(folder_.path("cut.lmb"), content.substr(0, size));
    expect_failure({folder_.path("cut.lmb")}, "cut.lmb");
  }
}

TEST_F(RunnerTest, ADamagedFileIsOneClearLine) {
  std::string content = read_file(good_);
  content[content.size() / 2] ^= 4;
  write_file(folder_.path("damaged.lmb"), content);
  expect_failure({folder_.path("damaged.lmb")}, "damaged.lmb");
  expect_failure({"verify", folder_.path("damaged.lmb")}, "damaged.lmb");
}

TEST_F(RunnerTest, WrongArgumentsAreOneClearLine) {
  expect_failure({"run"}, "no FILE is given");
  expect_failure({"info", good_, "extra.lmb"}, "extra.lmb");
  expect_failure({good_, "--nonsense"}, "nonsense");
  expect_failure({good_, "--loop", "many"}, "many");
  expect_failure({"info", good_, "--format", "yaml"}, "--format is text or json, not yaml");
  expect_failure({"dump", good_, "--calls", "3-1"}, "--calls 3-1 ends before it begins");
  expect_failure({"dump", good_, "--calls", "x"}, "--calls is a number or a range");
  expect_failure({"keygen", good_, "-o", folder_.path("mine")}, "keygen takes no FILE");
}

TEST_F(RunnerTest, AMistypedVerbIsNamedAsOne) {
  expect_failure({"verfy", good_},
                 "verfy is neither a verb nor a file; --help lists the verbs; did "
                 "you mean verify?\n");
  expect_failure({"xyzzy"}, "--help lists the verbs\n");
}

TEST_F(RunnerTest, AFileThatIsCalledAlmostLikeAVerbIsRun) {
  std::filesystem::copy_file(good_, folder_.path("verfy"));
  const ProcessResult result =
      run_process({LIGHTMETAL_RUNNER, "verfy"}, {.folder = folder_.path()});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("verfy: 6 commands on 1 device, 1 golden matched"));
}

TEST_F(RunnerTest, AMistypedOptionIsNamedWithTheNearest) {
  expect_failure({good_, "--devise", "cpu"}, "‘devise’ does not exist; did you mean --device?\n");
  expect_failure({"trim", good_, "--ouptut=x"}, "; did you mean --output?\n");
  expect_failure({"info", good_, "--nonsense"}, "‘nonsense’ does not exist\n");
}

// An option's text says what it does, and nothing of how it is read.
TEST_F(RunnerTest, EachVerbsHelpEndsWithExamplesOfIt) {
  for (const std::string verb :
       {"run", "bench", "info", "dump", "report", "convert", "extract", "diff", "verify", "check",
        "repair", "trim", "reduce", "set", "optimize", "redact", "sign", "keygen"}) {
    const std::string help = runner({verb, "--help"}).output;
    EXPECT_THAT(help, ContainsRegex("\n\nExamples:\n(  lightmetal_runner " + verb + " .*\n)+$"));
    EXPECT_THAT(help, Not(HasSubstr("\"\"")));
  }
}

// As bash offers them: each verb, and its own options.
TEST_F(RunnerTest, BashCompletesVerbsAndTheirOptions) {
  const auto offered = [](const std::string& words, int at) {
    return run_process({"/bin/bash", "-c",
                        absl::StrCat("source ", LIGHTMETAL_COMPLETIONS, "/lightmetal_runner; ",
                                     "COMP_WORDS=(lightmetal_runner ", words, "); COMP_CWORD=", at,
                                     "; _lightmetal_runner; echo ${COMPREPLY[*]}")},
                       {.folder = LIGHTMETAL_COMPLETIONS})
        .output;
  };
  EXPECT_EQ(offered("ver", 1), "verify\n");
  EXPECT_EQ(offered("dump x.lmb --c", 3), "--color --calls --command\n");
  EXPECT_EQ(
      offered("x.lmb --re", 2),
      "--replace-kernel --report --require-goldens --require-signature --remap --references\n");
  EXPECT_EQ(offered("info light", 2), "lightmetal_runner\n");
}

TEST_F(RunnerTest, TheCompletionOfZshHasEachVerb) {
  const std::string script = read_file(absl::StrCat(LIGHTMETAL_COMPLETIONS, "/_lightmetal_runner"));
  EXPECT_THAT(script, StartsWith("#compdef lightmetal_runner\n"));
  for (const std::string verb :
       {"run", "bench", "info", "dump", "report", "convert", "extract", "diff", "verify", "check",
        "repair", "trim", "reduce", "set", "optimize", "redact", "sign", "keygen"}) {
    EXPECT_THAT(script, HasSubstr("\n  " + verb + ") _arguments"));
  }
  EXPECT_THAT(script, HasSubstr("'*--junit[Write what came"));
}

TEST_F(RunnerTest, AFlagCanBeTakenBack) {
  EXPECT_EQ(runner({changed_file(), "--no-check=false"}).exit_code, 1);
  EXPECT_EQ(runner({changed_file(), "--no-check=true"}).exit_code, 0);
}

TEST_F(RunnerTest, CountsHaveBounds) {
  for (const std::string count : {"0", "-1", "x", "18446744073709551615", " 3", "3 ", "+3"}) {
    expect_failure({good_, "--loop=" + count}, "--loop is a number from 1 to 1000000000, not ");
  }
  expect_failure({good_, "--warmup=x"}, "--warmup is a number from 0 to ");
  expect_failure({"dump", good_, "--calls=+1"}, "--calls is a number or a range");
}

TEST_F(RunnerTest, AVerbThatFailsLeavesItsOutputAsItWas) {
  std::string content = read_file(good_);
  content[content.size() / 2] ^= 4;
  write_file(folder_.path("damaged.lmb"), content);
  EXPECT_EQ(runner({"keygen", "-o", folder_.path("mine")}).exit_code, 0);
  expect_output_stays({"redact", folder_.path("damaged.lmb")}, 2);
  expect_output_stays({"sign", folder_.path("damaged.lmb"), "--key", folder_.path("mine.key")}, 2);
  expect_output_stays({"trim", changed_file(), "--calls", "3-"}, 1);
  expect_output_stays({"trim", good_, "--calls", "99-"}, 2);
}

mode_t rights_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777;
}

TEST_F(RunnerTest, AnOutputHasNoMoreRightsThanTheFileThatIsReadOrTheOneThatIsReplaced) {
  const mode_t umask_before = umask(022);
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("mine")}).exit_code, 0);
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"repair", good_},
        {"redact", good_},
        {"trim", good_, "--calls", "3-"},
        {"sign", good_, "--key", folder_.path("mine.key")}}) {
    const auto rights_after = [&](mode_t input, mode_t replaced) {
      const std::string output = folder_.path("out.lmb");
      std::filesystem::remove(output);
      if (replaced != 0) write_file(output, "before");
      if (replaced != 0) chmod(output.c_str(), replaced);
      chmod(good_.c_str(), input);
      std::vector<std::string> arguments = verb;
      arguments.insert(arguments.end(), {"-o", output});
      const ProcessResult result = runner(arguments);
      EXPECT_EQ(result.exit_code, 0) << result.errors;
      return rights_of(output);
    };
    EXPECT_EQ(rights_after(0600, 0), 0600u) << verb[0];
    EXPECT_EQ(rights_after(0640, 0), 0640u) << verb[0];
    EXPECT_EQ(rights_after(0400, 0), 0400u) << verb[0];
    EXPECT_EQ(rights_after(0644, 0), 0644u) << verb[0];
    EXPECT_EQ(rights_after(0644, 0600), 0600u) << verb[0];
    EXPECT_EQ(rights_after(0600, 0644), 0600u) << verb[0];
    umask(077);
    EXPECT_EQ(rights_after(0644, 0), verb[0] == "sign" ? 0644u : 0600u) << verb[0];
    umask(022);
  }
  umask(umask_before);
}

// What redact copies into a file keeps its rights, too.
TEST_F(RunnerTest, AnOutputHasNoMoreRightsThanAnyOfTheFilesThatAreRead) {
  const std::string shared = folder_.path("shared"), weights = folder_.path("weights");
  for (const std::string& path : {shared, weights}) write_file(path, "content");
  chmod(shared.c_str(), 0644);
  chmod(weights.c_str(), 0600);
  auto output = schema::OutputFile::create(folder_.path("out"), {shared, weights});
  ASSERT_TRUE(output.ok()) << output.status();
  ASSERT_EQ(output->finish(), absl::OkStatus());
  EXPECT_EQ(rights_of(folder_.path("out")), 0600u);
}

TEST_F(RunnerTest, AnOutputThatIsNoFileIsRefusedAndStays) {
  for (const std::string verb : {"repair", "redact"}) {
    expect_failure({verb, good_, "-o", ""}, "--output is given an empty value");
    expect_failure({verb, good_, "-o", folder_.path()}, "is not a regular file");
    expect_failure({verb, good_, "-o", good_}, "is an input");
    expect_failure({verb, good_, "-o", folder_.path("none/out.lmb")}, "cannot create");
  }
  expect_failure({"trim", good_, "--calls", "3-", "-o", ""}, "--output is given an empty value");
}

TEST_F(RunnerTest, AFileIsNotReplayedWhileTheReplayIsCapturedToIt) {
  const std::string content = read_file(good_);
  testing::ProcessOptions options;
  options.environment = {{"LIGHTMETAL_CAPTURE", good_}};
  const ProcessResult result = run_process({LIGHTMETAL_RUNNER, good_}, options);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("LIGHTMETAL_CAPTURE captures this run to " + good_));
  EXPECT_EQ(read_file(good_), content);
}

// Also where the variable calls the file otherwise: %% is a percent sign.
TEST_F(RunnerTest, AFileIsNotReplayedWhileTheReplayIsCapturedToItByAnotherName) {
  const std::string content = read_file(good_);
  write_file(folder_.path("100%.lmb"), content);
  const ProcessResult result =
      run_process({LIGHTMETAL_RUNNER, folder_.path("100%.lmb")},
                  {.folder = folder_.path(), .environment = {{"LIGHTMETAL_CAPTURE", "100%%.lmb"}}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("LIGHTMETAL_CAPTURE captures this run to "));
  EXPECT_TRUE(read_file(folder_.path("100%.lmb")) == content);
}

// FILE, a file that it refers to, a key, and trim's OUT.
TEST_F(RunnerTest, NoFileOfARunIsLostToOneThatTheEnvironmentNames) {
  const std::string weights = folder_.path("weights.bin"), model = folder_.path("model.lmb");
  const std::string key = folder_.path("mine.key"), pub = folder_.path("mine.pub");
  const std::string out = folder_.path("out.lmb");
  capture_weights_in(weights, model, std::vector<uint32_t>(1024, 7));
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("mine")}).exit_code, 0);
  ASSERT_EQ(runner({"sign", good_, "--key", key}).exit_code, 0);
  write_file(out, "precious");
  const auto expect_refused = [](std::vector<std::string> arguments, Output output,
                                 const std::string& file) {
    const std::string content = read_file(file);
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    const ProcessResult result = run_process(
        arguments,
        {.environment = {{variable_of(output), file}, {"TT_METAL_DPRINT_CORES", "all"}}});
    EXPECT_EQ(result.exit_code, 2) << variable_of(output) << " " << file;
    EXPECT_THAT(result.errors, AllOf(HasSubstr(variable_of(output)), HasSubstr(file)));
    EXPECT_TRUE(read_file(file) == content) << variable_of(output) << " " << file;
  };
  for (const Output output : kOutputs) {
    for (const std::string& file : {model, weights}) {
      expect_refused({"run", model}, output, file);
      expect_refused({"trim", model, "--calls", "0-", "-o", out}, output, file);
    }
    expect_refused({"run", good_, "--require-signature", pub}, output, pub);
    expect_refused({"trim", good_, "--calls", "0-", "--require-signature", pub, "-o", out}, output,
                   pub);
    expect_refused({"trim", good_, "--calls", "0-", "-o", out}, output, out);
    expect_refused({"trim", good_, "--outputs", "buffer:1", "-o", out}, output, out);
    expect_refused({"optimize", good_, "-o", out}, output, out);
  }
}

TEST_F(RunnerTest, WithoutArgumentsItShowsItsHelp) {
  const ProcessResult result = runner({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("Usage:"));
}

// Each line of the usage is a call, or goes on with the one before it.
TEST_F(RunnerTest, TheUsageHasCallsAndWhatTheyDoAlone) {
  const std::string help = runner({"--help"}).output;
  ASSERT_THAT(help, AllOf(HasSubstr("Usage:\n  lightmetal_runner"), HasSubstr("Exit codes")));
  const size_t begin = help.find("Usage:\n") + 7, end = help.find("Exit codes");
  for (const absl::string_view line : absl::StrSplit(help.substr(begin, end - begin), '\n')) {
    EXPECT_TRUE(line.empty() || absl::StartsWith(line, "  ")) << line;
  }
}

TEST_F(RunnerTest, HelpAndVersionAreAsked) {
  EXPECT_THAT(runner({"--help"}).output,
              AllOf(HasSubstr("lightmetal_runner [run] FILE"), HasSubstr("Exit codes")));
  for (const char* other : {"-h", "help"})
    EXPECT_EQ(runner({other}).output, runner({"--help"}).output) << other;
  EXPECT_THAT(runner({"--version"}).output,
              ContainsRegex("^lightmetal_runner [0-9.]+, file format 1\\.[0-9]+\n$"));
  for (const char* verb : {"run", "info", "dump", "verify"}) {
    const ProcessResult result = runner({verb, "--help"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output,
                AllOf(HasSubstr(std::string("lightmetal_runner ") + verb), HasSubstr("--help")));
  }
}

TEST_F(RunnerTest, InfoNeedsNoDevice) {
  const ProcessResult text = runner({"info", good_});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("wormhole_b0"));
  const ProcessResult json = runner({"info", good_, "--format", "json"});
  EXPECT_EQ(json.exit_code, 0) << json.errors;
  EXPECT_THAT(json.output, AllOf(StartsWith("{"), EndsWith("}\n")));
}

TEST_F(RunnerTest, DumpShowsTheCommandsAskedFor) {
  const auto lines = [](const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return std::count(result.output.begin(), result.output.end(), '\n');
  };
  EXPECT_EQ(lines(runner({"dump", good_})), 6);
  EXPECT_EQ(lines(runner({"dump", good_, "--format", "jsonl"})), 6);
  EXPECT_EQ(lines(runner({"dump", good_, "--calls", "1-2"})), 2);
  EXPECT_EQ(lines(runner({"dump", good_, "--calls", "4-"})), 2);
  EXPECT_EQ(lines(runner({"dump", good_, "--calls", "-3"})), 4);
  EXPECT_THAT(runner({"dump", good_, "--calls", "1"}).output, HasSubstr("BufferCreate"));
}

TEST_F(RunnerTest, VerifyTellsWhatIsGood) {
  const ProcessResult result = runner({"verify", good_});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              ContainsRegex("good.lmb: good: [0-9]+ bytes, 6 commands, 1 payloads, 2 objects\n$"));
}

// The golden is the payload that is written.
TEST_F(RunnerTest, RedactCountsWhatItTakesOut) {
  const std::string redacted = folder_.path("redacted.lmb");
  const ProcessResult result = runner({"redact", good_, "--payloads", "-o", redacted});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith(redacted + ": 6 commands; taken out:\n"));
  EXPECT_THAT(result.output, EndsWith("\n  1 payloads, zeros in their place\n  1 goldens\n"));
}

TEST_F(RunnerTest, AnIncompleteFileRunsWhenAllowed) {
  const std::string content = read_file(good_);
  write_file(folder_.path("cut.lmb"), content.substr(0, content.size() - 8));
  for (const std::string verb : {"run", "verify"}) {
    const ProcessResult refused = runner({verb, folder_.path("cut.lmb")});
    EXPECT_EQ(refused.exit_code, 2) << verb;
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("is incomplete"), HasSubstr("--allow-incomplete")));
    EXPECT_EQ(runner({verb, folder_.path("cut.lmb"), "--allow-incomplete"}).exit_code, 0) << verb;
  }
}

TEST_F(RunnerTest, DumpSaysThatAFileIsIncomplete) {
  const std::string content = read_file(good_);
  write_file(folder_.path("cut.lmb"), content.substr(0, content.size() - 8));
  const ProcessResult result = runner({"dump", folder_.path("cut.lmb")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("CloseDevice"));
  EXPECT_THAT(result.errors, HasSubstr("cut.lmb: warning: it is incomplete: it was not closed"));
  EXPECT_EQ(runner({"dump", good_}).errors, "");
}

TEST_F(RunnerTest, AFileWithBytesBehindItIsIncompleteAndRepairDropsThem) {
  const std::string longer = folder_.path("longer.lmb"), repaired = folder_.path("repaired.lmb");
  write_file(longer, read_file(good_) + std::string(8, '\1'));
  const ProcessResult info = runner({"info", longer});
  EXPECT_EQ(info.exit_code, 0) << info.errors;
  EXPECT_THAT(info.output, HasSubstr("INCOMPLETE: 8 bytes follow its footer"));
  for (const char* verb : {"run", "verify"}) expect_failure({verb, longer}, "8 bytes follow");
  EXPECT_EQ(runner({longer, "--allow-incomplete"}).exit_code, 0);
  const ProcessResult repair = runner({"repair", longer, "-o", repaired});
  EXPECT_EQ(repair.exit_code, 0) << repair.errors;
  EXPECT_THAT(repair.output, StartsWith(repaired + ": 6 commands and 1 payloads; 8 bytes dropped: "
                                                   "8 bytes follow its footer"));
  EXPECT_EQ(runner({repaired}).exit_code, 0);
}

TEST_F(RunnerTest, AFileCutShortWhileItIsUsedIsOneClearLine) {
  ProcessResult result;
  // Somewhere in a run without end, unless this machine is very slow: then later.
  for (int wait = 1; wait <= 16; wait *= 2) {
    const std::string path = folder_.path("vanishes.lmb");
    write_file(path, read_file(good_));
    std::thread cut([&] {
      absl::SleepFor(absl::Seconds(wait));
      std::filesystem::resize_file(path, 0);
    });
    result = runner({path, "--loop", "1000000000"});
    cut.join();
    if (result.errors.find("is empty") == std::string::npos) break;
  }
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(StartsWith("lightmetal_runner: "), HasSubstr("vanishes.lmb"),
                                   HasSubstr("was cut short"), EndsWith("\n")));
}

// A file that says with its error what a runner would say of a better one.
TEST_F(RunnerTest, TextOfAFileForgesNoLine) {
  const std::string path = folder_.path("forged.lmb"), repaired = folder_.path("repaired.lmb");
  auto sink = schema::FileSink::create(path);
  ASSERT_TRUE(sink.ok()) << sink.status();
  schema::Writer writer(std::shared_ptr<schema::Sink>(*std::move(sink)));
  ASSERT_TRUE(writer.begin({}).ok());
  const std::string csi = "\xc2\x9b", right_to_left = "\xe2\x80\xae";
  const std::string text =
      "x\nstate      complete\nlightmetal_runner: good\x1b[2J" + csi + "2J" + right_to_left;
  ASSERT_TRUE(writer.finish(absl::InternalError(text)).ok());
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"info", path},
                                                    {"verify", path},
                                                    {"dump", path},
                                                    {"repair", path, "-o", repaired}}) {
    const ProcessResult result = runner(arguments);
    const std::string shown = "\n" + result.output + result.errors;
    EXPECT_THAT(shown, HasSubstr("good\\")) << arguments[0];
    EXPECT_THAT(shown,
                Not(AnyOf(HasSubstr("\nstate      complete"), HasSubstr("\x1b"), HasSubstr(csi),
                          HasSubstr(right_to_left), HasSubstr("\nlightmetal_runner: good"))))
        << arguments[0];
  }
}

// A file that says `text` in an option and in the error of a call.
void write_file_that_says(const std::string& text, const std::string& path) {
  auto sink = schema::FileSink::create(path);
  ASSERT_TRUE(sink.ok()) << sink.status();
  schema::Writer writer(std::shared_ptr<schema::Sink>(*std::move(sink)));
  schema::SessionInfo session;
  session.options.emplace_back("repaired", text);
  ASSERT_TRUE(writer.begin(session).ok());
  schema::CommandT command;
  schema::CallFailedT call;
  call.function = "f";
  call.error = text;
  command.call.Set(std::move(call));
  flatbuffers::FlatBufferBuilder builder;
  ASSERT_TRUE(writer.append_command(schema::encode_command(builder, command)).ok());
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
}

// A terminal obeys what a program does not escape for it, in JSON too.
TEST_F(RunnerTest, JsonShowsNothingThatATerminalObeys) {
  const std::string path = folder_.path("commands.lmb");
  const std::string obeyed[] = {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\x7f"};
  write_file_that_says("a" + obeyed[0] + obeyed[1] + obeyed[2] + obeyed[3] + obeyed[4] + "Zählwerk",
                       path);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"info", path, "--format", "json"},
        {"dump", path, "--format", "jsonl"}}) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("a\\u001b\\u009b\\u202e\\u2066\\u007fZählwerk"));
    for (const std::string& character : obeyed) {
      EXPECT_THAT(result.output, Not(HasSubstr(character))) << arguments[0];
    }
  }
}

// Many readers of JSON Lines split at whatever Unicode calls the end of a line.
TEST_F(RunnerTest, TextOfAFileEndsNoLineInAnyForm) {
  const std::string path = folder_.path("commands.lmb");
  const std::string ends[] = {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\x0b", "\x0c"};
  write_file_that_says("a" + ends[0] + ends[1] + ends[2] + ends[3] + ends[4] + "Zählwerk", path);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"info", path},
                                                    {"info", path, "--format", "json"},
                                                    {"dump", path},
                                                    {"dump", path, "--format", "jsonl"}}) {
    const ProcessResult result = runner(arguments);
    EXPECT_THAT(result.output, AnyOf(HasSubstr("a\\u0085\\u2028\\u2029\\u000b\\u000cZählwerk"),
                                     HasSubstr("\\xe2\\x80\\xa8\\xe2\\x80\\xa9")));
    for (const std::string& end : ends) {
      EXPECT_THAT(result.output, Not(HasSubstr(end))) << arguments[0];
    }
  }
}

// Weights of which nobody has another copy, whatever they are called by.
TEST_F(RunnerTest, AnInputIsNoOutput) {
  const std::string weights = folder_.path("weights.bin"), path = folder_.path("model.lmb");
  const std::string link = folder_.path("link"), moved = folder_.path("moved.bin");
  capture_weights_in(weights, path, std::vector<uint32_t>(1024, 0x0123abcd));
  const std::string content = read_file(weights);
  std::filesystem::create_symlink(weights, link);
  for (const std::string& output : {weights, link}) {
    expect_failure({"redact", path, "--allow-references", "-o", output}, "is an input");
    expect_failure({"repair", path, "-o", output}, "is an input");
    expect_failure({"trim", path, "--calls", "0-", "-o", output}, "is an input");
  }
  EXPECT_EQ(read_file(weights), content);
  // Where it lies now, too.
  std::filesystem::copy_file(weights, moved);
  expect_failure({"redact", path, "--remap", weights + "=" + moved, "-o", moved}, "is an input");
  EXPECT_EQ(read_file(moved), content);
}

TEST_F(RunnerTest, AKeyIsNoOutput) {
  const std::string key = folder_.path("mine.key"), pub = folder_.path("mine.pub");
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("mine")}).exit_code, 0);
  const std::string secret = read_file(key), published = read_file(pub);
  expect_failure({"sign", good_, "--key", key, "-o", key}, "is an input");
  ASSERT_EQ(runner({"sign", good_, "--key", key}).exit_code, 0);
  expect_failure({"trim", good_, "--calls", "0-", "--require-signature", pub, "-o", pub},
                 "is an input");
  EXPECT_EQ(read_file(key), secret);
  EXPECT_EQ(read_file(pub), published);
}

TEST_F(RunnerTest, AnOutputWhoseNameIsTooLongIsNamed) {
  const std::string name = folder_.path(std::string(300, 'x'));
  expect_failure({"repair", good_, "-o", name}, "cannot create " + name + ": File name too long");
  const std::string longest = folder_.path(std::string(255, 'y'));
  EXPECT_EQ(runner({"repair", good_, "-o", longest}).exit_code, 0);
  EXPECT_EQ(runner({longest}).exit_code, 0);
}

TEST_F(RunnerTest, AnOutputIsWrittenWhereLinksLead) {
  const std::string there = folder_.path("there.lmb"), link = folder_.path("link.lmb");
  std::filesystem::create_symlink("there.lmb", link);  // to nothing yet
  for (int i = 0; i < 2; ++i) {
    const ProcessResult result = runner({"repair", good_, "-o", link});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_TRUE(std::filesystem::is_regular_file(there));
  }
  std::filesystem::create_symlink("round", folder_.path("round"));
  expect_failure({"repair", good_, "-o", folder_.path("round")}, "cannot create");
}

// What a check keeps of ids that are gone counts, as what a replay holds does.
TEST_F(RunnerTest, IdsThatAreGoneCountTowardsTheMemoryLimit) {
  const auto verified = [&](uint64_t distance) {
    const std::string path = folder_.path("programs.lmb");
    auto sink = schema::FileSink::create(path);
    EXPECT_TRUE(sink.ok()) << sink.status();
    schema::Writer writer(std::shared_ptr<schema::Sink>(*std::move(sink)));
    EXPECT_TRUE(writer.begin({}).ok());
    flatbuffers::FlatBufferBuilder builder;
    const auto append = [&](auto call) {
      schema::CommandT command;
      command.call.Set(std::move(call));
      builder.Clear();
      EXPECT_TRUE(writer.append_command(schema::encode_command(builder, command)).ok());
    };
    for (uint64_t i = 1; i <= 50'000; ++i) {
      schema::ProgramCreateT create;
      create.id = i * distance;
      schema::ProgramDestroyT destroy;
      destroy.program = i * distance;
      append(create);
      append(destroy);
    }
    EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
    return runner({"verify", path, "--memory-limit", "2M"});
  };
  EXPECT_EQ(verified(1).exit_code, 0) << verified(1).errors;
  const ProcessResult scattered = verified(2);
  EXPECT_EQ(scattered.exit_code, 2);
  EXPECT_THAT(scattered.errors, ContainsRegex("command [0-9]+ \\(Program.*the memory limit"));
}

// The device's own rule, known without the device.
TEST_F(RunnerTest, AProfileThatItsDeviceRefusesIsNotVerified) {
  const std::string path = folder_.path("profile.lmb");
  const auto write_profile = [&](const std::string& backend) {
    const auto bytes =
        testing::rewritten(**schema::File::open(good_), [&](schema::CommandT& command, auto&) {
          auto* create = command.call.AsCreateDevice();
          if (create == nullptr) return;
          *create->profile->first_worker = schema::CoreCoord(60, 18);
          create->backend = backend;
        });
    write_file(path, std::string(bytes.begin(), bytes.end()));
  };
  write_profile("cpu");
  for (const char* verb : {"verify", "run"}) {
    expect_failure({verb, path},
                   "device 1: the device profile's grid.x is 8; the CPU device takes 1 to 4");
  }
  write_profile("null");
  EXPECT_EQ(runner({"verify", path}).exit_code, 0);
}

// ---- The watchdog ----

constexpr char kSpins[] = R"(
void kernel_main() {
  volatile uint32_t word = get_arg_val<uint32_t>(0);
  while (word != 0) {}
})";

// Captures a kernel that ends, and has it spin in the file.
std::string endless_file(const TemporaryFolder& folder) {
  const std::string path = folder.path("ends.lmb"), endless = folder.path("endless.lmb");
  tm::LightMetalBeginCapture({.path = path});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    tm::Program program = tm::CreateProgram();
    const auto kernel =
        tm::CreateKernelFromString(program, kSpins, CoreCoord{0, 0}, tm::DataMovementConfig{});
    tm::SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {0});
    tm::EnqueueProgram(device->command_queue(), program, true);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
  const auto bytes =
      testing::rewritten(**schema::File::open(path), [](schema::CommandT& command, auto&) {
        if (auto* args = command.call.AsSetRuntimeArgs()) args->args.at(0) = 1;
      });
  write_file(endless, std::string(bytes.begin(), bytes.end()));
  return endless;
}

TEST_F(RunnerTest, AWatchdogEndsAKernelThatSpinsAndNamesIt) {
  const std::string path = endless_file(folder_);
  std::vector<std::vector<std::string>> calls = {
      {"run", path, "--watchdog", "2"},
      {"trim", path, "--calls", "0-", "-o", folder_.path("out"), "--watchdog", "2"}};
  // Sanitizers make system calls of their own.
  if (!LIGHTMETAL_SANITIZED)
    calls.push_back({"run", path, "--watchdog", "2", "--sandbox=best-effort"});
  for (const std::vector<std::string>& arguments : calls) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr("endless.lmb: ended after 2 s (--watchdog), in command "),
                      HasSubstr("EnqueueProgram"), EndsWith("\n")))
        << arguments[0];
    // Sanitizers stand between a signal and its handler.
    if (!LIGHTMETAL_SANITIZED) {
      EXPECT_THAT(result.errors, HasSubstr("core (0,0) RISCV_0 kernel "));
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("unfinished")));
  }
}

TEST_F(RunnerTest, AWatchdogLetsAGoodFileBe) {
  const ProcessResult result = runner({good_, "--watchdog", "100"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 golden matched"));
  EXPECT_EQ(runner({changed_file(), "--watchdog", "100"}).exit_code, 1);
  EXPECT_EQ(runner({folder_.path("none"), "--watchdog", "100"}).exit_code, 2);
  expect_failure({good_, "--watchdog", "soon"}, "--watchdog is a number from 0.01 to 1000000");
}

TEST_F(RunnerTest, AWatchdogHasBounds) {
  for (const std::string seconds : {"0", "0.009", "-1", "1000000.5", "inf", "nan"}) {
    expect_failure({good_, "--watchdog=" + seconds},
                   "--watchdog is a number from 0.01 to 1000000, not " + seconds + "\n");
  }
  EXPECT_EQ(runner({good_, "--watchdog=1000000"}).exit_code, 0);
  // So little may be enough, or not.
  EXPECT_THAT(runner({good_, "--watchdog=0.01"}).errors, Not(HasSubstr("is a number")));
}

TEST_F(RunnerTest, ARunThatIsCapturedTakesNoWatchdog) {
  const std::string again = folder_.path("again.lmb");
  const auto captured_with = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {LIGHTMETAL_RUNNER, good_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_process(arguments, {.environment = {{"LIGHTMETAL_CAPTURE", again}}});
  };
  const ProcessResult watched = captured_with({"--watchdog", "100"});
  EXPECT_EQ(watched.exit_code, 2);
  EXPECT_THAT(watched.errors, HasSubstr("--watchdog executes the file in a child, which "
                                        "LIGHTMETAL_CAPTURE does not capture: unset one\n"));
  EXPECT_FALSE(std::filesystem::exists(again));
  // The twin: what else is executed in a child is executed here then.
  EXPECT_EQ(captured_with({"--sync"}).exit_code, 0);
  EXPECT_THAT(runner({again}).output, HasSubstr("1 golden matched"));
}

// As a starter may do that wants no news of its children.
TEST_F(RunnerTest, AWatchdogSeesTheEndThoughItsStarterIgnoresEndsOfChildren) {
  const absl::Time start = absl::Now();
  const ProcessResult result = run_process(
      {"/usr/bin/env", "--ignore-signal=CHLD", LIGHTMETAL_RUNNER, good_, "--watchdog", "30"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_LT(absl::Now() - start, absl::Seconds(25));
}

TEST_F(RunnerTest, TheEnvironmentSetsTheWatchdogToo) {
  const ProcessResult result =
      run_process({LIGHTMETAL_RUNNER, endless_file(folder_)},
                  {.environment = {{"LIGHTMETAL_RUNNER_WATCHDOG_SECONDS", "1"}}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("ended after 1 s (--watchdog)"));
}

TEST_F(RunnerTest, TheWatchdogsOptionGoesBeforeItsVariable) {
  const std::string variable = "LIGHTMETAL_RUNNER_WATCHDOG_SECONDS";
  const testing::ProcessOptions soon = {.environment = {{variable, "soon"}}};
  EXPECT_EQ(run_process({LIGHTMETAL_RUNNER, good_, "--watchdog", "100"}, soon).exit_code, 0);
  EXPECT_THAT(run_process({LIGHTMETAL_RUNNER, good_}, soon).errors,
              HasSubstr(variable + " is a number from 0.01 to 1000000, not soon"));
}

// ---- Manners ----

using Variables = std::map<std::string, std::string>;

ProcessResult runner_with(const Variables& variables, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
  return run_process(arguments, {.environment = variables});
}

// As somebody at a terminal sees it, both streams together.
std::string on_terminal(Variables variables, const std::string& arguments) {
  variables.try_emplace("TERM", "xterm");
  return run_process({"/usr/bin/script", "-qec", absl::StrCat(LIGHTMETAL_RUNNER, " ", arguments),
                      "/dev/null"},
                     {.environment = variables})
      .output;
}

TEST_F(RunnerTest, EachOptionHasAVariable) {
  EXPECT_THAT(runner_with({{"LIGHTMETAL_RUNNER_LOOP", "3"}}, {good_}).output,
              HasSubstr("ran 3 times"));
  EXPECT_THAT(runner_with({{"LIGHTMETAL_RUNNER_LOOP", "x"}}, {good_, "--loop", "2"}).output,
              HasSubstr("ran 2 times"));
  EXPECT_THAT(runner_with({{"LIGHTMETAL_RUNNER_LOOP", "x"}}, {good_, "--loop=2"}).output,
              HasSubstr("ran 2 times"));
  EXPECT_THAT(runner_with({{"LIGHTMETAL_RUNNER_NO_CHECK", "1"}}, {good_}).output,
              HasSubstr("goldens not checked"));
  EXPECT_THAT(runner_with({{"LIGHTMETAL_RUNNER_NO_CHECK", "0"}}, {good_}).output,
              HasSubstr("1 golden matched"));
  EXPECT_THAT(runner_with({{"LIGHTMETAL_RUNNER_FORMAT", "json"}}, {"info", good_}).output,
              StartsWith("{"));
  // It makes no suite of one file.
  EXPECT_THAT(runner_with({{"LIGHTMETAL_RUNNER_JOBS", "2"}}, {good_}).output,
              StartsWith(good_ + ": "));
}

TEST_F(RunnerTest, AnErrorNamesTheVariableThatItComesOf) {
  const auto errors = [&](const Variables& variables) {
    const ProcessResult result = runner_with(variables, {good_});
    EXPECT_EQ(result.exit_code, 2);
    return result.errors;
  };
  EXPECT_THAT(
      errors({{"LIGHTMETAL_RUNNER_LOOP", "x"}}),
      AllOf(HasSubstr("--loop is a number"), HasSubstr("(LIGHTMETAL_RUNNER_LOOP says so)")));
  EXPECT_THAT(errors({{"LIGHTMETAL_RUNNER_MEMORY_LIMIT", "much"}}),
              HasSubstr("(LIGHTMETAL_RUNNER_MEMORY_LIMIT says so)"));
  EXPECT_THAT(errors({{"LIGHTMETAL_RUNNER_SYNC", "yes"}}),
              HasSubstr("LIGHTMETAL_RUNNER_SYNC is 1 or 0"));
}

TEST_F(RunnerTest, AnErrorNamesNoVariableOfAnOptionThatIsGiven) {
  const Variables loop = {{"LIGHTMETAL_RUNNER_LOOP", "2"}};
  EXPECT_THAT(runner_with(loop, {good_, "--loop", "x"}).errors,
              AllOf(HasSubstr("--loop is a number"), Not(HasSubstr("says so"))));
  // The first option that this error is about is given, and the second one is not.
  EXPECT_THAT(runner_with(loop, {good_, "--schedules", "3"}).errors,
              HasSubstr(": it takes no --loop (LIGHTMETAL_RUNNER_LOOP says so)\n"));
}

TEST_F(RunnerTest, AStreamHasColorsWhenItIsATerminalItself) {
  const std::string changed = changed_file(), file = folder_.path("stream");
  EXPECT_THAT(on_terminal({}, changed + " > " + file), HasSubstr("\033[31mlightmetal_runner: "));
  EXPECT_THAT(read_file(file), AllOf(HasSubstr("1 of 1 golden DIFFER"), Not(HasSubstr("\033"))));
  EXPECT_THAT(on_terminal({}, changed + " 2> " + file),
              HasSubstr("\033[31m1 of 1 golden DIFFER\033[0m"));
  EXPECT_THAT(read_file(file), AllOf(HasSubstr("expected 5, found 4"), Not(HasSubstr("\033"))));
}

TEST_F(RunnerTest, ColorsAreForTerminalsUnlessToldOtherwise) {
  const std::string matched = "\033[32m1 golden matched\033[0m";
  EXPECT_THAT(runner_with({}, {good_, "--color", "always"}).output, HasSubstr(matched));
  EXPECT_THAT(runner_with({}, {good_}).output, Not(HasSubstr("\033")));
  EXPECT_THAT(on_terminal({}, good_), HasSubstr(matched));
  EXPECT_THAT(on_terminal({}, good_ + " --color=never"), Not(HasSubstr("\033")));
  EXPECT_THAT(on_terminal({{"NO_COLOR", "1"}}, good_), Not(HasSubstr("\033")));
  EXPECT_THAT(on_terminal({{"NO_COLOR", ""}}, good_), HasSubstr(matched));
  EXPECT_THAT(on_terminal({{"TERM", "dumb"}}, good_), Not(HasSubstr("\033")));
  EXPECT_THAT(on_terminal({}, good_ + ".none"), StartsWith("\033[31mlightmetal_runner: "));
  expect_failure({good_, "--color", "some"}, "--color is one of auto, always, never, not some");
}

TEST_F(RunnerTest, ATableHasColorsAndTheMessagesInItHaveNone) {
  const ProcessResult result =
      runner_with({}, {"run", good_, good_ + ".none", "--color", "always"});
  EXPECT_THAT(result.output, HasSubstr("\033[32mpassed      \033[0m"));
  EXPECT_THAT(result.output, HasSubstr("\033[31mfailed      \033[0m"));
  EXPECT_THAT(result.output, HasSubstr("  cannot open "));
}

TEST_F(RunnerTest, BeyondWarningThereAreNoWarnings) {
  const std::string cut = folder_.path("cut.lmb");
  write_file(cut, read_file(good_).substr(0, read_file(good_).size() - 40));
  EXPECT_THAT(runner({"dump", cut}).errors, HasSubstr("warning: it is incomplete"));
  EXPECT_THAT(runner({"dump", cut, "--color=always"}).errors, StartsWith("\033[33mlightmetal_"));
  EXPECT_THAT(runner({"dump", cut, "--log-level", "warning"}).errors, HasSubstr("warning: "));
  EXPECT_EQ(runner({"dump", cut, "--log-level", "error"}).errors, "");
  expect_failure({good_, "--log-level", "loud"}, "--log-level is one of trace, debug, info");
}

TEST_F(RunnerTest, LongWorkSaysHowFastItGoesAndHowLongItTakes) {
  const std::string endless = " --loop 100000000 --watchdog 2";
  EXPECT_THAT(on_terminal({}, good_ + endless),
              ContainsRegex("  0 %  command [0-9]+ of [0-9]+, run [0-9]+ of 100000000, [0-9.e+]+ "
                            "commands/s, [0-9.]+ (h|min|s) left"));
}

// A compiler that never comes to an end, and a path that would never be read to its end.
TEST_F(RunnerTest, KernelsAreCompiledInLimitedTimeFromRegularFiles) {
  const std::string clang = folder_.path("clang"), fifo = folder_.path("fifo.cpp");
  write_file(clang, "#!/bin/sh\nexec sleep 1000\n");
  ASSERT_EQ(chmod(clang.c_str(), 0700), 0);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  setenv("LIGHTMETAL_CLANG", clang.c_str(), 1);
  setenv("LIGHTMETAL_CLANG_SECONDS", "0.5", 1);
  tm::IDevice* device = tm::CreateDevice(0);
  const auto error_of = [&](const std::function<void(tm::Program&)>& make_kernel) {
    tm::Program program = tm::CreateProgram();
    try {
      make_kernel(program);
      tm::EnqueueProgram(device->command_queue(), program, true);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(error_of([](tm::Program& program) {
                tm::CreateKernelFromString(program, "void kernel_main() { /* slow */ }",
                                           CoreCoord{0, 0}, tm::DataMovementConfig{});
              }),
              HasSubstr("did not end within 500ms, the limit (LIGHTMETAL_CLANG_SECONDS)"));
  EXPECT_THAT(error_of([&](tm::Program& program) {
                tm::CreateKernel(program, fifo, CoreCoord{0, 0}, tm::DataMovementConfig{});
              }),
              HasSubstr("fifo.cpp is no regular file"));
  unsetenv("LIGHTMETAL_CLANG");
  unsetenv("LIGHTMETAL_CLANG_SECONDS");
  tm::CloseDevice(device);
}

// Of a host program, too.
TEST_F(RunnerTest, KernelsAreCompiledThoughTheProgramIgnoresEndsOfChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  tm::IDevice* device = tm::CreateDevice(0);
  const auto error_of = [&](const std::string& body) {
    // No earlier run has compiled it.
    const std::string source = absl::StrCat("void kernel_main() { // ", getpid(), "\n", body, " }");
    tm::Program program = tm::CreateProgram();
    try {
      tm::CreateKernelFromString(program, source, CoreCoord{0, 0}, tm::DataMovementConfig{});
      tm::EnqueueProgram(device->command_queue(), program, true);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of("volatile int i = 1; (void)i;"), "");
  EXPECT_THAT(error_of("nonsense;"), HasSubstr("use of undeclared identifier 'nonsense'"));
  tm::CloseDevice(device);
  std::signal(SIGCHLD, before);
}

TEST_F(RunnerTest, AnOptionIsGivenOnceAndNotEmpty) {
  expect_failure({good_, "--device=null", "--device=cpu"}, "--device is given more than once");
  expect_failure({good_, "--loop", "2", "--loop", "3"}, "--loop is given more than once");
  expect_failure({good_, "--quiet", "--quiet"}, "--quiet is given more than once");
  expect_failure({good_, "--device", ""}, "--device is given an empty value");
  expect_failure({"dump", good_, "--calls="}, "--calls is given an empty value");
  EXPECT_EQ(runner({good_, "--remap", "/a=/b", "--remap", "/c=/d"}).exit_code, 0);
}

TEST_F(RunnerTest, DumpOfNoCommandIsAnError) {
  expect_failure({"dump", good_, "--calls", "6"},
                 "6 commands, counted from 0: there is no command 6");
}

TEST_F(RunnerTest, ANameWithControlsIsEscapedOnStandardOutputToo) {
  const std::string odd = folder_.path("o\x1b[31m"), lmb = odd + ".lmb";
  ASSERT_EQ(runner({"keygen", "-o", folder_.path("mine")}).exit_code, 0);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"repair", good_, "-o", lmb},
                                             {"redact", good_, "-o", lmb},
                                             {"trim", good_, "--calls", "0-", "-o", lmb},
                                             {"sign", lmb, "--key", folder_.path("mine.key")},
                                             {"verify", lmb},
                                             {"run", lmb},
                                             {"keygen", "-o", odd}}) {
    const ProcessResult result = runner(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, AllOf(HasSubstr("o\\x1b[31m"), Not(HasSubstr("\x1b"))));
  }
}

// Nor does any other character: an argument is one file.
TEST_F(RunnerTest, ALineBreakEndsNoName) {
  const std::string file = folder_.path("two\nlines.lmb");
  std::filesystem::copy_file(good_, file);
  const ProcessResult result = runner({file});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("two\n  lines.lmb: 6 commands"));
}

// The stack of a thread would be larger than the address space.
TEST_F(RunnerTest, AThreadThatCannotBeStartedIsNamed) {
  if (LIGHTMETAL_SANITIZED)
    GTEST_SKIP() << "a sanitizer's memory cannot lie where such a stack limit moves it";
  const ProcessResult result = run_process(
      {"/bin/sh", "-c",
       std::string("ulimit -s 214748364800 && exec ") + LIGHTMETAL_RUNNER + " " + good_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors,
              HasSubstr("No thread can be started for a command queue: Resource temporarily"));
}

TEST_F(RunnerTest, TrimNamesItsOutputWhenTheDiskIsFull) {
  const std::string output = folder_.path("out.lmb");
  const ProcessResult result =
      run_process({"/bin/sh", "-c",
                   absl::StrCat("trap '' XFSZ; ulimit -f 1; exec ", LIGHTMETAL_RUNNER, " trim ",
                                good_, " --calls 0- -o ", output)});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("cannot write to " + output), Not(HasSubstr("/proc/self"))));
}

TEST_F(RunnerTest, AFullDiskIsReported) {
  const ProcessResult result = run_process(
      {"/bin/sh", "-c", std::string(LIGHTMETAL_RUNNER) + " info " + good_ + " > /dev/full"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace lightmetal
