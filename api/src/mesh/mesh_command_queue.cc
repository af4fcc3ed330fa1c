#include <algorithm>
#include <map>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <utility>

#include "api/src/devices/device_impl.h"
#include "api/src/mesh/each_device.h"
#include "api/src/mesh/mesh_sharding.h"
#include "api/src/mesh/mesh_turn.h"
#include "api/src/mesh/reads.h"
#include "api/src/mesh/writes.h"
#include "api/src/objects/program_state.h"
#include "api/src/replay_hooks.h"
#include "api/src/transfers/short_data.h"

namespace tt::tt_metal::distributed {

namespace payload = tt::tt_metal::detail;
using payload::PayloadType;

namespace {

std::vector<ShardDataTransfer> newer_form(
    const std::vector<MeshCommandQueue::ShardDataTransfer>& transfers) {
  std::vector<ShardDataTransfer> newer;
  for (const MeshCommandQueue::ShardDataTransfer& transfer : transfers) {
    newer.push_back(ShardDataTransfer(transfer.shard_coord)
                        .host_data(transfer.host_data)
                        .region(transfer.region));
  }
  return newer;
}

void check_in_mesh(const MeshShape& mesh, const MeshCoordinateRange& range, const char* what) {
  const MeshCoordinateRange all(mesh);
  TT_FATAL(all.dims() == range.dims() && all.contains(range), "{} for {} does not fit a mesh of {}",
           what, range, mesh);
}

// CommandQueueImpl::waits() for a call of a mesh. Its devices were opened alike.
bool waits(const MeshCommandQueue& queue, bool blocking) {
  return impl_of(queue.device()->get_devices().front()->command_queue(queue.id())).waits(blocking);
}

// Throws unless the queue's mesh has all devices of those parts: nothing has been transferred then.
void check_parts_in(const MeshCommandQueue& queue, const MeshBuffer& buffer,
                    const MeshCoordinateRange& range) {
  for (const MeshCoordinate& coord : range) queue.device_queue(*buffer.get_device_buffer(coord));
}

// Adds the writes of the same bytes to the parts in the range.
void add_writes(const MeshCommandQueue& queue, const MeshBuffer& buffer, const void* data,
                const MeshCoordinateRange& range, const std::optional<BufferRegion>& region,
                std::vector<PartWrite>& writes) {
  // A buffer keeps the coordinates that it was made with, whatever shape the mesh has by now.
  check_in_mesh(buffer.mesh_shape(), range, "A write");
  for (const MeshCoordinate& coord : range) {
    Buffer& part = *buffer.get_device_buffer(coord);
    const BufferRegion written = region.value_or(part.root_buffer_region());
    writes.push_back({&queue.device_queue(part), [=, &part](CommandQueue& of_part, bool blocking) {
                        EnqueueWriteSubBuffer(of_part, part, data, written, blocking);
                      }});
  }
}

std::vector<IDevice*> devices_of(const MeshBuffer& buffer, const MeshCoordinateRange& range) {
  std::vector<IDevice*> devices;
  for (const MeshCoordinate& coord : range) {
    devices.push_back(buffer.get_device_buffer(coord)->device());
  }
  return devices;
}

}  // namespace

namespace internal {

MeshBuffer& not_null(const std::shared_ptr<MeshBuffer>& buffer) {
  TT_FATAL(buffer != nullptr, "The mesh buffer is a null pointer");
  return *buffer;
}

void check_read_blocks(bool blocking) {
  TT_FATAL(blocking,
           "A mesh buffer is read as a whole with blocking = true only: enqueue_read_shards does "
           "not need to block");
}

}  // namespace internal

MeshEvent::MeshEvent(uint32_t id, std::vector<std::shared_ptr<Event>> events, MeshDevice* device,
                     const MeshCoordinateRange& device_range)
    : id_(id),
      events_(std::move(events)),
      device_(device),
      device_id_(device->id()),
      device_range_(device_range) {}

uint32_t MeshEvent::mesh_cq_id() const { return events_.front()->cq_id; }

std::ostream& operator<<(std::ostream& out, const MeshEvent& event) {
  return out << "MeshEvent(id: " << event.id() << ", device: " << event.device_id()
             << ", queue: " << event.mesh_cq_id() << ", " << event.device_range() << ")";
}

// ---- Queues of the devices ----

CommandQueue& MeshCommandQueue::device_queue() const {
  return device_->only_device().command_queue(id_);
}

CommandQueue& MeshCommandQueue::device_queue(const Buffer& part) const {
  TT_FATAL(device_->get_view().contains_device(part.device()->id()),
           "A buffer on device {} is used in a queue of {}", part.device()->id(),
           device_->to_string());
  return part.device()->command_queue(id_);
}

CommandQueue& MeshCommandQueue::queue_at(const MeshCoordinate& coord) const {
  return device_->get_device(coord)->command_queue(id_);
}

std::optional<MeshTraceId> MeshCommandQueue::trace_id() const {
  const std::optional<uint32_t> id = device_->get_devices().front()->command_queue(id_).tid();
  if (!id.has_value()) return std::nullopt;
  return MeshTraceId(*id);
}

// ---- Workloads ----

void MeshCommandQueue::enqueue_mesh_workload(MeshWorkload& mesh_workload, bool blocking) {
  TT_FATAL(!mesh_workload.get_programs().empty(),
           "A workload without programs cannot be enqueued: add_program comes first");
  // In the order of their ranges, so that every run records the same.
  std::map<MeshCoordinateRange, Program*> programs;
  // All programs are checked before the first is launched.
  for (auto& [range, program] : mesh_workload.get_programs()) {
    check_in_mesh(device_->shape(), range, "A program");
    if (const auto& specified = program.state().specified; specified != nullptr) {
      for (const MeshCoordinate& coord : range)
        specified->check_may_launch(*device_->get_device(coord));
    }
    programs[range] = &program;
  }
  // Devices run at the same time: they are waited for when all of them have their programs.
  const bool ends_done = waits(*this, blocking), waits_at_once = ends_done && is_of_one_device();
  std::vector<IDevice*> used;
  for (const auto& [range, program] : programs) {
    for (const MeshCoordinate& coord : range) used.push_back(device_->get_device(coord));
  }
  {
    const MeshTurn turn(used);
    for (const auto& [range, program] : programs) {
      for (const MeshCoordinate& coord : range) {
        replay_hooks::enqueue_program(queue_at(coord), *program, waits_at_once);
      }
    }
  }
  if (!ends_done || waits_at_once) return;
  for_each_device(used, [&](IDevice& device) { Finish(device.command_queue(id_)); });
}

// ---- Whole buffers ----

void MeshCommandQueue::write_matrix(const MeshBuffer& buffer, const void* source, size_t size,
                                    PayloadType type) {
  const ShardedBufferConfig& config = buffer.global_shard_spec();
  TT_FATAL(source != nullptr || size == 0, "The data to write are a null pointer");
  std::vector<std::byte> filled;
  if (size < buffer.size()) {
    filled.resize(buffer.size());
    std::copy_n(static_cast<const std::byte*>(source), size, filled.begin());
    source = filled.data();
  }
  std::vector<std::byte> bytes(buffer.device_local_size());
  for (const ShardOfMatrix& shard : shards_of(config, buffer.mesh_shape())) {
    if (first_byte_of(config, shard) >= size) continue;
    copy_from_matrix(config, shard, static_cast<const std::byte*>(source), bytes);
    for (const MeshCoordinate& coord : shard.copies) {
      Buffer& part = *buffer.get_device_buffer(coord);
      payload::enqueue_write_buffer(device_queue(part), part, bytes.data(), bytes.size(), type,
                                    /*blocking=*/false);
    }
  }
}

void MeshCommandQueue::write_whole(const MeshBuffer& buffer, const void* source, size_t size,
                                   PayloadType type, bool blocking) {
  if (buffer.mesh_shape().mesh_size() == 1) {
    Buffer& only = *buffer.get_reference_buffer();
    return payload::enqueue_write_buffer(device_queue(only), only, source, size, type, blocking);
  }
  const MeshCoordinateRange all(buffer.mesh_shape());
  check_parts_in(*this, buffer, all);
  {
    const MeshTurn turn(devices_of(buffer, all));
    if (buffer.global_layout() == MeshBufferLayout::SHARDED) {
      const Buffer& any = *buffer.get_reference_buffer();
      TT_FATAL(size >= buffer.size() || is_short_and_allowed(any, {0, buffer.size()}, size),
               "A matrix of {} B cannot be divided over {}: only {} B were given", buffer.size(),
               device_->to_string(), size);
      write_matrix(buffer, source, size, type);
    } else {
      for (const MeshCoordinate& coord : all) {
        Buffer& part = *buffer.get_device_buffer(coord);
        payload::enqueue_write_buffer(device_queue(part), part, source, size, type,
                                      /*blocking=*/false);
      }
    }
  }
  if (waits(*this, blocking)) finish();
}

void MeshCommandQueue::read_whole(const MeshBuffer& buffer, void* target, PayloadType type) {
  if (buffer.mesh_shape().mesh_size() == 1) {
    Buffer& only = *buffer.get_reference_buffer();
    return payload::enqueue_read_buffer(device_queue(only), only, target, type, /*blocking=*/true);
  }
  check_parts_in(*this, buffer, MeshCoordinateRange(buffer.mesh_shape()));
  TT_FATAL(buffer.global_layout() == MeshBufferLayout::SHARDED &&
               buffer.replicated_dims() == std::pair(false, false),
           "A mesh buffer of which several devices hold copies is not read as a whole: ReadShard "
           "reads one of them");
  TT_FATAL(target != nullptr, "The place to read to is a null pointer");
  const ShardedBufferConfig& config = buffer.global_shard_spec();
  std::vector<std::byte> bytes(buffer.device_local_size());
  for (const ShardOfMatrix& shard : shards_of(config, buffer.mesh_shape())) {
    Buffer& part = *buffer.get_device_buffer(shard.copies.front());
    payload::enqueue_read_buffer(device_queue(part), part, bytes.data(), type, /*blocking=*/true);
    copy_to_matrix(config, shard, bytes, static_cast<std::byte*>(target));
  }
}

void MeshCommandQueue::enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer,
                                                 const void* host_data, bool blocking) {
  const MeshBuffer& written = internal::not_null(buffer);
  write_whole(written, host_data, written.size(), PayloadType::Bytes, blocking);
}

void MeshCommandQueue::enqueue_read_mesh_buffer(void* host_data,
                                                const std::shared_ptr<MeshBuffer>& buffer,
                                                bool blocking) {
  internal::check_read_blocks(blocking);
  read_whole(internal::not_null(buffer), host_data, PayloadType::Bytes);
}

// ---- Shards ----

void MeshCommandQueue::enqueue_write_shards(
    const std::shared_ptr<MeshBuffer>& mesh_buffer,
    const std::vector<distributed::ShardDataTransfer>& shard_data_transfers, bool blocking) {
  const MeshBuffer& written = internal::not_null(mesh_buffer);
  std::vector<PartWrite> writes;
  for (const distributed::ShardDataTransfer& transfer : shard_data_transfers) {
    add_writes(*this, written, transfer.host_data(), MeshCoordinateRange(transfer.shard_coord()),
               transfer.region(), writes);
  }
  enqueue_writes(writes, blocking);
}

void MeshCommandQueue::enqueue_write_shards(
    const std::shared_ptr<MeshBuffer>& mesh_buffer,
    const std::vector<ShardDataTransfer>& shard_data_transfers, bool blocking) {
  enqueue_write_shards(mesh_buffer, newer_form(shard_data_transfers), blocking);
}

void MeshCommandQueue::enqueue_read_shards(
    const std::vector<distributed::ShardDataTransfer>& shard_data_transfers,
    const std::shared_ptr<MeshBuffer>& mesh_buffer, bool blocking) {
  const MeshBuffer& read = internal::not_null(mesh_buffer);
  std::vector<PartRead> reads;
  for (const distributed::ShardDataTransfer& transfer : shard_data_transfers) {
    Buffer& part = *read.get_device_buffer(transfer.shard_coord());
    reads.push_back({&device_queue(part), [&transfer, &part, blocking](CommandQueue& queue) {
                       EnqueueReadSubBuffer(queue, part, transfer.host_data(),
                                            transfer.region().value_or(part.root_buffer_region()),
                                            blocking);
                     }});
  }
  enqueue_reads(reads);
}

void MeshCommandQueue::enqueue_read_shards(
    const std::vector<ShardDataTransfer>& shard_data_transfers,
    const std::shared_ptr<MeshBuffer>& mesh_buffer, bool blocking) {
  enqueue_read_shards(newer_form(shard_data_transfers), mesh_buffer, blocking);
}

void MeshCommandQueue::enqueue_write_shard_to_sub_grid(const MeshBuffer& buffer,
                                                       const void* host_data,
                                                       const MeshCoordinateRange& device_range,
                                                       bool blocking,
                                                       std::optional<BufferRegion> region) {
  std::vector<PartWrite> writes;
  add_writes(*this, buffer, host_data, device_range, region, writes);
  enqueue_writes(writes, blocking);
}

// ---- Events, waits, traces ----

MeshEvent MeshCommandQueue::enqueue_record_event(
    tt::stl::Span<const SubDeviceId> sub_device_ids,
    const std::optional<MeshCoordinateRange>& device_range) {
  const MeshCoordinateRange range = device_range.value_or(MeshCoordinateRange(device_->shape()));
  check_in_mesh(device_->shape(), range, "An event");
  std::vector<std::shared_ptr<Event>> events;
  {
    const MeshTurn turn(device_->get_devices());
    for (const MeshCoordinate& coord : range) {
      events.push_back(std::make_shared<Event>());
      EnqueueRecordEvent(queue_at(coord), events.back(), sub_device_ids);
    }
  }
  const uint32_t id = is_of_one_device() ? events.front()->event_id : next_event_id_++;
  return {id, std::move(events), device_, range};
}

MeshEvent MeshCommandQueue::enqueue_record_event_to_host(
    tt::stl::Span<const SubDeviceId> sub_device_ids,
    const std::optional<MeshCoordinateRange>& device_range) {
  return enqueue_record_event(sub_device_ids, device_range);
}

void MeshCommandQueue::enqueue_wait_for_event(const MeshEvent& sync_event) {
  const std::vector<IDevice*> devices = device_->get_devices();
  const MeshTurn turn(devices);
  bool is_of_these_devices = false;
  for (const std::shared_ptr<Event>& event : sync_event.events()) {
    if (std::ranges::find(devices, event->device) == devices.end()) continue;
    EnqueueWaitForEvent(event->device->command_queue(id_), event);
    is_of_these_devices = true;
  }
  if (is_of_these_devices) return;
  for (IDevice* device : devices) {
    for (const std::shared_ptr<Event>& event : sync_event.events()) {
      EnqueueWaitForEvent(device->command_queue(id_), event);
    }
  }
}

void MeshCommandQueue::finish(tt::stl::Span<const SubDeviceId> sub_device_ids) {
  for_each_device(device_->get_devices(),
                  [&](IDevice& device) { Finish(device.command_queue(id_), sub_device_ids); });
}

void MeshCommandQueue::enqueue_trace(const MeshTraceId& trace_id, bool blocking) {
  const bool ends_done = waits(*this, blocking), waits_at_once = ends_done && is_of_one_device();
  for (IDevice* device : device_->get_devices()) {
    if (is_of_one_device()) break;  // the launch checks its own device
    impl_of(*device).check_replays(static_cast<uint8_t>(id_), *trace_id, "EnqueueTrace");
  }
  {
    const MeshTurn turn(device_->get_devices());
    for (IDevice* device : device_->get_devices()) {
      replay_hooks::enqueue_trace(device->command_queue(id_), *trace_id, waits_at_once);
    }
  }
  if (ends_done && !waits_at_once) finish();
}

}  // namespace tt::tt_metal::distributed
