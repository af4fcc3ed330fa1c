// Executes commands about command queues, events and goldens. A call that blocked has waited for
// the reads before it on its queue, too: they are settled then.
#include "absl/strings/str_cat.h"
#include "api/src/devices/replay_drain.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/run_memory.h"
#include "replay/values.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

absl::Status check_size(uint64_t data, uint64_t region) {
  if (data == region) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the payload has ", data, " bytes, and ", region, " are written"));
}

absl::StatusOr<std::optional<ComparePolicy>> policy_of(const schema::LightMetalCompare& call) {
  if (call.policy() == nullptr) return std::nullopt;
  return ComparePolicy::parse(call.policy()->string_view());
}

}  // namespace

absl::Status Executor::execute(const schema::EnqueueWriteBuffer& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(target, buffer(call.buffer()));
  LM_ASSIGN_OR_RETURN(data, file_.blob(*call.data()));
  hooks::enqueue_write_buffer(*cq, *target, data, call.element_type(), call.blocking());
  return reads_.settle_if(call.blocking(), *cq);
}

absl::Status Executor::execute(const schema::EnqueueWriteSubBuffer& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(target, buffer(call.buffer()));
  LM_ASSIGN_OR_RETURN(data, file_.blob(*call.data()));
  LM_RETURN_IF_ERROR(check_size(data.size(), call.size()));
  hooks::enqueue_write_sub_buffer(*cq, *target, {call.offset(), call.size()}, data,
                                  call.element_type(), call.blocking());
  return reads_.settle_if(call.blocking(), *cq);
}

absl::Status Executor::execute(const schema::EnqueueReadBuffer& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(source, buffer(call.buffer()));
  LM_ASSIGN_OR_RETURN(read, read_of(name_of_buffer(objects_, call.buffer(), *source),
                                    call.element_type(), call.golden(), call.buffer()));
  return reads_.read_through(
      *cq, std::move(read), source->size(), call.blocking(), [&](std::span<std::byte> memory) {
        hooks::enqueue_read_buffer(*cq, *source, memory, call.element_type(), call.blocking());
      });
}

absl::Status Executor::execute(const schema::EnqueueReadSubBuffer& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(source, buffer(call.buffer()));
  const std::string name =
      absl::StrCat("bytes ", call.offset(), " to ", call.offset() + call.size(), " of ",
                   name_of_buffer(objects_, call.buffer(), *source));
  LM_ASSIGN_OR_RETURN(read, read_of(name, call.element_type(), call.golden(), call.buffer()));
  return reads_.read_through(
      *cq, std::move(read), call.size(), call.blocking(), [&](std::span<std::byte> memory) {
        hooks::enqueue_read_sub_buffer(*cq, *source, {call.offset(), call.size()}, memory,
                                       call.element_type(), call.blocking());
      });
}

absl::Status Executor::execute(const schema::LightMetalCompare& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(source, buffer(call.buffer()));
  LM_ASSIGN_OR_RETURN(read, read_of(name_of_buffer(objects_, call.buffer(), *source),
                                    call.element_type(), call.golden(), call.buffer()));
  LM_ASSIGN_OR_RETURN(policy, policy_of(call));
  read.policy = policy;
  // A share of the golden: `read` is moved away, and the call below needs the bytes.
  const schema::Payload golden = read.golden.value();
  return reads_.read_through(*cq, std::move(read), source->size(), /*blocking=*/true,
                             [&](std::span<std::byte> memory) {
                               hooks::light_metal_compare(*cq, *source, memory,
                                                          {.bytes = golden.bytes(),
                                                           .type = call.element_type(),
                                                           .is_user_data = call.is_user_data(),
                                                           .policy = policy});
                             });
}

absl::Status Executor::execute(const schema::EnqueueProgram& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(launched, program(call.program()));
  hooks::enqueue_program(*cq, *launched, call.blocking());
  return reads_.settle_if(call.blocking(), *cq);
}

absl::Status Executor::execute(const schema::FinishQueue& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  tm::Finish(*cq, sub_devices_of(call.sub_devices()));
  return reads_.settle_if(true, *cq);
}

absl::Status Executor::execute(const schema::EventCreate& call) {
  return objects_.events.add(call.id(), std::make_shared<tm::Event>());
}

// An event that ends unrecorded will never be recorded: queues that wait for it go on.
absl::Status Executor::execute(const schema::EventDestroy& call) {
  LM_ASSIGN_OR_RETURN(ended, objects_.events.remove(call.event()));
  if (!hooks::was_recorded(*ended)) hooks::end_waits(*ended);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::EnqueueRecordEvent& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(recorded, event(call.event()));
  tm::EnqueueRecordEvent(*cq, *recorded, sub_devices_of(call.sub_devices()));
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::EnqueueWaitForEvent& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(awaited, event(call.event()));
  if (!hooks::was_recorded(**awaited)) awaited_.insert(call.event());
  tm::EnqueueWaitForEvent(*cq, *awaited);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::EventSynchronize& call) {
  LM_ASSIGN_OR_RETURN(awaited, event(call.event()));
  tm::EventSynchronize(*awaited);
  return absl::OkStatus();
}

}  // namespace lightmetal::replay
