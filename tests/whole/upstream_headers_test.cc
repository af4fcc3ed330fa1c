// Upstream's public host headers of every month from October 2024 to October 2026: each is there,
// or docs/compatibility.md gives the reason, and so for each name that they declared. The names and
// their months are in upstream_host_headers.txt, which scripts/upstream_headers makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "device/cpu/compiler/config.h"
#include "tests/support/api_lists.h"
#include "tests/support/declared_names.h"
#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kCompatibilityPage[] = LIGHTMETAL_SOURCE_FOLDER "/docs/compatibility.md";
constexpr char kTable[] = LIGHTMETAL_SOURCE_FOLDER "/tests/whole/upstream_host_headers.txt";
constexpr char kRegenerate[] = "; scripts/upstream_headers makes the table again";

// ---- The table ----

struct Name {
  std::string kind;   // what the scope is: namespace, class, template, enum or macros
  std::string scope;  // "::" is the global namespace
  std::string name;

  std::string qualified() const { return scope == "::" ? name : scope + "::" + name; }
  friend auto operator<=>(const Name&, const Name&) = default;
};

struct Header {
  std::string path;
  size_t declared = 0;
  std::vector<Name> names;
};

// "macros: A B" or "class Scope: A B@2501-2506".
void read_names(const std::string& line, Header& header) {
  const size_t colon = line.find(": ");
  std::istringstream before(line.substr(0, colon)), words(line.substr(colon + 2));
  Name name;
  before >> name.kind >> name.scope;
  for (std::string word; words >> word;) {
    name.name = word.substr(0, word.find('@'));
    header.names.push_back(name);
  }
}

const std::vector<Header>& table() {
  static const auto* const headers = [] {
    auto* read = new std::vector<Header>;
    std::ifstream file(kTable);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with('#')) continue;
      if (!line.starts_with("header ")) {
        read_names(line, read->back());
        continue;
      }
      std::istringstream words(line.substr(7));
      std::string months;
      words >> months >> read->emplace_back().path >> read->back().declared;
    }
    return read;
  }();
  return *headers;
}

// Each name once, whichever headers declare it.
std::set<Name> all_names() {
  std::set<Name> names;
  for (const Header& header : table()) names.insert(header.names.begin(), header.names.end());
  return names;
}

// ---- The page ----

// The rows below a heading, as their cells.
std::vector<std::vector<std::string>> rows_below(const std::string& heading) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(kCompatibilityPage);
  bool below = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) below = line == heading;
    if (below && line.starts_with("| `")) rows.push_back(cells_of(line));
  }
  return rows;
}

bool matches(const std::string& pattern, const std::string& path) {
  if (!pattern.ends_with('*')) return pattern == path;
  return path.starts_with(pattern.substr(0, pattern.size() - 1));
}

// ---- Headers ----

bool is_there(const std::string& header) { return fs::exists(host_header_folder() + header); }

TEST(UpstreamHeaders, EachIsThereOrHasAReason) {
  std::vector<std::string> reasons;
  for (const auto& cells : rows_below("## Host headers")) {
    if (cells.at(1) != "refused") continue;
    for (const std::string& name : names_in(cells.at(0))) reasons.push_back(name);
  }
  EXPECT_GT(table().size(), 600u);
  std::set<std::string> used;
  for (const Header& header : table()) {
    if (is_there(header.path)) continue;
    const auto reason = std::ranges::find_if(
        reasons, [&](const std::string& pattern) { return matches(pattern, header.path); });
    if (reason == reasons.end()) {
      ADD_FAILURE() << header.path << " is neither there nor refused in docs/compatibility.md";
    } else {
      used.insert(*reason);
    }
  }
  for (const std::string& reason : reasons)
    EXPECT_TRUE(used.contains(reason)) << "no header that is missing is " << reason;
}

TEST(UpstreamHeaders, NamesOfEachThatIsThereAreInTheTable) {
  for (const Header& header : table()) {
    if (!is_there(header.path)) continue;
    EXPECT_EQ(header.names.size(), header.declared) << header.path << kRegenerate;
  }
}

// ---- Names ----

// Namespaces of upstream's that are classes here.
const std::set<std::string>& classes_here() {
  static const auto* const classes = new std::set<std::string>{"tt::tt_metal::hal"};
  return *classes;
}

// A line that compiles if the name is declared; empty for members of class templates.
std::string use_of(const Name& name, size_t number) {
  const std::string qualified = "::" + name.qualified();
  const std::string own = "check" + std::to_string(number);
  if (name.kind == "enum")
    return "namespace " + own + " { constexpr auto value = " + qualified + "; }";
  if (name.kind == "class" || classes_here().contains(name.scope))
    return "struct " + own + " : ::" + name.scope + " { using " + qualified + "; };";
  if (name.kind == "namespace") return "namespace " + own + " { using " + qualified + "; }";
  return "";
}

std::string all_headers() {
  std::string text;
  for (const std::string& header : headers_below(host_header_folder())) {
    if (!header.starts_with("lightmetal/")) text += "#include <" + header + ">\n";
  }
  return text;
}

std::vector<std::string> clang(std::vector<std::string> arguments) {
  std::vector<std::string> words = {std::string(device::cpu::kLlvmTools) + "/clang", "-std=c++20",
                                    "-w", "-I" + host_header_folder(), "-I" + source_folder()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

// The numbers of the lines of `file` in which clang finds errors.
std::set<size_t> lines_with_errors(const std::string& output, const std::string& file) {
  std::set<size_t> lines;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (line.find(" error: ") == line.npos) continue;
    EXPECT_TRUE(line.starts_with(file + ":")) << line;
    if (line.starts_with(file + ":")) lines.insert(std::stoul(line.substr(file.size() + 1)));
  }
  return lines;
}

// The macros that clang knows at the end of `text`.
std::set<std::string> macros_of(const std::string& file) {
  std::istringstream defines(run_process(clang({"-E", "-dM", file})).output);
  std::set<std::string> macros;
  for (std::string word, name; defines >> word;) {
    if (word == "#define" && defines >> name) macros.insert(name.substr(0, name.find('(')));
  }
  return macros;
}

// Words of the headers, for the members of class templates.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
  return words;
}

// The names that our headers do not declare. A class is made no final one, so that the check can
// derive from it.
const std::set<Name>& missing_names() {
  static const auto* const missing = [] {
    const TemporaryFolder folder;
    const std::string file = folder.path("names.cc");
    std::string text = all_headers();
    size_t line = static_cast<size_t>(std::ranges::count(text, '\n'));
    std::map<size_t, Name> at;
    auto* found = new std::set<Name>;
    std::string headers;
    for (const std::string& header : headers_below(host_header_folder()))
      headers += read_file(host_header_folder() + header);
    const std::set<std::string> words = words_of(headers);
    write_file(file, text);
    const std::set<std::string> macros = macros_of(file);
    for (const Name& name : all_names()) {
      const std::string use = use_of(name, at.size());
      const bool known =
          name.kind == "macros" ? macros.contains(name.name) : words.contains(name.name);
      if (use.empty() && !known) found->insert(name);
      if (use.empty()) continue;
      text += use + "\n";
      at[++line] = name;
    }
    write_file(file, text);
    const ProcessResult result = run_process(
        clang({"-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-Dfinal=", file}));
    for (const size_t wrong : lines_with_errors(result.errors, file)) found->insert(at.at(wrong));
    return found;
  }();
  return *missing;
}

// A row's names: those of one scope, or "*" for the scope and all that is in it.
struct Reason {
  std::string scope;
  std::string name;

  bool covers(const Name& missing) const {
    if (name != "*") return missing.scope == scope && missing.name == name;
    return (missing.qualified() + "::").starts_with(scope + "::");
  }
};

std::vector<Reason> reasons_of_names() {
  std::vector<Reason> reasons;
  for (const auto& cells : rows_below("## Host names that are not there")) {
    EXPECT_EQ(cells.size(), 3u) << cells.front();
    EXPECT_NE(cells.back(), "") << cells.front() << " has no reason";
    for (const std::string& scope : names_in(cells.at(0))) {
      for (const std::string& name : names_in(cells.at(1))) reasons.push_back({scope, name});
    }
  }
  return reasons;
}

// The scope of a macro is "#define" on the page.
Name on_the_page(Name name) {
  if (name.kind == "macros") name.scope = "#define";
  return name;
}

TEST(UpstreamHeaders, EachNameIsDeclaredOrHasAReason) {
  const std::vector<Reason> reasons = reasons_of_names();
  EXPECT_GT(all_names().size(), 4000u);
  std::set<std::string> unexplained;
  std::set<size_t> used;
  for (const Name& missing : missing_names()) {
    const Name name = on_the_page(missing);
    const auto covers = [&](const Reason& reason) { return reason.covers(name); };
    const auto reason = std::ranges::find_if(reasons, covers);
    if (reason == reasons.end()) unexplained.insert(name.kind + " " + name.qualified());
    for (size_t i = 0; i < reasons.size(); ++i) {
      if (reasons[i].covers(name)) used.insert(i);
    }
  }
  for (const std::string& name : unexplained)
    ADD_FAILURE() << name << " is neither declared nor has it a row in docs/compatibility.md";
  for (size_t i = 0; i < reasons.size(); ++i) {
    EXPECT_TRUE(used.contains(i)) << reasons[i].scope << "::" << reasons[i].name
                                  << " has a row, but it is declared, or upstream never had it";
  }
}

// A row for a whole scope hides no name that was there and is lost.
TEST(UpstreamHeaders, NothingOfAScopeThatIsNotThereIsDeclared) {
  for (const Reason& reason : reasons_of_names()) {
    if (reason.name != "*") continue;
    for (const Name& name : all_names()) {
      EXPECT_TRUE(!reason.covers(name) || missing_names().contains(name))
          << name.qualified() << " is declared, though " << reason.scope << " is not there";
    }
  }
}

// ---- What a header brings ----

// Adds the text of a header and of what it includes of ours, each once.
void add_text(const std::string& path, std::set<std::string>& seen, std::string& text) {
  if (!seen.insert(path).second) return;
  const std::string own = read_file(path);
  text += own;
  std::istringstream lines(own);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_of("<\"");
    if (!line.starts_with("#include") || begin == line.npos) continue;
    const std::string name =
        line.substr(begin + 1, line.find_first_of(">\"", begin + 1) - begin - 1);
    for (const std::string& folder : {host_header_folder(), source_folder()}) {
      if (fs::is_regular_file(folder + name)) add_text(folder + name, seen, text);
    }
  }
}

// Names that a program gets with other headers than upstream's, and words of the headers.
const std::set<std::string>& brought_by_others() {
  static const auto* const names =
      new std::set<std::string>{"MEMCPY_ALIGNMENT",
                                "log2",
                                "tilize_nchw",
                                "untilize_nchw",
                                "PROFILER_OP_SUPPORT_COUNT",
                                "tt::OStreamJoin::b",
                                "tt::tt_metal::MemoryBlockTable",
                                "tt::tt_metal::NumHalProgrammableCoreTypes",
                                "tt::tt_metal::RuntimeArgs",
                                "tt::tt_metal::detail::GetCircularBuffer",
                                "tt::tt_metal::detail::ValidateCircularBufferRegion",
                                "tt::tt_metal::distributed::DeviceIds",
                                "tt::tt_metal::max_runtime_args",
                                "tt::tt_metal::experimental::CreateGlobalCircularBuffer",
                                "ttsl::hash::hash_combine",
                                "ttsl::hash::hash_objects",
                                "ttsl::hash::hash_t",
                                "kernel_profiler::TimestampedDataSize::size"};
  return *names;
}

TEST(UpstreamHeaders, EachBringsTheNamesThatItDeclared) {
  for (const Header& header : table()) {
    if (!is_there(header.path)) continue;
    std::set<std::string> seen;
    std::string text;
    add_text(host_header_folder() + header.path, seen, text);
    const std::set<std::string> words = words_of(text);
    std::string lost;
    for (const Name& name : header.names) {
      const bool is_brought = words.contains(name.name) || name.kind == "template" ||
                              brought_by_others().contains(name.qualified());
      if (!is_brought && !missing_names().contains(name)) lost += " " + name.qualified();
    }
    EXPECT_EQ(lost, "") << header.path << " does not bring them; other headers do";
  }
}

// ---- Names that are found by argument ----

// The namespaces of upstream's types, in which a call with such a type as its argument looks for
// functions.
std::set<std::string> namespaces_of_types() {
  std::set<std::string> spaces;
  for (const Name& name : all_names()) {
    if (name.kind == "class" || name.kind == "enum") {
      const size_t end = name.scope.rfind("::");
      spaces.insert(end == name.scope.npos ? "" : name.scope.substr(0, end + 2));
    }
  }
  return spaces;
}

// The last parts of the names in upstream_names.txt, which are those of October 2026, too.
std::set<std::string> later_names() {
  return words_of(read_file(source_folder() + "tests/whole/upstream_names.txt"));
}

// Not found by argument alone: two of the global namespace, and those of detail, of whose types
// programs have no values.
bool is_found_anyway(const std::string& function) {
  return function.starts_with("tt::tt_metal::detail::") ||
         function == "pack_bfloat16_into_uint32" || function == "unpack_uint32_vec_into_float_vec";
}

TEST(UpstreamHeaders, NoOtherFunctionIsFoundByTheTypesOfPrograms) {
  const std::set<std::string> spaces = namespaces_of_types();
  std::set<std::string> known = later_names();
  for (const Name& name : all_names()) {
    if (name.kind == "namespace" || name.kind == "macros") known.insert(name.name);
  }
  size_t held = 0;
  for (const auto& [function, header] : declared_by_host().functions) {
    const size_t end = function.rfind("::");
    const std::string space = end == function.npos ? "" : function.substr(0, end + 2);
    const std::string name = end == function.npos ? function : function.substr(end + 2);
    if (!spaces.contains(space) || is_found_anyway(function)) continue;
    if (name.starts_with("LightMetal")) continue;  // ours, as the page says
    EXPECT_TRUE(known.contains(name))
        << function << " of " << header << " is found where a program calls a " << name
        << " of its own: it belongs in a namespace without types of upstream's";
    ++held;
  }
  EXPECT_GT(held, 200u);
}

// What calls with a type find depends on where the type is declared, not on its alias.
TEST(UpstreamHeaders, NoTypeOfProgramsIsOneOfAnotherNamespace) {
  EXPECT_TRUE(declared_by_host().origins.contains("CoreCoord"));
  for (const auto& [name, origin] : declared_by_host().origins)
    EXPECT_EQ(origin.find("lightmetal::"), origin.npos) << name << " is " << origin;
}

}  // namespace
}  // namespace lightmetal::testing
