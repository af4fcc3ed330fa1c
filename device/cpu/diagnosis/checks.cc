#include "device/cpu/diagnosis/checks.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {
namespace {

struct NamedCheck {
  const char* name;
  uint32_t bits;
};

// In the order of their names. A read that is poisoned is delayed, too, so that check has two bits.
constexpr std::array<NamedCheck, 11> kChecks = {{
    {"alignment", kernel_abi::kCheckAlignment},
    {"circular_buffers", kernel_abi::kCheckCircularBuffers},
    {"integers", kernel_abi::kCheckIntegers},
    {"packets", kernel_abi::kCheckPackets},
    {"poison", kernel_abi::kPoisonReads | kernel_abi::kDelayTransfers},
    {"races", kernel_abi::kDelayTransfers},
    {"reserved", kernel_abi::kCheckReserved},
    {"semaphores", kernel_abi::kCheckSemaphores},
    {"start", kernel_abi::kCheckStart},
    {"tiles", kernel_abi::kCheckTiles},
    {"uninitialized", kernel_abi::kCheckUninitialized},
}};

absl::StatusOr<uint32_t> parse_check(absl::string_view name) {
  uint32_t all = 0;
  for (const NamedCheck& check : kChecks) {
    if (name == check.name) return check.bits;
    all |= check.bits;
  }
  if (name == "all") return all;
  if (name == "none") return 0;
  const auto append_name = [](std::string* out, const NamedCheck& check) { *out += check.name; };
  return absl::InvalidArgumentError(
      absl::StrCat("LIGHTMETAL_CPU_DEVICE_CHECKS: there is no check called \"", name,
                   "\"; there are ", absl::StrJoin(kChecks, ", ", append_name), ", all and none"));
}

}  // namespace

absl::StatusOr<uint32_t> parse_checks(absl::string_view names) {
  uint32_t bits = 0;
  if (absl::StripAsciiWhitespace(names).empty()) return bits;
  for (absl::string_view name : absl::StrSplit(names, ',')) {
    LM_ASSIGN_OR_RETURN(check, parse_check(absl::StripAsciiWhitespace(name)));
    bits |= check;
  }
  return bits;
}

const char* check_name(uint32_t bit) {
  return std::find_if(kChecks.begin(), kChecks.end(),
                      [bit](const NamedCheck& check) { return check.bits == bit; })
      ->name;
}

}  // namespace lightmetal::device::cpu
