#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/shape2d.hpp>
#include <utility>
#include <variant>

namespace tt::tt_metal {
namespace distributed {

// How the part of a mesh buffer that lies on one device is made. Sizes are in bytes.
struct DeviceLocalBufferConfig {
  DeviceAddr page_size = 0;
  BufferType buffer_type = BufferType::DRAM;
  BufferShardingArgs sharding_args = std::nullopt;
  // Upstream's form before the autumn of 2025, in place of sharding_args. Only one of the two forms
  // may be set.
  TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
  std::optional<ShardSpecBuffer> shard_parameters = std::nullopt;
  std::optional<bool> bottom_up = std::nullopt;
  std::optional<SubDeviceId> sub_device_id = std::nullopt;
};

// Each device has a buffer of `size` bytes, with the same content after a write.
struct ReplicatedBufferConfig {
  DeviceAddr size = 0;
};

// A matrix that is divided over the devices. A unit mesh holds all of it: the shard is as large as
// the matrix, or 0 in a dimension that is replicated.
struct ShardedBufferConfig {
  DeviceAddr global_size = 0;            // bytes
  Shape2D global_buffer_shape = {0, 0};  // elements
  Shape2D shard_shape = {0, 0};
  ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR;

  // Throws when the size is not that of so many elements.
  uint32_t compute_datum_size_bytes() const;
  std::pair<bool, bool> replicated_dims() const;  // {height, width}
  Shape2D physical_shard_shape() const;
};

enum class MeshBufferLayout : uint8_t { REPLICATED, SHARDED };
using MeshBufferConfig = std::variant<ReplicatedBufferConfig, ShardedBufferConfig>;

// Memory at one address on each device of a mesh. The release of the last owner frees it. A mesh
// buffer may outlive its mesh: everything but device() stays valid. Moved, never copied; one that
// was moved from can only be destroyed or assigned to.
// Thread-safe for calls that change nothing; one thread at a time calls deallocate. Errors are
// std::runtime_error.
class MeshBuffer {
  struct Token {};  // only create() makes mesh buffers

 public:
  // Works as Buffer::create. With `address` it makes a view of memory that somebody else owns:
  // nothing is allocated, and nothing is freed.
  static std::shared_ptr<MeshBuffer> create(const MeshBufferConfig& mesh_buffer_config,
                                            const DeviceLocalBufferConfig& device_local_config,
                                            MeshDevice* mesh_device,
                                            std::optional<DeviceAddr> address = std::nullopt);
  MeshBuffer(Token, const MeshBufferConfig& config, const DeviceLocalBufferConfig& local,
             MeshDevice& mesh_device, std::optional<DeviceAddr> address);
  MeshBuffer(const MeshBuffer&) = delete;
  MeshBuffer& operator=(const MeshBuffer&) = delete;
  MeshBuffer(MeshBuffer&&) noexcept = default;
  MeshBuffer& operator=(MeshBuffer&&) noexcept = default;

  // False once deallocate() was called, or the mesh's memory was freed as a whole.
  bool is_allocated() const;
  // Frees the memory now; address() stays. A second call does nothing.
  void deallocate();

  // Throws when the mesh is gone.
  MeshDevice* device() const;
  // Bytes of the whole matrix; of a replicated buffer the bytes on one device.
  DeviceAddr size() const;
  DeviceAddr device_local_size() const { return buffer_->size(); }
  DeviceAddr address() const { return buffer_->address(); }

  MeshBufferLayout global_layout() const;
  const MeshBufferConfig& global_config() const { return config_; }
  // Throws unless global_layout() is SHARDED, as the functions of the shards below do.
  const ShardedBufferConfig& global_shard_spec() const;
  const DeviceLocalBufferConfig& device_local_config() const { return local_; }
  uint32_t datum_size_bytes() const { return global_shard_spec().compute_datum_size_bytes(); }
  Shape2D physical_shard_shape() const { return global_shard_spec().physical_shard_shape(); }
  std::pair<bool, bool> replicated_dims() const { return global_shard_spec().replicated_dims(); }

  // The part on that device, which lives as long as the mesh buffer. Throws when the mesh has no
  // such device.
  Buffer* get_device_buffer(const MeshCoordinate& device_coord) const;
  // The part on any device, for what is the same on all devices.
  Buffer* get_reference_buffer() const { return buffer_.get(); }
  // The part that owns the memory; null for a view and after deallocate().
  Buffer* get_backing_buffer() const;

  uint32_t page_size() const { return static_cast<uint32_t>(local_.page_size); }
  uint32_t num_pages() const { return buffer_->num_pages(); }

 private:
  MeshBufferConfig config_;
  DeviceLocalBufferConfig local_;
  std::weak_ptr<MeshDevice> mesh_device_;
  MeshShape mesh_shape_;
  std::shared_ptr<Buffer> buffer_;  // null once moved from
};

}  // namespace distributed
}  // namespace tt::tt_metal
