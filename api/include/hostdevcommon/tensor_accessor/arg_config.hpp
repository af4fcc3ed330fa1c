#pragma once

#include <cstdint>

// The words by which a host program tells a kernel where the pages of a buffer lie, as of spring
// 2026. Compile-time arguments, then common runtime arguments, each in this order:
//
//   config                the bits of ArgConfig; always a compile-time argument
//   aligned page size     in bytes: the distance of two pages in a bank
//   and of a sharded buffer
//   rank                  of the tensor and of its shards
//   number of banks       bit 31 is set if consecutive shards share a bank
//   shape of the tensor   in pages, `rank` words
//   shape of a shard      in pages, `rank` words
//   banks                 two to a word, the first in the lower half: of DRAM the bank's id, of L1
//                         the NoC coordinates of its core, x * 256 + y
//
// Shard i, counted in row-major order, is in bank i modulo the number of banks. With bit 31 each
// bank has a run of consecutive shards, and all runs are equally long. A Runtime bit makes its part
// a common runtime argument. The rank may be one only with both shapes, the number of banks only
// with the banks, and the page size only of a buffer that is not sharded.
namespace tensor_accessor {

enum class ArgConfig : uint8_t {
  None = 0,
  Sharded = 1 << 0,
  IsDram = 1 << 1,
  RuntimeRank = 1 << 2,
  RuntimeNumBanks = 1 << 3,
  RuntimeTensorShape = 1 << 4,
  RuntimeShardShape = 1 << 5,
  RuntimeBankCoords = 1 << 6,
  RuntimePageSize = 1 << 7,
  Runtime = RuntimeRank | RuntimeNumBanks | RuntimeTensorShape | RuntimeShardShape |
            RuntimeBankCoords | RuntimePageSize,
};
using ArgsConfig = ArgConfig;

constexpr ArgConfig operator|(ArgConfig a, ArgConfig b) noexcept {
  return static_cast<ArgConfig>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr ArgConfig operator&(ArgConfig a, ArgConfig b) noexcept {
  return static_cast<ArgConfig>(static_cast<uint8_t>(a) & static_cast<uint8_t>(b));
}
constexpr ArgConfig operator~(ArgConfig a) noexcept {
  return static_cast<ArgConfig>(static_cast<uint8_t>(~static_cast<uint8_t>(a)));
}

// The word of the number of banks.
inline constexpr uint32_t ShardContiguousBit = 1u << 31;
constexpr uint32_t pack_num_banks(uint32_t num_banks, bool is_shard_contiguous) {
  return num_banks | (is_shard_contiguous ? ShardContiguousBit : 0);
}
constexpr uint32_t unpack_num_banks(uint32_t packed_num_banks) {
  return packed_num_banks & ~ShardContiguousBit;
}
constexpr bool unpack_is_shard_contiguous(uint32_t packed_num_banks) {
  return (packed_num_banks & ShardContiguousBit) != 0;
}

// Whether a configuration has a bit.
constexpr bool has(ArgConfig config, ArgConfig bit) noexcept {
  return (config & bit) != ArgConfig::None;
}

}  // namespace tensor_accessor
