#include "host/memory_place.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/core.h"
#include "host/buffer.h"
#include "host/core_set.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

using Kind = MemoryPlace::Kind;

uint64_t size_of(Kind kind, const DeviceProfile& profile) {
  switch (kind) {
    case Kind::kDram:
      return profile.dram_bank_size;
    case Kind::kL1:
      return profile.l1_size;
    case Kind::kEthernetL1:
      break;
  }
  return profile.ethernet_l1_size;
}

std::string name_of(const MemoryPlace& place) {
  switch (place.kind) {
    case Kind::kDram:
      return absl::StrCat("DRAM bank ", place.x);
    case Kind::kL1:
      return absl::StrCat("L1 of core (", place.x, ",", place.y, ")");
    case Kind::kEthernetL1:
      break;
  }
  return absl::StrCat("L1 of Ethernet core (", place.x, ",", place.y, ")");
}

}  // namespace

absl::Status check_place(const MemoryPlace& place, const DeviceProfile& profile,
                         uint64_t device_id) {
  if (place.kind == Kind::kDram) {
    if (place.x < profile.dram_banks) return absl::OkStatus();
    return refuse("Device ", device_id, " has ", profile.dram_banks,
                  " DRAM channels: there is no channel ", place.x);
  }
  // Ethernet cores are one column: (0, 0), (0, 1), ...
  const bool on_ethernet = place.kind == Kind::kEthernetL1;
  const Core grid = on_ethernet ? Core{1, profile.ethernet_cores} : profile.grid;
  if (place.x < grid.x && place.y < grid.y) return absl::OkStatus();
  return refuse("Core ", text_of(Core{place.x, place.y}), " is outside the ", grid.x, "x", grid.y,
                on_ethernet ? " Ethernet" : "", " grid of device ", device_id);
}

absl::Status check_words(uint64_t size) {
  if (size % kWord == 0) return absl::OkStatus();
  return refuse(size, " B cannot be read into words of ", kWord, " B");
}

absl::Status check_range(const MemoryPlace& place, const DeviceProfile& profile, uint64_t address,
                         uint64_t size) {
  const uint64_t end = size_of(place.kind, profile);
  if (address <= end && size <= end - address) return absl::OkStatus();
  return refuse(name_of(place), " holds ", end, " bytes; ", size, " bytes at 0x",
                absl::Hex(address), " end outside it");
}

}  // namespace lightmetal::host
