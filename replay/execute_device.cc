// Executes commands about devices.
#include "api/src/devices/replay_drain.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/values.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

}  // namespace

absl::Status Executor::execute(const schema::CreateDevice& call) {
  LM_ASSIGN_OR_RETURN(opened, devices_.open(call));
  return objects_.devices.add(call.id(), opened);
}

absl::Status Executor::execute(const schema::CloseDevice& call) {
  LM_ASSIGN_OR_RETURN(object, objects_.devices.remove(call.device()));
  // The caller's device stays open; but CloseDevice has waited for its work, so the replay does.
  if (object.owned) {
    tm::CloseDevice(object.device);
  } else {
    hooks::drain(*object.device, object.queues);
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
