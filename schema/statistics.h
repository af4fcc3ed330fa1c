#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "schema/reader.h"

namespace lightmetal::schema {

struct CommandCount {
  absl::string_view name;
  uint64_t count = 0;
};

struct KernelObject {
  std::string target;
  uint64_t size = 0;  // bytes
};

struct KernelStatistics {
  uint64_t id = 0;
  std::string name;       // the path of its source; empty for a source from a string
  std::string processor;  // "Riscv0", "Compute", ...
  std::vector<KernelObject> objects;
};

struct DeviceStatistics {
  uint64_t id = 0;
  uint32_t chip_id = 0;
  uint32_t num_hw_cqs = 0;
  std::string backend;
  const DeviceProfile* profile = nullptr;  // in the file; never null
};

struct Statistics {
  uint64_t num_commands = 0;
  std::vector<CommandCount> commands;  // those that occur, in the order of command.fbs
  uint64_t payload_bytes = 0;          // of all references to payloads
  uint64_t unique_payload_bytes = 0;   // of the payloads as the file stores them
  uint64_t num_payloads = 0;           // stored
  std::vector<DeviceStatistics> devices;
  std::vector<KernelStatistics> kernels;  // in the order of their creation
};

// Goes through all commands once.
absl::StatusOr<Statistics> statistics_of(const File& file);

}  // namespace lightmetal::schema
