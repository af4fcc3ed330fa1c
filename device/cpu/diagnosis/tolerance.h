#pragma once

#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "device/cpu/diagnosis/kernel_stack.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

// What hardware lets pass though it is hardly meant: a kernel that does it runs here as it does
// there, after one line on the standard error for each kind and place; when the check for that kind
// is on (kernel_abi::Check), it fails the launch.
namespace lightmetal::device::cpu {

struct KernelRun;

// A warning that a kernel has earned and its worker has not shown yet.
struct PendingWarning {
  kernel_abi::Misuse misuse{};
  KernelStack at;
  std::string text;
};

// Returns when the kernel may go on; else it has failed the launch and does not return. `message`
// begins with the circular buffer or the transfer; `cb` is the circular buffer that it is about, if
// it is about one. Called on the kernel's fiber, with nothing on it that owns anything.
void tolerate(KernelRun& run, kernel_abi::Misuse misuse, uint32_t cb, absl::string_view message);

// The places that were warned about since a device was opened. Thread-safe.
class Warnings {
 public:
  // Whether a kernel's misuse at a place has not been seen before.
  bool is_new(absl::string_view kernel, kernel_abi::Misuse misuse, const KernelStack& at);

  // Writes the line, unless one for the same line of the kernel's source was written. Called on the
  // worker's own stack: source lines need more than a fiber may have left.
  void show(const KernelRun& run, const PendingWarning& warning);

  // For what is seen before any kernel runs; `check` makes it an error.
  void show_once(const std::string& text, uint32_t check);

 private:
  Mutex mutex_;
  absl::flat_hash_set<std::string> places_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
