#include "device/bounds.h"

#include <string>

#include "absl/strings/str_format.h"

namespace lightmetal::device {
namespace {

// Subtracts rather than adds: address + size may overflow.
bool fits(uint64_t place_size, uint64_t address, uint64_t size) {
  return address <= place_size && size <= place_size - address;
}

absl::Status outside(const std::string& place, uint64_t place_size, uint64_t address,
                     uint64_t size) {
  return absl::OutOfRangeError(absl::StrFormat("%s holds %d bytes; %d bytes at 0x%x end outside it",
                                               place, place_size, size, address));
}

}  // namespace

absl::Status check_dram_range(const DeviceProfile& profile, uint32_t bank, uint64_t address,
                              uint64_t size) {
  if (bank >= profile.dram_banks) {
    return absl::OutOfRangeError(absl::StrFormat(
        "DRAM bank %d does not exist; the device has %d banks", bank, profile.dram_banks));
  }
  if (fits(profile.dram_bank_size, address, size)) return absl::OkStatus();
  return outside(absl::StrFormat("DRAM bank %d", bank), profile.dram_bank_size, address, size);
}

absl::Status check_l1_range(const DeviceProfile& profile, Core core, uint64_t address,
                            uint64_t size) {
  if (core.x >= profile.grid.x || core.y >= profile.grid.y) {
    return absl::OutOfRangeError(
        absl::StrFormat("core (%d,%d) does not exist; the grid is %d by %d", core.x, core.y,
                        profile.grid.x, profile.grid.y));
  }
  if (fits(profile.l1_size, address, size)) return absl::OkStatus();
  return outside(absl::StrFormat("L1 of core (%d,%d)", core.x, core.y), profile.l1_size, address,
                 size);
}

absl::Status check_ethernet_l1_range(const DeviceProfile& profile, Core core, uint64_t address,
                                     uint64_t size) {
  if (core.x != 0 || core.y >= profile.ethernet_cores) {
    return absl::OutOfRangeError(
        absl::StrFormat("Ethernet core (%d,%d) does not exist; the device has %d, (0,0) and on",
                        core.x, core.y, profile.ethernet_cores));
  }
  if (fits(profile.ethernet_l1_size, address, size)) return absl::OkStatus();
  return outside(absl::StrFormat("L1 of Ethernet core (%d,%d)", core.x, core.y),
                 profile.ethernet_l1_size, address, size);
}

}  // namespace lightmetal::device
