#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "replay/loaded_file.h"
#include "runtime/plan.h"
#include "schema/command_generated.h"

namespace lightmetal::runtime {

// What follows buffers that lie elsewhere than they were recorded.
struct Moves {
  absl::flat_hash_set<uint64_t> movable;          // the buffers that may, by their ids
  std::vector<const schema::BufferCreate*> kept;  // what load makes of the others
  // By tensor, for inputs whose buffer another one may take the place of: the commands of load that
  // give programs its address, in their order.
  std::vector<std::optional<std::vector<uint64_t>>> again;
};

Moves find_moves(const replay::LoadedFile& file, const Plan& plan);

}  // namespace lightmetal::runtime
