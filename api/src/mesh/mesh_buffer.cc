#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <vector>

#include "api/src/memory/lock_step.h"
#include "api/src/mesh/mesh_sharding.h"

namespace tt::tt_metal::distributed {
namespace {

MeshDevice& not_null(MeshDevice* mesh_device) {
  TT_FATAL(mesh_device != nullptr, "MeshBuffer::create: the mesh device is a null pointer");
  return *mesh_device;
}

// The sharding that a configuration asks for, in upstream's older or newer form. Throws when both
// are set.
BufferShardingArgs sharding_of(const DeviceLocalBufferConfig& local) {
  const bool older = local.buffer_layout != TensorMemoryLayout::INTERLEAVED ||
                     local.shard_parameters.has_value() ||
                     local.buffer_distribution_spec.has_value();
  if (!older) return local.sharding_args;
  TT_FATAL(local.sharding_args.buffer_layout() == TensorMemoryLayout::INTERLEAVED,
           "A DeviceLocalBufferConfig has sharding_args or buffer_layout and shard_parameters, "
           "but not both");
  return {local.buffer_distribution_spec, local.shard_parameters, local.buffer_layout};
}

// How many bytes each device holds. Throws when the matrix does not fit the mesh.
DeviceAddr local_size(const MeshBufferConfig& config, const MeshShape& mesh) {
  if (const auto* replicated = std::get_if<ReplicatedBufferConfig>(&config))
    return replicated->size;
  const auto& sharded = std::get<ShardedBufferConfig>(config);
  const uint32_t element = sharded.compute_datum_size_bytes();  // throws for another size
  shards_of(sharded, mesh);                                     // throws when they do not fit
  const Shape2D shard = sharded.physical_shard_shape();
  return DeviceAddr{shard.height()} * shard.width() * element;
}

std::vector<std::shared_ptr<Buffer>> make_parts(MeshDevice& mesh, DeviceAddr size,
                                                const DeviceLocalBufferConfig& local,
                                                std::optional<DeviceAddr> address) {
  return create_in_lock_step(mesh.get_devices(), {.address = address,
                                                  .size = size,
                                                  .page_size = local.page_size,
                                                  .buffer_type = local.buffer_type,
                                                  .sharding = sharding_of(local),
                                                  .bottom_up = local.bottom_up,
                                                  .sub_device = local.sub_device_id});
}

}  // namespace

uint32_t ShardedBufferConfig::compute_datum_size_bytes() const {
  const size_t height = global_buffer_shape.height(), width = global_buffer_shape.width();
  // Divided twice, because the product may be more than 64 bits hold.
  const bool divides =
      height != 0 && width != 0 && global_size % height == 0 && global_size / height % width == 0;
  TT_FATAL(divides, "A mesh buffer of {} B cannot hold {}x{} elements of one size", global_size,
           height, width);
  return static_cast<uint32_t>(global_size / height / width);
}

std::pair<bool, bool> ShardedBufferConfig::replicated_dims() const {
  return {shard_shape.height() == 0, shard_shape.width() == 0};
}

Shape2D ShardedBufferConfig::physical_shard_shape() const {
  const auto [height_is_replicated, width_is_replicated] = replicated_dims();
  return {height_is_replicated ? global_buffer_shape.height() : shard_shape.height(),
          width_is_replicated ? global_buffer_shape.width() : shard_shape.width()};
}

std::shared_ptr<MeshBuffer> MeshBuffer::create(const MeshBufferConfig& mesh_buffer_config,
                                               const DeviceLocalBufferConfig& device_local_config,
                                               MeshDevice* mesh_device,
                                               std::optional<DeviceAddr> address) {
  return std::make_shared<MeshBuffer>(Token{}, mesh_buffer_config, device_local_config,
                                      not_null(mesh_device), address);
}

MeshBuffer::MeshBuffer(Token, const MeshBufferConfig& config, const DeviceLocalBufferConfig& local,
                       MeshDevice& mesh_device, std::optional<DeviceAddr> address)
    : config_(config),
      local_(local),
      mesh_device_(mesh_device.weak_from_this()),
      parts_(mesh_device.shape(),
             make_parts(mesh_device, local_size(config, mesh_device.shape()), local, address)) {}

bool MeshBuffer::is_allocated() const { return first().is_allocated(); }

void MeshBuffer::deallocate() {
  for (const std::shared_ptr<Buffer>& part : parts_.values()) part->deallocate();
}

MeshDevice* MeshBuffer::device() const {
  const std::shared_ptr<MeshDevice> mesh = mesh_device_.lock();
  TT_FATAL(mesh != nullptr, "The mesh device of the mesh buffer at address {} is gone", address());
  return mesh.get();
}

DeviceAddr MeshBuffer::size() const {
  const auto* sharded = std::get_if<ShardedBufferConfig>(&config_);
  return sharded != nullptr ? sharded->global_size : std::get<ReplicatedBufferConfig>(config_).size;
}

MeshBufferLayout MeshBuffer::global_layout() const {
  return std::holds_alternative<ShardedBufferConfig>(config_) ? MeshBufferLayout::SHARDED
                                                              : MeshBufferLayout::REPLICATED;
}

const ShardedBufferConfig& MeshBuffer::global_shard_spec() const {
  TT_FATAL(global_layout() == MeshBufferLayout::SHARDED,
           "The mesh buffer at address {} is replicated: it has no shards", address());
  return std::get<ShardedBufferConfig>(config_);
}

Buffer* MeshBuffer::get_device_buffer(const MeshCoordinate& device_coord) const {
  return parts_.at(device_coord).get();
}

Buffer* MeshBuffer::get_backing_buffer() const {
  const bool owns = !first().given_address().has_value() && is_allocated();
  return owns ? &first() : nullptr;
}

}  // namespace tt::tt_metal::distributed
