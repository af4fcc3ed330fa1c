// Executes commands about device traces.
#include <utility>

#include "api/src/objects/trace_content.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/values.h"
#include "replay/without_exceptions.h"
#include "schema/text.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

absl::StatusOr<tm::TracedLaunch> traced_of(const schema::TraceLaunch& launch,
                                           KernelObjects& objects) {
  tm::TracedLaunch traced{launch_of(launch), {}};
  if (launch.kernels() == nullptr) return traced;
  for (const schema::TraceKernel* kernel : *launch.kernels()) {
    LM_ASSIGN_OR_RETURN(object, objects.get(schema::text_of(kernel->target()), *kernel->object()));
    traced.objects.push_back(std::move(object));
  }
  return traced;
}

absl::StatusOr<tm::TraceDescriptor> descriptor_of(const schema::TraceContent& content,
                                                  KernelObjects& objects) {
  auto launches = std::make_shared<tm::TraceContent>();
  if (content.launches() != nullptr) {
    for (const schema::TraceLaunch* launch : *content.launches()) {
      LM_ASSIGN_OR_RETURN(traced, traced_of(*launch, objects));
      launches->launches.push_back(std::move(traced));
    }
  }
  tm::TraceDescriptor descriptor;
  descriptor.content = std::move(launches);
  return descriptor;
}

}  // namespace

absl::Status Executor::execute(const schema::LoadTrace& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(descriptor, descriptor_of(*call.content(), kernel_objects_));
  // The id of the process that replays, not the recorded one: other traces may live in it.
  const uint32_t id = hooks::reserve_trace_id();
  const TraceUse::Load use = trace_use_.load(number_, call.id(), run_->last_command);
  if (use == TraceUse::Load::kUnused) {
    hooks::load_trace_unrecorded(of_device, call.cq(), id, descriptor);
  } else {
    tm::LoadTrace(of_device, call.cq(), id, descriptor);
  }
  if (use == TraceUse::Load::kRun) hooks::run_trace_unrecorded(of_device, call.cq(), id);
  return objects_.traces.add(call.id(), {of_device, id});
}

absl::StatusOr<bool> Executor::reload_trace(const schema::LoadTrace& call) {
  const auto loaded = trace(call.id());
  if (!loaded.ok()) return false;
  LM_ASSIGN_OR_RETURN(descriptor, descriptor_of(*call.content(), kernel_objects_));
  LM_RETURN_IF_ERROR(without_exceptions([&, of = *loaded, anew = descriptor] {
    const uint32_t id = hooks::reserve_trace_id();
    hooks::load_trace_unrecorded(of->device, call.cq(), id, anew);
    tm::ReleaseTrace(of->device, std::exchange(of->id, id));
    return absl::OkStatus();
  }));
  return true;
}

absl::Status Executor::execute(const schema::ReplayTrace& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(replayed, trace(call.trace()));
  hooks::replay_trace(cq->device(), call.cq(), replayed->id, call.blocking());
  return reads_.settle_if(call.blocking(), *cq);
}

absl::Status Executor::execute(const schema::EnqueueTrace& call) {
  LM_ASSIGN_OR_RETURN(cq, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(replayed, trace(call.trace()));
  hooks::enqueue_trace(*cq, replayed->id, call.blocking());
  return reads_.settle_if(call.blocking(), *cq);
}

absl::Status Executor::execute(const schema::ReleaseTrace& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(released, trace(call.trace()));
  tm::ReleaseTrace(of_device, released->id);
  return objects_.traces.remove(call.trace()).status();
}

}  // namespace lightmetal::replay
