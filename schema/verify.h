#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "schema/reader.h"

namespace lightmetal::schema {

// What verify() went through.
struct VerifyReport {
  uint64_t bytes = 0;
  uint64_t frames = 0;
  uint64_t commands = 0;
  uint64_t blobs = 0;
  uint64_t blob_bytes = 0;
  uint64_t objects_created = 0;
  uint64_t objects_alive = 0;  // at the end
};

struct VerifyOptions {
  // Accept a file that was not closed or whose capture ended with an error, and check the whole
  // frames that it has.
  bool allow_incomplete = false;
};

// Reads all of the file and checks
//   every byte: the headers and checksums of all frames, fill bytes that are zero, nothing missing
//   or left over; the order of frames, and that the index says what the file holds; every command:
//   a valid FlatBuffer of a known call, with known enumeration values and union members; every
//   reference: blobs that lie earlier in the file, objects that live (see schema/lifetime.h).
// Whether the numbers of a call make sense to a device (sizes, cores, addresses) is for whoever
// executes it. The first error is returned; it names the file, the offset and, inside a command,
// its number, name and object. `report` may be null, and holds what was found good when there is an
// error. Thread-safe.
absl::Status verify(const File& file, VerifyReport* report = nullptr,
                    const VerifyOptions& options = {});

}  // namespace lightmetal::schema
