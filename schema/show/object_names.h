#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "schema/commands/forward.h"
#include "schema/object_ids.h"

namespace lightmetal::schema {

// What the objects that live are called, as far as the commands of a file say it: a kernel has the
// file name of its source, a program the names of its kernels, and a buffer is known by its memory
// and size. Objects that have ended are forgotten. Not thread-safe.
class ObjectNames {
 public:
  // Learns the names of what the next command creates, and forgets those of what it has ended.
  // REQUIRES: the command came from decode_command() (or a File).
  void learn(const Command& command);
  void forget(const Command& command);

  // The name of an object, safe for a terminal; empty when none is known.
  std::string name_of(ObjectKind kind, uint64_t id) const;

 private:
  std::string name_of_program(uint64_t id) const;

  absl::flat_hash_map<uint64_t, std::string> kernels_;
  absl::flat_hash_map<uint64_t, std::vector<uint64_t>> programs_;  // their kernels
  absl::flat_hash_map<uint64_t, std::string> buffers_;
};

}  // namespace lightmetal::schema
