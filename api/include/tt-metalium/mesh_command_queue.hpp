#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/command_queue_interface.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/detail/payload.hpp>
#include <tt-metalium/distributed_host_buffer.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_event.hpp>
#include <tt-metalium/mesh_trace_id.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace tt::tt_metal {

class HostTensor;
class MemoryConfig;
class MeshTensor;

}  // namespace tt::tt_metal

namespace tt::tt_metal::distributed {

// What the functions that take mesh buffers check. Programs do not call these.
namespace internal {

// Throws for a null pointer.
MeshBuffer& not_null(const std::shared_ptr<MeshBuffer>& buffer);
// Throws unless `blocking`.
void check_read_blocks(bool blocking);

}  // namespace internal

// Memory of the host for one device's part of a mesh buffer: as many bytes as the part has, or as
// the region of it. A value.
class ShardDataTransfer {
 public:
  explicit ShardDataTransfer(const MeshCoordinate& shard_coord) : shard_coord_(shard_coord) {}

  MeshCoordinate shard_coord() const { return shard_coord_; }
  void* host_data() const { return host_data_; }
  std::optional<BufferRegion> region() const { return region_; }

  ShardDataTransfer& shard_coord(const MeshCoordinate& shard_coord) {
    shard_coord_ = shard_coord;
    return *this;
  }
  ShardDataTransfer& host_data(void* host_data) {
    host_data_ = host_data;
    return *this;
  }
  ShardDataTransfer& region(std::optional<BufferRegion> region) {
    region_ = region;
    return *this;
  }

 private:
  MeshCoordinate shard_coord_;
  void* host_data_ = nullptr;
  std::optional<BufferRegion> region_;
};

// A queue of a mesh: on each device of the mesh, the command queue of that number. The work of one
// device runs in the order of its queue; devices run at the same time, and wait for each other only
// by events. With blocking = false a call returns at once; the target of a read must live until its
// work is done, the source of a write may go when the call returns. A call that reads from several
// devices and throws has waited for what it had enqueued: nothing is read any more. With blocking =
// true a call waits for all devices that it has given work. Thread-safe: calls of several threads
// come to all devices that they share in one order, but what reads and waits for several devices
// does so one by one. Meshes own their queues. Errors are std::runtime_error, of several devices
// the first one's.
class MeshCommandQueue {
 public:
  MeshCommandQueue(const MeshCommandQueue&) = delete;
  MeshCommandQueue& operator=(const MeshCommandQueue&) = delete;

  MeshDevice* device() const { return device_; }
  uint32_t id() const { return id_; }
  // The device trace that is being captured on this queue.
  std::optional<MeshTraceId> trace_id() const;

  // Launches the programs of the workload, as EnqueueMeshWorkload().
  void enqueue_mesh_workload(MeshWorkload& mesh_workload, bool blocking);

  // The form of 2025 of distributed::ShardDataTransfer.
  struct ShardDataTransfer {
    MeshCoordinate shard_coord;
    void* host_data = nullptr;
    std::optional<BufferRegion> region = std::nullopt;
  };

  // Write or read a whole buffer: a matrix is divided over the devices, or put together again; of a
  // replicated buffer every device gets the same. Throw, before anything is transferred, when a
  // part of the buffer lies on a device that is not in this mesh. REQUIRES: buffer->size() bytes at
  // `host_data`.
  // Reading waits for the data: blocking = false is refused; enqueue_read_shards takes it. A read
  // of several devices that hold copies is refused, too.
  void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* host_data,
                                 bool blocking);
  void enqueue_read_mesh_buffer(void* host_data, const std::shared_ptr<MeshBuffer>& buffer,
                                bool blocking);
  void enqueue_write_shards(const std::shared_ptr<MeshBuffer>& mesh_buffer,
                            const std::vector<distributed::ShardDataTransfer>& shard_data_transfers,
                            bool blocking);
  void enqueue_write_shards(const std::shared_ptr<MeshBuffer>& mesh_buffer,
                            const std::vector<ShardDataTransfer>& shard_data_transfers,
                            bool blocking);
  void enqueue_read_shards(const std::vector<distributed::ShardDataTransfer>& shard_data_transfers,
                           const std::shared_ptr<MeshBuffer>& mesh_buffer, bool blocking);
  void enqueue_read_shards(const std::vector<ShardDataTransfer>& shard_data_transfers,
                           const std::shared_ptr<MeshBuffer>& mesh_buffer, bool blocking);
  // Writes the same bytes to the parts of all devices in the range; its coordinates are those of
  // the mesh that the buffer was made on.
  void enqueue_write_shard_to_sub_grid(const MeshBuffer& buffer, const void* host_data,
                                       const MeshCoordinateRange& device_range, bool blocking,
                                       std::optional<BufferRegion> region = std::nullopt);

  // Writes the shards that are there, each to its device's part; reads into those that are there,
  // or into those of them that `shards` names. Throw, before anything is transferred, unless the
  // shards are for a mesh of the shape that the buffer was made on, each is as large as the part,
  // and its device is in this mesh.
  void enqueue_write(const std::shared_ptr<MeshBuffer>& mesh_buffer,
                     const DistributedHostBuffer& host_buffer, bool blocking);
  void enqueue_read(const std::shared_ptr<MeshBuffer>& mesh_buffer,
                    DistributedHostBuffer& host_buffer,
                    const std::optional<std::unordered_set<MeshCoordinate>>& shards, bool blocking);

  // Programs that call these include <tt-metalium/tensor/host_tensor.hpp> and
  // <tt-metalium/tensor/mesh_tensor.hpp>. A tensor is written to a tensor of the same shape, data
  // type and pages in any memory, or to one that is made on the queue's mesh, in the memory given
  // or in that of its specification; padded as TensorLayout::with_memory_config says. The tensor of
  // one device goes to all, others shard by shard. A write does not wait; the host tensor may go
  // when the call returns. Parts on devices of other meshes are refused, as above.
  MeshTensor enqueue_write_tensor(const HostTensor& host_tensor);
  MeshTensor enqueue_write_tensor(const HostTensor& host_tensor, const MemoryConfig& memory_config);
  void enqueue_write_tensor(const HostTensor& host_tensor, MeshTensor& device_tensor);
  // A tensor with the shards of all devices; or the shards that the host tensor has, in place, so
  // that its copies share them. With blocking = false the elements are there when the queue has
  // done its work, and a copy of the tensor must live until then. (That blocking is the default is
  // upstream's of its free functions in spring 2026; its programs of autumn leave it out.)
  HostTensor enqueue_read_tensor(const MeshTensor& device_tensor, bool blocking = true);
  void enqueue_read_tensor(const MeshTensor& device_tensor, HostTensor& host_tensor,
                           bool blocking = true);

  // Records an event on each device of the range, of the whole mesh without one. Queues and the
  // host may wait for events of both kinds. Throws when the range does not lie in the mesh.
  MeshEvent enqueue_record_event(
      tt::stl::Span<const SubDeviceId> sub_device_ids = {},
      const std::optional<MeshCoordinateRange>& device_range = std::nullopt);
  MeshEvent enqueue_record_event_to_host(
      tt::stl::Span<const SubDeviceId> sub_device_ids = {},
      const std::optional<MeshCoordinateRange>& device_range = std::nullopt);
  // Each device waits for its own part of the event; where the event is of other devices alone, all
  // wait for all of it.
  void enqueue_wait_for_event(const MeshEvent& sync_event);
  void finish(tt::stl::Span<const SubDeviceId> sub_device_ids = {});
  void enqueue_trace(const MeshTraceId& trace_id, bool blocking);

  // For the implementation: the queue of a unit mesh's device, or of the device that a buffer lies
  // on. Throw when the device is closed, and for a mesh of several devices, or for a buffer that
  // lies on no device of the mesh.
  CommandQueue& device_queue() const;
  CommandQueue& device_queue(const Buffer& part) const;
  // For the templates of distributed.hpp: the functions for whole buffers, with the type of the
  // elements. `size` is how many bytes there are at `source`.
  void write_whole(const MeshBuffer& buffer, const void* source, size_t size,
                   tt::tt_metal::detail::PayloadType type, bool blocking);
  void read_whole(const MeshBuffer& buffer, void* target, tt::tt_metal::detail::PayloadType type);

 private:
  friend class MeshDevice;
  MeshCommandQueue(MeshDevice* device, uint8_t id) : device_(device), id_(id) {}

  bool is_of_one_device() const { return device_->num_devices() == 1; }
  CommandQueue& queue_at(const MeshCoordinate& coord) const;
  void write_matrix(const MeshBuffer& buffer, const void* source, size_t size,
                    tt::tt_metal::detail::PayloadType type);

  MeshDevice* const device_;
  const uint8_t id_;
  std::atomic<uint32_t> next_event_id_ = 0;  // of a mesh of several devices
};

}  // namespace tt::tt_metal::distributed
