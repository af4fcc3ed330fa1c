#include "replay/executor.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/src/devices/replay_drain.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/sentence_of.h"
#include "base/mesh_place.h"
#include "base/status.h"
#include "replay/checkpoint.h"
#include "replay/without_exceptions.h"
#include "schema/commands/decode.h"
#include "schema/commands/reflection.h"
#include "schema/semantics/lifetime.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

// How many errors a result holds, as replay.hpp says.
constexpr size_t kKeptErrors = 100;

template <class Function>
void quietly(Function&& function) {
  try {
    function();
  } catch (const std::exception&) {
    // The run has ended: what still fails was reported by it, or concerns nobody.
  }
}

}  // namespace

struct Executor::Dispatch {
  Executor& executor;

  template <class Call>
  absl::Status operator()(const Call& call) {
    return executor.execute(call);
  }
};

Executor::Executor(const schema::File& file, const ReplayOptions& options,
                   const ComparePolicy& policy, TraceUse traces)
    : file_(file),
      options_(options),
      reads_(options_, policy, result_),
      kernel_objects_(file_),
      trace_use_(std::move(traces)),
      schedule_(options.schedule) {}

Executor::~Executor() {
  drain_quietly();
  release_objects();
  close_devices();
}

void Executor::begin_run() {
  drain_quietly();
  release_objects();
  result_ = ReplayResult();
  failures_ = Failures();
  awaited_.clear();
  is_patient_ = true;
}

absl::Status Executor::execute(uint64_t number, const schema::Command& command) {
  number_ = number;
  command_ = &command;
  absl::Status status = without_exceptions([&] {
    Dispatch dispatch{*this};
    LM_RETURN_IF_ERROR(schema::visit_call(command, dispatch));
    return options_.sync || options_.continue_on_error ? finish().status() : absl::OkStatus();
  });
  if (!status.ok()) return error_of(number, status);
  // A CallFailed counts, too.
  ++result_.commands;
  return status;
}

absl::Status Executor::write_checkpoint(uint64_t number) {
  return replay::write_checkpoint(file_, number, objects_, options_);
}

void Executor::attempt(uint64_t number, const schema::Command& command) {
  const std::optional<std::string> hindrance = failures_.hindrance_of(command);
  if (!hindrance.has_value()) {
    const absl::Status status = execute(number, command);
    if (status.ok()) return failures_.note_success(number, command);
    // Nothing writes to its memory any more: the call was refused, or its work has ended.
    reads_.forget(number);
    note_error(number, false, std::string(status.message()));
  } else {
    const absl::Status status = error_of(number, absl::FailedPreconditionError(*hindrance));
    note_error(number, true, std::string(status.message()));
  }
  for (const uint64_t event : failures_.note_failure(number, command)) give_up_event(event);
}

void Executor::note_error(std::optional<uint64_t> number, bool skipped, std::string message) {
  ++(skipped ? result_.skipped_count : result_.failed_count);
  if (result_.errors.size() < kKeptErrors) {
    result_.errors.push_back({number, skipped, std::move(message)});
  }
}

absl::StatusOr<bool> Executor::finish() {
  if (waits_for_later_command()) return false;
  LM_RETURN_IF_ERROR(without_exceptions([this] { return drain_and_settle(); }));
  return true;
}

absl::Status Executor::wait_for_devices() {
  std::map<uint64_t, tm::IDevice*> open;
  for (auto& [id, object] : objects_.devices) {
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

absl::Status Executor::for_each_buffer(BufferVisitor visit) {
  std::map<uint64_t, tm::Buffer*> buffers;
  for (const auto& [id, buffer] : objects_.buffers) {
    const bool is_readable = buffer->is_l1() || buffer->is_dram();
    if (is_readable && buffer->device()->is_initialized() && buffer->is_allocated())
      buffers[id] = buffer.get();
  }
  std::vector<std::byte> content;
  for (const auto& [id, buffer] : buffers) {
    content.resize(buffer->size());
    LM_RETURN_IF_ERROR(without_exceptions([&, of = buffer] {
      hooks::read_from_buffer(*of, content, schema::ElementType::Bytes);
      return absl::OkStatus();
    }));
    LM_RETURN_IF_ERROR(visit(id, name_of_buffer(id, *buffer), content));
  }
  return absl::OkStatus();
}

bool Executor::waits_for_later_command() {
  absl::erase_if(awaited_, [this](uint64_t id) {
    const auto awaited = event(id);
    return !awaited.ok() || hooks::was_recorded(***awaited);
  });
  return !awaited_.empty();
}

void Executor::give_up_event(uint64_t id) {
  awaited_.erase(id);
  const auto given_up = event(id);
  if (given_up.ok()) hooks::end_waits(***given_up);
}

// The error says which command it is and where in the file it stands.
absl::Status Executor::error_of(uint64_t number, const absl::Status& status) const {
  const absl::StatusOr<schema::CommandView> view = file_.command(number);
  return absl::Status(status.code(), absl::StrCat(file_.name(), ": ",
                                                  view.ok() ? schema::describe(*view)
                                                            : absl::StrCat("command ", number),
                                                  ": ", status.message()));
}

// In the capture this call threw the error of work that it had waited for. The same work has failed
// here, and its error must not reach a later command, so it is dropped.
absl::Status Executor::execute(const schema::CallFailed& call) {
  const flatbuffers::String& function = *call.function();
  if (!schema::waits({function.c_str(), function.size()})) return absl::OkStatus();
  for (const auto& [id, object] : objects_.devices) {
    is_patient_ &= tm::replay_hooks::drop_errors(*object.device, is_patient_);
  }
  return absl::OkStatus();
}

absl::Status Executor::end_run() {
  absl::Status status = without_exceptions([&] {
    end_waits_for_unrecorded();
    return drain_and_settle();
  });
  if (status.ok()) return status;
  status = absl::Status(status.code(),
                        absl::StrCat(file_.name(), ": after the last command: ", status.message()));
  if (!options_.continue_on_error) return status;
  note_error(std::nullopt, false, std::string(status.message()));
  return absl::OkStatus();
}

absl::Status Executor::drain_and_settle() {
  for (auto& [id, object] : objects_.devices) hooks::drain(*object.device, object.queues);
  return reads_.settle_all();
}

void Executor::abandon_run() {
  drain_quietly();
  reads_.discard();
}

// An incomplete file may lack the command that records an event. Queues that wait for such an event
// go on once all else has been called.
void Executor::end_waits_for_unrecorded() {
  for (const auto& [id, event] : objects_.events) {
    if (!tm::replay_hooks::was_recorded(*event)) tm::replay_hooks::end_waits(*event);
  }
}

void Executor::drain_quietly() {
  // A run that failed may have left any queue waiting for an event that it did not come to.
  for (const auto& [id, event] : objects_.events) tm::replay_hooks::end_waits(*event);
  for (const auto& entry : objects_.devices) {
    quietly([&object = entry.second] { hooks::drain(*object.device, object.queues); });
  }
}

void Executor::release_objects() {
  end_scopes();
  end_entry();
  for (const auto& entry : objects_.traces) {
    const TraceObject& trace = entry.second;
    if (!trace.device->is_initialized()) continue;  // the device was closed, and the trace with it
    quietly([&trace] { tm::ReleaseTrace(trace.device, trace.id); });
  }
  // What uses other objects goes before them: programs before buffers, all before the sub-devices
  // that hold memory.
  objects_.traces.clear();
  objects_.circular_buffers.clear();
  objects_.kernels.clear();
  objects_.programs.clear();
  objects_.events.clear();
  objects_.global_semaphores.clear();
  objects_.global_circular_buffers.clear();
  objects_.buffers.clear();
  reserved_.clear();
  moved_.clear();
  ended_addresses_.clear();
  release_sub_devices();
  reads_.discard();
  for (const auto& [id, object] : objects_.devices) {
    if (object.owned) idle_devices_[id] = object.device;
  }
  objects_.devices.clear();
}

// Devices that stay open are left undivided for the next run: a loaded manager cannot be removed,
// and the next run creates its own.
void Executor::release_sub_devices() {
  for (const auto& entry : objects_.devices) {
    tm::IDevice* device = entry.second.device;
    quietly([device] {
      if (device->get_active_sub_device_manager_id() == device->get_default_sub_device_manager_id())
        return;
      device->clear_loaded_sub_device_manager();
    });
  }
  for (const auto& entry : objects_.sub_device_managers) {
    const SubDeviceManagerObject& manager = entry.second;
    if (!manager.device->is_initialized()) continue;
    quietly([&manager] { manager.device->remove_sub_device_manager(manager.id); });
  }
  objects_.sub_device_managers.clear();
}

void Executor::close_devices() {
  for (const auto& entry : idle_devices_) {
    quietly([device = entry.second] { tm::CloseDevice(device); });
  }
  idle_devices_.clear();
}

void Executor::set_schedule(const Schedule& schedule) {
  drain_quietly();
  release_objects();
  close_devices();
  schedule_ = schedule;
}

absl::StatusOr<tm::IDevice*> Executor::device(uint64_t id) {
  LM_ASSIGN_OR_RETURN(object, objects_.devices.find(id));
  return object->device;
}

absl::StatusOr<tm::CommandQueue*> Executor::queue(uint64_t device_id, uint8_t cq) {
  LM_ASSIGN_OR_RETURN(of_device, device(device_id));
  return &of_device->command_queue(cq);
}

absl::StatusOr<tm::Buffer*> Executor::buffer(uint64_t id) {
  LM_ASSIGN_OR_RETURN(object, objects_.buffers.find(id));
  return object->get();
}

absl::StatusOr<tm::Program*> Executor::program(uint64_t id) {
  LM_ASSIGN_OR_RETURN(object, objects_.programs.find(id));
  return object->program.get();
}

absl::StatusOr<Read> Executor::read_of(std::string source, schema::ElementType type,
                                       const schema::BlobRef* golden,
                                       std::optional<uint64_t> buffer) {
  Read read;
  read.command = number_;
  const absl::string_view name = schema::name_of(*command_);
  read.call = {name.data(), name.size()};
  read.source = std::move(source);
  read.type = type;
  read.buffer = buffer;
  if (goldens_) {
    LM_ASSIGN_OR_RETURN(other, goldens_(number_));
    read.golden = std::move(other);
  }
  if (golden == nullptr || read.golden.has_value()) return read;
  LM_ASSIGN_OR_RETURN(payload, file_.blob(*golden));
  read.golden = std::move(payload);
  return read;
}

// The devices of a mesh have buffers that are alike.
std::string Executor::name_of_device(const tm::IDevice& device) const {
  if (objects_.devices.size() < 2) return "";
  const std::optional<MeshPlace>& place = hooks::mesh_place_of(device);
  return absl::StrCat(", device ", device.id(), place ? ", " + text_of(*place) : "");
}

std::string Executor::name_of_buffer(uint64_t id, const tm::Buffer& buffer) const {
  return absl::StrFormat("buffer %d (%d bytes at 0x%x, %s%s)", id, buffer.size(), buffer.address(),
                         std::string(tm::internal::name_of(buffer.buffer_type())),
                         name_of_device(*buffer.device()));
}

absl::Status Executor::read_directly(Read read, uint64_t size,
                                     const std::function<void(std::span<std::byte>)>& read_now) {
  LM_ASSIGN_OR_RETURN(memory, reads_.start(std::move(read), size));
  read_now(memory);
  return reads_.settle(nullptr, 0);
}

absl::Status Executor::read_through(tm::CommandQueue& queue, Read read, uint64_t size,
                                    bool blocking,
                                    const std::function<void(std::span<std::byte>)>& enqueue) {
  read.device = queue.device();
  read.cq = static_cast<uint8_t>(queue.id());
  LM_ASSIGN_OR_RETURN(memory, reads_.start(std::move(read), size));
  enqueue(memory);
  return settle_if(blocking, queue);
}

absl::Status Executor::settle_if(bool blocking, const tm::CommandQueue& queue) {
  if (!blocking) return absl::OkStatus();
  return reads_.settle(queue.device(), static_cast<uint8_t>(queue.id()));
}

}  // namespace lightmetal::replay
