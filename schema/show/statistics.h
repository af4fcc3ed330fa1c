#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// How often a command occurs.
struct CommandCount {
  absl::string_view name;
  uint64_t count = 0;
};

// A kernel's object for one target.
struct KernelObject {
  std::string target;
  uint64_t size = 0;  // bytes
};

// A kernel that the file creates, with the objects that the file has of it.
struct KernelStatistics {
  uint64_t id = 0;
  std::string name;          // the path of its source; empty where the file does not say it
  bool from_string = false;  // whether the source was a string
  std::string processor;     // "Riscv0", "Compute", ...
  std::vector<KernelObject> objects;
};

// A device that the file opens.
struct DeviceStatistics {
  uint64_t id = 0;
  uint32_t chip_id = 0;
  uint32_t num_hw_cqs = 0;
  std::string backend;
  const DeviceProfile* profile = nullptr;  // in the file; never null
};

// The payloads that lie in one other file.
struct ReferencedFileStatistics {
  std::string path;  // as recorded
  uint64_t num_payloads = 0;
  uint64_t bytes = 0;
};

// What statistics_of() counts. Sizes are in bytes.
struct Statistics {
  uint64_t num_commands = 0;
  std::vector<CommandCount> commands;  // those that occur, in the order of command.fbs
  uint64_t payload_bytes = 0;          // of all references to payloads
  uint64_t unique_payload_bytes = 0;   // of the content of all payloads, each once
  uint64_t stored_payload_bytes = 0;   // of what the file itself holds of them
  uint64_t num_payloads = 0;           // different ones, in whichever form
  uint64_t num_compressed = 0;         // of them
  uint64_t compressed_content_bytes = 0;
  uint64_t compressed_stored_bytes = 0;
  std::vector<ReferencedFileStatistics> referenced_files;  // in ascending order of path
  std::vector<DeviceStatistics> devices;
  std::vector<KernelStatistics> kernels;  // in the order of their creation
};

// Goes through all commands once. The names and profiles in the result point into the schema and
// the file, which have to outlive it.
absl::StatusOr<Statistics> statistics_of(const File& file);

}  // namespace lightmetal::schema
