#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/device_profile.h"
#include "schema/types_generated.h"

// Translates between the device profiles of base/ and those that a file holds. Checks nothing: a
// file's profile is judged by schema/semantics/profile_limits.h.

namespace lightmetal::schema {

inline ::lightmetal::DeviceProfile to_profile(const DeviceProfile& from) {
  ::lightmetal::DeviceProfile to;
  to.arch = from.arch() == nullptr ? std::string() : from.arch()->str();
  to.grid = {from.grid()->x(), from.grid()->y()};
  to.l1_size = from.l1_size();
  to.l1_unreserved_base = from.l1_unreserved_base();
  to.l1_alignment = from.l1_alignment();
  to.dram_banks = from.dram_banks();
  to.dram_bank_size = from.dram_bank_size();
  to.dram_unreserved_base = from.dram_unreserved_base();
  to.dram_alignment = from.dram_alignment();
  to.num_circular_buffers = from.num_circular_buffers();
  to.num_semaphores = from.num_semaphores();
  to.max_runtime_args = from.max_runtime_args();
  to.first_worker = {from.first_worker()->x(), from.first_worker()->y()};
  to.max_command_queues = from.max_command_queues();
  to.ethernet_cores = from.ethernet_cores();
  to.ethernet_l1_size = from.ethernet_l1_size();
  to.ethernet_unreserved_base = from.ethernet_unreserved_base();
  const CoreCoord first_ethernet = from.first_ethernet() ? *from.first_ethernet() : CoreCoord();
  to.first_ethernet = {first_ethernet.x(), first_ethernet.y()};
  // A device has far fewer DRAM banks, so a longer list is refused all the same; the limit bounds
  // the memory that it takes until then.
  constexpr size_t kMostDramCores = 1024;
  const size_t cores = from.dram_cores() == nullptr ? 0 : from.dram_cores()->size();
  to.dram_cores.clear();
  for (size_t bank = 0; bank < std::min(cores, kMostDramCores); ++bank) {
    const CoreCoord& core = *from.dram_cores()->Get(bank);
    to.dram_cores.push_back({core.x(), core.y()});
  }
  return to;
}

inline flatbuffers::Offset<DeviceProfile> from_profile(flatbuffers::FlatBufferBuilder& builder,
                                                       const ::lightmetal::DeviceProfile& from) {
  const CoreCoord grid(from.grid.x, from.grid.y);
  const CoreCoord first_worker(from.first_worker.x, from.first_worker.y);
  const CoreCoord first_ethernet(from.first_ethernet.x, from.first_ethernet.y);
  std::vector<CoreCoord> dram_cores;
  for (const Core& core : from.dram_cores) dram_cores.emplace_back(core.x, core.y);
  return CreateDeviceProfileDirect(
      builder, from.arch.c_str(), &grid, from.l1_size, from.l1_unreserved_base, from.l1_alignment,
      from.dram_banks, from.dram_bank_size, from.dram_unreserved_base, from.dram_alignment,
      from.num_circular_buffers, from.num_semaphores, from.max_runtime_args, &first_worker,
      from.max_command_queues, from.ethernet_cores, from.ethernet_l1_size,
      from.ethernet_unreserved_base, from.ethernet_cores == 0 ? nullptr : &first_ethernet,
      dram_cores.empty() ? nullptr : &dram_cores);
}

}  // namespace lightmetal::schema
