// Each verb on a file of each kind: what programs really compute, what is left of one that was
// killed, and what nobody captured.
#include <gmock/gmock.h>

#include <filesystem>
#include <ostream>

#include "absl/strings/str_cat.h"
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
  ProcessResult run_on(const std::string& file) {
    const std::string out = folder_.path(absl::StrCat("out", ++outs_));
    std::vector<std::string> arguments = {GetParam().verb, file};
    for (const std::string& option : GetParam().options)
      arguments.push_back(option == "FILE" ? file : option == "OUT" ? out : option);
    return runner(arguments);
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
    EXPECT_FALSE(std::filesystem::exists(folder_.path(absl::StrCat("out", outs_)))) << file;
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
