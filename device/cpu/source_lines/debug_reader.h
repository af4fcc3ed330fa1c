#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "device/cpu/source_lines/debug_sections.h"

namespace lightmetal::device::cpu {

// Bytes of debug information, read one value after the other. What does not lie there is 0, and
// from then on everything is: nothing that comes from a file is believed.
class DebugCursor {
 public:
  // `steps` is shared by all cursors of one search, each value takes one or more, and without any
  // left nothing more is read: no file keeps a reader for long.
  DebugCursor(Bytes bytes, uint64_t offset, uint64_t& steps);

  bool ok() const { return ok_; }
  bool at_end() const { return !ok_ || offset_ == bytes_.size(); }
  uint64_t offset() const { return offset_; }

  uint64_t number(int size);  // of up to 8 bytes
  uint64_t unsigned_leb();
  int64_t signed_leb();
  absl::string_view text();  // up to a zero byte, which must be there
  void skip(uint64_t size);  // a step even for 0 bytes
  // The next `size` bytes, which this one then leaves behind.
  DebugCursor part(uint64_t size);
  void fail();

 private:
  bool take(uint64_t size);

  Bytes bytes_;
  uint64_t offset_;
  uint64_t* steps_;
  bool ok_ = true;
};

// A value of the form that the information says it has: a number, an offset or an index; of texts
// and blocks only what is needed to pass them.
struct DebugValue {
  uint64_t form = 0;
  uint64_t number = 0;
};

// Reads one (DWARF 5, section 7.5.6); fails `from` for a form that compilers do not make of
// kernels.
DebugValue read_debug_value(DebugCursor& from, uint64_t form, int64_t implicit);

struct DebugLine {
  std::string file;
  uint32_t line = 0;
};

// The line table of a unit: what it calls its files, and the row of an address.
class DebugLines {
 public:
  // The table at `offset` of the section. Afterwards `row` tells of `address`.
  DebugLines(const DebugSections& sections, uint64_t offset, uint64_t address, uint64_t& steps);

  // Empty when there is none, or its path is longer than those that a system has.
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
