#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "device/cpu/kernels/fiber.h"
#include "device/cpu/kernels/kernel_loader.h"
#include "device/cpu/kernels/kernel_stack.h"
#include "device/cpu/machine/waiter.h"
#include "device/device.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

struct CoreState;
struct KernelDiagnosis;

// A signal raised by kernel code.
struct Fault {
  int signal = 0;
  uint64_t address = 0;
  bool jumped = false;        // through a bad pointer, to `address`
  bool guarded = false;       // it is memory of the host, and that is guarded (memory_guard.h)
  bool foreign_call = false;  // the system call is one of another architecture
  int system_call = 0;        // the one that a filter of system calls has stopped (SIGSYS)
};

// A warning that a kernel has earned and its worker has not shown yet.
struct PendingWarning {
  kernel_abi::Misuse misuse{};
  KernelStack at;
  std::string text;
};

// One kernel on one core during one launch. Only its worker's thread touches it, except the Waiter
// while it is parked (word_waiters.h). Pooled by its worker.
struct KernelRun : Waiter {
  // kAwaitsStart: until all kernels of the launch are under way (LaunchState::all_under_way).
  enum class State : uint8_t { kReady, kYielded, kBlocked, kAwaitsStart, kEnded };

  explicit KernelRun(std::unique_ptr<Fiber> its_fiber);
  ~KernelRun();

  kernel_abi::Context& context() const { return fiber->context(); }

  // Called on the fiber.
  void yield() { suspend(State::kYielded); }
  void wait_for(Wait condition);  // returns at once when it holds
  // Before the kernel uses another core's L1, or lets others see a change of its own.
  void await_start() {
    if (!saw_start) [[unlikely]]
      wait_for_start();
  }
  // Fails the launch once the kernel has stopped, as it must next. `why` does not say who or where.
  void fail(absl::Status why);
  // Lets the worker show `warning`, then goes on.
  void let_worker_warn() { suspend(State::kReady); }
  // Stops for good, after fail(). REQUIRES: nothing on the fiber's stack owns anything, for
  // nothing there is destroyed.
  [[noreturn]] void stop();

  const std::unique_ptr<Fiber> fiber;
  // On pages of its own, which kernels may write to (memory_guard.h).
  static constexpr std::align_val_t kDstAlignment{4096};
  static constexpr size_t kDstBytes =
      sizeof(float) * kernel_abi::kDstTiles * kernel_abi::kTileElements;
  struct AlignedDelete {
    void operator()(float* tiles) const;
  };
  std::unique_ptr<float, AlignedDelete> dst;  // made when first needed by a compute kernel

  CoreState* core = nullptr;
  const KernelPlan* plan = nullptr;
  const CpuKernel* kernel = nullptr;
  State state = State::kReady;
  bool under_way = false;
  bool saw_start = false;  // that all kernels of the launch are under way
  Fault fault;
  KernelFrame waits_at;                     // while kBlocked or kYielded
  absl::Status failure;                     // of fail()
  KernelStack failed_at;                    // its place
  std::unique_ptr<PendingWarning> warning;  // null: none
  KernelStack started_at;  // the place of the transfer it is about, if it is about one
  // Made when first needed by a check; shared, since only the checks know how it ends.
  std::shared_ptr<KernelDiagnosis> diagnosis;
  std::string line;  // printed, but not yet ended

  KernelRun* next_ready = nullptr;

 private:
  void wait_for_start();
  void suspend(State next) {
    state = next;
    fiber->suspend();
  }
};

// The run whose context a kernel was given.
inline KernelRun& run_of(kernel_abi::Context* context) {
  return *static_cast<KernelRun*>(context->fiber);
}

// Whether `run`'s wait holds at this moment.
bool holds(const KernelRun& run);

// From the kernel's innermost frame; kernels keep frame pointers. Safe in a signal handler.
// `is_call`: the counter is where a call returns to.
KernelStack stack_from(const KernelRun& run, KernelFrame innermost, bool is_call);

// Of a kernel that has called a service, however deep in it this is. Called on the kernel's fiber.
KernelStack stack_of_caller(const KernelRun& run);

const char* processor_name(Processor processor);
const char* kind_name(CoreKind kind);  // "core", "Ethernet core"

// "core (1,2) RISCV_0 kernel reader.cpp"
std::string name_of(const KernelRun& run);

}  // namespace lightmetal::device::cpu
