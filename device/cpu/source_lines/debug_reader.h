#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "device/cpu/source_lines/debug_sections.h"

namespace lightmetal::device::cpu {

// Reads bytes of debug information, one value after the other. Nothing that comes from a file is
// believed: a value that does not lie in the bytes is 0, and so is every value after it.
class DebugCursor {
 public:
  // Begins at `offset`. All cursors of one search share `steps`: each value takes one step or more,
  // and when none is left nothing more is read, so no file keeps a reader for long. `bytes` and
  // `steps` outlive the cursor.
  DebugCursor(Bytes bytes, uint64_t offset, uint64_t& steps);

  bool ok() const { return ok_; }
  bool at_end() const { return !ok_ || offset_ == bytes_.size(); }
  uint64_t offset() const { return offset_; }

  uint64_t number(int size);  // a number of `size` bytes, at most 8
  uint64_t unsigned_leb();
  int64_t signed_leb();
  absl::string_view text();  // up to a zero byte, which must be there
  void skip(uint64_t size);  // takes a step even for 0 bytes
  // A cursor over the next `size` bytes. This cursor goes on behind them.
  DebugCursor part(uint64_t size);
  // From now on every value is 0.
  void fail();

 private:
  bool take(uint64_t size);

  Bytes bytes_;
  uint64_t offset_;
  uint64_t* steps_;
  bool ok_ = true;
};

// A value, in the form that the debug information says it has: a number, an offset or an index.
// Texts and blocks are passed over, and their number is 0.
struct DebugValue {
  uint64_t form = 0;
  uint64_t number = 0;
};

// Reads one value (DWARF 5, section 7.5.6). `implicit` is the value when the form says that it
// stands in the description. Fails `from` for a form that compilers do not make of kernels.
DebugValue read_debug_value(DebugCursor& from, uint64_t form, int64_t implicit);

struct DebugLine {
  std::string file;
  uint32_t line = 0;
};

// The line table of a unit (DWARF 5, section 6.2): the names of the unit's files, and the row of
// one address.
class DebugLines {
 public:
  // Reads the table at `offset` of the section, and finds the row of `address`. `sections` and
  // `steps` outlive this object.
  DebugLines(const DebugSections& sections, uint64_t offset, uint64_t address, uint64_t& steps);

  // The path of a file. Empty when there is no such file, or when the path is longer than any that
  // a system has.
  std::string file(uint64_t number) const;
  const DebugLine& row() const { return row_; }  // line 0 when nothing is known

 private:
  struct Entry {
    absl::string_view path;  // in the object
    uint64_t folder = 0;
  };

  std::vector<Entry> read_entries(DebugCursor& from) const;
  void run(DebugCursor program, uint64_t address);

  const DebugSections& sections_;
  uint64_t& steps_;
  uint8_t instruction_length_ = 0;
  int8_t line_base_ = 0;
  uint8_t line_range_ = 0;
  std::vector<uint8_t> operands_;  // of the standard operations, from 1
  std::vector<Entry> folders_;
  std::vector<Entry> files_;
  DebugLine row_;
};

}  // namespace lightmetal::device::cpu
