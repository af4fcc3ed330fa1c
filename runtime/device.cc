// Devices, and what runs on them.
#include <algorithm>
#include <exception>
#include <lightmetal/runtime.hpp>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "device/registry/registry.h"
#include "replay/without_exceptions.h"
#include "runtime/bound_buffer.h"
#include "runtime/chip_taken.h"
#include "runtime/state.h"
#include "schema/command_generated.h"
#include "schema/commands/profile.h"
#include "schema/file/reader.h"
#include "schema/text.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

// The lanes join their threads: a handle that ends on one of them ends its device elsewhere. In a
// forked child all of it is the parent's, and nothing ends.
void end(Device::State* state) {
  if (!state->status().ok()) return;
  const std::thread::id here = std::this_thread::get_id();
  if (state->compute.thread() != here && state->transfers.thread() != here) {
    delete state;
  } else {
    std::thread([state] { delete state; }).detach();
  }
}

const schema::CreateDevice* first_device(const schema::File& file) {
  const schema::CreateDevice* found = nullptr;
  file.for_each_command([&](const schema::CommandView& view) {
        if (found == nullptr) found = view.command->call_as_CreateDevice();
        return absl::OkStatus();
      })
      .IgnoreError();  // executables check files
  return found;
}

absl::StatusOr<tm::IDevice*> open_as(const schema::CreateDevice& call, const std::string& backend,
                                     uint32_t chip_id) {
  tm::IDevice* device = nullptr;
  const DeviceProfile profile = schema::to_profile(*call.profile());
  const auto queues = static_cast<uint8_t>(
      std::max<uint32_t>(call.num_hw_cqs(), std::min<uint32_t>(2, profile.max_command_queues)));
  std::vector<uint32_t> remap;
  if (call.l1_bank_remap() != nullptr)
    remap.assign(call.l1_bank_remap()->begin(), call.l1_bank_remap()->end());
  LM_RETURN_IF_ERROR(replay::without_exceptions([&] {
    device = hooks::create_device(
        static_cast<tt::chip_id_t>(chip_id), queues, call.l1_small_size(), call.trace_region_size(),
        tm::DispatchCoreConfig(static_cast<tm::DispatchCoreType>(call.dispatch_core_type())), remap,
        backend, profile, std::nullopt, std::nullopt);
    return absl::OkStatus();
  }));
  return device;
}

}  // namespace

Device::State::~State() {
  if (!owned) return;
  try {
    tm::CloseDevice(device);
  } catch (const std::exception&) {
    // Work that failed was reported by its event.
  }
}

tm::CommandQueue& Device::State::transfer_queue() const {
  return device->command_queue(device->num_hw_cqs() > 1 ? 1 : 0);
}

absl::StatusOr<Device> Device::open(const schema::File& file, std::string backend,
                                    std::optional<uint32_t> chip_id) {
  const schema::CreateDevice* call = first_device(file);
  if (call == nullptr) return absl::NotFoundError(absl::StrCat(file.name(), " opens no device"));
  if (backend.empty()) {
    backend = schema::text_of(call->backend());
  } else {
    LM_ASSIGN_OR_RETURN(loaded, device::load_backend(backend));
    backend = std::move(loaded);
  }
  const uint32_t chip = chip_id.value_or(call->chip_id());
  const auto opened = open_as(*call, backend, chip);
  if (!opened.ok()) return with_other_places(opened.status(), chip);
  return Device(std::shared_ptr<State>(new State(*opened, true), &end));
}

absl::StatusOr<Device> Device::open_file(const std::string& path, std::string backend) {
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path));
  return open(*file, std::move(backend));
}

absl::StatusOr<std::shared_ptr<Executable>> Device::load(std::shared_ptr<const schema::File> file,
                                                         LoadOptions options) const {
  LM_RETURN_IF_ERROR(state_->status());
  options.device = state_->device;
  LM_ASSIGN_OR_RETURN(executable, Executable::load(std::move(file), std::move(options),
                                                   {.counters = state_->counters}));
  // The device outlives the executable.
  return std::shared_ptr<Executable>(executable.release(),
                                     [device = state_](Executable* ended) { delete ended; });
}

absl::StatusOr<std::shared_ptr<Executable>> Device::load_file(const std::string& path,
                                                              LoadOptions options) const {
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path, {.references = options.references}));
  return load(std::move(file), std::move(options));
}

Stats Device::stats() const {
  const Counters& counters = *state_->counters;
  return {.host_to_device_bytes = counters.host_to_device_bytes,
          .device_to_host_bytes = counters.device_to_host_bytes,
          .device_copies = counters.device_copies,
          .device_copied_bytes = counters.device_copied_bytes,
          .host_round_trips = counters.host_round_trips,
          .relayouts = counters.relayouts,
          .relocations = counters.relocations,
          .trace_reloads = counters.trace_reloads,
          .cleared_bytes = counters.cleared_bytes};
}

tm::IDevice* Device::handle() const { return state_->device; }

}  // namespace lightmetal::runtime
