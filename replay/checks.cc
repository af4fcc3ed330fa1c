#include "replay/checks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/noc_coordinates.h"
#include "base/status.h"

namespace lightmetal::replay {
namespace {

template <class Value>
absl::Status check_equal(absl::string_view what, const Value& recorded, const Value& present) {
  if (recorded == present) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the device does not fit: ", what, " was recorded as ", recorded, " and is ", present));
}

std::string text_of(const Core& core) { return absl::StrCat("(", core.x, ", ", core.y, ")"); }

}  // namespace

absl::Status check_same_profile(const DeviceProfile& recorded, DeviceProfile present) {
  // A file from before there were Ethernet cores is replayed on a device that has some.
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
  // Recorded runtime arguments may hold coordinates.
  LM_RETURN_IF_ERROR(check_equal("where DRAM bank 0 is on the NoC",
                                 text_of(noc_coordinate_of_dram_bank(recorded, 0)),
                                 text_of(noc_coordinate_of_dram_bank(present, 0))));
  if (recorded == present) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the device does not fit: its profile differs from the recorded one in bases, alignments, "
      "limits or coordinates");
}

}  // namespace lightmetal::replay
