#include "replay/executor.h"

#include <exception>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/src/devices/replay_drain.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/without_exceptions.h"
#include "schema/commands/decode.h"
#include "schema/commands/reflection.h"
#include "schema/semantics/lifetime.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

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

Executor::Executor(const schema::File& file, const LoadOptions& options,
                   const ComparePolicy& policy, TraceUse traces, Policies policies)
    : file_(file),
      options_(options),
      placement_(policies.placement == nullptr ? recorded_places_ : *policies.placement),
      policies_(std::move(policies)),
      reads_(policy, result_),
      kernel_objects_(file_),
      trace_use_(std::move(traces)),
      devices_(options_) {}

Executor::~Executor() {
  drain_quietly();
  release_objects();
}

void Executor::begin_run(const RunOptions& options) {
  drain_quietly();
  release_objects();
  run_ = &options;
  reads_.begin_run(options);
  result_ = ReplayResult();
  awaited_.clear();
  is_patient_ = true;
}

absl::Status Executor::execute(uint64_t number, const schema::Command& command) {
  number_ = number;
  command_ = &command;
  absl::Status status = without_exceptions([&] {
    Dispatch dispatch{*this};
    LM_RETURN_IF_ERROR(schema::visit_call(command, dispatch));
    return run_->sync || run_->continue_on_error ? finish().status() : absl::OkStatus();
  });
  if (!status.ok()) return error_at(file_, number, status);
  // A CallFailed counts, too.
  ++result_.commands;
  return status;
}

absl::StatusOr<bool> Executor::finish() {
  if (waits_for_later_command()) return false;
  LM_RETURN_IF_ERROR(without_exceptions([this] { return drain_and_settle(); }));
  return true;
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
  const absl::Status status = without_exceptions([&] {
    end_waits_for_unrecorded();
    return drain_and_settle();
  });
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(file_.name(), ": after the last command: ", status.message()));
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
  placement_.clear();
  release_sub_devices();
  reads_.discard();
  for (const auto& [id, object] : objects_.devices) devices_.keep(id, object);
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

void Executor::set_schedule(const Schedule& schedule) {
  drain_quietly();
  release_objects();
  devices_.close();
  devices_.set_schedule(schedule);
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
  if (policies_.goldens) {
    LM_ASSIGN_OR_RETURN(other, policies_.goldens(number_));
    read.golden = std::move(other);
  }
  if (golden == nullptr || read.golden.has_value()) return read;
  LM_ASSIGN_OR_RETURN(payload, file_.blob(*golden));
  read.golden = std::move(payload);
  return read;
}

absl::Status error_at(const schema::File& file, uint64_t number, const absl::Status& status) {
  const absl::StatusOr<schema::CommandView> view = file.command(number);
  return absl::Status(status.code(), absl::StrCat(file.name(), ": ",
                                                  view.ok() ? schema::describe(*view)
                                                            : absl::StrCat("command ", number),
                                                  ": ", status.message()));
}

}  // namespace lightmetal::replay
