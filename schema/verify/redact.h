#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"
#include "schema/semantics/semantics.h"
#include "schema/storage/sink.h"

namespace lightmetal::schema {

// What redact() leaves in a file of the parts that say something of a person or a site.
// docs/redact.md explains them.
struct RedactOptions {
  // Replaces uploads by zeros of the same size, and drops goldens and the comparisons that need
  // one.
  bool payloads = false;
  bool keep_origin = false;             // command line, machine, time (schema/file/origin.h)
  bool keep_names = false;              // text that the schema calls confidential
  bool keep_debug_information = false;  // of kernel objects

  // As for verify(), which redact() calls first.
  bool check_meaning = true;
  // As for verify(). Also the most zeros, in bytes, in place of payloads that the file does not
  // hold uncompressed: those can claim any size.
  uint64_t memory_limit = kDefaultMemoryLimit;
};

// What redact() found and took out.
struct RedactReport {
  uint64_t commands = 0;          // of the new file
  uint64_t commands_dropped = 0;  // comparisons without their golden
  uint64_t texts = 0;             // that were emptied
  uint64_t kernels_stripped = 0;
  uint64_t kernels_as_they_are = 0;  // of a form that is not known here
  uint64_t kernels_with_paths = 0;   // whose code has the path of a source among its texts
  uint64_t payloads_zeroed = 0;
  uint64_t payloads_unused = 0;  // which no command names: they are dropped
  uint64_t goldens_dropped = 0;
  uint64_t records_dropped = 0;  // optional records other than signatures
  bool signature_dropped = false;
  bool origin_dropped = false;
};

// Writes `file` into `sink` without what is confidential in it. Payloads in other files become part
// of the new file, so that their paths are gone. The commands keep their order and the new file
// replays as the old one does, except for what it compares. An incomplete file stays incomplete,
// without the text of the error. Fails when `sink` fails, when verify() refuses the file, and when
// the file is of a newer version, of which this code does not know what is confidential.
absl::StatusOr<RedactReport> redact(const File& file, std::shared_ptr<Sink> sink,
                                    const RedactOptions& options = {});

}  // namespace lightmetal::schema
