#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_buffer.hpp>

namespace tt::tt_metal::distributed {
namespace {

MeshDevice& not_null(MeshDevice* mesh_device) {
  TT_FATAL(mesh_device != nullptr, "MeshBuffer::create: the mesh device is a null pointer");
  return *mesh_device;
}

// The sharding that a configuration asks for, in upstream's older or newer form. Throws when both
// are set.
BufferShardingArgs sharding_of(const DeviceLocalBufferConfig& local) {
  const bool older =
      local.buffer_layout != TensorMemoryLayout::INTERLEAVED || local.shard_parameters.has_value();
  if (!older) return local.sharding_args;
  TT_FATAL(local.sharding_args.buffer_layout() == TensorMemoryLayout::INTERLEAVED,
           "A DeviceLocalBufferConfig has sharding_args or buffer_layout and shard_parameters, "
           "but not both");
  return {local.shard_parameters, local.buffer_layout};
}

// How many bytes the only device of the mesh holds. Throws unless the whole matrix is one shard.
DeviceAddr local_size(const MeshBufferConfig& config) {
  if (const auto* replicated = std::get_if<ReplicatedBufferConfig>(&config))
    return replicated->size;
  const auto& sharded = std::get<ShardedBufferConfig>(config);
  sharded.compute_datum_size_bytes();  // throws when the size does not fit the shape
  const Shape2D shard = sharded.physical_shard_shape();
  TT_FATAL(shard == sharded.global_buffer_shape,
           "A mesh of one device holds a matrix as one shard: {}x{} elements were given in shards "
           "of {}x{}",
           sharded.global_buffer_shape.height(), sharded.global_buffer_shape.width(),
           shard.height(), shard.width());
  return sharded.global_size;
}

std::shared_ptr<Buffer> make_part(MeshDevice& mesh, DeviceAddr size,
                                  const DeviceLocalBufferConfig& local,
                                  std::optional<DeviceAddr> address) {
  const BufferShardingArgs sharding = sharding_of(local);
  if (address.has_value()) {
    return Buffer::create(&mesh, *address, size, local.page_size, local.buffer_type,
                          sharding.buffer_layout(), sharding.shard_spec(), local.bottom_up,
                          local.sub_device_id);
  }
  return Buffer::create(&mesh, size, local.page_size, local.buffer_type, sharding.buffer_layout(),
                        sharding.shard_spec(), local.bottom_up, local.sub_device_id);
}

}  // namespace

uint32_t ShardedBufferConfig::compute_datum_size_bytes() const {
  const size_t elements = global_buffer_shape.height() * global_buffer_shape.width();
  TT_FATAL(elements != 0 && global_size % elements == 0,
           "A mesh buffer of {} B cannot hold {}x{} elements of one size", global_size,
           global_buffer_shape.height(), global_buffer_shape.width());
  return static_cast<uint32_t>(global_size / elements);
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
      mesh_shape_(mesh_device.shape()),
      buffer_(make_part(mesh_device, local_size(config), local, address)) {}

bool MeshBuffer::is_allocated() const { return buffer_->is_allocated(); }
void MeshBuffer::deallocate() { buffer_->deallocate(); }

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
  device_coord.to_linear_index(mesh_shape_);  // throws outside of the mesh
  return buffer_.get();
}

Buffer* MeshBuffer::get_backing_buffer() const {
  const bool owns = !buffer_->given_address().has_value() && buffer_->is_allocated();
  return owns ? buffer_.get() : nullptr;
}

}  // namespace tt::tt_metal::distributed
