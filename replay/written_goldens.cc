#include "replay/written_goldens.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/run_memory.h"
#include "replay/without_exceptions.h"
#include "schema/verify/slicer.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

using BufferPointer = std::shared_ptr<tm::Buffer>;

// Returns the buffers, by id, that have memory which the host can read.
absl::StatusOr<std::map<uint64_t, BufferPointer>> readable_buffers(Executor& executor) {
  std::map<uint64_t, BufferPointer> buffers;
  for (const LivingBuffer& living : living_buffers(executor.objects())) {
    LM_ASSIGN_OR_RETURN(buffer, executor.objects().buffers.find(living.id));
    if ((*buffer)->is_l1() || (*buffer)->is_dram()) buffers.emplace(living.id, *buffer);
  }
  return buffers;
}

absl::Status wait_for_devices(const ObjectTable& objects) {
  std::map<uint64_t, tm::IDevice*> open;
  for (const auto& [id, object] : objects.devices) {
    if (object.device->is_initialized()) open[id] = object.device;
  }
  for (const auto& [id, device] : open) {
    LM_RETURN_IF_ERROR(without_exceptions([waited_for = device] {
      tm::Synchronize(waited_for, std::nullopt, waited_for->get_sub_device_ids());
      return absl::OkStatus();
    }));
  }
  return absl::OkStatus();
}

absl::StatusOr<Digest> content_of(const tm::Buffer& buffer) {
  std::vector<std::byte> content(buffer.size());
  LM_RETURN_IF_ERROR(without_exceptions([&] {
    hooks::read_unrecorded(buffer, content);
    return absl::OkStatus();
  }));
  return digest_of(content);
}

}  // namespace

absl::StatusOr<WrittenGoldens> WrittenGoldens::create(const LoadedFile& loaded, uint64_t first,
                                                      uint64_t last) {
  LM_ASSIGN_OR_RETURN(slicer, schema::Slicer::create(loaded.file));
  return WrittenGoldens(loaded, first, last, slicer.buffers_written(first, last));
}

absl::Status WrittenGoldens::begin(Executor& executor) {
  LM_ASSIGN_OR_RETURN(finished, executor.finish());
  if (!finished) return absl::OkStatus();  // the capture cannot begin here, and says why
  LM_ASSIGN_OR_RETURN(buffers, readable_buffers(executor));
  for (const auto& [id, buffer] : buffers) {
    if (written_.contains(id)) continue;
    LM_ASSIGN_OR_RETURN(content, content_of(*buffer));
    before_[id] = content;
  }
  return absl::OkStatus();
}

absl::Status WrittenGoldens::add(const schema::Command& command, Executor& executor) {
  if (const auto* launch = command.call_as_LaunchProgram()) {
    if (!launch->wait_until_cores_done()) running_[launch->program()] = launch;
  } else if (const auto* wait = command.call_as_WaitProgramDone()) {
    running_.erase(wait->program());
  } else if (const auto* end = command.call_as_ProgramDestroy()) {
    running_.erase(end->program());
  } else if (const auto* create = command.call_as_BufferCreate()) {
    return note_content(create->id(), executor);
  }
  return absl::OkStatus();
}

// Kernels may write to a buffer of the range whose address is in no argument.
absl::Status WrittenGoldens::note_content(uint64_t id, Executor& executor) {
  if (written_.contains(id)) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(finished, executor.finish());
  LM_ASSIGN_OR_RETURN(buffer, executor.objects().buffers.find(id));
  if (!finished || !((*buffer)->is_l1() || (*buffer)->is_dram())) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(content, content_of(**buffer));
  before_[id] = content;
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> WrittenGoldens::finish(Executor& executor) {
  LM_ASSIGN_OR_RETURN(finished, executor.finish());
  if (!finished) return error("end while a queue waits for an event that is recorded later");
  LM_ASSIGN_OR_RETURN(buffers, readable_buffers(executor));
  std::set<uint64_t> written;
  for (const auto& [id, buffer] : buffers) {
    LM_ASSIGN_OR_RETURN(counts, is_written(id, executor));
    if (counts) written.insert(id);
  }
  if (written.empty()) return error("leave no buffer that they wrote");
  LM_RETURN_IF_ERROR(record_waits(executor.objects()));
  for (const uint64_t id : written) LM_RETURN_IF_ERROR(record_golden(id, executor));
  return written.size();
}

absl::StatusOr<bool> WrittenGoldens::is_written(uint64_t id, Executor& executor) const {
  if (written_.contains(id)) return true;
  const auto before = before_.find(id);
  if (before == before_.end()) return true;
  LM_ASSIGN_OR_RETURN(buffer, executor.objects().buffers.find(id));
  LM_ASSIGN_OR_RETURN(content, content_of(**buffer));
  return content != before->second;
}

// The work of other queues than the one that reads, and of launches outside the queues. The file
// has no such waits: the capture of the run records them.
absl::Status WrittenGoldens::record_waits(ObjectTable& objects) {
  for (const auto& [id, launch] : running_) {
    LM_ASSIGN_OR_RETURN(on, objects.devices.find(launch->device()));
    LM_ASSIGN_OR_RETURN(launched, objects.programs.find(id));
    LM_RETURN_IF_ERROR(without_exceptions([device = on->device, program = launched->program.get()] {
      tm::detail::WaitProgramDone(device, *program);
      return absl::OkStatus();
    }));
  }
  return wait_for_devices(objects);
}

absl::Status WrittenGoldens::record_golden(uint64_t id, Executor& executor) const {
  LM_ASSIGN_OR_RETURN(buffer, executor.objects().buffers.find(id));
  std::vector<std::byte> content((*buffer)->size());
  return without_exceptions([&, of = buffer->get()] {
    hooks::light_metal_compare(
        of->device()->command_queue(0), *of, content,
        {.bytes = content, .type = types_.of(id), .is_user_data = false, .policy = std::nullopt});
    return absl::OkStatus();
  });
}

absl::Status WrittenGoldens::error(absl::string_view why) const {
  return absl::FailedPreconditionError(absl::StrCat(
      loaded_.file->name(), ": commands ", first_, " to ",
      std::min<uint64_t>(last_, loaded_.commands.size() - 1), " ", why, ", so there is no golden"));
}

}  // namespace lightmetal::replay
