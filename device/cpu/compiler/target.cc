#include "device/cpu/compiler/target.h"

#include "absl/strings/str_cat.h"

namespace lightmetal::device::cpu {
namespace {

#if defined(__x86_64__)
constexpr char kArchitectureName[] = "x86_64";
#elif defined(__aarch64__)
constexpr char kArchitectureName[] = "aarch64";
#else
#error "The CPU device knows x86_64 and aarch64."
#endif

}  // namespace

Architecture architecture_of(const DeviceProfile& profile) {
  return profile.arch == lightmetal::kBlackhole ? Architecture::kBlackhole
                                                : Architecture::kWormhole;
}

std::string kernel_target(Architecture architecture, uint32_t version) {
  const char* device = architecture == Architecture::kBlackhole ? "blackhole-" : "";
  return absl::StrCat("cpu-", device, kArchitectureName, "-", version);
}

bool runs_target(absl::string_view target, Architecture architecture) {
  for (uint32_t version = kernel_abi::kOldestVersion; version <= kernel_abi::kVersion; ++version) {
    if (target == kernel_target(architecture, version)) return true;
  }
  return false;
}

}  // namespace lightmetal::device::cpu
