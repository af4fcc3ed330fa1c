#include "device/cpu/diagnosis/tolerance.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "device/cpu/diagnosis/checks.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/machine/warnings.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Misuse;

// The check that makes a misuse an error.
uint32_t check_for(Misuse misuse) {
  switch (misuse) {
    case Misuse::kPages:
    case Misuse::kMissingBuffer:
      return kernel_abi::kCheckCircularBuffers;
    case Misuse::kBeyondBuffer:
      return kernel_abi::kCheckTiles;
    case Misuse::kIntegerArithmetic:
      return kernel_abi::kCheckIntegers;
    case Misuse::kReservedMemory:
      return kernel_abi::kCheckReserved;
    case Misuse::kLongPacket:
      return kernel_abi::kCheckPackets;
  }
  return kernel_abi::kCheckCircularBuffers;  // A kernel may pass any number.
}

// Equal for one misuse of one kernel at one place, which is a source line or a stack.
std::string key_of(Misuse misuse, const KernelRun& run, absl::string_view place) {
  return absl::StrCat(static_cast<uint32_t>(misuse), " ", run.plan->name, place);
}

std::string key_of(Misuse misuse, const KernelRun& run, const KernelStack& at) {
  return key_of(misuse, run, absl::StrCat(" ", absl::StrJoin(at.addresses(), " ")));
}

// Whether a circular buffer lies in a buffer, as that of a sharded operand does: its pages are
// there without anybody pushing them.
bool is_globally_allocated(const KernelRun& run, uint32_t cb) {
  return cb < kernel_abi::kMaxCircularBuffers && (run.core->globally_allocated >> cb & 1) != 0;
}

// False when the kernel must stop. A function of its own, so that its strings are destroyed before
// the kernel stops. A stack that was seen before needs no source line, which is dear to find.
__attribute__((noinline)) bool passes(KernelRun& run, Misuse misuse, uint32_t cb,
                                      absl::string_view message) {
  if ((run.context().checks & check_for(misuse)) != 0) {
    run.fail(absl::FailedPreconditionError(message));
    return false;
  }
  if (misuse == Misuse::kPages && is_globally_allocated(run, cb)) return true;
  const KernelStack at = stack_of_caller(run);
  if (!run.worker->machine().warnings().is_new(key_of(misuse, run, at))) return true;
  run.warning = std::make_unique<PendingWarning>(PendingWarning{misuse, at, std::string(message)});
  return true;
}

}  // namespace

void tolerate(KernelRun& run, Misuse misuse, uint32_t cb, absl::string_view message) {
  require_stack(run);
  if (!passes(run, misuse, cb, message)) run.stop();
  if (run.warning != nullptr) run.let_worker_warn();
}

void show_warning(KernelRun& run) {
  const std::unique_ptr<PendingWarning> warning = std::move(run.warning);
  Warnings& warnings = run.worker->machine().warnings();
  const std::string line = at_line(run, warning->at);
  if (!line.empty() && !warnings.is_new(key_of(warning->misuse, run, line))) return;
  warnings.show(absl::StrCat(name_of(run), ": ", warning->text),
                check_name(check_for(warning->misuse)), line);
}

}  // namespace lightmetal::device::cpu
