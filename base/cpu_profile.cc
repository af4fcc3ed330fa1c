#include "base/cpu_profile.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/noc_coordinates.h"
#include "base/status.h"

namespace lightmetal {
namespace {

absl::Status check_limit(const char* what, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the device profile's ", what, " is ", value,
                                                 "; the CPU device takes ", least, " to ", most));
}

absl::Status check_grid(const DeviceProfile& profile) {
  // A profile without dram_cores has its DRAM banks in a row of their own, above the workers or,
  // where those begin in row 0, below them (noc_coordinates.h). So one row stays free. Each limit
  // is checked before the next one is computed from it: a file's profile may hold any number.
  const uint32_t last_x = cpu_limits::kNocCoordinates - 1;
  LM_RETURN_IF_ERROR(check_limit("first_worker.x", profile.first_worker.x, 0, last_x));
  LM_RETURN_IF_ERROR(check_limit("first_worker.y", profile.first_worker.y, 0, last_x - 1));
  const uint32_t rows =
      cpu_limits::kNocCoordinates - profile.first_worker.y - (profile.first_worker.y == 0 ? 1 : 0);
  LM_RETURN_IF_ERROR(check_limit("grid.x", profile.grid.x, 1,
                                 cpu_limits::kNocCoordinates - profile.first_worker.x));
  LM_RETURN_IF_ERROR(check_limit("grid.y", profile.grid.y, 1, rows));
  return check_limit("dram_banks", profile.dram_banks, 1, cpu_limits::kNocCoordinates);
}

bool is_worker(const DeviceProfile& profile, Core noc) {
  // A coordinate before the first worker wraps around to a very large one.
  const Core logical{noc.x - profile.first_worker.x, noc.y - profile.first_worker.y};
  return logical.x < profile.grid.x && logical.y < profile.grid.y;
}

bool is_dram_bank(const DeviceProfile& profile, Core noc) {
  for (uint32_t bank = 0; bank < profile.dram_banks; ++bank) {
    if (noc == noc_coordinate_of_dram_bank(profile, bank)) return true;
  }
  return false;
}

bool shares_coordinates(const DeviceProfile& profile) {
  for (uint32_t index = 0; index < profile.ethernet_cores; ++index) {
    const Core noc = noc_coordinate_of_ethernet(profile, index);
    if (is_worker(profile, noc) || is_dram_bank(profile, noc)) return true;
  }
  return false;
}

absl::Status check_ethernet(const DeviceProfile& profile) {
  if (profile.ethernet_cores == 0) return absl::OkStatus();
  LM_RETURN_IF_ERROR(check_limit("first_ethernet.y", profile.first_ethernet.y, 0,
                                 cpu_limits::kNocCoordinates - 1));
  LM_RETURN_IF_ERROR(check_limit("first_ethernet.x", profile.first_ethernet.x, 0,
                                 cpu_limits::kNocCoordinates - 1));
  LM_RETURN_IF_ERROR(check_limit("ethernet_cores", profile.ethernet_cores, 1,
                                 cpu_limits::kNocCoordinates - profile.first_ethernet.x));
  LM_RETURN_IF_ERROR(check_limit("ethernet_l1_size", profile.ethernet_l1_size,
                                 cpu_limits::kEthernetL1Size, cpu_limits::kEthernetL1Size));
  LM_RETURN_IF_ERROR(check_limit("ethernet_unreserved_base", profile.ethernet_unreserved_base,
                                 cpu_limits::kEthernetUnreservedBase,
                                 cpu_limits::kEthernetUnreservedBase));
  if (!shares_coordinates(profile)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the device profile's first_ethernet (", profile.first_ethernet.x, ", ",
      profile.first_ethernet.y, ") puts Ethernet cores where workers or DRAM banks are"));
}

// How many a compiled kernel knows depends on the architecture that it was compiled for.
uint32_t most_circular_buffers(const DeviceProfile& profile) {
  return profile.arch == kBlackhole ? cpu_limits::kCircularBuffers
                                    : cpu_limits::kWormholeCircularBuffers;
}

}  // namespace

absl::Status check_dram_cores(const DeviceProfile& profile) {
  const std::vector<Core>& cores = profile.dram_cores;
  if (cores.empty()) return absl::OkStatus();
  if (cores.size() != profile.dram_banks) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the device profile's dram_cores has ", cores.size(), " coordinates; one for each of the ",
        profile.dram_banks, " DRAM banks is expected"));
  }
  for (size_t bank = 0; bank < cores.size(); ++bank) {
    const Core noc = cores[bank];
    const bool there = noc.x < cpu_limits::kNocCoordinates && noc.y < cpu_limits::kNocCoordinates;
    const bool taken = std::find(cores.begin(), cores.begin() + bank, noc) != cores.begin() + bank;
    if (there && !taken && !is_worker(profile, noc)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the device profile's dram_cores puts DRAM bank ", bank, " at (", noc.x, ", ",
                     noc.y, "); a coordinate of 0 to ", cpu_limits::kNocCoordinates - 1,
                     " on each axis is expected, where no worker and no other bank is"));
  }
  return absl::OkStatus();
}

absl::Status check_cpu_profile(const DeviceProfile& profile) {
  using namespace cpu_limits;
  LM_RETURN_IF_ERROR(check_grid(profile));
  LM_RETURN_IF_ERROR(check_dram_cores(profile));
  LM_RETURN_IF_ERROR(check_ethernet(profile));
  LM_RETURN_IF_ERROR(check_limit("dram_bank_size", profile.dram_bank_size, 1, kDramBankSize));
  LM_RETURN_IF_ERROR(check_limit("l1_size", profile.l1_size, kL1OfDevice, kL1Size));
  LM_RETURN_IF_ERROR(
      check_limit("l1_unreserved_base", profile.l1_unreserved_base, kL1OfDevice, profile.l1_size));
  LM_RETURN_IF_ERROR(check_limit("num_circular_buffers", profile.num_circular_buffers, 0,
                                 most_circular_buffers(profile)));
  LM_RETURN_IF_ERROR(check_limit("num_semaphores", profile.num_semaphores, 0, kSemaphores));
  return check_limit("max_runtime_args", profile.max_runtime_args, 0, kRuntimeArgs);
}

}  // namespace lightmetal
