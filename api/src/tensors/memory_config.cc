#include <tt-metalium/assert.hpp>
#include <tt-metalium/tensor/spec/memory_config/memory_config.hpp>
#include <utility>

namespace tt::tt_metal {

MemoryConfig::MemoryConfig(TensorMemoryLayout memory_layout, BufferType buffer_type,
                           std::optional<ShardSpec> shard_spec)
    : memory_layout_(memory_layout),
      buffer_type_(buffer_type),
      shard_spec_(std::move(shard_spec)) {}

MemoryConfig::MemoryConfig(BufferType buffer_type, std::optional<NdShardSpec> nd_shard_spec)
    : memory_layout_(nd_shard_spec.has_value() ? TensorMemoryLayout::ND_SHARDED
                                               : TensorMemoryLayout::INTERLEAVED),
      buffer_type_(buffer_type),
      nd_shard_spec_(std::move(nd_shard_spec)),
      created_with_nd_shard_spec_(nd_shard_spec_.has_value()) {}

MemoryConfig MemoryConfig::create_with_prepopulated_shard_specs(
    TensorMemoryLayout memory_layout, BufferType buffer_type, std::optional<ShardSpec> shard_spec,
    std::optional<NdShardSpec> nd_shard_spec, bool created_with_nd_shard_spec) {
  MemoryConfig result(memory_layout, buffer_type, std::move(shard_spec));
  result.nd_shard_spec_ = std::move(nd_shard_spec);
  result.created_with_nd_shard_spec_ = created_with_nd_shard_spec;
  return result;
}

MemoryConfig MemoryConfig::with_shard_spec(std::optional<ShardSpec> shard_spec) const {
  return MemoryConfig(memory_layout_, buffer_type_, std::move(shard_spec));
}

MemoryConfig MemoryConfig::without_derived_form() const {
  return created_with_nd_shard_spec_ ? MemoryConfig(buffer_type_, nd_shard_spec_)
                                     : MemoryConfig(memory_layout_, buffer_type_, shard_spec_);
}

MemoryConfig MemoryConfig::with_nd_shards(const NdShardSpec& nd_shard_spec) const {
  MemoryConfig result = *this;
  result.nd_shard_spec_ = nd_shard_spec;
  return result;
}

MemoryConfig MemoryConfig::with_2d_shards(TensorMemoryLayout memory_layout,
                                          const ShardSpec& shard_spec) const {
  MemoryConfig result = *this;
  result.memory_layout_ = memory_layout;
  result.shard_spec_ = shard_spec;
  return result;
}

bool operator==(const MemoryConfig& a, const MemoryConfig& b) {
  if (a.buffer_type_ != b.buffer_type_) return false;
  if (a.created_with_nd_shard_spec_ != b.created_with_nd_shard_spec_) return false;
  if (a.created_with_nd_shard_spec_) return a.nd_shard_spec_ == b.nd_shard_spec_;
  return a.memory_layout_ == b.memory_layout_ && a.shard_spec_ == b.shard_spec_;
}

std::ostream& operator<<(std::ostream& os, const MemoryConfig& config) {
  os << "MemoryConfig(" << internal::name_of(config.memory_layout()) << ", "
     << internal::name_of(config.buffer_type());
  if (const auto& shards = config.shard_spec(); shards.has_value()) {
    os << ", shards of " << shards->shape[0] << "x" << shards->shape[1] << " on " << shards->grid
       << ", " << internal::name_of(shards->orientation);
  }
  if (config.nd_shard_spec().has_value()) os << ", " << *config.nd_shard_spec();
  return os << ")";
}

}  // namespace tt::tt_metal
