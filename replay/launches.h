#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "replay/loaded_file.h"
#include "schema/types_generated.h"

namespace lightmetal::replay {

// A command that has kernels run.
struct LaunchCommand {
  uint64_t command = 0;
  std::optional<uint64_t> program;  // its id; none for a device trace
};

// The launches of a file up to command `last`, in their order. A device trace that runs where it is
// loaded is one of them.
std::vector<LaunchCommand> launches_of(const LoadedFile& loaded, uint64_t last);

// The element types of buffers, as divergence.hpp says.
class BufferTypes {
 public:
  explicit BufferTypes(const LoadedFile& loaded);

  schema::ElementType of(uint64_t buffer) const;

 private:
  absl::flat_hash_map<uint64_t, schema::ElementType> types_;
  schema::ElementType other_ = schema::ElementType::Bytes;  // of all other buffers
};

}  // namespace lightmetal::replay
