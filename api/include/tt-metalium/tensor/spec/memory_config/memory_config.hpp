#pragma once

#include <fmt/ostream.h>

#include <optional>
#include <ostream>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/tensor/types/data_types.hpp>

namespace tt::tt_metal {

class TensorSpec;

// Where a tensor lies on a device: in which memory, interleaved or in shards. Shards are given in
// two dimensions (ShardSpec, over the rows and columns of the padded tensor) or in all of them
// (NdShardSpec); a TensorSpec adds the other form where there is one. A value.
class MemoryConfig final {
 public:
  MemoryConfig() = default;  // interleaved in DRAM
  explicit MemoryConfig(TensorMemoryLayout memory_layout, BufferType buffer_type = BufferType::DRAM,
                        std::optional<ShardSpec> shard_spec = std::nullopt);
  // Interleaved without shards, else ND_SHARDED.
  explicit MemoryConfig(BufferType buffer_type,
                        std::optional<NdShardSpec> nd_shard_spec = std::nullopt);
  // All that the members below say, as they said it of another configuration.
  static MemoryConfig create_with_prepopulated_shard_specs(TensorMemoryLayout memory_layout,
                                                           BufferType buffer_type,
                                                           std::optional<ShardSpec> shard_spec,
                                                           std::optional<NdShardSpec> nd_shard_spec,
                                                           bool created_with_nd_shard_spec);
  // The same memory and layout with these shards in two dimensions and no others.
  MemoryConfig with_shard_spec(std::optional<ShardSpec> shard_spec) const;

  TensorMemoryLayout memory_layout() const { return memory_layout_; }
  BufferType buffer_type() const { return buffer_type_; }
  const std::optional<ShardSpec>& shard_spec() const { return shard_spec_; }
  const std::optional<NdShardSpec>& nd_shard_spec() const { return nd_shard_spec_; }
  bool created_with_nd_shard_spec() const { return created_with_nd_shard_spec_; }

  bool is_sharded() const { return memory_layout_ != TensorMemoryLayout::INTERLEAVED; }
  bool is_l1() const {
    return buffer_type_ == BufferType::L1 || buffer_type_ == BufferType::L1_SMALL;
  }
  bool is_dram() const { return buffer_type_ == BufferType::DRAM; }

  // True when both were asked for the same: what a TensorSpec added does not count. So a
  // configuration equals the one that a TensorSpec made of it.
  friend bool operator==(const MemoryConfig& a, const MemoryConfig& b);

 private:
  friend class TensorSpec;
  // The same without the form of its shards that a TensorSpec added, and with that form.
  MemoryConfig without_derived_form() const;
  MemoryConfig with_nd_shards(const NdShardSpec& nd_shard_spec) const;
  MemoryConfig with_2d_shards(TensorMemoryLayout memory_layout, const ShardSpec& shard_spec) const;

  TensorMemoryLayout memory_layout_ = TensorMemoryLayout::INTERLEAVED;
  BufferType buffer_type_ = BufferType::DRAM;
  std::optional<ShardSpec> shard_spec_;
  std::optional<NdShardSpec> nd_shard_spec_;
  bool created_with_nd_shard_spec_ = false;
};

std::ostream& operator<<(std::ostream& os, const MemoryConfig& config);

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::MemoryConfig> : fmt::ostream_formatter {};
