// What a device says of its Ethernet cores. All of it follows from the profile, the number of the
// chip, and how many chips there are.
#include <eth_l1_address_map.h>

#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>

#include "api/src/devices/device_impl.h"
#include "api/src/objects/core_kind.h"
#include "api/src/support/errors.h"
#include "device/ethernet.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"
#include "device/noc.h"
#include "host/kernel.h"

namespace tt::tt_metal {
namespace {

using eth_l1_mem::address_map;
using lightmetal::device::EthernetEnd;

static_assert(address_map::MAX_SIZE == lightmetal::kernel_abi::kEthernetL1Size);
static_assert(address_map::ERISC_L1_UNRESERVED_BASE ==
              lightmetal::kernel_abi::kEthernetUnreservedBase);
static_assert(address_map::MAX_NUM_CONCURRENT_TRANSACTIONS ==
              lightmetal::kernel_abi::kEthernetChannels);

CoreCoord coord(uint32_t core) { return {0, core}; }

// The other end of a core's wire; none where no chip with such a core can be opened.
std::optional<EthernetEnd> connected(const DeviceImpl& device, uint32_t core) {
  const auto other = lightmetal::device::other_ethernet_end({device.id(), core});
  if (!other || other->core >= device.profile().ethernet_cores) return std::nullopt;
  if (static_cast<size_t>(other->chip) >= GetNumAvailableDevices()) return std::nullopt;
  return other;
}

}  // namespace

lightmetal::device::CoreKind kind_of(CoreType core_type, const char* what) {
  return value_or_throw(lightmetal::host::kind_of_core_type(static_cast<uint8_t>(core_type), what));
}

lightmetal::device::CoreKind kind_of(const Kernel& kernel) {
  return kernel.processor() == KernelProcessor::ETHERNET ? lightmetal::device::CoreKind::kEthernet
                                                         : lightmetal::device::CoreKind::kWorker;
}

std::set<CoreCoord> all_ethernet_cores(const lightmetal::DeviceProfile& profile) {
  std::set<CoreCoord> cores;
  for (uint32_t core = 0; core < profile.ethernet_cores; ++core) cores.insert(coord(core));
  return cores;
}

void DeviceImpl::check_ethernet(const CoreCoord& core) const {
  TT_FATAL(core.x == 0 && core.y < profile().ethernet_cores,
           "Core {} is none of the {} Ethernet cores of device {}, which begin at (x=0,y=0)", core,
           profile().ethernet_cores, id());
}

CoreCoord DeviceImpl::ethernet_core_from_logical_core(const CoreCoord& core) const {
  check_ethernet(core);
  const lightmetal::Core noc =
      lightmetal::device::noc_coordinate_of_ethernet(profile(), static_cast<uint32_t>(core.y));
  return {noc.x, noc.y};
}

CoreCoord DeviceImpl::logical_core_from_ethernet_core(const CoreCoord& core) const {
  for (uint32_t index = 0; index < profile().ethernet_cores; ++index) {
    if (ethernet_core_from_logical_core(coord(index)) == core) return coord(index);
  }
  TT_THROW("Device {} has no Ethernet core at {}", id(), core);
}

std::vector<CoreCoord> DeviceImpl::ethernet_cores_from_logical_cores(
    const std::vector<CoreCoord>& logical_cores) const {
  std::vector<CoreCoord> cores;
  for (const CoreCoord& core : logical_cores)
    cores.push_back(ethernet_core_from_logical_core(core));
  return cores;
}

std::unordered_set<CoreCoord> DeviceImpl::get_active_ethernet_cores(bool) const {
  std::unordered_set<CoreCoord> cores;
  for (uint32_t core = 0; core < profile().ethernet_cores; ++core) {
    if (connected(*this, core)) cores.insert(coord(core));
  }
  return cores;
}

std::unordered_set<CoreCoord> DeviceImpl::get_inactive_ethernet_cores() const {
  std::unordered_set<CoreCoord> cores;
  for (uint32_t core = 0; core < profile().ethernet_cores; ++core) {
    if (!connected(*this, core)) cores.insert(coord(core));
  }
  return cores;
}

bool DeviceImpl::is_active_ethernet_core(CoreCoord core, bool) const {
  return get_active_ethernet_cores(false).contains(core);
}

bool DeviceImpl::is_inactive_ethernet_core(CoreCoord core) const {
  return get_inactive_ethernet_cores().contains(core);
}

std::unordered_set<chip_id_t> DeviceImpl::get_ethernet_connected_device_ids() const {
  std::unordered_set<chip_id_t> chips;
  for (uint32_t core = 0; core < profile().ethernet_cores; ++core) {
    if (const auto other = connected(*this, core)) chips.insert(other->chip);
  }
  return chips;
}

std::tuple<chip_id_t, CoreCoord> DeviceImpl::get_connected_ethernet_core(CoreCoord core) const {
  check_ethernet(core);
  const auto other = connected(*this, static_cast<uint32_t>(core.y));
  TT_FATAL(other.has_value(), "Ethernet core {} of device {} is not connected to another device",
           core, id());
  return {other->chip, coord(other->core)};
}

std::vector<CoreCoord> DeviceImpl::get_ethernet_sockets(chip_id_t chip) const {
  std::vector<CoreCoord> cores;
  for (uint32_t core = 0; core < profile().ethernet_cores; ++core) {
    const auto other = connected(*this, core);
    if (other && other->chip == chip) cores.push_back(coord(core));
  }
  TT_FATAL(!cores.empty(), "Device {} is not connected to device {}", id(), chip);
  return cores;
}

}  // namespace tt::tt_metal
