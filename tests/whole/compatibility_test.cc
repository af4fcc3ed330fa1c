// docs/compatibility.md lists every function that the headers of host programs and of kernels
// declare, and nothing else as there. What the headers declare is asked of clang.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "device/cpu/compiler/embedded_files.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/wrapper.h"
#include "tests/support/api_lists.h"
#include "tests/support/declared_names.h"
#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kPage[] = LIGHTMETAL_SOURCE_FOLDER "/docs/compatibility.md";
constexpr char kHostFunctions[] = "## Host functions";
constexpr char kHostHeaders[] = "## Host headers";
constexpr char kHostData[] = "## Host fields and constants";
constexpr char kKernelFunctions[] = "## Kernel functions";

// ---- The page ----

struct Row {
  std::string state;
  std::string note;
};
using Rows = std::multimap<std::string, Row>;  // by name

struct Page {
  Rows host;
  Rows host_headers;
  Rows host_data;
  Rows kernel;
};

// Rows of tables with the columns name, state, note, below the headings of the lists.
Page read_page() {
  Page page;
  Rows* rows = nullptr;
  std::ifstream file(kPage);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) {
      rows = line == kHostFunctions     ? &page.host
             : line == kHostHeaders     ? &page.host_headers
             : line == kHostData        ? &page.host_data
             : line == kKernelFunctions ? &page.kernel
                                        : nullptr;
    }
    if (rows == nullptr || !line.starts_with("| `")) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != 3) {
      ADD_FAILURE() << "a row with " << cells.size() << " cells: " << line;
      continue;
    }
    for (const std::string& name : names_in(cells[0])) rows->insert({name, {cells[1], cells[2]}});
  }
  return page;
}

// ---- The headers ----

bool begins_with_one_of(const std::string& text, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& beginning) { return text.starts_with(beginning); });
}

// The headers that a kernel of this processor may include.
bool fits(const std::string& header, device::Processor processor) {
  const bool compute = begins_with_one_of(
      header, {"compute_kernel_api", "sfpi", "ckernel", "llk", "experimental/llk"});
  const bool ethernet = begins_with_one_of(header, {"erisc", "eth", "internal/eth", "tt_metal/"});
  if (begins_with_one_of(header, {"lightmetal"})) return false;
  if (processor == device::Processor::kCompute) return compute || header.starts_with("debug/");
  return ethernet ? processor == device::Processor::kEthernet : !compute;
}

// What the library has for kernels: the headers of the source tree and those made from the table.
std::string kernel_header_folder() {
  const auto toolbox = device::cpu::unpack_toolbox();
  EXPECT_TRUE(toolbox.ok()) << toolbox.status();
  return toolbox.ok() ? fs::canonical(toolbox->headers).string() + "/" : "";
}

const DeclaredNames& declared_by_kernels() {
  static const auto* const names = [] {
    const std::string folder = kernel_header_folder();
    auto* found = new DeclaredNames;
    for (const auto processor :
         {device::Processor::kRiscv0, device::Processor::kEthernet, device::Processor::kCompute}) {
      device::KernelSource source;
      source.processor = processor;
      for (const EmbeddedFile& header : device::cpu::kernel_headers()) {
        const std::string name(header.name);
        if (fits(name, processor)) source.text += "#include \"" + name + "\"\n";
      }
      source.text += "void kernel_main() {}\n";
      const auto kernel = device::cpu::wrap_kernel(source, {});
      EXPECT_TRUE(kernel.ok()) << kernel.status();
      if (!kernel.ok()) continue;
      ask_clang({"-std=gnu++20", "-fms-extensions", "-I" + folder}, kernel->prelude + kernel->body,
                {folder, {"lightmetal"}}, *found);
    }
    // What every kernel is linked with.
    ask_clang({"-std=gnu++20", "-fms-extensions", "-I" + folder},
              "#include \"lightmetal/runtime.h\"\n", {folder, {"lightmetal"}}, *found);
    // What the compiler's wrapper defines and our own entry points.
    for (auto name = found->names.begin(); name != found->names.end();) {
      const bool own = begins_with_one_of(name->first, {"lightmetal_", "LIGHTMETAL_"});
      name = own ? found->names.erase(name) : std::next(name);
    }
    return found;
  }();
  return *names;
}

// ---- The comparison ----

bool is_declared(const DeclaredNames& declared, const std::string& name) {
  return declared.names.contains(name) || declared.others.contains(name);
}

// Rows for the page, by header.
std::string rows_of(const std::map<std::string, std::vector<std::string>>& names_by_header) {
  std::string text;
  for (const auto& [header, names] : names_by_header) {
    text += "\n" + header + "\n| ";
    for (const std::string& name : names)
      text += (name == names.front() ? "`" : ", `") + name + "`";
    text += " | supported | |\n";
  }
  return text;
}

// The row of a name that is there as upstream has it.
void list_missing(const std::map<std::string, std::string>& declared, const Rows& rows,
                  const std::string& heading) {
  std::map<std::string, std::string> missing;
  for (const auto& [name, header] : declared) {
    if (!rows.contains(name)) missing[name] = "| `" + name + "` | supported | |";
  }
  add_rows(kPage, heading, missing, declared);
}

void expect_all_listed(const std::map<std::string, std::string>& declared, const Rows& rows,
                       const std::string& heading) {
  if (updates_golden()) return list_missing(declared, rows, heading);
  std::map<std::string, std::vector<std::string>> missing;
  for (const auto& [name, header] : declared) {
    if (!rows.contains(name)) missing[header].push_back(name);
  }
  EXPECT_TRUE(missing.empty()) << "docs/compatibility.md does not list:" << rows_of(missing);
}

// All of the sources in which a refusal's message can stand.
const std::string& sources() {
  static const auto* const text = [] {
    auto* all = new std::string;
    for (const char* folder : {"api", "device", "capture"}) {
      for (const auto& entry : fs::recursive_directory_iterator(source_folder() + folder)) {
        if (entry.is_regular_file()) *all += read_file(entry.path().string());
      }
    }
    return all;
  }();
  return *text;
}

// A refused name is not declared, or the row quotes the message with which its use fails.
void expect_refused(const DeclaredNames& declared, const std::string& name, const Row& row) {
  if (!is_declared(declared, name)) return;
  const size_t begin = row.note.find('"');
  const size_t end = row.note.find('"', begin + 1);
  if (begin == std::string::npos || end == std::string::npos) {
    ADD_FAILURE() << name << " is listed as refused, but it is declared, and its note quotes no "
                  << "message";
    return;
  }
  const std::string message = row.note.substr(begin + 1, end - begin - 1);
  EXPECT_NE(sources().find(message), std::string::npos)
      << name << " is listed as refused with a message that no source holds: " << message;
}

void expect_rows_are_true(const DeclaredNames& declared, const Rows& rows) {
  for (const auto& [name, row] : rows) {
    if (row.state == "refused") {
      expect_refused(declared, name, row);
      continue;
    }
    EXPECT_TRUE(row.state == "supported" || row.state == "differs")
        << name << " is neither supported, differs nor refused: " << row.state;
    EXPECT_TRUE(is_declared(declared, name)) << name << " is listed, but no header declares it";
    if (row.state == "differs") {
      EXPECT_NE(row.note, "") << name << " differs in what?";
    }
    EXPECT_EQ(rows.count(name), 1u) << name << " is listed twice";
  }
}

TEST(Compatibility, EveryHostFunctionIsListed) {
  expect_all_listed(declared_by_host().names, read_page().host, kHostFunctions);
}

TEST(Compatibility, EveryHostFieldAndConstantIsListed) {
  expect_all_listed(declared_by_host().data, read_page().host_data, kHostData);
}

TEST(Compatibility, HostHeadersAreThoseThatAreListed) {
  std::map<std::string, std::string> headers;
  for (const std::string& header : headers_below(host_header_folder())) {
    if (!header.starts_with("lightmetal/")) headers[header] = header.substr(0, header.find('/'));
  }
  const Rows rows = read_page().host_headers;
  expect_all_listed(headers, rows, kHostHeaders);
  for (const auto& [name, row] : rows) {
    const bool refused = row.state == "refused";
    EXPECT_EQ(headers.contains(name), !refused) << name << " is listed as " << row.state;
    EXPECT_EQ(rows.count(name), 1u) << name << " is listed twice";
  }
}

// The names of a list; a line that begins with '#' is a comment.
std::vector<std::string> names_of_list(const std::string& path) {
  std::vector<std::string> names;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    for (std::string name; words >> name;) names.push_back(name);
  }
  return names;
}

// What programs of late 2025 to October 2026 may name, there or not.
TEST(Compatibility, EveryHostEntryPointOfUpstreamIsListed) {
  const Page page = read_page();
  const std::vector<std::string> names =
      names_of_list(source_folder() + "tests/whole/upstream_names.txt");
  EXPECT_GT(names.size(), 400u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string& name : names) {
    EXPECT_TRUE(page.host.contains(name) || page.host_data.contains(name))
        << "docs/compatibility.md does not say what became of " << name;
  }
}

TEST(Compatibility, EveryKernelFunctionIsListed) {
  expect_all_listed(declared_by_kernels().names, read_page().kernel, kKernelFunctions);
}

// scripts/kernel_api_by_month compares upstream's headers of each month, by a table that it has
// made, with the toolbox and with the page.
TEST(Compatibility, EveryKernelNameOfEveryMonthIsThereOrListed) {
  const std::string folder = kernel_header_folder();
  const ProcessResult result =
      run_process({source_folder() + "scripts/kernel_api_by_month", "--check", folder});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST(Compatibility, WhatIsListedOfTheHostIsTrue) {
  expect_rows_are_true(declared_by_host(), read_page().host);
}

TEST(Compatibility, WhatIsListedOfFieldsAndConstantsIsTrue) {
  expect_rows_are_true(declared_by_host(), read_page().host_data);
}

TEST(Compatibility, WhatIsListedOfKernelsIsTrue) {
  expect_rows_are_true(declared_by_kernels(), read_page().kernel);
}

// The table that kernel headers are made from.
struct HeaderTable {
  std::map<std::string, std::string> notes;  // by header
  std::vector<std::string> operations;       // functions that a service does
};

HeaderTable read_header_table() {
  HeaderTable table;
  std::ifstream file(source_folder() + "device/cpu/kernel_headers/header_table.txt");
  std::string header;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("header ")) {
      header = line.substr(7);
      table.notes[header];
    }
    if (line.starts_with("note ")) table.notes[header] = line.substr(5);
    std::istringstream words(line);
    std::string initialiser, name, service;
    if (!line.starts_with("  ") || line.starts_with("  |")) continue;
    if (line.starts_with("  refused ")) continue;
    if (words >> initialiser >> name >> service)
      table.operations.push_back(name.substr(0, name.find('<')));
  }
  return table;
}

TEST(Compatibility, NotesOfOperationsAreThoseOfTheirTable) {
  const std::map<std::string, std::string> notes = read_header_table().notes;
  size_t held = 0;
  for (const auto& [name, row] : read_page().kernel) {
    const auto declared = declared_by_kernels().names.find(name);
    if (declared == declared_by_kernels().names.end()) continue;
    const auto note = notes.find(declared->second);
    if (note == notes.end() || row.state == "refused") continue;
    EXPECT_EQ(row.note, note->second) << name << " of " << declared->second;
    ++held;
  }
  EXPECT_GT(held, 300u);
}

// Names in the sources of sfpu_test, with the quotation mark that stands before some.
std::set<std::string> names_in_sfpu_tests() {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() + "tests")) {
    if (!entry.path().filename().string().starts_with("sfpu")) continue;
    const std::string text = read_file(entry.path().string());
    static const std::regex kName("\"?\\w+");
    for (std::sregex_iterator name(text.begin(), text.end(), kName), end; name != end; ++name)
      names.insert(name->str());
  }
  return names;
}

// By its name or, as a row "NAME", by that without "_tile".
TEST(Compatibility, EveryOperationOfTheTableIsTested) {
  const std::set<std::string> names = names_in_sfpu_tests();
  EXPECT_FALSE(read_header_table().operations.empty());
  for (const std::string& name : read_header_table().operations) {
    const std::string row = "\"" + name.substr(0, name.rfind("_tile"));
    EXPECT_TRUE(names.contains(name) || names.contains("\"" + name) || names.contains(row)) << name;
  }
}

TEST(Pages, ARowGoesBelowTheOneThatNamesMostNeighbours) {
  const std::string page =
      "## A\n\n| `x` | 1 |\n| `a`, `b` | 2 |\n| `y`, `a` | 3 |\n\n## B\n\n| `a` | 4 |\n";
  EXPECT_EQ(with_row(page, "## A", "| `c` | 5 |", {"a", "b"}),
            "## A\n\n| `x` | 1 |\n| `a`, `b` | 2 |\n| `c` | 5 |\n| `y`, `a` | 3 |\n\n## B\n\n"
            "| `a` | 4 |\n");
  EXPECT_EQ(with_row(page, "## B", "| `c` | 5 |", {"b"}), page + "| `c` | 5 |\n");
}

// The list cannot be full because nothing was found: functions of every kind are seen.
TEST(Compatibility, DeclarationsOfEveryKindAreFound) {
  for (const char* name : {"CreateKernel", "Buffer", "Buffer::create", "IDevice::command_queue",
                           "CoreRange::contains", "TT_FATAL", "LaunchProgram"}) {
    EXPECT_TRUE(declared_by_host().names.contains(name)) << name;
  }
  for (const char* name : {"Buffer::allocate", "Buffer::check_rules"}) {
    EXPECT_FALSE(declared_by_host().names.contains(name)) << name << " is private";
  }
  for (const char* name :
       {"noc_async_read", "get_noc_addr", "InterleavedAddrGen", "InterleavedAddrGen::get_noc_addr",
        "get_compile_time_arg_val", "ASSERT", "matmul_tiles", "MATH", "memcpy"}) {
    EXPECT_TRUE(declared_by_kernels().names.contains(name)) << name;
  }
  EXPECT_FALSE(declared_by_kernels().names.contains("noc_barrier")) << "is our own";
}

TEST(DeclaredNames, AreReadFromATree) {
  std::istringstream dump(
      "TranslationUnitDecl 0x1 <<invalid sloc>> <invalid sloc>\n"
      "|-FunctionDecl 0x2 </usr/a.h:1:1, line:2:1> line:1:5 used elsewhere 'void ()'\n"
      "|-NamespaceDecl 0x3 </our/b.h:1:1, line:9:1> line:1:11 ours\n"
      "| |-CXXRecordDecl 0x4 <line:2:1, line:8:1> line:2:7 referenced class Thing definition\n"
      "| | |-CXXMethodDecl 0x5 <line:3:1, col:9> col:5 hidden 'void ()'\n"
      "| | |-AccessSpecDecl 0x6 <line:4:1, col:7> col:1 public\n"
      "| | |-CXXMethodDecl 0x7 <line:5:1, col:9> col:5 seen 'int (const char *) const' inline\n"
      "| | | `-CompoundStmt 0x8 </usr/c.h:1:1, col:2>\n"
      "| | `-CXXMethodDecl 0x9 </our/b.h:6:1, col:9> col:5 operator== 'bool ()'\n"
      "| `-FunctionTemplateDecl 0xa <line:9:1, line:10:1> line:9:5 any\n"
      "|   `-FunctionDecl 0xb <line:9:1, line:10:1> line:9:5 any 'void (T)'\n"
      "`-NamespaceDecl 0xc <line:11:1, line:12:1> line:11:11 internal\n"
      "  `-FunctionDecl 0xd <line:11:1, line:12:1> line:11:11 secret 'void ()'\n");
  DeclaredNames found;
  read_ast(dump, {"/our/", {"internal"}}, found);
  EXPECT_EQ(found.names, (std::map<std::string, std::string>{
                             {"Thing", "b.h"}, {"Thing::seen", "b.h"}, {"any", "b.h"}}));
}

}  // namespace
}  // namespace lightmetal::testing
