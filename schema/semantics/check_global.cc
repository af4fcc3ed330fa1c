// Global semaphores and global circular buffers.
#include "base/status.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

absl::Status check_l1(const Object& object, BufferType type) {
  if (host::is_l1(static_cast<host::BufferType>(type))) return absl::OkStatus();
  return wrong(object, "buffer_type", EnumNameBufferType(type), "L1 or L1Small");
}

absl::Status check_in_grid(const Object& object, absl::string_view field, const CoreSet& cores,
                           const Core& grid) {
  if (!cores.empty() && cores.fits(grid)) return absl::OkStatus();
  return wrong(object, field,
               cores.empty() ? "empty" : absl::StrCat("up to before ", text_of(cores.end())),
               "cores of the grid of ", text_of(grid));
}

// The cores that write and read. Each is there once.
absl::StatusOr<CoreSet> cores_of(const GlobalCircularBufferCreate& call, const Core& grid) {
  const Object object{"global circular buffer", call.id()};
  CoreSet all;
  if (call.mapping() == nullptr || call.mapping()->size() == 0) {
    return wrong(object, "mapping", "empty", "at least one sender");
  }
  const auto take = [&](absl::string_view field, const CoreSet& cores) {
    LM_RETURN_IF_ERROR(check_in_grid(object, field, cores, grid));
    if (all.intersects(cores)) {
      return wrong(object, field, absl::StrCat("a set of ", cores.count(), " cores"),
                   "cores that no other sender or receiver has");
    }
    all.add(cores);
    return absl::OkStatus();
  };
  for (const SenderToReceivers* entry : *call.mapping()) {
    const CoreCoord& sender = *entry->sender();
    if (sender.x() >= grid.x || sender.y() >= grid.y) {
      return wrong(object, "mapping.sender", text_of(Core{sender.x(), sender.y()}),
                   "a core of the grid of ", text_of(grid));
    }
    LM_RETURN_IF_ERROR(take("mapping.sender", CoreSet::of(Core{sender.x(), sender.y()})));
    LM_ASSIGN_OR_RETURN(receivers, core_set_of(entry->receivers(), object, "mapping.receivers"));
    LM_RETURN_IF_ERROR(take("mapping.receivers", receivers));
  }
  return all;
}

// One page on each core. The page size of the configuration is whoever's who writes it.
absl::Status check_memory(const GlobalCircularBufferState& global, absl::string_view field,
                          const BufferState& memory, std::optional<uint64_t> page_size) {
  if (memory.device == global.device && host::is_l1(memory.type) && memory.shards.has_value() &&
      memory.shards->num_shards == global.cores.count() &&
      memory.page_size == page_size.value_or(memory.page_size) &&
      memory.lies_in_banks(memory.page_size)) {
    return absl::OkStatus();
  }
  return wrong(global.object(), field,
               absl::StrCat(memory.id, ", with pages of ", memory.page_size, " bytes"),
               "a sharded L1 buffer of its device with a page of ",
               page_size ? absl::StrCat(*page_size, " bytes") : "its configuration", " on each of ",
               global.cores.count(), " cores, within L1");
}

}  // namespace

absl::Status Checker::check(const GlobalSemaphoreCreate& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  auto semaphore = std::make_shared<GlobalSemaphoreState>();
  semaphore->id = call.id();
  const Object object = semaphore->object();
  LM_RETURN_IF_ERROR(check_l1(object, call.buffer_type()));
  LM_ASSIGN_OR_RETURN(cores, core_set_of(call.cores(), object, "cores"));
  LM_RETURN_IF_ERROR(check_in_grid(object, "cores", cores, device->profile.grid));
  const auto type = static_cast<host::BufferType>(call.buffer_type());
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
  LM_RETURN_IF_ERROR(check_l1(global->object(), call.buffer_type()));
  const uint32_t alignment = device->profile.l1_alignment;
  if (call.size() == 0 || call.size() % alignment != 0) {
    return wrong(global->object(), "size", call.size(), "a positive multiple of ", alignment);
  }
  LM_ASSIGN_OR_RETURN(cores, cores_of(call, device->profile.grid));
  LM_ASSIGN_OR_RETURN(memory, buffers_.find(call.buffer()));
  LM_ASSIGN_OR_RETURN(config_memory, buffers_.find(call.config_buffer()));
  global->device = std::move(device);
  global->cores = cores;
  LM_RETURN_IF_ERROR(check_memory(*global, "buffer", *memory, call.size()));
  LM_RETURN_IF_ERROR(check_memory(*global, "config_buffer", *config_memory, std::nullopt));
  // Queue 0 writes the configuration.
  LM_RETURN_IF_ERROR(global->device->queues[0].held.add(
      budget_, uint64_t{global->cores.count()} * config_memory->page_size));
  global->buffer = std::move(memory);
  global->config_buffer = std::move(config_memory);
  return add(global_circular_buffers_, std::move(global));
}

absl::Status Checker::check(const GlobalCircularBufferDestroy& call) {
  global_circular_buffers_.remove(call.global_circular_buffer());
  return absl::OkStatus();
}

}  // namespace lightmetal::schema::semantics
