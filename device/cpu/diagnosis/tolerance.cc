#include "device/cpu/diagnosis/tolerance.h"

#include <cstdio>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/text.h"
#include "device/cpu/core_state.h"
#include "device/cpu/diagnosis/checks.h"
#include "device/cpu/diagnosis/failure.h"
#include "device/cpu/machine.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Misuse;

// The check that makes it an error.
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
  }
  return kernel_abi::kCheckCircularBuffers;  // A kernel may pass any number.
}

// The names of a kernel and what it says may come from a file.
std::string on_one_line(absl::string_view text) {
  return absl::StrReplaceAll(without_controls(text), {{"\n", "\\n"}});
}

// One line, written at once.
void write_warning(absl::string_view text, uint32_t check, absl::string_view place) {
  const std::string line = absl::StrCat(
      "warning: ", on_one_line(text),
      "; hardware lets it pass, and with LIGHTMETAL_CPU_DEVICE_CHECKS=", check_name(check),
      " it is an error", on_one_line(place), "\n");
  std::fputs(line.c_str(), stderr);
}

// A sharded operand in place: nobody pushes its pages, for they are there.
bool is_globally_allocated(const KernelRun& run, uint32_t cb) {
  return cb < kernel_abi::kMaxCircularBuffers && (run.core->globally_allocated >> cb & 1) != 0;
}

// Separate, so that the strings are gone when the kernel stops.
__attribute__((noinline)) bool passes(KernelRun& run, Misuse misuse, uint32_t cb,
                                      absl::string_view message) {
  if ((run.context().checks & check_for(misuse)) != 0) {
    run.fail(absl::FailedPreconditionError(message));
    return false;
  }
  if (misuse == Misuse::kPages && is_globally_allocated(run, cb)) return true;
  const KernelStack at = stack_of_caller(run);
  if (!run.worker->machine().warnings().is_new(run.plan->name, misuse, at)) return true;
  run.warning = std::make_unique<PendingWarning>(PendingWarning{misuse, at, std::string(message)});
  return true;
}

}  // namespace

void tolerate(KernelRun& run, Misuse misuse, uint32_t cb, absl::string_view message) {
  require_stack(run);
  if (!passes(run, misuse, cb, message)) run.stop();
  if (run.warning != nullptr) run.let_worker_warn();
}

bool Warnings::is_new(absl::string_view kernel, Misuse misuse, const KernelStack& at) {
  std::string key = absl::StrCat(static_cast<uint32_t>(misuse), " ", kernel);
  for (uint64_t address : at.addresses()) absl::StrAppend(&key, " ", address);
  MutexLock lock(&mutex_);
  return places_.insert(std::move(key)).second;
}

void Warnings::show(const KernelRun& run, const PendingWarning& warning) {
  const std::string line = at_line(run, warning.at);
  if (!line.empty()) {
    MutexLock lock(&mutex_);
    std::string key =
        absl::StrCat(static_cast<uint32_t>(warning.misuse), " ", run.plan->name, line);
    if (!places_.insert(std::move(key)).second) return;
  }
  write_warning(absl::StrCat(name_of(run), ": ", warning.text), check_for(warning.misuse), line);
}

void Warnings::show_once(const std::string& text, uint32_t check) {
  {
    MutexLock lock(&mutex_);
    if (!places_.insert(text).second) return;
  }
  write_warning(text, check, "");
}

}  // namespace lightmetal::device::cpu
