// What the runner cannot write, it reports: each verb and each form of its output on standard
// output that takes nothing, and each file that it writes on a disk that is full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/runner/inspection_kit.h"
#include "tests/support/small_disk.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

// More than a stream holds back: glibc drops what it could not write, and the next flush succeeds.
constexpr size_t kStreamBuffer = 4096;

constexpr size_t kNames = 12;  // of files in a folder, or behind a name: an even number

// A call of the runner. FILE stands for a capture, DIFFERS for one whose golden differs, NAMED for
// one with an entry, MOVED for FILE captured at other addresses, KEY for a key, IN for what the
// call reads, OUT for what it writes, STEM for OUT with room for names behind it, MANY for a
// capture of many commands.
struct RunnerCall {
  const char* name;
  std::vector<std::string> arguments;
  int exit_code = 0;  // where all can be written
};

void PrintTo(const RunnerCall& call, std::ostream* out) { *out << call.name; }

class FullDiskTest : public InspectionTest {
 protected:
  void SetUp() override {
    write_file(plain("FILE"), read_file(golden("1.1/loopback.lmb")));
    write_file(plain("IN"), std::string(102400, '\1'));
    expect_done({"set", plain("FILE"), "--payload", "7=" + plain("IN"), "-o", plain("DIFFERS")});
    expect_done({"bind", plain("FILE"), "--input=x=1", "--output=y=2", "--entry=copy=7-10", "-o",
                 plain("NAMED")});
    expect_done({"keygen", "-o", plain("KEY")});
  }

  std::string plain(const std::string& word) const { return folder_.path(word + ".lmb"); }

  // The same path with so many dots that a line which names it is longer than the buffer.
  std::string long_path(const std::string& path) const {
    constexpr size_t kLength = 4092;  // PATH_MAX is 4096
    std::string text = folder_.path();
    while (text.size() + path.size() - folder_.path().size() < kLength) text += "/.";
    return text + path.substr(folder_.path().size());
  }

  // A call with the words that stand for files replaced.
  std::vector<std::string> words_of(const RunnerCall& call, const std::string& out) const {
    std::string stem = out;
    if (out.size() > kNames) stem.erase(folder_.path().size(), kNames);
    std::vector<std::string> words;
    for (const std::string& argument : call.arguments) {
      words.push_back(absl::StrReplaceAll(argument, {{"FILE", long_path(plain("FILE"))},
                                                     {"DIFFERS", long_path(plain("DIFFERS"))},
                                                     {"NAMED", long_path(plain("NAMED"))},
                                                     {"MANY", golden("1.0/trace_two_programs.lmb")},
                                                     {"KEY", plain("KEY") + ".key"},
                                                     {"IN", plain("IN")},
                                                     {"STEM", stem},
                                                     {"OUT", out}}));
    }
    return words;
  }

  static void expect_done(const std::vector<std::string>& arguments) {
    const ProcessResult result = runner(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
};

// ---- Standard output ----

class FullStandardOutput : public FullDiskTest, public ::testing::WithParamInterface<RunnerCall> {
 protected:
  ProcessResult to_full_device(const std::vector<std::string>& words) {
    std::vector<std::string> arguments = {"/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full",
                                          LIGHTMETAL_RUNNER};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return run_process(arguments, {.environment = {{"PATH", ""}}, .empty_environment = true});
  }
};

TEST_P(FullStandardOutput, TextThatIsLongerThanAStreamsBufferIsReportedAsNotWritten) {
  const ProcessResult written = runner(words_of(GetParam(), long_path(folder_.path("out"))));
  EXPECT_EQ(written.exit_code, GetParam().exit_code) << written.errors;
  EXPECT_GT(written.output.size(), kStreamBuffer);

  const ProcessResult lost =
      to_full_device(words_of(GetParam(), long_path(folder_.path("out-again"))));
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_THAT(lost.errors, HasSubstr("cannot write to standard output: No space left on device"));
}

INSTANTIATE_TEST_SUITE_P(
    All, FullStandardOutput,
    ::testing::ValuesIn(std::vector<RunnerCall>{
        {"run", {"run", "FILE"}},
        {"run_differs", {"run", "DIFFERS"}, 1},
        {"run_races", {"run", "FILE", "--races", "2"}},
        {"run_compare", {"run", "FILE", "--compare-with", "FILE"}},
        {"run_watched", {"run", "FILE", "--watchdog", "60"}},
        {"run_sandboxed", {"run", "FILE", "--sandbox=best-effort"}},
        {"run_update", {"run", "DIFFERS", "--update-golden", "-o", "OUT"}},
        {"run_entry", {"run", "NAMED", "--input", "x=IN", "--output", "y=OUT"}},
        {"run_entry_values", {"run", "NAMED", "--input", "x=IN", "--output", "y=-"}},
        {"suite", {"run", "FILE", "FILE"}},
        {"bench", {"bench", "FILE", "--loop", "3"}},
        {"bench_json", {"bench", "FILE", "--loop", "200", "--format", "json"}},
        {"info", {"info", "FILE"}},
        {"info_json", {"info", "FILE", "--format", "json"}},
        {"dump", {"dump", "MANY"}},
        {"dump_json", {"dump", "MANY", "--format", "jsonl"}},
        {"dump_buffers", {"dump", "FILE", "--buffers-at", "9", "-o", "STEM"}},
        {"report", {"report", "FILE", "-o", "OUT"}},
        {"convert", {"convert", "FILE", "--to", "jsonl", "-o", "OUT"}},
        {"diff", {"diff", "FILE", "FILE"}},
        {"diff_differs", {"diff", "FILE", "DIFFERS"}, 1},
        {"diff_json", {"diff", "FILE", "DIFFERS", "--format", "json"}, 1},
        {"verify", {"verify", "FILE"}},
        {"check", {"check", "FILE"}},
        {"check_json", {"check", "FILE", "--format", "json"}},
        {"repair", {"repair", "FILE", "-o", "OUT"}},
        {"trim", {"trim", "FILE", "--calls", "0-9", "-o", "OUT"}},
        {"reduce", {"reduce", "FILE", "--keep-failing", "exit 1;", "-o", "OUT"}},
        {"set", {"set", "FILE", "--payload", "7=IN", "-o", "OUT"}},
        {"set_json", {"set", "FILE", "--payload", "7=IN", "-o", "OUT", "--format", "json"}},
        {"bind", {"bind", "FILE", "--input=x=1", "--output=y=2", "--entry=c=7-10", "-o", "OUT"}},
        {"optimize", {"optimize", "FILE", "-o", "OUT"}},
        {"optimize_json", {"optimize", "FILE", "-o", "OUT", "--format", "json"}},
        {"redact", {"redact", "FILE", "-o", "OUT"}},
        {"sign", {"sign", "FILE", "--key", "KEY", "-o", "OUT"}},
        {"keygen", {"keygen", "-o", "STEM"}},
    }),
    [](const auto& info) { return std::string(info.param.name); });

// The verbs' own texts are shorter than the buffer or longer.
TEST_F(FullStandardOutput, HelpAndVersionAreReportedAsNotWritten) {
  std::vector<std::vector<std::string>> calls = {{"--help"}, {"help"}, {"--version"}};
  for (const std::string& verb : verbs()) calls.push_back({verb, "--help"});
  for (const std::vector<std::string>& words : calls) {
    const ProcessResult lost = to_full_device(words);
    EXPECT_EQ(lost.exit_code, 2) << words.front();
    EXPECT_EQ(lost.errors,
              "lightmetal_runner: cannot write to standard output: No space left on device\n")
        << words.front();
  }
}

// ---- Files ----

// Calls that write files, each of them to OUT.
const std::vector<RunnerCall>& writing_calls() {
  static const auto& calls = *new std::vector<RunnerCall>{
      {"report json", {"run", "FILE", "--report", "json=OUT"}},
      {"report junit", {"run", "FILE", "--report", "junit=OUT"}},
      {"races json", {"run", "FILE", "--races", "2", "--report", "json=OUT"}},
      {"divergence", {"run", "FILE", "--compare-with", "FILE", "--report", "json=OUT"}},
      {"trace", {"run", "FILE", "--trace-out", "OUT"}},
      {"what was read", {"run", "DIFFERS", "--save-actual", "OUT"}, 1},
      {"new goldens", {"run", "DIFFERS", "--update-golden", "-o", "OUT"}},
      {"checkpoint", {"run", "FILE", "--from", "9", "--checkpoint", "OUT"}},
      {"values", {"run", "NAMED", "--input", "x=IN", "--output", "y=OUT"}},
      {"values npy", {"run", "NAMED", "--input", "x=IN", "--output", "y=OUT.npy"}},
      {"junit", {"run", "FILE", "FILE", "--junit", "OUT"}},
      {"buffers", {"dump", "FILE", "--buffers-at", "9", "-o", "OUT"}},
      {"page", {"report", "FILE", "-o", "OUT"}},
      {"lines", {"convert", "FILE", "--to", "jsonl", "-o", "OUT"}},
      {"extract", {"extract", "FILE", "-o", "OUT"}},
      {"repair", {"repair", "FILE", "-o", "OUT"}},
      {"trim", {"trim", "FILE", "--calls", "0-9", "-o", "OUT"}},
      {"reduce", {"reduce", "FILE", "--keep-failing", "exit 1;", "-o", "OUT"}},
      {"set", {"set", "FILE", "--payload", "7=IN", "-o", "OUT"}},
      {"bind", {"bind", "FILE", "--input=x=1", "--output=y=2", "--entry=c=7-10", "-o", "OUT"}},
      {"optimize", {"optimize", "FILE", "-o", "OUT"}},
      {"redact", {"redact", "FILE", "-o", "OUT"}},
      {"keygen", {"keygen", "-o", "OUT"}},
  };
  return calls;
}

// Takes what is left of a disk.
void fill(const std::string& disk) {
  std::FILE* const file = std::fopen((disk + "/filler").c_str(), "wb");
  while (std::fputc(0, file) != EOF && std::fflush(file) == 0) continue;
  std::fclose(file);
}

class FullDisk : public FullDiskTest {
 protected:
  // In a process whose `disk` is full: true if each call is reported as not written.
  bool all_are_reported(const std::string& disk) {
    int outs = 0;
    for (const RunnerCall& call : writing_calls()) {
      const std::string out = absl::StrCat(disk, "/", ++outs);  // one may leave a folder
      const ProcessResult lost = runner(words_of(call, out));
      EXPECT_EQ(lost.exit_code, 2) << call.name << lost.output;
      EXPECT_THAT(lost.errors, HasSubstr("No space left on device")) << call.name;
      EXPECT_EQ(files_in(disk), 1) << call.name << " left something";
    }
    return !HasFailure();
  }

  static int files_in(const std::string& folder) {
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      files += entry.is_regular_file() ? 1 : 0;
    return files;
  }
};

constexpr int kNoMount = 77;

TEST_F(FullDisk, AFileThatCannotBeWrittenIsReportedAndNothingIsLeftOfIt) {
  const std::string disk = folder_.path("disk");
  fs::create_directory(disk);
  const pid_t child = fork();
  if (child == 0) {
    if (!mount_small_disk(disk, kStreamBuffer)) _exit(kNoMount);
    fill(disk);
    const bool reported = all_are_reported(disk);
    std::fflush(stdout);
    _exit(reported ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoMount) GTEST_SKIP() << kNoSmallDisk;
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the lines before say which calls";
}

// The twin: with room, each of these calls writes.
TEST_F(FullDisk, EachOfTheseCallsWritesWhereThereIsRoom) {
  int outs = 0;
  for (const RunnerCall& call : writing_calls()) {
    const std::string out = folder_.path(absl::StrCat("out", ++outs));
    const int before = files_in(folder_.path());
    const ProcessResult written = runner(words_of(call, out));
    EXPECT_EQ(written.exit_code, call.exit_code) << call.name << written.errors;
    EXPECT_GT(files_in(folder_.path()), before) << call.name;
  }
}

}  // namespace
}  // namespace lightmetal::testing
