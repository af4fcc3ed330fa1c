#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <tt-metalium/host_buffer.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device_view.hpp>
#include <utility>
#include <vector>

namespace tt::tt_metal {

// A host buffer for each device of a mesh, or for some: a shard is there once it was put there.
// Copies share the elements of their shards. Errors are std::runtime_error. Not thread-safe.
class DistributedHostBuffer {
 public:
  static DistributedHostBuffer create(const distributed::MeshShape& shape);
  static DistributedHostBuffer create(const distributed::MeshDeviceView& mesh_device_view);

  // The shard at that place, which shares its elements; nothing where no shard is. Throws when the
  // place lies outside of the shape, as emplace_shard() and is_local() do.
  std::optional<HostBuffer> get_shard(const distributed::MeshCoordinate& coord) const;
  // Puts what `produce_buffer` returns at that place, in place of what was there.
  void emplace_shard(const distributed::MeshCoordinate& coord,
                     const std::function<HostBuffer()>& produce_buffer);
  // True: no shard is another host's.
  bool is_local(const distributed::MeshCoordinate& coord) const;

  // Whether functions may be called at the same time. Here they are called one after the other
  // under either policy, in the order of the places.
  enum class ProcessShardExecutionPolicy { SEQUENTIAL, PARALLEL };

  // The shards that `fn` makes of those that are there; or just a look at them.
  using TransformFn = std::function<HostBuffer(const HostBuffer& buffer)>;
  DistributedHostBuffer transform(
      const TransformFn& fn,
      ProcessShardExecutionPolicy policy = ProcessShardExecutionPolicy::SEQUENTIAL) const;
  using ApplyFn = std::function<void(const HostBuffer& buffer)>;
  void apply(const ApplyFn& fn,
             ProcessShardExecutionPolicy policy = ProcessShardExecutionPolicy::SEQUENTIAL) const;
  // emplace_shard() for each place.
  using ProduceBufferFn = std::function<HostBuffer(const distributed::MeshCoordinate&)>;
  void emplace_shards(const std::vector<distributed::MeshCoordinate>& coords,
                      const ProduceBufferFn& produce_buffer,
                      ProcessShardExecutionPolicy policy = ProcessShardExecutionPolicy::SEQUENTIAL);

  const distributed::MeshShape& shape() const { return shape_; }
  // Where shards are.
  const std::set<distributed::MeshCoordinate>& shard_coords() const { return coords_; }

 private:
  explicit DistributedHostBuffer(const distributed::MeshShape& shape)
      : shape_(shape), shards_(shape.mesh_size()) {}

  distributed::MeshShape shape_;
  std::vector<std::optional<HostBuffer>> shards_;  // by linear index
  std::set<distributed::MeshCoordinate> coords_;
};

}  // namespace tt::tt_metal
