// What a device says of its memory and its cores. All of it follows from the profile, so it needs
// no lock.
#include <algorithm>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>

#include "api/src/devices/device_impl.h"
#include "device/noc.h"

namespace tt::tt_metal {
namespace {

CoreCoord coord(lightmetal::Core core) { return {core.x, core.y}; }

// The coordinate bits of a NoC address.
uint32_t noc_encoding(const CoreCoord& core) {
  const auto noc = lightmetal::Core{static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)};
  return static_cast<uint32_t>(lightmetal::device::noc_address(noc, 0) >>
                               lightmetal::kernel_abi::kNocLocalBits);
}

}  // namespace

void DeviceImpl::check_dram_channel(uint32_t channel) const {
  TT_FATAL(channel < profile().dram_banks, "Device {} has {} DRAM channels: there is no channel {}",
           id(), profile().dram_banks, channel);
}

void DeviceImpl::check_worker(const CoreCoord& core) const {
  TT_FATAL(core.x < profile().grid.x && core.y < profile().grid.y,
           "Core {} is outside the {}x{} compute grid of device {}", core, profile().grid.x,
           profile().grid.y, id());
}

tt::ARCH DeviceImpl::arch() const { return tt::get_arch_from_string(profile().arch); }

const std::shared_ptr<Allocator>& DeviceImpl::allocator() const { return DeviceState::allocator(); }

int DeviceImpl::num_dram_channels() const { return static_cast<int>(profile().dram_banks); }
uint32_t DeviceImpl::l1_size_per_core() const { return static_cast<uint32_t>(profile().l1_size); }
uint32_t DeviceImpl::dram_size_per_channel() const {
  return static_cast<uint32_t>(profile().dram_bank_size);
}

uint32_t DeviceImpl::num_banks(const BufferType& type) const {
  return allocator()->get_num_banks(type);
}
uint32_t DeviceImpl::bank_size(const BufferType& type) const {
  return static_cast<uint32_t>(allocator()->get_bank_size(type));
}

uint32_t DeviceImpl::dram_channel_from_bank_id(uint32_t bank_id) const {
  return allocator()->get_dram_channel_from_bank_id(bank_id);
}

CoreCoord DeviceImpl::logical_core_from_dram_channel(uint32_t channel) const {
  check_dram_channel(channel);
  return {channel, 0};
}

uint32_t DeviceImpl::dram_channel_from_logical_core(const CoreCoord& core) const {
  TT_FATAL(core.y == 0, "DRAM cores lie in row 0: {} is none", core);
  check_dram_channel(static_cast<uint32_t>(core.x));
  return static_cast<uint32_t>(core.x);
}

CoreCoord DeviceImpl::dram_core_from_dram_channel(uint32_t channel) const {
  check_dram_channel(channel);
  return coord(lightmetal::device::noc_coordinate_of_dram_bank(profile(), channel));
}

uint32_t DeviceImpl::dram_channel_from_virtual_core(const CoreCoord& core) const {
  for (uint32_t channel = 0; channel < profile().dram_banks; ++channel) {
    const lightmetal::Core place =
        lightmetal::device::noc_coordinate_of_dram_bank(profile(), channel);
    if (coord(place) == core) return channel;
  }
  TT_THROW("At coordinate {} of device {} is no DRAM channel", core, id());
}

CoreCoord DeviceImpl::virtual_noc0_coordinate(uint8_t noc_index, CoreCoord core) const {
  TT_FATAL(noc_index < 2, "Device {} has two networks: there is no network {}", id(), noc_index);
  return core;
}

int32_t DeviceImpl::bank_offset(BufferType type, uint32_t bank_id) const {
  return allocator()->get_bank_offset(type, bank_id);
}

CoreCoord DeviceImpl::logical_core_from_bank_id(uint32_t bank_id) const {
  return allocator()->get_logical_core_from_bank_id(bank_id);
}

std::vector<uint32_t> DeviceImpl::bank_ids_from_dram_channel(uint32_t channel) const {
  return allocator()->get_bank_ids_from_dram_channel(channel);
}

std::vector<uint32_t> DeviceImpl::bank_ids_from_logical_core(BufferType type,
                                                             const CoreCoord& core) const {
  return allocator()->get_bank_ids_from_logical_core(type, core);
}

DeviceAddr DeviceImpl::get_base_allocator_addr(const HalMemType& mem_type) const {
  return allocator()->get_base_allocator_addr(mem_type);
}

uint32_t DeviceImpl::get_allocator_alignment(const HalMemType& mem_type) const {
  return mem_type == HalMemType::L1 ? profile().l1_alignment : profile().dram_alignment;
}

uint32_t DeviceImpl::get_allocator_alignment() const {
  return std::max(profile().l1_alignment, profile().dram_alignment);
}

CoreCoord DeviceImpl::grid_size() const {
  return {profile().first_worker.x + profile().grid.x, profile().first_worker.y + profile().grid.y};
}
CoreCoord DeviceImpl::logical_grid_size() const { return coord(profile().grid); }
CoreCoord DeviceImpl::dram_grid_size() const { return {profile().dram_banks, 1}; }
CoreCoord DeviceImpl::compute_with_storage_grid_size() const { return coord(profile().grid); }

CoreCoord DeviceImpl::worker_core_from_logical_core(const CoreCoord& core) const {
  check_worker(core);
  return coord(lightmetal::device::noc_coordinate_of_worker(
      profile(), {static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)}));
}

CoreCoord DeviceImpl::logical_core_from_worker_core(const CoreCoord& worker_core) const {
  const CoreCoord grid = logical_grid_size();
  for (const CoreCoord& core : CoreRange({0, 0}, {grid.x - 1, grid.y - 1})) {
    if (worker_core_from_logical_core(core) == worker_core) return core;
  }
  TT_THROW("Device {} has no worker core at {}", id(), worker_core);
}

std::vector<CoreCoord> DeviceImpl::worker_cores_from_logical_cores(
    const std::vector<CoreCoord>& cores) const {
  std::vector<CoreCoord> workers;
  for (const CoreCoord& core : cores) workers.push_back(worker_core_from_logical_core(core));
  return workers;
}

CoreCoord DeviceImpl::virtual_core_from_logical_core(const CoreCoord& core,
                                                     const CoreType& core_type) const {
  switch (core_type) {
    case CoreType::WORKER:
    case CoreType::TENSIX:
      return worker_core_from_logical_core(core);
    case CoreType::ETH:
    case CoreType::ACTIVE_ETH:
    case CoreType::IDLE_ETH:
      return ethernet_core_from_logical_core(core);
    case CoreType::DRAM:
      return dram_core_from_dram_channel(dram_channel_from_logical_core(core));
    default:
      TT_THROW("Device {} has worker, Ethernet and DRAM cores: there is no core {} of core type {}",
               id(), core, static_cast<int>(core_type));
  }
}

HalProgrammableCoreType DeviceImpl::get_programmable_core_type(CoreCoord core) const {
  // A coordinate before the first worker wraps around to a large number, which is outside the grid.
  const lightmetal::Core logical{static_cast<uint32_t>(core.x) - profile().first_worker.x,
                                 static_cast<uint32_t>(core.y) - profile().first_worker.y};
  if (logical.x < profile().grid.x && logical.y < profile().grid.y)
    return HalProgrammableCoreType::TENSIX;
  return is_active_ethernet_core(logical_core_from_ethernet_core(core), false)
             ? HalProgrammableCoreType::ACTIVE_ETH
             : HalProgrammableCoreType::IDLE_ETH;
}

HalMemType DeviceImpl::get_mem_type_of_core(CoreCoord core) const {
  for (uint32_t bank = 0; bank < profile().dram_banks; ++bank) {
    if (coord(lightmetal::device::noc_coordinate_of_dram_bank(profile(), bank)) == core)
      return HalMemType::DRAM;
  }
  get_programmable_core_type(core);  // throws when nothing is there
  return HalMemType::L1;
}

std::vector<CoreCoord> DeviceImpl::get_optimal_dram_bank_to_logical_worker_assignment(NOC) {
  const uint32_t workers = lightmetal::device::num_l1_banks(profile());
  std::vector<CoreCoord> assignment;
  for (uint32_t bank = 0; bank < profile().dram_banks; ++bank)
    assignment.push_back(coord(lightmetal::device::core_of_l1_bank(profile(), bank % workers)));
  return assignment;
}

uint32_t DeviceImpl::get_noc_unicast_encoding(uint8_t, const CoreCoord& core) const {
  return noc_encoding(core);
}

uint32_t DeviceImpl::get_noc_multicast_encoding(uint8_t, const CoreRange& cores) const {
  // The end in the low bits, the start behind it: two fields of coordinate bits each.
  return noc_encoding(cores.end_coord) | noc_encoding(cores.start_coord)
                                             << 2 * lightmetal::kernel_abi::kNocCoordinateBits;
}

}  // namespace tt::tt_metal
