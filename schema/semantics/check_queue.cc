// Command queues, and reads and writes of buffers.
#include "base/compare_policy.h"
#include "base/status.h"
#include "schema/file/blob.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/golden_policy.h"
#include "schema/semantics/payload_size.h"

namespace lightmetal::schema::semantics {

// A payload that is not compressed is used where it lies in the mapped file.
uint64_t Checker::size_in_memory(const BlobRef* payload) const {
  if (payload == nullptr || !compressed_.contains(to_digest(payload->digest()))) return 0;
  return payload->size();
}

absl::Status Checker::check_in_queue(const Queue& queue, const Transfer& transfer) const {
  const DeviceState& device = *transfer.buffer->device;
  return about(transfer.buffer->object(),
               host::check_in_queue(*transfer.buffer, &device == queue.device.get(), device.id,
                                    queue.device->id));
}

// A replay holds a decompressed payload until the queue has written it, which may have to wait for
// an event.
absl::Status Checker::write_in_queue(const Queue& queue, const Transfer& transfer,
                                     const BlobRef& data, bool blocking) {
  LM_RETURN_IF_ERROR(check_in_queue(queue, transfer));
  LM_RETURN_IF_ERROR(check_payload(transfer.buffer->object(), "data", data, transfer.size));
  LM_RETURN_IF_ERROR(touch(transfer));
  LM_RETURN_IF_ERROR(budget_.pass(transfer.size));
  LM_RETURN_IF_ERROR(queue.state().held.add(budget_, size_in_memory(&data)));
  return block_if(blocking, queue);
}

// A replay holds what it has read, and the golden, until something waits for the queue.
absl::Status Checker::read_in_queue(const Queue& queue, const Transfer& transfer,
                                    const BlobRef* golden, bool blocking) {
  LM_RETURN_IF_ERROR(check_in_queue(queue, transfer));
  LM_RETURN_IF_ERROR(check_golden(transfer.buffer->object(), golden, transfer.size));
  LM_RETURN_IF_ERROR(queue.state().held.add(budget_, transfer.size + size_in_memory(golden)));
  return block_if(blocking, queue);
}

absl::Status Checker::check(const EnqueueWriteBuffer& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(written, transfer(call.buffer()));
  return write_in_queue(on, written, *call.data(), call.blocking());
}

absl::Status Checker::check(const EnqueueWriteSubBuffer& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(written, transfer(call.buffer(), call.offset(), call.size()));
  return write_in_queue(on, written, *call.data(), call.blocking());
}

absl::Status Checker::check(const EnqueueReadBuffer& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(read, transfer(call.buffer()));
  return read_in_queue(on, read, call.golden(), call.blocking());
}

absl::Status Checker::check(const EnqueueReadSubBuffer& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(read, transfer(call.buffer(), call.offset(), call.size()));
  return read_in_queue(on, read, call.golden(), call.blocking());
}

absl::Status Checker::check(const LightMetalCompare& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(read, transfer(call.buffer()));
  if (call.policy() != nullptr) {
    LM_ASSIGN_OR_RETURN(policy, ComparePolicy::parse(call.policy()->string_view()));
    LM_RETURN_IF_ERROR(type_compared(call.element_type(), policy).status());
  }
  return read_in_queue(on, read, call.golden(), /*blocking=*/true);
}

absl::Status Checker::check(const FinishQueue& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_RETURN_IF_ERROR(check_sub_devices(*on.device, call.sub_devices()));
  return block_on(on);
}

absl::Status Checker::check(const Synchronize& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_RETURN_IF_ERROR(check_sub_devices(*device, call.sub_devices()));
  if (!call.cq().has_value()) return block_on_all(device);
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), *call.cq()));
  return block_on(on);
}

// ---- Beside the queues ----

absl::Status Checker::check(const WriteToBuffer& call) {
  LM_ASSIGN_OR_RETURN(written, transfer(call.buffer()));
  LM_RETURN_IF_ERROR(check_payload(written.buffer->object(), "data", *call.data(), written.size));
  LM_RETURN_IF_ERROR(touch(written));
  return budget_.pass(written.size);
}

absl::Status Checker::check(const ClearBuffer& call) {
  LM_ASSIGN_OR_RETURN(cleared, transfer(call.buffer()));
  return touch(cleared);
}

absl::Status Checker::check(const ReadFromBuffer& call) {
  LM_ASSIGN_OR_RETURN(read, transfer(call.buffer()));
  LM_RETURN_IF_ERROR(check_golden(read.buffer->object(), call.golden(), read.size));
  return budget_.pass(read.size + size_in_memory(call.golden()));
}

absl::Status Checker::check(const ReadShard& call) {
  LM_ASSIGN_OR_RETURN(read, transfer(call.buffer()));
  const BufferState& buffer = *read.buffer;
  LM_RETURN_IF_ERROR(about(buffer.object(), host::check_shard(buffer, call.shard())));
  const uint64_t size = buffer.page_size * buffer.shards->pages();
  LM_RETURN_IF_ERROR(check_golden(buffer.object(), call.golden(), size));
  return budget_.pass(size + size_in_memory(call.golden()));
}

}  // namespace lightmetal::schema::semantics
