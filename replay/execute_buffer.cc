// Executes commands about buffers and global semaphores.
#include <utility>

#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/placement.h"
#include "replay/values.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

}  // namespace

absl::Status Executor::execute(const schema::BufferCreate& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(buffer, placement_.create(call, of_device));
  return objects_.buffers.add(call.id(), std::move(buffer));
}

absl::Status Executor::execute(const schema::BufferSetPageSize& call) {
  LM_ASSIGN_OR_RETURN(target, buffer(call.buffer()));
  target->set_page_size(call.page_size());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::BufferDeallocate& call) {
  LM_ASSIGN_OR_RETURN(target, buffer(call.buffer()));
  tm::DeallocateBuffer(*target);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::BufferDestroy& call) {
  LM_ASSIGN_OR_RETURN(ended, objects_.buffers.remove(call.buffer()));
  placement_.note_end(call.buffer(), *ended);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::GlobalSemaphoreCreate& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  tm::GlobalSemaphore semaphore = hooks::create_global_semaphore(
      of_device, ranges_of(call.cores()), call.initial_value(),
      static_cast<tm::BufferType>(call.buffer_type()), call.allocated_address());
  LM_RETURN_IF_ERROR(check_address(call.allocated_address(), semaphore.address()));
  return objects_.global_semaphores.add(call.id(), std::move(semaphore));
}

absl::Status Executor::execute(const schema::GlobalSemaphoreResetValue& call) {
  LM_ASSIGN_OR_RETURN(semaphore, objects_.global_semaphores.find(call.global_semaphore()));
  semaphore->reset_semaphore_value(call.value());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::GlobalSemaphoreDestroy& call) {
  return objects_.global_semaphores.remove(call.global_semaphore()).status();
}

absl::Status Executor::execute(const schema::AssignGlobalBufferToProgram& call) {
  LM_ASSIGN_OR_RETURN(assigned, objects_.buffers.find(call.buffer()));
  LM_ASSIGN_OR_RETURN(to_program, program(call.program()));
  tm::AssignGlobalBufferToProgram(*assigned, *to_program);
  return absl::OkStatus();
}

}  // namespace lightmetal::replay
