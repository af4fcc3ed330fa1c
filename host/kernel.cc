#include "host/kernel.h"

#include "base/device_profile.h"
#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

// TT-Metalium's numbers of the core types that kernels run on.
enum class CoreType : uint8_t {
  kActiveEthernet = 2,
  kIdleEthernet = 3,
  kTensix = 5,
  kEthernet = 8,
  kWorker = 9
};

absl::Status check_limit(absl::string_view kernel, uint64_t unique, uint64_t common) {
  if (unique + common <= most_arguments()) return absl::OkStatus();
  return refuse(unique + common, " unique+common runtime args targeting kernel ", kernel,
                " are too large: ", unique, " unique and ", common,
                " common, and the maximum allowable is ", most_arguments());
}

}  // namespace

const char* name_of(Processor processor) {
  constexpr const char* kNames[kNumProcessors] = {"RISCV_0", "RISCV_1", "COMPUTE", "ETHERNET"};
  return kNames[static_cast<size_t>(processor)];
}

absl::StatusOr<CoreKind> kind_of_core_type(uint8_t core_type, absl::string_view what) {
  switch (static_cast<CoreType>(core_type)) {
    case CoreType::kWorker:
    case CoreType::kTensix:
      return CoreKind::kWorker;
    case CoreType::kEthernet:
    case CoreType::kActiveEthernet:
    case CoreType::kIdleEthernet:
      return CoreKind::kEthernet;
  }
  return refuse("Worker and Ethernet cores have ", what, ", cores of core type ", core_type,
                " do not");
}

uint32_t most_arguments() {
  // Kept, because a profile has strings and lists, and this is asked for each change of arguments.
  static const uint32_t most = DeviceProfile{}.max_runtime_args;
  return most;
}

absl::Status check_argument_core(absl::string_view kernel, const CoreSet& cores, const Core& core) {
  if (cores.contains(core)) return absl::OkStatus();
  return refuse("Cannot access runtime args of kernel ", kernel, " on core ", text_of(core),
                ": it is placed on ", cores.text());
}

absl::Status check_arguments(absl::string_view kernel, const Core& core, uint64_t count,
                             uint64_t before, uint64_t common) {
  LM_RETURN_IF_ERROR(check_limit(kernel, count, common));
  if (before == 0 || count <= before) return absl::OkStatus();
  return refuse("Illegal runtime args for kernel ", kernel, " on core ", text_of(core),
                ": their number cannot grow from ", before, " to ", count);
}

absl::Status check_common_arguments_unset(absl::string_view kernel, uint64_t before) {
  if (before == 0) return absl::OkStatus();
  return refuse("Illegal common runtime args for kernel ", kernel, ": its ", before,
                " are set already; change them through GetCommonRuntimeArgs");
}

absl::Status check_common_arguments(absl::string_view kernel, uint64_t count, uint64_t before,
                                    uint64_t most) {
  LM_RETURN_IF_ERROR(check_limit(kernel, most, count));
  if (before == 0 || count <= before) return absl::OkStatus();
  return refuse("Illegal common runtime args for kernel ", kernel,
                ": their number cannot grow from ", before, " to ", count);
}

}  // namespace lightmetal::host
