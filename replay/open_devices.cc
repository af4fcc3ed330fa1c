#include "replay/open_devices.h"

#include <exception>
#include <string>

#include "absl/strings/str_cat.h"
#include "api/src/replay_hooks.h"
#include "base/device_profile.h"
#include "base/noc_coordinates.h"
#include "base/status.h"
#include "device/registry/registry.h"
#include "replay/values.h"
#include "schema/commands/profile.h"
#include "schema/text.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

template <class Value>
absl::Status check_equal(absl::string_view what, const Value& recorded, const Value& present) {
  if (recorded == present) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the device does not fit: ", what, " was recorded as ", recorded, " and is ", present));
}

std::string text_of(const Core& core) { return absl::StrCat("(", core.x, ", ", core.y, ")"); }

// FailedPrecondition, which says what differs, when the device that is present does not have the
// recorded profile. Verification has checked before whether the recorded profile makes sense
// (schema/verify/verify.h).
absl::Status check_same_profile(const DeviceProfile& recorded, DeviceProfile present) {
  // A file from before there were Ethernet cores may be replayed on a device that has some.
  if (recorded.ethernet_cores == 0) {
    present.ethernet_cores = 0;
    present.ethernet_l1_size = recorded.ethernet_l1_size;
    present.ethernet_unreserved_base = recorded.ethernet_unreserved_base;
    present.first_ethernet = recorded.first_ethernet;
  }
  LM_RETURN_IF_ERROR(check_equal("the architecture", recorded.arch, present.arch));
  LM_RETURN_IF_ERROR(check_equal("the grid", text_of(recorded.grid), text_of(present.grid)));
  LM_RETURN_IF_ERROR(check_equal("the L1 size", recorded.l1_size, present.l1_size));
  LM_RETURN_IF_ERROR(
      check_equal("the number of DRAM banks", recorded.dram_banks, present.dram_banks));
  LM_RETURN_IF_ERROR(
      check_equal("the DRAM bank size", recorded.dram_bank_size, present.dram_bank_size));
  // Recorded runtime arguments may hold NoC coordinates.
  LM_RETURN_IF_ERROR(check_equal("where DRAM bank 0 is on the NoC",
                                 text_of(noc_coordinate_of_dram_bank(recorded, 0)),
                                 text_of(noc_coordinate_of_dram_bank(present, 0))));
  if (recorded == present) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the device does not fit: its profile differs from the recorded one in bases, alignments, "
      "limits or coordinates");
}

absl::Status check_callers_device(const schema::CreateDevice& call, const tm::IDevice& device) {
  LM_RETURN_IF_ERROR(
      check_same_profile(schema::to_profile(*call.profile()), hooks::profile_of(device)));
  if (device.num_hw_cqs() >= call.num_hw_cqs()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the device does not fit: it has ",
                                                    device.num_hw_cqs(), " command queues, and ",
                                                    call.num_hw_cqs(), " were recorded"));
}

std::optional<MeshPlace> mesh_place_of(const schema::MeshPlace* place) {
  if (place == nullptr) return std::nullopt;
  return MeshPlace{words_of(place->shape()), words_of(place->coordinate())};
}

absl::Status check_known(const std::string& backend) {
  const absl::Status known = device::check_known(backend);
  if (known.ok()) return known;
  return absl::NotFoundError(
      absl::StrCat(known.message(), "; that of a library is loaded on request (--device PATH)"));
}

}  // namespace

bool OpenDevices::is_of_first_chip(const schema::CreateDevice& call) {
  if (!first_chip_id_.has_value()) first_chip_id_ = call.chip_id();
  return call.chip_id() == *first_chip_id_;
}

absl::StatusOr<DeviceObject> OpenDevices::open(const schema::CreateDevice& call) {
  const bool is_of_first = is_of_first_chip(call);
  if (is_of_first && options_.device != nullptr) {
    LM_RETURN_IF_ERROR(check_callers_device(call, *options_.device));
    return DeviceObject{options_.device, false, call.num_hw_cqs()};
  }
  const auto kept = kept_.extract(call.id());
  if (!kept.empty()) return DeviceObject{kept.mapped(), true, call.num_hw_cqs()};
  const DeviceProfile profile = schema::to_profile(*call.profile());
  // The file may name anything, so a recorded name that is not known loads no library.
  const std::string backend =
      options_.backend.empty() ? schema::text_of(call.backend()) : options_.backend;
  LM_RETURN_IF_ERROR(check_known(backend));
  const uint32_t chip_id = is_of_first ? options_.chip_id.value_or(call.chip_id()) : call.chip_id();
  return DeviceObject{
      hooks::create_device(static_cast<chip_id_t>(chip_id), call.num_hw_cqs(), call.l1_small_size(),
                           call.trace_region_size(),
                           static_cast<tm::DispatchCoreType>(call.dispatch_core_type()),
                           words_of(call.l1_bank_remap()), backend, profile,
                           mesh_place_of(call.mesh_place()), schedule_),
      true, call.num_hw_cqs()};
}

void OpenDevices::keep(uint64_t id, const DeviceObject& object) {
  if (object.owned) kept_[id] = object.device;
}

void OpenDevices::close() {
  for (const auto& [id, device] : kept_) {
    try {
      tm::CloseDevice(device);
    } catch (const std::exception&) {
      // The runs have ended, and have reported their errors.
    }
  }
  kept_.clear();
}

}  // namespace lightmetal::replay
