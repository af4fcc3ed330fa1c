#pragma once

#include <cstdint>

// How buffers are laid out, as programs of the host name it in a kernel's arguments.
namespace tt::tt_metal {

enum class TensorMemoryLayout {
  INTERLEAVED = 0,
  SINGLE_BANK = 1,
  HEIGHT_SHARDED = 2,
  WIDTH_SHARDED = 3,
  BLOCK_SHARDED = 4,
};
enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR = 1 };
enum class ShardMode { PHYSICAL = 0, LOGICAL = 1 };
enum class BufferType { DRAM = 0, L1 = 1, SYSTEM_MEMORY = 2, L1_SMALL = 3, TRACE = 4 };

}  // namespace tt::tt_metal
