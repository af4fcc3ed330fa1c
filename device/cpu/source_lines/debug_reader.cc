#include "device/cpu/source_lines/debug_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "device/cpu/source_lines/dwarf_names.h"

namespace lightmetal::device::cpu {

DebugCursor::DebugCursor(Bytes bytes, uint64_t offset, uint64_t& steps)
    : bytes_(bytes), offset_(offset), steps_(&steps) {
  if (offset > bytes.size()) fail();
}

void DebugCursor::fail() {
  ok_ = false;
  offset_ = bytes_.size();
}

// Passes `size` bytes and returns true; fails when there are not so many bytes, or no steps left.
bool DebugCursor::take(uint64_t size) {
  constexpr uint64_t kBytesOfStep = 64;
  const uint64_t steps = 1 + size / kBytesOfStep;
  const bool there = ok_ && size <= bytes_.size() - offset_;
  if (!there || *steps_ < steps) {
    if (there) *steps_ = 0;
    fail();
    return false;
  }
  *steps_ -= steps;
  offset_ += size;
  return true;
}

uint64_t DebugCursor::number(int size) {
  const uint64_t begin = offset_;
  uint64_t value = 0;
  if (take(static_cast<uint64_t>(size))) {
    std::memcpy(&value, bytes_.data() + begin, static_cast<size_t>(size));
  }
  return value;
}

uint64_t DebugCursor::unsigned_leb() {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const uint64_t byte = number(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return ok_ ? value : 0;
  }
}

int64_t DebugCursor::signed_leb() {
  uint64_t value = 0;
  for (int shift = 0;;) {
    const uint64_t byte = number(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
    return ok_ ? static_cast<int64_t>(value) : 0;
  }
}

absl::string_view DebugCursor::text() {
  if (at_end()) {
    fail();
    return "";
  }
  const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + offset_;
  const size_t size = strnlen(begin, bytes_.size() - offset_);
  // A text without an end costs as many steps as it took to find that out.
  return take(size) && take(1) ? absl::string_view(begin, size) : "";
}

void DebugCursor::skip(uint64_t size) { take(size); }

DebugCursor DebugCursor::part(uint64_t size) {
  const uint64_t begin = offset_;
  const bool there = take(size);
  DebugCursor result(there ? bytes_.subspan(0, begin + size) : Bytes(), there ? begin : 0, *steps_);
  if (!there) result.fail();
  return result;
}

DebugValue read_debug_value(DebugCursor& from, uint64_t form, int64_t implicit) {
  const auto fixed = [&](int size) { return DebugValue{form, from.number(size)}; };
  const auto block = [&](uint64_t size) {
    from.skip(size);
    return DebugValue{form, 0};
  };
  switch (form) {
    case DW_FORM_flag_present:
      from.skip(0);
      return {form, 1};
    case DW_FORM_implicit_const:
      from.skip(0);
      return {form, static_cast<uint64_t>(implicit)};
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return fixed(1);
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return fixed(2);
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return fixed(3);
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_addr:
    case DW_FORM_sec_offset:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return fixed(4);
    case DW_FORM_addr:
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
      return fixed(8);
    case DW_FORM_data16:
      return block(16);
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_rnglistx:
    case DW_FORM_loclistx:
      return {form, from.unsigned_leb()};
    case DW_FORM_sdata:
      return {form, static_cast<uint64_t>(from.signed_leb())};
    case DW_FORM_string:
      from.text();
      return {form, 0};
    case DW_FORM_block1:
      return block(from.number(1));
    case DW_FORM_block2:
      return block(from.number(2));
    case DW_FORM_block4:
      return block(from.number(4));
    case DW_FORM_block:
    case DW_FORM_exprloc:
      return block(from.unsigned_leb());
    default:
      from.fail();
      return {};
  }
}

// ---- The line table (DWARF 5, section 6.2) ----

DebugLines::DebugLines(const DebugSections& sections, uint64_t offset, uint64_t address,
                       uint64_t& steps)
    : sections_(sections), steps_(steps) {
  DebugCursor section(sections.line, offset, steps);
  DebugCursor table = section.part(section.number(4));
  if (table.number(2) != 5 || table.number(1) != 8 || table.number(1) != 0) return;
  DebugCursor header = table.part(table.number(4));  // the program begins behind it
  instruction_length_ = static_cast<uint8_t>(header.number(1));
  header.skip(2);  // operations in an instruction; whether rows are statements at first
  line_base_ = static_cast<int8_t>(header.number(1));
  line_range_ = static_cast<uint8_t>(header.number(1));
  const uint64_t operations = header.number(1);
  for (uint64_t i = 1; i < operations; ++i) {
    operands_.push_back(static_cast<uint8_t>(header.number(1)));
  }
  folders_ = read_entries(header);
  files_ = read_entries(header);
  if (header.ok() && line_range_ != 0) run(table, address);
}

std::vector<DebugLines::Entry> DebugLines::read_entries(DebugCursor& from) const {
  std::vector<std::pair<uint64_t, uint64_t>> formats(from.number(1));  // content and form
  for (auto& [content, form] : formats) {
    content = from.unsigned_leb();
    form = from.unsigned_leb();
  }
  const uint64_t count = from.unsigned_leb();
  // Folders or files. A kernel has some hundred headers.
  constexpr uint64_t kMostEntries = 100'000;
  if (count > kMostEntries) from.fail();
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < count && from.ok() && !formats.empty(); ++i) {
    Entry entry;
    const uint64_t begin = from.offset();
    for (const auto& [content, form] : formats) {
      if (content == DW_LNCT_path && form == DW_FORM_string) {
        entry.path = from.text();
        continue;
      }
      const DebugValue value = read_debug_value(from, form, 0);
      if (content == DW_LNCT_directory_index) entry.folder = value.number;
      if (content != DW_LNCT_path) continue;
      const Bytes texts = form == DW_FORM_line_strp ? sections_.line_str : sections_.str;
      entry.path = DebugCursor(texts, value.number, steps_).text();
    }
    if (from.offset() == begin) break;  // Entries of no size would have no end.
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string DebugLines::file(uint64_t number) const {
  if (number >= files_.size()) return "";
  constexpr size_t kMost = 4096;
  const Entry& file = files_[number];
  if (file.path.size() > kMost) return "";
  if (absl::StartsWith(file.path, "/") || file.folder >= folders_.size()) {
    return std::string(file.path);
  }
  const absl::string_view first = folders_[0].path, folder = folders_[file.folder].path;
  if (first.size() > kMost || folder.size() > kMost) return "";
  const bool absolute = file.folder == 0 || absl::StartsWith(folder, "/");
  return absl::StrCat(absolute ? "" : first, absolute ? "" : "/", folder, "/", file.path);
}

// Runs the line program until a row and the next one have `address` between them. A row holds up to
// the address of the next one, and the end of a sequence only ends the row before it.
void DebugLines::run(DebugCursor program, uint64_t address) {
  struct Row {
    uint64_t address = 0, file = 1, line = 1;
  } row, previous;
  bool has_previous = false, found = false;
  const auto emit = [&] {
    found = has_previous && previous.address <= address && address < row.address;
    if (found) row_ = {file(previous.file), static_cast<uint32_t>(previous.line)};
    previous = row;
    has_previous = true;
  };
  const auto end_sequence = [&] {
    emit();
    row = {};
    has_previous = false;
  };
  const uint64_t first_special = operands_.size() + 1;
  const auto advance = [&](uint64_t operations) {
    row.address += operations * instruction_length_;
  };
  while (!program.at_end() && !found) {
    const uint64_t operation = program.number(1);
    if (operation >= first_special) {
      const uint64_t special = operation - first_special;
      advance(special / line_range_);
      row.line += static_cast<uint64_t>(line_base_ + static_cast<int64_t>(special % line_range_));
      emit();
      continue;
    }
    switch (operation) {
      case 0: {
        DebugCursor extended = program.part(program.unsigned_leb());
        const uint64_t which = extended.number(1);
        if (which == DW_LNE_end_sequence) end_sequence();
        if (which == DW_LNE_set_address) row.address = extended.number(8);
        break;
      }
      case DW_LNS_copy:
        emit();
        break;
      case DW_LNS_advance_pc:
        advance(program.unsigned_leb());
        break;
      case DW_LNS_advance_line:
        row.line += static_cast<uint64_t>(program.signed_leb());
        break;
      case DW_LNS_set_file:
        row.file = program.unsigned_leb();
        break;
      case DW_LNS_const_add_pc:
        advance((255 - first_special) / line_range_);
        break;
      case DW_LNS_fixed_advance_pc:
        row.address += program.number(2);
        break;
      default:  // An operation that changes neither address nor line nor file.
        for (int i = 0; i < operands_[operation - 1]; ++i) program.unsigned_leb();
    }
  }
}

}  // namespace lightmetal::device::cpu
