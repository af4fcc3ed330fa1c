#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// Returns OK if the file is well-formed: what lines can stand for. read_lines() makes no other
// files, and write_lines() takes no others. The meaning of commands is not checked.
absl::Status check_well_formed(const File& file);

// Writes the file as lines of JSON into the sink, and closes it: one object for each frame, in the
// order of the file, as docs/lines.schema.json describes them. read_lines() makes the same bytes of
// them. What follows from the other frames (checksums, the index, padding) is not written, so that
// lines can be edited. Needs memory for the largest command, not for payloads.
//
// Returns an error if the file is not well-formed, or has what lines cannot hold: an index that
// does not say what the file holds, behind whose footer the file goes on; more than 64 MiB of
// padding in one place. Otherwise returns how many lines there are.
absl::StatusOr<uint64_t> write_lines(const File& file, Sink& sink);

}  // namespace lightmetal::schema
