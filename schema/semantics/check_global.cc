// Global semaphores and global circular buffers.
#include "base/status.h"
#include "host/global_memory.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

// Reads who sends to whom.
absl::StatusOr<host::Senders> senders_of(const Object& object,
                                         const GlobalCircularBufferCreate& call) {
  host::Senders senders;
  if (call.mapping() == nullptr) return senders;
  for (const SenderToReceivers* entry : *call.mapping()) {
    const Core core{entry->sender()->x(), entry->sender()->y()};
    CoreSet sender;
    LM_RETURN_IF_ERROR(add_range(sender, core, core, object, "mapping.sender"));
    LM_ASSIGN_OR_RETURN(receivers, core_set_of(entry->receivers(), object, "mapping.receivers"));
    LM_RETURN_IF_ERROR(about(object, senders.add(sender, receivers)));
  }
  return senders;
}

}  // namespace

absl::Status Checker::check(const GlobalSemaphoreCreate& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  auto semaphore = std::make_shared<GlobalSemaphoreState>();
  semaphore->id = call.id();
  const Object object = semaphore->object();
  LM_ASSIGN_OR_RETURN(cores, core_set_of(call.cores(), object, "cores"));
  const auto type = static_cast<host::BufferType>(call.buffer_type());
  LM_RETURN_IF_ERROR(about(object, host::check_global_semaphore(type, cores, target_of(*device))));
  const uint32_t size = device->profile.l1_alignment;
  LM_ASSIGN_OR_RETURN(memory, allocate(object, *device,
                                       {device->memory_of(type), type, call.allocated_address(),
                                        size, size, size}));
  semaphore->device = std::move(device);
  semaphore->memory = std::move(memory);
  return add(global_semaphores_, std::move(semaphore));
}

absl::Status Checker::check(const GlobalSemaphoreResetValue& call) {
  LM_ASSIGN_OR_RETURN(semaphore, global_semaphores_.find(call.global_semaphore()));
  if (semaphore->device->open) return absl::OkStatus();
  return not_now(semaphore->object(), "its device has been closed");
}

absl::Status Checker::check(const GlobalSemaphoreDestroy& call) {
  global_semaphores_.remove(call.global_semaphore());
  return absl::OkStatus();
}

absl::Status Checker::check(const GlobalCircularBufferCreate& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  auto global = std::make_shared<GlobalCircularBufferState>();
  global->id = call.id();
  global->size = call.size();
  const Object object = global->object();
  const host::Target target = target_of(*device);
  LM_ASSIGN_OR_RETURN(senders, senders_of(object, call));
  LM_RETURN_IF_ERROR(about(
      object, host::check_global_circular_buffer(static_cast<host::BufferType>(call.buffer_type()),
                                                 senders, call.size(), target)));
  LM_ASSIGN_OR_RETURN(memory, buffers_.find(call.buffer()));
  LM_ASSIGN_OR_RETURN(config_memory, buffers_.find(call.config_buffer()));
  const uint32_t config_size = senders.config_layout().size;
  LM_RETURN_IF_ERROR(about(
      object, host::check_memory(*memory, memory->device == device, call.size(), senders, target)));
  LM_RETURN_IF_ERROR(
      about(object, host::check_memory(*config_memory, config_memory->device == device, config_size,
                                       senders, target)));
  global->device = std::move(device);
  global->cores = senders.cores();
  // The host writes the configurations by queue 0, which holds their bytes until it has done so.
  LM_RETURN_IF_ERROR(
      global->device->queues[0].held.add(budget_, uint64_t{global->cores.count()} * config_size));
  global->buffer = std::move(memory);
  global->config_buffer = std::move(config_memory);
  return add(global_circular_buffers_, std::move(global));
}

absl::Status Checker::check(const GlobalCircularBufferDestroy& call) {
  global_circular_buffers_.remove(call.global_circular_buffer());
  return absl::OkStatus();
}

}  // namespace lightmetal::schema::semantics
