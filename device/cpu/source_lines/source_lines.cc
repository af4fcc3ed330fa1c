#include "device/cpu/source_lines/source_lines.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "device/cpu/compiler/embedded_files.h"
#include "device/cpu/compiler/files.h"
#include "device/cpu/compiler/wrapper.h"
#include "device/cpu/source_lines/debug_reader.h"
#include "device/cpu/source_lines/debug_sections.h"
#include "device/cpu/source_lines/dwarf_names.h"

namespace lightmetal::device::cpu {
namespace {

std::string plain_name(absl::string_view name) {
  while (absl::ConsumePrefix(&name, "./")) {
  }
  return std::string(name);
}

// Whether a file is a header of this device, or the wrapper around a kernel's text.
bool is_ours(absl::string_view file) {
  if (file.empty() || file == kWrapperName || file == kWrapperEnd) return true;
  const std::string name = header_of_name(file);
  return std::ranges::any_of(kernel_headers(),
                             [&](const EmbeddedFile& header) { return header.name == name; });
}

// The debug information of the largest kernel has not a hundredth as many values.
constexpr uint64_t kMostSteps = 20'000'000;
// Bounds the description of a unit: kinds of entries, and attributes of all of them.
constexpr size_t kMostKinds = 100'000;
// Bounds the calls that are inlined into one another at one address.
constexpr size_t kMostCalls = 256;

// What the entries of one kind hold: an abbreviation of DWARF.
struct EntryKind {
  struct Attribute {
    uint64_t name = 0;
    uint64_t form = 0;
    int64_t implicit = 0;
  };

  uint64_t tag = 0;
  bool has_children = false;
  std::vector<Attribute> attributes;
};

// An entry, with those of its attributes that somebody here asks for.
struct DebugEntry {
  uint64_t tag = 0;
  bool has_children = false;
  absl::flat_hash_map<uint64_t, DebugValue> values;

  const DebugValue* find(uint64_t name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
  uint64_t number(uint64_t name) const {
    const DebugValue* value = find(name);
    return value == nullptr ? 0 : value->number;
  }
};

// One unit of the debug information: a kernel's source and all that it includes.
class DebugUnit {
 public:
  // Reads the unit's own entry and leaves `information` behind the unit.
  DebugUnit(const DebugSections& sections, DebugCursor& information, uint64_t& steps)
      : sections_(sections), steps_(steps), entries_(information.part(information.number(4))) {
    const bool known = entries_.number(2) == 5 && entries_.number(1) == DW_UT_compile &&
                       entries_.number(1) == sizeof(uint64_t);
    if (!known) {
      entries_.fail();
      return;
    }
    read_kinds(entries_.number(4));
    root_ = next_entry();
    address_base_ = root_.number(DW_AT_addr_base);
    ranges_base_ = root_.number(DW_AT_rnglists_base);
    base_address_ = address_of(root_.find(DW_AT_low_pc));
  }

  bool contains(uint64_t address) { return contains(root_, address); }

  // The line of an instruction, then the lines of the calls that were inlined around it, outwards.
  // To be called once, because it reads the unit's entries to their end.
  std::vector<SourceLine> lines(uint64_t address) {
    const DebugLines table(sections_, root_.number(DW_AT_stmt_list), address, steps_);
    std::vector<SourceLine> result;
    for (int depth = root_.has_children ? 1 : 0; depth > 0 && entries_.ok();) {
      const DebugEntry entry = next_entry();
      if (entry.tag == 0) {
        --depth;
        continue;
      }
      if (entry.has_children) ++depth;
      if (entry.tag != DW_TAG_inlined_subroutine || !contains(entry, address)) continue;
      if (result.size() == kMostCalls) break;
      result.push_back({plain_name(table.file(entry.number(DW_AT_call_file))),
                        static_cast<uint32_t>(entry.number(DW_AT_call_line))});
    }
    result.push_back({plain_name(table.row().file), table.row().line});
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  void read_kinds(uint64_t offset) {
    DebugCursor from(sections_.abbrev, offset, steps_);
    while (const uint64_t code = from.unsigned_leb()) {
      EntryKind& kind = kinds_[code];
      kind = {.tag = from.unsigned_leb(), .has_children = from.number(1) != 0, .attributes = {}};
      while (true) {
        EntryKind::Attribute attribute{.name = from.unsigned_leb(), .form = from.unsigned_leb()};
        if (attribute.form == DW_FORM_implicit_const) attribute.implicit = from.signed_leb();
        if (attribute.name == 0 && attribute.form == 0) break;
        if (++num_attributes_ > kMostKinds) return from.fail();
        kind.attributes.push_back(attribute);
      }
      if (kinds_.size() > kMostKinds) return;
    }
  }

  // The next entry; one with tag 0 ends its parent's children, or the unit.
  DebugEntry next_entry() {
    DebugEntry entry;
    const uint64_t code = entries_.unsigned_leb();
    if (code == 0) return entry;
    const auto kind = kinds_.find(code);
    if (kind == kinds_.end()) {
      entries_.fail();
      return entry;
    }
    entry.tag = kind->second.tag;
    entry.has_children = kind->second.has_children;
    for (const EntryKind::Attribute& attribute : kind->second.attributes) {
      const DebugValue value = read_debug_value(entries_, attribute.form, attribute.implicit);
      if (is_asked_for(attribute.name)) entry.values[attribute.name] = value;
      if (!entries_.ok()) return {};
    }
    return entry;
  }

  static bool is_asked_for(uint64_t name) {
    switch (name) {
      case DW_AT_stmt_list:
      case DW_AT_low_pc:
      case DW_AT_high_pc:
      case DW_AT_ranges:
      case DW_AT_call_file:
      case DW_AT_call_line:
      case DW_AT_addr_base:
      case DW_AT_rnglists_base:
        return true;
      default:
        return false;
    }
  }

  uint64_t address_at(uint64_t index) const {
    if (index > sections_.addr.size()) return 0;
    return DebugCursor(sections_.addr, address_base_ + index * sizeof(uint64_t), steps_).number(8);
  }
  // The address that a value stands for; 0 when there is no value.
  uint64_t address_of(const DebugValue* value) const {
    if (value == nullptr) return 0;
    return value->form == DW_FORM_addr ? value->number : address_at(value->number);
  }

  bool contains(const DebugEntry& entry, uint64_t address) const {
    if (const DebugValue* ranges = entry.find(DW_AT_ranges)) return in_ranges(*ranges, address);
    const DebugValue* low = entry.find(DW_AT_low_pc);
    const DebugValue* high = entry.find(DW_AT_high_pc);
    if (low == nullptr || high == nullptr) return false;
    const uint64_t begin = address_of(low);
    const uint64_t end = high->form == DW_FORM_addr ? high->number : begin + high->number;
    return begin <= address && address < end;
  }

  bool in_ranges(const DebugValue& ranges, uint64_t address) const {
    uint64_t offset = ranges.number;
    if (ranges.form == DW_FORM_rnglistx) {
      if (ranges.number > sections_.rnglists.size()) return false;
      const uint64_t place = ranges_base_ + ranges.number * sizeof(uint32_t);
      offset = ranges_base_ + DebugCursor(sections_.rnglists, place, steps_).number(4);
    }
    DebugCursor list(sections_.rnglists, offset, steps_);
    uint64_t base = base_address_;
    while (list.ok()) {
      uint64_t begin = 0, end = 0;
      switch (list.number(1)) {
        case DW_RLE_base_addressx:
          base = address_at(list.unsigned_leb());
          continue;
        case DW_RLE_base_address:
          base = list.number(8);
          continue;
        case DW_RLE_startx_endx:
          begin = address_at(list.unsigned_leb());
          end = address_at(list.unsigned_leb());
          break;
        case DW_RLE_startx_length:
          begin = address_at(list.unsigned_leb());
          end = begin + list.unsigned_leb();
          break;
        case DW_RLE_offset_pair:
          begin = base + list.unsigned_leb();
          end = base + list.unsigned_leb();
          break;
        case DW_RLE_start_end:
          begin = list.number(8);
          end = list.number(8);
          break;
        case DW_RLE_start_length:
          begin = list.number(8);
          end = begin + list.unsigned_leb();
          break;
        default:
          return false;
      }
      if (begin <= address && address < end) return true;
    }
    return false;
  }

  const DebugSections& sections_;
  uint64_t& steps_;
  DebugCursor entries_;
  absl::flat_hash_map<uint64_t, EntryKind> kinds_;
  size_t num_attributes_ = 0;
  DebugEntry root_;
  uint64_t address_base_ = 0;
  uint64_t ranges_base_ = 0;
  uint64_t base_address_ = 0;
};

std::vector<SourceLine> lines_of(const DebugSections& sections, uint64_t address, uint64_t& steps) {
  DebugCursor information(sections.info, 0, steps);
  while (!information.at_end()) {
    DebugUnit unit(sections, information, steps);
    if (unit.contains(address)) return unit.lines(address);
  }
  return {};
}

}  // namespace

std::optional<SourceLine> find_source_line(Bytes object, absl::Span<const uint64_t> addresses) {
  const auto sections = debug_sections_of(object);
  if (!sections.has_value()) return std::nullopt;
  uint64_t steps = kMostSteps;
  std::optional<SourceLine> innermost;
  for (const uint64_t address : addresses) {
    for (const SourceLine& line : lines_of(*sections, address, steps)) {
      if (line.line == 0 || line.file.empty()) continue;
      if (!is_ours(line.file)) return line;
      if (!innermost.has_value()) innermost = line;
    }
  }
  return innermost;
}

}  // namespace lightmetal::device::cpu
