// Each verb on a file of each kind: what programs really compute, what is left of one that was
// killed, and what nobody captured.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <ostream>
#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/runner/inspection_kit.h"

namespace lightmetal {
namespace {

using testing::InspectionTest;
using testing::ProcessResult;

struct VerbOnFiles {
  const char* verb;
  std::vector<std::string> options;  // FILE stands for the file, OUT for what does not exist yet
  int of_killed;                     // the exit code; it is 0 for files that are whole
  int of_hostile;
  const char* schema = "";  // of what it prints
};

void PrintTo(const VerbOnFiles& verb, std::ostream* out) { *out << verb.verb; }

class EveryVerb : public InspectionTest, public ::testing::WithParamInterface<VerbOnFiles> {
 protected:
  // With an output that does not exist yet.
  std::vector<std::string> arguments_for(const std::string& file) {
    ++outs_;
    std::vector<std::string> arguments = {LIGHTMETAL_RUNNER, GetParam().verb, file};
    for (const std::string& option : GetParam().options)
      arguments.push_back(option == "FILE" ? file : option == "OUT" ? out() : option);
    return arguments;
  }

  ProcessResult run_on(const std::string& file) {
    const std::vector<std::string> arguments = arguments_for(file);
    return runner({arguments.begin() + 1, arguments.end()});
  }

  // Ends the process at a system call. Returns how many it made.
  static uint64_t run_until(const std::vector<std::string>& arguments, uint64_t call) {
    return testing::run_until_system_call(
        arguments, call, {.environment = {{"PATH", ""}}, .empty_environment = true});
  }

  // Two outputs of one verb for one file. That of trim says when it was made.
  void expect_same(const std::string& path, const std::string& other) {
    if (GetParam().verb == absl::string_view("trim")) {
      EXPECT_EQ(runner({"diff", path, other}).exit_code, 0) << path;
    } else {
      EXPECT_EQ(contents_of(path), contents_of(other)) << path;
    }
  }

  static std::set<std::string> names_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      names.insert(entry.path().filename());
    return names;
  }

  // The last run's output.
  std::string out() const { return folder_.path(absl::StrCat("out", outs_)); }

  // The files at a path, by name.
  static std::map<std::string, std::string> contents_of(const std::string& path) {
    std::map<std::string, std::string> contents;
    if (std::filesystem::is_regular_file(path)) contents[""] = testing::read_file(path);
    if (!std::filesystem::is_directory(path)) return contents;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      const std::string name = std::filesystem::relative(entry.path(), path);
      if (entry.is_regular_file()) contents[name] = testing::read_file(entry.path());
    }
    return contents;
  }

  // The output of a run without its own path and without times: all numbers of a benchmark are
  // times.
  std::string printed(const ProcessResult& result) const {
    static const std::regex times(" *[0-9.]+ ?(ns|us|ms|s)\\b"),
        numbers(" *[0-9.]+( ?(ns|us|ms|s)\\b)?");
    const bool measures = GetParam().verb == absl::string_view("bench");
    const std::string text = absl::StrReplaceAll(result.output, {{out(), "OUT"}});
    return std::regex_replace(text, measures ? numbers : times, "#");
  }

  void expect_works(const std::string& file) {
    const ProcessResult result = run_on(file);
    EXPECT_EQ(result.exit_code, 0) << file << ": " << result.errors;
    EXPECT_EQ(result.errors, "") << file;
    EXPECT_NE(result.output, "") << file;
    if (*GetParam().schema != '\0') expect_valid(result.output, GetParam().schema);
  }

  // One clear line says what is wrong, and nothing is left of what was to be written.
  void expect_ends(const std::string& file, int exit_code) {
    const ProcessResult result = run_on(file);
    EXPECT_EQ(result.exit_code, exit_code) << file << ": " << result.errors;
    if (exit_code == 0) return;
    const std::string text = result.errors.empty() ? result.output : result.errors;
    EXPECT_NE(text.find(std::filesystem::path(file).filename()), std::string::npos) << text;
    EXPECT_LE(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(out())) << file;
  }

 private:
  int outs_ = 0;
};

TEST_P(EveryVerb, WorksOnWholeFilesAndSaysWhatIsWrongWithOthers) {
  expect_works(matmul());
  expect_works(transformer());
  expect_works(two_devices());
  expect_ends(killed(), GetParam().of_killed);
  expect_ends(hostile(), GetParam().of_hostile);
}

TEST_P(EveryVerb, DoesTheSameTheSecondTimeAndLeavesItsFileAlone) {
  std::vector<std::string> files = {matmul()};
  if (!LIGHTMETAL_SANITIZED) files.insert(files.end(), {transformer(), two_devices()});
  for (const std::string& file : files) {
    const std::string before = testing::read_file(file);
    const std::string first = printed(run_on(file));
    const std::string first_out = out();
    EXPECT_EQ(printed(run_on(file)), first) << file;
    expect_same(first_out, out());
    EXPECT_EQ(testing::read_file(file), before) << file;
  }
}

// At system calls all over a run, and at its last ones. A folder has some of its files.
TEST_P(EveryVerb, LeavesWholeFilesAndNoOthersWhenItIsKilled) {
  if (LIGHTMETAL_SANITIZED) GTEST_SKIP() << "leaks are not found in a process that is traced";
  const int nameless = ::open(folder_.path().c_str(), O_TMPFILE | O_RDWR, 0600);
  if (nameless < 0) GTEST_SKIP() << "the file system has no files without names";
  ::close(nameless);
  const std::string file = matmul();
  run_on(file);
  const std::string whole = out();
  const bool is_folder = std::filesystem::is_directory(whole);
  constexpr uint64_t kNever = UINT64_MAX, kRuns = 12, kLast = 8;
  const uint64_t calls = run_until(arguments_for(file), kNever);
  ASSERT_GT(calls, kRuns + kLast);
  std::vector<uint64_t> at;
  for (uint64_t i = 0; i < kRuns; ++i) at.push_back(calls * i / kRuns);
  for (uint64_t i = 1; i <= kLast; ++i) at.push_back(calls - i);
  for (const uint64_t call : at) {
    SCOPED_TRACE(absl::StrCat("killed at system call ", call));
    const std::vector<std::string> arguments = arguments_for(file);
    auto expected = names_in(folder_.path());
    run_until(arguments, call);
    if (std::filesystem::exists(out())) expected.insert(std::filesystem::path(out()).filename());
    EXPECT_EQ(names_in(folder_.path()), expected);
    if (std::filesystem::exists(out()) && !is_folder) expect_same(whole, out());
    if (is_folder) {
      for (const auto& [name, content] : contents_of(out()))
        EXPECT_EQ(content, contents_of(whole)[name]) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryVerb,
    ::testing::ValuesIn(std::vector<VerbOnFiles>{
        {"run", {}, 2, 2},
        {"bench", {"--loop", "3"}, 2, 2},
        {"bench", {"--loop", "3", "--format", "json"}, 2, 2, "bench.schema.json"},
        {"info", {}, 0, 0},
        {"info", {"--format", "json"}, 0, 0, "info.schema.json"},
        {"dump", {}, 0, 0},
        {"report", {"-o", "OUT"}, 0, 0},
        {"convert", {"--to", "jsonl", "-o", "OUT"}, 0, 0},
        {"extract", {"-o", "OUT"}, 0, 0},
        {"diff", {"FILE"}, 0, 0},
        {"diff", {"FILE", "--format", "json"}, 0, 0, "diff.schema.json"},
        {"verify", {}, 2, 2},
        {"check", {}, 2, 2},
        {"check", {"--format", "json"}, 2, 2, "check.schema.json"},
        {"repair", {"-o", "OUT"}, 0, 0},
        {"trim", {"--calls", "3-6", "-o", "OUT"}, 2, 2},
        {"reduce", {"--keep-failing", "exit 1;", "-o", "OUT"}, 0, 2},
        {"bind", {"--output", "result=1", "--replace", "-o", "OUT"}, 2, 2},
        {"optimize", {"-o", "OUT"}, 2, 2},
        {"redact", {"-o", "OUT"}, 0, 2},
    }),
    [](const auto& info) {
      const bool is_json = *info.param.schema != '\0';
      return absl::StrCat(info.param.verb, is_json ? "_json" : "");
    });

}  // namespace
}  // namespace lightmetal
