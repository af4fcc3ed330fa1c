#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/file/reader.h"
#include "schema/show/executable_parts.h"

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

// A device trace that the file loads.
struct TraceStatistics {
  uint64_t id = 0;
  uint64_t device = 0;
  uint64_t command = 0;  // the number of the command that loads it
  uint64_t launches = 0;
  uint64_t replays = 0;  // commands that replay it
};

// How many goldens there are of one element type.
struct GoldenTypeStatistics {
  absl::string_view element_type;
  uint64_t count = 0;
  uint64_t bytes = 0;
};

// Where a golden is.
struct GoldenPlace {
  uint64_t command = 0;
  absl::string_view call;
  uint64_t buffer = 0;  // 0 where no buffer is read
  absl::string_view element_type;
  uint64_t bytes = 0;
};

// The most places that are kept: a file may have any number of goldens.
inline constexpr size_t kMaxGoldenPlaces = 1000;

struct GoldenStatistics {
  uint64_t count = 0;
  uint64_t bytes = 0;
  std::vector<GoldenTypeStatistics> types;  // those that occur, in the order of types.fbs
  std::vector<GoldenPlace> places;          // of the first kMaxGoldenPlaces
};

// What the bytes of the file are, with the headers of their records: together they are its size.
struct ByteStatistics {
  uint64_t commands = 0;
  uint64_t uploads = 0;  // payloads that are written to devices
  uint64_t goldens = 0;  // payloads that are compared with what is read
  uint64_t kernels = 0;  // kernel objects
  uint64_t shared = 0;   // payloads that are more than one of these
  uint64_t unused = 0;   // payloads that no command names
  uint64_t intents = 0;
  uint64_t index = 0;
  uint64_t signatures = 0;
  uint64_t padding = 0;
  uint64_t rest = 0;  // what begins and ends a file, and whatever lies behind its last whole record
};

// What statistics_of() counts. Sizes are in bytes.
struct Statistics {
  uint64_t num_commands = 0;
  bool has_intents = false;            // whether any call was announced
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
  std::vector<TraceStatistics> traces;    // in the order in which they are loaded
  GoldenStatistics goldens;
  ExecutableParts executable;
  ByteStatistics bytes;
  // What the file needs of where it runs: the backends that it was recorded on, and the targets
  // that it has kernel objects for. In ascending order, each once.
  std::vector<std::string> backends;
  std::vector<std::string> kernel_targets;
};

// Goes through all records once, in memory that does not grow with the number of commands but by
// what is listed above. The names and profiles in the result point into the schema and
// the file, which have to outlive it.
absl::StatusOr<Statistics> statistics_of(const File& file);

}  // namespace lightmetal::schema
