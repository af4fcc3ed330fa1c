// Devices.
#include "absl/strings/str_cat.h"
#include "api/src/replay_drain.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/checks.h"
#include "replay/executor.h"
#include "replay/values.h"
#include "schema/profile.h"
#include "schema/text.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

absl::Status check_callers_device(const schema::CreateDevice& call, const tm::IDevice& device) {
  LM_RETURN_IF_ERROR(
      check_same_profile(schema::to_profile(*call.profile()), hooks::profile_of(device)));
  if (device.num_hw_cqs() >= call.num_hw_cqs()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the device does not fit: it has ",
                                                    device.num_hw_cqs(), " command queues, and ",
                                                    call.num_hw_cqs(), " were recorded"));
}

}  // namespace

bool Executor::is_for_callers_device(const schema::CreateDevice& call) {
  if (!first_chip_id_.has_value()) first_chip_id_ = call.chip_id();
  return options_.device != nullptr && call.chip_id() == *first_chip_id_;
}

absl::StatusOr<DeviceObject> Executor::open(const schema::CreateDevice& call) {
  if (is_for_callers_device(call)) {
    LM_RETURN_IF_ERROR(check_callers_device(call, *options_.device));
    return DeviceObject{options_.device, false};
  }
  const auto idle = idle_devices_.extract(call.id());
  if (!idle.empty()) return DeviceObject{idle.mapped(), true};
  const DeviceProfile profile = schema::to_profile(*call.profile());
  // A recorded name that is not known loads nothing: it may be anything.
  const std::string backend =
      options_.backend.empty() ? schema::text_of(call.backend()) : options_.backend;
  return DeviceObject{
      hooks::create_device(static_cast<chip_id_t>(call.chip_id()), call.num_hw_cqs(),
                           call.l1_small_size(), call.trace_region_size(),
                           static_cast<tm::DispatchCoreType>(call.dispatch_core_type()),
                           words_of(call.l1_bank_remap()), backend, profile),
      true};
}

absl::Status Executor::execute(const schema::CreateDevice& call) {
  LM_ASSIGN_OR_RETURN(device, open(call));
  return objects_.devices.add(call.id(), device);
}

absl::Status Executor::execute(const schema::CloseDevice& call) {
  LM_ASSIGN_OR_RETURN(object, objects_.devices.remove(call.device()));
  if (object.owned) {
    tm::CloseDevice(object.device);
  } else {
    hooks::drain(*object.device);
  }
  return reads_.settle(object.device);
}

absl::Status Executor::execute(const schema::Synchronize& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  const flatbuffers::Optional<uint8_t> cq = call.cq();
  tm::Synchronize(of_device, cq.has_value() ? std::optional<uint8_t>(*cq) : std::nullopt,
                  sub_devices_of(call.sub_devices()));
  return cq.has_value() ? reads_.settle(of_device, *cq) : reads_.settle(of_device);
}

}  // namespace lightmetal::replay
