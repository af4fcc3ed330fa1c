#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"
#include "schema/verify/slicer.h"

namespace lightmetal::schema {

// What of a file is not in one of some of its commands (Slicer::write()). Bytes are those that it
// takes in the file.
struct Removal {
  std::map<std::string, uint64_t> commands;  // by call
  uint64_t num_commands = 0;
  uint64_t command_bytes = 0;
  uint64_t payloads = 0;  // that no kept command names
  uint64_t payload_bytes = 0;
  uint64_t signatures = 0;
  uint64_t intents = 0;

  // Nothing but a signature would be missing.
  bool is_empty() const { return num_commands + payloads + intents == 0; }
};

// REQUIRES: verify() accepts the file, so that no payload is in it twice.
absl::StatusOr<Removal> removal_of(const File& file, const Slicer::Commands& kept);

}  // namespace lightmetal::schema
