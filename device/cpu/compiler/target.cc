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

std::string kernel_target(uint32_t version) {
  return absl::StrCat("cpu-", kArchitectureName, "-", version);
}

bool runs_target(absl::string_view target) {
  for (uint32_t version = kernel_abi::kOldestVersion; version <= kernel_abi::kVersion; ++version) {
    if (target == kernel_target(version)) return true;
  }
  return false;
}

}  // namespace lightmetal::device::cpu
