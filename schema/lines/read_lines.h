#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// What read_lines() wrote.
struct ReadLinesReport {
  uint64_t commands = 0;
  uint64_t payloads = 0;
  bool closed = false;               // the lines have a footer
  std::vector<uint64_t> signatures;  // the offset of each signature's frame in the file
};

// Makes a file of lines as write_lines() writes them, into the sink, and closes it. Checksums,
// offsets, the index and the footer are made anew, so lines may have been changed, left out and
// added. A line's "raw" counts only as long as its fields are those that the raw bytes say. Whether
// the commands make sense is for verify() to check, and so is whether signatures fit; the
// signatures whose numbers, from 0, are in `without_signatures` are left out.
//
// InvalidArgument names the line, counted from 1, behind `name`: for what is no JSON or no frame,
// for fields that the schema does not have, and for payloads that are not what their digest says or
// that a command names before they are there. Needs memory for a few copies of the largest line.
absl::StatusOr<ReadLinesReport> read_lines(Bytes text, absl::string_view name, Sink& sink,
                                           const std::set<uint64_t>& without_signatures = {});

}  // namespace lightmetal::schema
