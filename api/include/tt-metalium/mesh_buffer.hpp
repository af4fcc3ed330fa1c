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
  // Upstream's form until June 2025, in place of sharding_args. Only one of the two forms may be
  // set.
  TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
  std::optional<ShardSpecBuffer> shard_parameters = std::nullopt;
  std::optional<BufferDistributionSpec> buffer_distribution_spec = std::nullopt;
  std::optional<bool> bottom_up = std::nullopt;
  std::optional<SubDeviceId> sub_device_id = std::nullopt;
};

// Each device has a buffer of `size` bytes, with the same content after a write.
struct ReplicatedBufferConfig {
  DeviceAddr size = 0;
};

// A matrix that is divided over the devices of a mesh: shards are numbered in row-major order, and
// devices along the rows of the mesh (ROW_MAJOR) or along its columns (COL_MAJOR). A dimension of
// the shard that is 0 is replicated: the shard is as large as the matrix there, and all rows of
// devices hold the same, or all columns; the order counts for nothing then. Devices without a shard
// have memory that nothing is written to.
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
// was moved from may only be assigned to or destroyed. Thread-safe for calls that change nothing;
// one thread at a time calls deallocate. Errors are std::runtime_error.
class MeshBuffer {
  struct Token {};  // only create() makes mesh buffers

 public:
  // Works as Buffer::create on each device. All devices give the same address: the one that the
  // first would give or, where that is taken on another, the next. With `address` it makes a view
  // of memory that somebody else owns: nothing is allocated, and nothing is freed. Throws when the
  // shards do not divide the matrix or are more than the devices. REQUIRES: no other thread
  // allocates on single devices of a mesh of several meanwhile.
  static std::shared_ptr<MeshBuffer> create(const MeshBufferConfig& mesh_buffer_config,
                                            const DeviceLocalBufferConfig& device_local_config,
                                            MeshDevice* mesh_device,
                                            std::optional<DeviceAddr> address = std::nullopt);
  MeshBuffer(Token, const MeshBufferConfig& config, const DeviceLocalBufferConfig& local,
             MeshDevice& mesh_device, std::optional<DeviceAddr> address);
  MeshBuffer(const MeshBuffer&) = delete;
  MeshBuffer& operator=(const MeshBuffer&) = delete;
  MeshBuffer(MeshBuffer&& other) noexcept = default;
  MeshBuffer& operator=(MeshBuffer&& other) noexcept = default;

  // False once deallocate() was called, or the mesh's memory was freed as a whole.
  bool is_allocated() const;
  // Frees the memory now; address() stays. A second call does nothing.
  void deallocate();

  // Throws when the mesh is gone.
  MeshDevice* device() const;
  // Bytes of the whole matrix; of a replicated buffer the bytes on one device.
  DeviceAddr size() const;
  DeviceAddr device_local_size() const { return first().size(); }
  DeviceAddr address() const { return first().address(); }

  MeshBufferLayout global_layout() const;
  const MeshBufferConfig& global_config() const { return config_; }
  // Throws unless global_layout() is SHARDED, as the functions of the shards below do.
  const ShardedBufferConfig& global_shard_spec() const;
  const DeviceLocalBufferConfig& device_local_config() const { return local_; }
  uint32_t datum_size_bytes() const { return global_shard_spec().compute_datum_size_bytes(); }
  Shape2D physical_shard_shape() const { return global_shard_spec().physical_shard_shape(); }
  std::pair<bool, bool> replicated_dims() const { return global_shard_spec().replicated_dims(); }

  // The part on that device, which lives as long as the mesh buffer. Throws when the mesh had no
  // such device when the buffer was made.
  Buffer* get_device_buffer(const MeshCoordinate& device_coord) const;
  // The part on the first device, for what is the same on all devices.
  Buffer* get_reference_buffer() const { return &first(); }
  // The first part that owns its memory; null for a view and after deallocate().
  Buffer* get_backing_buffer() const;

  uint32_t page_size() const { return static_cast<uint32_t>(local_.page_size); }
  uint32_t num_pages() const { return first().num_pages(); }

  // For the implementation: the shape of the mesh when the buffer was made.
  const MeshShape& mesh_shape() const { return parts_.shape(); }

 private:
  Buffer& first() const { return *parts_.values().front(); }

  MeshBufferConfig config_;
  DeviceLocalBufferConfig local_;
  std::weak_ptr<MeshDevice> mesh_device_;
  MeshContainer<std::shared_ptr<Buffer>> parts_;
};

}  // namespace distributed
}  // namespace tt::tt_metal
