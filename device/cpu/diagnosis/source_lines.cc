#include "device/cpu/diagnosis/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/mutex.h"
#include "device/cpu/compiler/embedded_files.h"

namespace lightmetal::device::cpu {
namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct EndDwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Scopes = std::unique_ptr<Dwarf_Die[], Free>;

std::string plain_name(const char* file) {
  absl::string_view name = file == nullptr ? "" : file;
  while (absl::ConsumePrefix(&name, "./")) {
  }
  return std::string(name);
}

// A header of this device, or what the wrapper puts around a kernel.
bool is_ours(absl::string_view file) {
  if (file.empty() || file == "kernel.cc" || file == "<end of the kernel>") return true;
  if (absl::StartsWith(file, "lightmetal")) return true;
  absl::ConsumePrefix(&file, "api/");
  for (const EmbeddedFile& header : kernel_headers()) {
    if (file == header.name) return true;
  }
  return false;
}

// The debug information of one object.
class DebugInformation {
 public:
  explicit DebugInformation(Bytes object)
      : elf_(elf_memory(const_cast<char*>(reinterpret_cast<const char*>(object.data())),
                        object.size())),
        dwarf_(elf_ == nullptr ? nullptr : dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr)) {}

  // The line of an instruction, then those of the calls that were inlined around it, outwards.
  std::vector<SourceLine> lines(uint64_t address) const {
    Dwarf_Die unit;
    if (!find_unit(address, &unit)) return {};
    std::vector<SourceLine> result;
    if (Dwarf_Line* line = dwarf_getsrc_die(&unit, address); line != nullptr) {
      int number = 0;
      dwarf_lineno(line, &number);
      result.push_back(
          {plain_name(dwarf_linesrc(line, nullptr, nullptr)), static_cast<uint32_t>(number)});
    }
    add_inlined_calls(unit, address, result);
    return result;
  }

 private:
  bool find_unit(uint64_t address, Dwarf_Die* unit) const {
    if (dwarf_ == nullptr) return false;
    Dwarf_CU* current = nullptr;
    while (dwarf_get_units(dwarf_.get(), current, &current, nullptr, nullptr, unit, nullptr) == 0) {
      if (dwarf_haspc(unit, address) > 0) return true;
    }
    return false;
  }

  static void add_inlined_calls(Dwarf_Die& unit, uint64_t address,
                                std::vector<SourceLine>& result) {
    Dwarf_Die* found = nullptr;
    if (dwarf_getscopes(&unit, address, &found) <= 0) return;
    const Scopes innermost(found);
    Dwarf_Die* all = nullptr;
    const int count = dwarf_getscopes_die(&innermost[0], &all);
    if (count <= 0) return;
    const Scopes scopes(all);
    for (int i = 0; i < count; ++i) {
      if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
        result.push_back(call_of(unit, scopes[i]));
    }
  }

  static SourceLine call_of(Dwarf_Die& unit, Dwarf_Die& inlined) {
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    const Dwarf_Word file = number_of(inlined, DW_AT_call_file);
    if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || file >= count) return {};
    return {plain_name(dwarf_filesrc(files, file, nullptr, nullptr)),
            static_cast<uint32_t>(number_of(inlined, DW_AT_call_line))};
  }

  static Dwarf_Word number_of(Dwarf_Die& die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_attr(&die, name, &attribute) != nullptr) dwarf_formudata(&attribute, &number);
    return number;
  }

  const std::unique_ptr<Elf, EndElf> elf_;
  const std::unique_ptr<Dwarf, EndDwarf> dwarf_;
};

}  // namespace

std::optional<SourceLine> find_source_line(Bytes object, absl::Span<const uint64_t> addresses) {
  static Mutex mutex;  // libdw has state of its own
  MutexLock lock(&mutex);
  elf_version(EV_CURRENT);
  const DebugInformation information(object);
  std::optional<SourceLine> innermost;
  for (const uint64_t address : addresses) {
    for (const SourceLine& line : information.lines(address)) {
      if (line.line == 0) continue;
      if (!is_ours(line.file)) return line;
      if (!innermost.has_value()) innermost = line;
    }
  }
  return innermost;
}

}  // namespace lightmetal::device::cpu
