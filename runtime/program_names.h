#pragma once

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "schema/command_generated.h"

namespace lightmetal::runtime {

// Which programs commands are about: kernels and circular buffers stand for the program that they
// are a part of. Not thread-safe.
class ProgramNames {
 public:
  // Called for all commands in their order.
  void add(const schema::Command& command);

  // The program that a command changes or launches; none for others.
  std::optional<uint64_t> program(const schema::Command& command) const;

 private:
  using Programs = absl::flat_hash_map<uint64_t, uint64_t>;
  struct Add;
  struct Find;

  Programs of_kernel_;
  Programs of_circular_buffer_;
};

}  // namespace lightmetal::runtime
