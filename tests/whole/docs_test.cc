// Every command that README.md and docs/ show in a ```sh block is run here, in one shell per
// document, in an empty folder; only the scripts that build the whole project are left out, since
// CI runs them as they are.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shell_lines(const std::string& document) {
  std::vector<std::string> lines;
  bool inside = false;
  std::istringstream in(read_file(document));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = line == "```sh";
    } else if (inside && !line.starts_with("scripts/")) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// What is built, and what is in the tree, lies elsewhere for the tests.
std::string with_places(const std::string& script) {
  return replace_all(replace_all(script, "build/bin", LIGHTMETAL_BIN_FOLDER), " examples/",
                     " " LIGHTMETAL_SOURCE_FOLDER "/examples/");
}

class Document : public ::testing::TestWithParam<std::string> {};

TEST_P(Document, ItsCommandsRun) {
  std::string script = "set -eu\n";
  for (const std::string& line : shell_lines(LIGHTMETAL_SOURCE_FOLDER "/" + GetParam()))
    script += line + "\n";
  const TemporaryFolder folder;
  const ProcessResult result =
      run_process({"/bin/bash", "-c", with_places(script)}, {.folder = folder.path()});
  EXPECT_EQ(result.exit_code, 0) << script << result.output << result.errors;
}

std::vector<std::string> documents_with_commands() {
  std::vector<std::string> found;
  for (const char* folder : {"", "docs"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(LIGHTMETAL_SOURCE_FOLDER) / folder)) {
      if (entry.path().extension() != ".md" || shell_lines(entry.path()).empty()) continue;
      found.push_back((fs::path(folder) / entry.path().filename()).string());
    }
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, Document, ::testing::ValuesIn(documents_with_commands()),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : info.param)
                             name.push_back(std::isalnum(static_cast<unsigned char>(c)) ? c : '_');
                           return name;
                         });

TEST(Documents, TheReadmeShowsCommands) {
  EXPECT_FALSE(shell_lines(LIGHTMETAL_SOURCE_FOLDER "/README.md").empty());
}

// ---- Environment ----

void add_matches(const std::string& text, const std::regex& pattern, std::set<std::string>& found) {
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.insert((*match)[1]);
}

std::set<std::string> variables_of_the_code() {
  const std::regex literal("\"((LIGHTMETAL|TT_METAL|TT_LOGGER)_[A-Z_]*[A-Z])\"");
  std::set<std::string> found;
  for (const char* folder : {"api", "base", "capture", "device", "replay", "runner", "schema"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(LIGHTMETAL_SOURCE_FOLDER) / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".cc" || extension == ".h" || extension == ".hpp")
        add_matches(read_file(entry.path()), literal, found);
    }
  }
  return found;
}

TEST(Documents, EveryVariableThatIsReadIsInTheTable) {
  std::set<std::string> documented;
  add_matches(read_file(LIGHTMETAL_SOURCE_FOLDER "/docs/runner.md"),
              std::regex("\\n\\| `([A-Z_]+)` \\|"), documented);
  EXPECT_EQ(documented, variables_of_the_code());
}

}  // namespace
}  // namespace lightmetal::testing
