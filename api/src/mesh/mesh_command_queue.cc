#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <utility>

namespace tt::tt_metal::distributed {
namespace {

void check_in_mesh(const MeshDevice& mesh, const MeshCoordinateRange& range, const char* what) {
  const MeshCoordinateRange all(mesh.shape());
  TT_FATAL(all.dims() == range.dims() && all.contains(range), "{} for {} does not fit a mesh of {}",
           what, range, mesh.shape());
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

MeshEvent::MeshEvent(std::shared_ptr<Event> event, MeshDevice* device,
                     const MeshCoordinateRange& device_range)
    : event_(std::move(event)), device_(device), device_range_(device_range) {}

uint32_t MeshEvent::id() const { return event_->event_id; }
uint32_t MeshEvent::mesh_cq_id() const { return event_->cq_id; }

std::ostream& operator<<(std::ostream& out, const MeshEvent& event) {
  return out << "MeshEvent(id: " << event.id() << ", device: " << event.device()->id()
             << ", queue: " << event.mesh_cq_id() << ", " << event.device_range() << ")";
}

CommandQueue& MeshCommandQueue::device_queue() const { return device_->command_queue(id_); }

std::optional<MeshTraceId> MeshCommandQueue::trace_id() const {
  const std::optional<uint32_t> id = device_queue().tid();
  if (!id.has_value()) return std::nullopt;
  return MeshTraceId(*id);
}

void MeshCommandQueue::enqueue_mesh_workload(MeshWorkload& mesh_workload, bool blocking) {
  TT_FATAL(!mesh_workload.get_programs().empty(),
           "A workload without programs cannot be enqueued: add_program comes first");
  // All programs are checked before the first is launched.
  for (const auto& [range, program] : mesh_workload.get_programs()) {
    check_in_mesh(*device_, range, "A program");
  }
  // Programs of one workload share no device, so the workload of a unit mesh has one program.
  for (auto& [range, program] : mesh_workload.get_programs()) {
    EnqueueProgram(device_queue(), program, blocking);
  }
}

void MeshCommandQueue::enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer,
                                                 const void* host_data, bool blocking) {
  MeshBuffer& written = internal::not_null(buffer);
  EnqueueWriteBuffer(device_queue(), *written.get_reference_buffer(), host_data, blocking);
}

void MeshCommandQueue::enqueue_read_mesh_buffer(void* host_data,
                                                const std::shared_ptr<MeshBuffer>& buffer,
                                                bool blocking) {
  internal::check_read_blocks(blocking);
  MeshBuffer& read = internal::not_null(buffer);
  EnqueueReadBuffer(device_queue(), *read.get_reference_buffer(), host_data, blocking);
}

void MeshCommandQueue::enqueue_write_shards(
    const std::shared_ptr<MeshBuffer>& mesh_buffer,
    const std::vector<ShardDataTransfer>& shard_data_transfers, bool blocking) {
  const MeshBuffer& written = internal::not_null(mesh_buffer);
  for (const ShardDataTransfer& transfer : shard_data_transfers) {
    enqueue_write_shard_to_sub_grid(written, transfer.host_data,
                                    MeshCoordinateRange(transfer.shard_coord), blocking,
                                    transfer.region);
  }
}

void MeshCommandQueue::enqueue_read_shards(
    const std::vector<ShardDataTransfer>& shard_data_transfers,
    const std::shared_ptr<MeshBuffer>& mesh_buffer, bool blocking) {
  const MeshBuffer& read = internal::not_null(mesh_buffer);
  for (const ShardDataTransfer& transfer : shard_data_transfers) {
    Buffer& part = *read.get_device_buffer(transfer.shard_coord);
    EnqueueReadSubBuffer(device_queue(), part, transfer.host_data,
                         transfer.region.value_or(part.root_buffer_region()), blocking);
  }
}

void MeshCommandQueue::enqueue_write_shard_to_sub_grid(const MeshBuffer& buffer,
                                                       const void* host_data,
                                                       const MeshCoordinateRange& device_range,
                                                       bool blocking,
                                                       std::optional<BufferRegion> region) {
  check_in_mesh(*device_, device_range, "A write");
  for (const MeshCoordinate& coord : device_range) {
    Buffer& part = *buffer.get_device_buffer(coord);
    EnqueueWriteSubBuffer(device_queue(), part, host_data,
                          region.value_or(part.root_buffer_region()), blocking);
  }
}

MeshEvent MeshCommandQueue::enqueue_record_event(
    tt::stl::Span<const SubDeviceId> sub_device_ids,
    const std::optional<MeshCoordinateRange>& device_range) {
  const MeshCoordinateRange range = device_range.value_or(MeshCoordinateRange(device_->shape()));
  check_in_mesh(*device_, range, "An event");
  const auto event = std::make_shared<Event>();
  EnqueueRecordEvent(device_queue(), event, sub_device_ids);
  return {event, device_, range};
}

MeshEvent MeshCommandQueue::enqueue_record_event_to_host(
    tt::stl::Span<const SubDeviceId> sub_device_ids,
    const std::optional<MeshCoordinateRange>& device_range) {
  return enqueue_record_event(sub_device_ids, device_range);
}

void MeshCommandQueue::enqueue_wait_for_event(const MeshEvent& sync_event) {
  EnqueueWaitForEvent(device_queue(), sync_event.event());
}

void MeshCommandQueue::finish(tt::stl::Span<const SubDeviceId> sub_device_ids) {
  Finish(device_queue(), sub_device_ids);
}

void MeshCommandQueue::enqueue_trace(const MeshTraceId& trace_id, bool blocking) {
  EnqueueTrace(device_queue(), *trace_id, blocking);
}

}  // namespace tt::tt_metal::distributed
