#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <tt-metalium/tensor/tensor_types.hpp>

namespace tt::tt_metal {

// A tensor in the memory of a mesh: at one address on each device, in a mesh buffer that it owns
// alone. Its end frees the memory. Moved, never copied. A tensor that was moved from can be
// destroyed, assigned to and asked is_valueless_after_move(); everything else throws. It may
// outlive its mesh: everything but device() and mutable_device() stays valid. Errors are
// std::runtime_error. Thread-safe for calls that change nothing.
class MeshTensor {
 public:
  using volume_type = std::uint64_t;

  MeshTensor() = delete;
  // Works as MeshBuffer::create, and throws what it throws; so the rows of a row-major tensor, or
  // the parts of them that lie in shards, must be whole words of 4 B.
  static MeshTensor allocate_on_device(distributed::MeshDevice& mesh_device, TensorSpec spec);
  // Takes the buffer over. Throws unless it is allocated, replicated, and as large, in the memory,
  // in the pages and in the shards that the specification says.
  static MeshTensor from_buffer(distributed::MeshBuffer mesh_buffer, TensorSpec spec);

  MeshTensor(const MeshTensor&) = delete;
  MeshTensor& operator=(const MeshTensor&) = delete;
  MeshTensor(MeshTensor&&) noexcept = default;
  MeshTensor& operator=(MeshTensor&&) noexcept = default;
  ~MeshTensor() = default;

  const distributed::MeshBuffer& mesh_buffer() const;
  // Throw when the mesh is gone.
  const distributed::MeshDevice& device() const { return mutable_device(); }
  distributed::MeshDevice& mutable_device() const;
  DeviceAddr address() const { return mesh_buffer().address(); }

  const TensorSpec& tensor_spec() const;
  bool is_valueless_after_move() const { return buffer_ == nullptr; }

  DataType dtype() const { return tensor_spec().data_type(); }
  Layout layout() const { return tensor_spec().layout(); }
  const Shape& logical_shape() const { return tensor_spec().logical_shape(); }
  const Shape& padded_shape() const { return tensor_spec().padded_shape(); }
  volume_type logical_volume() const { return logical_shape().volume(); }
  volume_type physical_volume() const { return padded_shape().volume(); }
  const MemoryConfig& memory_config() const { return tensor_spec().memory_config(); }
  bool is_sharded() const { return memory_config().is_sharded(); }
  const std::optional<ShardSpec>& shard_spec() const { return memory_config().shard_spec(); }
  const std::optional<NdShardSpec>& nd_shard_spec() const {
    return memory_config().nd_shard_spec();
  }
  std::size_t element_size() const;  // as that of a HostTensor
  Strides strides() const { return tensor_spec().compute_strides(); }

 private:
  MeshTensor(std::unique_ptr<distributed::MeshBuffer> buffer, TensorSpec spec);

  std::unique_ptr<distributed::MeshBuffer> buffer_;  // null once moved from
  TensorSpec spec_;
};

}  // namespace tt::tt_metal
