#include "tests/support/api_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "device/cpu/compiler/config.h"
#include "tests/support/process.h"

namespace lightmetal::testing {

namespace fs = std::filesystem;

std::string source_folder() { return LIGHTMETAL_SOURCE_FOLDER "/"; }

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  std::string cell;
  std::getline(in, cell, '|');  // before the first bar
  while (std::getline(in, cell, '|')) {
    const size_t begin = cell.find_first_not_of(' ');
    cells.push_back(begin == std::string::npos
                        ? ""
                        : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
  }
  return cells;
}

std::vector<std::string> names_in(const std::string& cell) {
  std::vector<std::string> names;
  for (size_t begin = cell.find('`'); begin != std::string::npos;) {
    const size_t end = cell.find('`', begin + 1);
    if (end == std::string::npos) break;
    names.push_back(cell.substr(begin + 1, end - begin - 1));
    begin = cell.find('`', end + 1);
  }
  return names;
}

bool updates_golden() { return std::getenv("LIGHTMETAL_UPDATE_GOLDEN") != nullptr; }

std::string with_row(const std::string& page, const std::string& heading, const std::string& row,
                     const std::set<std::string>& neighbours) {
  std::vector<std::string> lines = absl::StrSplit(page, '\n');
  const auto is_neighbour = [&](const std::string& name) { return neighbours.contains(name); };
  size_t place = 0;
  ptrdiff_t most = 0;
  bool inside = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("## ")) inside = lines[i] == heading;
    if (!inside || !lines[i].starts_with("| `")) continue;
    const std::vector<std::string> names = names_in(cells_of(lines[i])[0]);
    const ptrdiff_t named = std::count_if(names.begin(), names.end(), is_neighbour);
    if (named >= most) place = i + 1;
    most = std::max(most, named);
  }
  EXPECT_NE(place, 0u) << "the page has no table below " << heading;
  lines.insert(lines.begin() + static_cast<ptrdiff_t>(place), row);
  return absl::StrJoin(lines, "\n");
}

void add_rows(const std::string& path, const std::string& heading,
              const std::map<std::string, std::string>& rows,
              const std::map<std::string, std::string>& declared) {
  std::string page = read_file(path);
  for (const auto& [name, row] : rows) {
    std::set<std::string> neighbours;
    for (const auto& [other, header] : declared) {
      if (header == declared.at(name)) neighbours.insert(other);
    }
    page = with_row(page, heading, row, neighbours);
  }
  if (!rows.empty()) write_file(path, page);
}

std::vector<std::string> headers_below(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".hpp") {
      found.push_back(fs::relative(entry.path(), folder).string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string host_header_folder() {
  static const auto folder = [] {
    auto made = std::make_unique<TemporaryFolder>();
    for (const char* from : {LIGHTMETAL_SOURCE_FOLDER "/api/include", LIGHTMETAL_HEADER_ALIASES})
      fs::copy(from, made->path("include"),
               fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    return made;
  }();
  return folder->path("include/");
}

void ask_clang(const std::vector<std::string>& flags, const std::string& text,
               const DeclarationFilter& filter, DeclaredNames& found) {
  const TemporaryFolder folder;
  write_file(folder.path("all.cc"), text);
  std::vector<std::string> command = {std::string(device::cpu::kLlvmTools) + "/clang", "-w"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.push_back(folder.path("all.cc"));
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all = command;
    all.insert(all.end(), more.begin(), more.end());
    ProcessResult result = run_process(all);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return std::istringstream(std::move(result.output));
  };
  std::istringstream ast = run({"-fsyntax-only", "-fno-color-diagnostics", "-Xclang", "-ast-dump"});
  read_ast(ast, filter, found);
  std::istringstream macros = run({"-E", "-dD"});
  read_macros(macros, filter, found);
}

const DeclaredNames& declared_by_host() {
  static const auto* const names = [] {
    const std::string folder = host_header_folder();
    std::string text;
    for (const std::string& header : headers_below(folder)) {
      if (!header.starts_with("lightmetal/")) text += "#include <" + header + ">\n";
    }
    auto* found = new DeclaredNames;
    ask_clang({"-std=c++20", "-I" + folder, "-I" + source_folder()}, text,
              {folder,
               {"lightmetal", "replay_hooks", "fmt", "magic_enum", "enchantum", "fmt_detail",
                "internal"}},
              *found);
    return found;
  }();
  return *names;
}

}  // namespace lightmetal::testing
