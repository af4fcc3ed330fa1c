#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/tensor_desc.h"
#include "host/bindings.h"
#include "schema/commands/forward.h"
#include "schema/commands/reference.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// A buffer that has a name, and whether the file says what values it has.
struct NamedTensor {
  std::string name;
  host::BindingRole role = host::BindingRole::kInput;
  ::lightmetal::TensorDesc tensor;  // as the file says it, which may be none (check())
  uint64_t buffer = 0;              // its id
  bool has_default = false;         // the program writes to it
  bool has_golden = false;          // something is compared with what the program reads of it
};

// A part of the program that is run by name: the first of this name.
struct NamedEntry {
  std::string name;
  uint64_t begin = 0;                // the number of the command that begins it
  std::optional<uint64_t> end = {};  // of the one that ends it
  uint64_t count = 1;                // entries of this name
};

// What a file is as an executable, in the order of its commands.
struct ExecutableParts {
  std::vector<NamedEntry> entries;
  std::vector<NamedTensor> tensors;
};

// Finds the parts, in memory that grows with their number and that of buffers. The file need not be
// verified. Not thread-safe.
class ExecutablePartsFinder {
 public:
  // Called for all commands in their order, and for each payload of one behind it.
  void take(const CommandView& view);
  void take_blob(const CommandView& view, const BlobReference& blob);
  ExecutableParts finish();

 private:
  ExecutableParts parts_;
  absl::flat_hash_map<std::string, size_t> entries_;  // by name
  std::optional<size_t> open_;             // the entry that has begun, if it is the first
  absl::flat_hash_set<uint64_t> written_;  // buffers
  absl::flat_hash_set<uint64_t> compared_;
};

}  // namespace lightmetal::schema
