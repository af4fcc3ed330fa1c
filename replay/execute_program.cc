// Executes commands about programs, kernels, circular buffers and semaphores.
#include "absl/strings/str_cat.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/kernel_replacement.h"
#include "replay/values.h"
#include "schema/file/blob.h"
#include "schema/text.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

absl::Status check_same(absl::string_view what, uint64_t recorded, uint64_t present) {
  if (recorded == present) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the replay has diverged: the recorded ", what, " is ",
                                          recorded, ", and this one is ", present));
}

hooks::RecordedKernel recorded_of(const schema::KernelCreate& call) {
  hooks::RecordedKernel recorded;
  recorded.from_string = call.source_kind() == schema::KernelSourceKind::String;
  recorded.source_name = schema::text_of(call.source_name());
  if (call.source_digest() != nullptr) {
    recorded.source_digest = schema::to_digest(*call.source_digest());
  }
  return recorded;
}

}  // namespace

absl::Status Executor::execute(const schema::ProgramCreate& call) {
  ProgramObject object;
  object.program = std::make_unique<tm::Program>(tm::CreateProgram());
  return objects_.programs.add(call.id(), std::move(object));
}

absl::Status Executor::execute(const schema::ProgramDestroy& call) {
  LM_ASSIGN_OR_RETURN(ended, objects_.programs.remove(call.program()));
  // The program's objects have no destruction of their own in the file.
  for (uint64_t id : ended.kernels) (void)objects_.kernels.remove(id);
  for (uint64_t id : ended.circular_buffers) (void)objects_.circular_buffers.remove(id);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::KernelCreate& call) {
  LM_ASSIGN_OR_RETURN(owner, objects_.programs.find(call.program()));
  tm::Program& program = *owner->program;
  const tm::KernelHandle handle =
      hooks::create_kernel(program, recorded_of(call), ranges_of(call.cores()), config_of(call));
  LM_RETURN_IF_ERROR(check_same("kernel handle", call.handle(), handle));
  owner->kernels.push_back(call.id());
  return objects_.kernels.add(call.id(), {&program, handle, program.get_kernel(handle),
                                          replacement_for(call, options_.replace_kernels)});
}

absl::StatusOr<std::shared_ptr<const device::KernelObject>> Executor::replacing(
    const KernelObject& kernel, const std::string& target) {
  LM_ASSIGN_OR_RETURN(object, object_in(kernel.replacement->path, target));
  if (object.has_value()) return std::make_shared<const device::KernelObject>(*std::move(object));
  for (const auto& [id, open] : objects_.devices) {
    return hooks::compile_kernel_from(kernel.replacement->path, *kernel.program, kernel.handle,
                                      *open.device);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "no device is open, for which ", kernel.replacement->path, " could be compiled"));
}

absl::Status Executor::execute(const schema::KernelBinary& call) {
  LM_ASSIGN_OR_RETURN(target, kernel(call.kernel()));
  const std::string given = schema::text_of(call.target());
  if (target->replacement != nullptr) {
    LM_ASSIGN_OR_RETURN(replacing_it, replacing(*target, given));
    if (policies_.on_replaced_kernel) {
      policies_.on_replaced_kernel({.command = number_,
                                    .kernel = call.kernel(),
                                    .target = replacing_it->target,
                                    .object = replacing_it->bytes});
    }
    kernel_objects_.replace(given, *call.object(), std::move(replacing_it));
  }
  LM_ASSIGN_OR_RETURN(object, kernel_objects_.get(given, *call.object()));
  hooks::set_kernel_object(*target->program, target->handle, std::move(object));
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::CircularBufferCreate& call) {
  LM_ASSIGN_OR_RETURN(owner, objects_.programs.find(call.program()));
  tm::CircularBufferConfig config = config_of(*call.config());
  if (call.config()->buffer() != 0) {
    LM_ASSIGN_OR_RETURN(shared, buffer(call.config()->buffer()));
    config.set_globally_allocated_address(*shared);
  }
  const tm::CBHandle handle =
      tm::CreateCircularBuffer(*owner->program, ranges_of(call.cores()), config);
  owner->circular_buffers.push_back(call.id());
  return objects_.circular_buffers.add(call.id(), {owner->program.get(), handle});
}

absl::Status Executor::execute(const schema::UpdateCircularBufferTotalSize& call) {
  LM_ASSIGN_OR_RETURN(target, circular_buffer(call.circular_buffer()));
  tm::UpdateCircularBufferTotalSize(*target->program, target->handle, call.total_size());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::UpdateCircularBufferPageSize& call) {
  LM_ASSIGN_OR_RETURN(target, circular_buffer(call.circular_buffer()));
  tm::UpdateCircularBufferPageSize(*target->program, target->handle, call.index(),
                                   call.page_size());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::UpdateDynamicCircularBufferAddress& call) {
  LM_ASSIGN_OR_RETURN(target, circular_buffer(call.circular_buffer()));
  LM_ASSIGN_OR_RETURN(shared, buffer(call.buffer()));
  tm::UpdateDynamicCircularBufferAddress(*target->program, target->handle, *shared);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::UpdateDynamicCircularBufferAddressAndTotalSize& call) {
  LM_ASSIGN_OR_RETURN(target, circular_buffer(call.circular_buffer()));
  LM_ASSIGN_OR_RETURN(shared, buffer(call.buffer()));
  tm::UpdateDynamicCircularBufferAddressAndTotalSize(*target->program, target->handle, *shared,
                                                     call.total_size());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::UpdateDynamicCircularBufferAddressOffset& call) {
  LM_ASSIGN_OR_RETURN(target, circular_buffer(call.circular_buffer()));
  LM_ASSIGN_OR_RETURN(shared, buffer(call.buffer()));
  tm::UpdateDynamicCircularBufferAddress(*target->program, target->handle, *shared, call.offset());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::CreateSemaphoreWithId& call) {
  LM_ASSIGN_OR_RETURN(to_program, program(call.program()));
  hooks::create_semaphore_with_id(*to_program, ranges_of(call.cores()), call.initial_value(),
                                  static_cast<CoreType>(call.core_type()), call.semaphore_id());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::CreateSemaphore& call) {
  LM_ASSIGN_OR_RETURN(to_program, program(call.program()));
  const uint32_t id =
      tm::CreateSemaphore(*to_program, ranges_of(call.cores()), call.initial_value(),
                          static_cast<CoreType>(call.core_type()));
  return check_same("semaphore id", call.semaphore_id(), id);
}

}  // namespace lightmetal::replay
