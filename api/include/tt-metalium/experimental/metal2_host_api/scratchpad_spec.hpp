#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tt-metalium/strong_type.hpp>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal::experimental {

// The name of a scratchpad within its program.
using ScratchpadSpecName = ttsl::StrongType<std::string, struct ScratchpadSpecNameTag>;

// L1 memory for one kernel's own use, on each node of a kernel that binds it. It belongs to the
// program from its creation to its end, which waits for the program's launches; device traces do
// not keep it. A launch finds in it what the last one left.
struct ScratchpadSpec {
  ScratchpadSpecName unique_id = {};
  uint32_t size_per_node = 0;  // bytes; positive
  // As those of a DataflowBufferSpec.
  std::optional<tt::DataFormat> data_format_metadata = std::nullopt;
  std::optional<tt::tt_metal::Tile> tile_format_metadata = std::nullopt;
};

}  // namespace tt::tt_metal::experimental
