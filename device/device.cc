#include "device/device.h"

#include "base/status.h"

namespace lightmetal::device {

absl::Status Device::write_ethernet_l1(Core, uint64_t, Bytes) {
  return absl::UnimplementedError("the device has no Ethernet cores");
}

absl::Status Device::read_ethernet_l1(Core, uint64_t, absl::Span<std::byte>) {
  return absl::UnimplementedError("the device has no Ethernet cores");
}

absl::Status Device::launch_all(absl::Span<const Launch* const> launches) {
  for (const Launch* each : launches) LM_RETURN_IF_ERROR(launch(*each));
  return absl::OkStatus();
}

absl::Status Device::copy(const MemoryAddress&, const MemoryAddress&, uint64_t) {
  return absl::UnimplementedError("the device copies nothing by itself");
}

absl::StatusOr<std::vector<MemoryPart>> Device::written(absl::Span<const MemoryPart>) {
  return absl::UnimplementedError("the device does not know what was written");
}

}  // namespace lightmetal::device
