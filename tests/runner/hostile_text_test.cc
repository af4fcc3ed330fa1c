// Texts that come from a file or a command line, in every verb and every format: none of them
// commands a terminal, forges a line, or breaks a format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <lightmetal/scope.hpp>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/text.h"
#include "tests/runner/inspection_kit.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

// Escape sequences, controls, an end of a line with what could be a line of the runner behind it,
// quotes, markup, marks that turn the direction of text, ends of lines and noncharacters of
// Unicode, and a byte that is no UTF-8.
const std::string kHostile =
    "\x1b[2J\x07\r\x7f\nlightmetal_runner: forged\n\"'`]]><img src=x>&amp;\\u0041 \xc2\x9b"
    "0m\xc2\x85\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xe2\x80\xa9\xef\xbf\xbe\xef\xbf\xbf\xff\xc0";

// What is wrong with a text that people read; empty when nothing is.
std::string wrong_with(absl::string_view text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, "lightmetal_runner: forged")) return "a forged line";
  }
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!is_shown(character.code)) return absl::StrCat("the character ", character.code);
    text.remove_prefix(character.bytes.size());
  }
  return "";
}

class HostileText : public InspectionTest {
 protected:
  // A capture with such texts wherever a program can put one, at such a path.
  void SetUp() override {
    namespace tm = tt::tt_metal;
    tm::LightMetalBeginCapture({.path = file_, .read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0);
    {
      const Scope scope(kHostile);
      const auto buffer = tm::CreateBuffer({.device = device, .size = 64, .page_size = 64});
      tm::Program program = tm::CreateProgram();
      tm::CreateKernelFromString(program, "void kernel_main() {}", tm::CoreCoord{0, 0},
                                 tm::DataMovementConfig{.defines = {{"NAME", "1"}}});
      std::vector<uint32_t> words(16, 7);
      tm::EnqueueWriteBuffer(device->command_queue(), buffer, words, false);
      tm::EnqueueProgram(device->command_queue(), program, false);
      tm::EnqueueReadBuffer(device->command_queue(), buffer, words, true);
    }
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
    const auto bytes = rewritten(**schema::File::open(file_), make_hostile);
    write_file(file_, std::string(bytes.begin(), bytes.end()));
    const auto changed = with_changed_input(**schema::File::open(file_));
    write_file(differs_, std::string(changed.begin(), changed.end()));
    write_file(folder_.path("in"), std::string(64, '\1'));
    const auto names = names_of(**schema::File::open(file_));
    write_ = std::ranges::find(names, "EnqueueWriteBuffer") - names.begin();
  }

  // Puts them where a program's compiler would refuse them, too.
  static void make_hostile(schema::CommandT& command, schema::Writer&) {
    auto* kernel = command.call.AsKernelCreate();
    if (kernel == nullptr) return;
    kernel->source_name = kHostile;
    for (auto& define : kernel->defines) define->value = kHostile;
  }

  void expect_clean(const ProcessResult& result, const std::string& call) const {
    EXPECT_EQ(wrong_with(result.output), "") << call << ":\n" << escaped(result.output);
    EXPECT_EQ(wrong_with(result.errors), "") << call << ":\n" << escaped(result.errors);
    EXPECT_LE(result.exit_code, 2) << call << result.errors;
  }

  // FILE, DIFFERS and OUT stand for paths.
  ProcessResult call(std::vector<std::string> arguments) const {
    for (std::string& argument : arguments) {
      absl::StrReplaceAll({{"FILE", file_},
                           {"DIFFERS", differs_},
                           {"OUT", out_},
                           {"WRITE", absl::StrCat(write_)},
                           {"IN", folder_.path("in")}},
                          &argument);
    }
    fs::remove_all(out_);
    // In a folder of the test's own: such a text may be the name of a file to write.
    arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
    return run_process(
        arguments,
        {.folder = folder_.path(), .environment = {{"PATH", ""}}, .empty_environment = true});
  }

  const std::string file_ = folder_.path("file " + kHostile + ".lmb");
  const std::string differs_ = folder_.path("differs " + kHostile + ".lmb");
  const std::string out_ = folder_.path("out " + kHostile);
  ptrdiff_t write_ = 0;  // the number of the command that writes
};

TEST_F(HostileText, IsEscapedInWhatEachVerbPrints) {
  const std::vector<std::vector<std::string>> calls = {
      {"run", "FILE"},
      {"run", "DIFFERS"},
      {"run", "OUT"},
      {"run", "FILE", "DIFFERS", "OUT"},
      {"run", "DIFFERS", "--update-golden", "-o", "OUT"},
      {"run", "FILE", "--races", "1"},
      {"run", "FILE", "--compare-with", "DIFFERS"},
      {"run", "FILE", "--watchdog", "60", "--sync"},
      {"run", "FILE", "--sandbox=best-effort"},
      {"bench", "FILE", "--loop", "3"},
      {"info", "FILE"},
      {"dump", "FILE"},
      {"dump", "FILE", "--values"},
      {"dump", "FILE", "--buffers-at", "5", "-o", "OUT"},
      {"report", "FILE", "-o", "OUT"},
      {"convert", "FILE", "--to", "jsonl", "-o", "OUT"},
      {"convert", "FILE", "--from", "jsonl", "-o", "OUT"},
      {"extract", "FILE", "-o", "OUT"},
      {"diff", "FILE", "DIFFERS"},
      {"verify", "FILE"},
      {"check", "FILE"},
      {"repair", "FILE", "-o", "OUT"},
      {"trim", "FILE", "--calls", "0-5", "-o", "OUT"},
      {"trim", "FILE", "--scope", kHostile, "-o", "OUT"},
      {"reduce", "FILE", "--keep-failing", "echo " + kHostile + "; exit 1;", "-o", "OUT"},
      {"set", "FILE", "--kernel", kHostile + "=OUT", "-o", "OUT"},
      {"bind", "FILE", "--output", kHostile + "=1", "-o", "OUT"},
      {"optimize", "FILE", "-o", "OUT"},
      {"relocate", "--detect", "FILE", "DIFFERS", "-o", "OUT"},
      {"redact", "FILE", "-o", "OUT"},
      {"keygen", "-o", "OUT"},
      {"sign", "FILE", "--key", "OUT"},
      {kHostile},
      {kHostile, "--help"},
      {"run", "FILE", "--" + kHostile},
      {"run", "FILE", "-" + kHostile},
  };
  std::set<std::string> verbs;
  for (const auto& arguments : calls) {
    verbs.insert(arguments.front());
    expect_clean(call(arguments), absl::StrCat(arguments[0], " ", arguments.back()));
  }
  for (const std::string& verb : InspectionTest::verbs()) EXPECT_TRUE(verbs.contains(verb)) << verb;
}

// The options of a verb, by its help.
std::set<std::string> options_in(const std::string& help) {
  std::set<std::string> options;
  for (const absl::string_view line : absl::StrSplit(help, '\n')) {
    const size_t begin = line.find("--");
    if (begin > 6 || begin == line.npos) continue;
    options.emplace(line.substr(begin, line.find_first_of(" [", begin) - begin));
  }
  return options;
}

TEST_F(HostileText, IsEscapedWhereAnOptionHasItAsItsValue) {
  size_t calls = 0;
  for (const std::string& verb : verbs()) {
    for (const std::string& option : options_in(runner({verb, "--help"}).output)) {
      if (option == "--help" || option == "--keep-failing") continue;  // the latter is a command
      expect_clean(call({verb, "FILE", absl::StrCat(option, "=", kHostile)}), verb + option);
      ++calls;
    }
  }
  EXPECT_GT(calls, 100u);
}

// Each is one JSON text, or one to a line, that is shown as it is, too.
TEST_F(HostileText, BreaksNoJson) {
  const std::vector<std::vector<std::string>> calls = {
      {"run", "DIFFERS", "--report", "json=OUT"},
      {"run", "FILE", "--races", "1", "--report", "json=OUT"},
      {"run", "FILE", "--compare-with", "DIFFERS", "--report", "json=OUT"},
      {"run", "FILE", "--trace-out", "OUT"},
      {"bench", "FILE", "--loop", "3", "--format", "json"},
      {"info", "FILE", "--format", "json"},
      {"dump", "FILE", "--format", "jsonl"},
      {"diff", "FILE", "DIFFERS", "--format", "json"},
      {"check", "FILE", "--format", "json"},
      {"optimize", "FILE", "-o", "OUT.lmb", "--format", "json"},
      {"set", "FILE", "--payload", "WRITE=IN", "-o", "OUT.lmb", "--format", "json"},
      {"convert", "FILE", "--to", "jsonl", "-o", "OUT"},
      {"extract", "FILE", "-o", "OUT"},
  };
  for (const auto& arguments : calls) {
    const ProcessResult result = call(arguments);
    const std::string name = absl::StrCat(arguments[0], " ", arguments.back());
    const bool is_written = fs::exists(out_);
    const std::string text = !is_written              ? result.output
                             : fs::is_directory(out_) ? read_file(out_ + "/index.json")
                                                      : read_file(out_);
    EXPECT_EQ(wrong_with(text), "") << name;
    EXPECT_FALSE(text.empty()) << name << result.errors;
    const bool is_lines =
        absl::StrContains(absl::StrCat(arguments[2], arguments.back()), "jsonl") ||
        arguments[0] == "convert";
    for (const absl::string_view line :
         absl::StrSplit(text, is_lines ? "\n" : "\x01", absl::SkipEmpty()))
      EXPECT_TRUE(nlohmann::json::accept(line)) << name << ":\n" << escaped(line);
    fs::remove(out_ + ".lmb");
  }
}

TEST_F(HostileText, BreaksNoXmlAndSpoilsNoReportOfMany) {
  const std::vector<std::vector<std::string>> calls = {
      {"run", "DIFFERS", "--report", "junit=OUT"},
      {"run", "FILE", "--no-check", "--report", "junit=OUT"},
      {"run", "FILE", "--races", "1", "--report", "junit=OUT"},
      {"run", "FILE", "DIFFERS", folder_.path(), "--junit", "OUT"},
  };
  write_file(folder_.path("nonsense " + kHostile + ".lmb"), "nonsense");
  for (const auto& arguments : calls) {
    const ProcessResult result = call(arguments);
    ASSERT_TRUE(fs::exists(out_)) << result.errors;
    EXPECT_EQ(wrong_with(read_file(out_)), "") << arguments.back();
    const ProcessResult parsed = run_process(
        {"/usr/bin/env", "python3", "-c",
         "import sys, xml.dom.minidom as xml; xml.parse(open(sys.argv[1], 'rb'))", out_});
    EXPECT_EQ(parsed.exit_code, 0) << parsed.errors << escaped(read_file(out_));
  }
}

TEST_F(HostileText, IsNoMarkupInAPage) {
  const ProcessResult result = call({"report", "FILE", "-o", "OUT"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const std::string page = read_file(out_);
  EXPECT_EQ(wrong_with(page), "");
  EXPECT_FALSE(absl::StrContains(page, "<img src=x>"));
}

}  // namespace
}  // namespace lightmetal::testing
