#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
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
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"

namespace lightmetal::device::cpu {

struct CoreState;
struct KernelDiagnosis;
class RandomSchedule;

// A signal that kernel code has raised, as the fault handler found it.
struct Fault {
  int signal = 0;
  uint64_t address = 0;
  bool jumped = false;        // the kernel jumped to `address` through a bad pointer
  bool guarded = false;       // `address` is guarded memory of the host (memory_guard.h)
  bool foreign_call = false;  // the system call has the number of another architecture
  int system_call = 0;        // the call that a filter of system calls has stopped (SIGSYS)
};

// A warning about a kernel that the kernel's worker has not shown yet.
struct PendingWarning {
  kernel_abi::Misuse misuse{};
  KernelStack at;
  std::string text;
};

// One kernel on one core during one launch. Only the thread of its worker touches it, except for
// the Waiter while the kernel is parked (word_waiters.h). The worker keeps runs and uses them again
// for later kernels; core_setup.h sets all that a new kernel needs.
struct KernelRun : Waiter {
  // kReady: it can run. kYielded: it can run, and has only polled. kBlocked: its wait does not
  // hold, or it has failed. kAwaitsStart: it waits until all kernels of the launch are under way
  // (LaunchState::all_under_way). kInterrupted: it can run, and a random schedule lets others come
  // first.
  enum class State : uint8_t { kReady, kYielded, kBlocked, kAwaitsStart, kInterrupted, kEnded };

  explicit KernelRun(std::unique_ptr<Fiber> its_fiber);
  ~KernelRun();

  kernel_abi::Context& context() const { return fiber->context(); }

  // These are called on the fiber.
  void yield() { suspend(State::kYielded); }
  void let_others_run() { suspend(State::kInterrupted); }
  void wait_for(Wait condition);  // returns at once when the condition holds
  // To be called before the kernel uses another core's L1, or lets others see a change of its own.
  void await_start() {
    if (!saw_start) [[unlikely]]
      wait_for_start();
  }
  // Notes the error with which the worker fails the launch once the kernel has stopped; the caller
  // must call stop() next. `why` says neither which kernel nor where: take_failure() adds both.
  void fail(absl::Status why);
  // Lets the worker show `warning`, and returns when it has.
  void let_worker_warn() { suspend(State::kReady); }
  // Stops the kernel for good, after fail(). REQUIRES: no object on the fiber's stack owns
  // anything, because none of them is destroyed.
  [[noreturn]] void stop();

  const std::unique_ptr<Fiber> fiber;
  // DST lies on pages of its own, so that kernels may write to it alone (memory_guard.h).
  static constexpr std::align_val_t kDstAlignment{4096};
  static constexpr size_t kDstBytes =
      sizeof(float) * kernel_abi::kDstTiles * kernel_abi::kTileElements;
  struct AlignedDelete {
    void operator()(float* tiles) const;
  };
  std::unique_ptr<float, AlignedDelete> dst;  // made when first needed by a compute kernel

  CoreState* core = nullptr;
  const KernelPlan* plan = nullptr;
  const CpuKernel* kernel = nullptr;  // the whole kernel, or its part
  std::optional<kernel_abi::Part> part;
  const kernel_abi::Services* services = nullptr;  // those of the kernel, or of its part
  State state = State::kReady;
  bool under_way = false;
  bool saw_start = false;  // the kernel need not ask any more whether all are under way
  Fault fault;
  KernelFrame waits_at;                     // where it waits, while kBlocked or kYielded
  absl::Status failure;                     // what fail() was given, or stack_is_full
  KernelStack failed_at;                    // where the kernel was then
  std::unique_ptr<PendingWarning> warning;  // null: none
  KernelStack started_at;  // where the transfer was started that `failure` is about, if any
  // Made when a check first needs it. A shared pointer, because that needs no definition of
  // KernelDiagnosis, which only the checks know, to destroy it.
  std::shared_ptr<KernelDiagnosis> diagnosis;
  std::string line;  // what the kernel has printed since its last end of line
  // "the kernel's stack of 248 KiB is full". Made in advance: a full stack has no room to make it.
  const absl::Status stack_is_full;

  RandomSchedule* schedule = nullptr;  // null: the kernel runs until it waits
  uint32_t priority = 0;               // with a random schedule: the highest runs first

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

// The kernel's stack from its innermost frame, found by frame pointers, which kernels are compiled
// to keep. `is_call`: the frame's counter is the address to which a call returns, not the
// instruction itself. Safe in a signal handler.
KernelStack stack_from(const KernelRun& run, KernelFrame innermost, bool is_call);

// The stack of a kernel that has called a service, however deep in the service the caller is.
// Called on the kernel's fiber. Not for signal handlers.
KernelStack stack_of_caller(const KernelRun& run);

const char* processor_name(Processor processor);
const char* part_name(kernel_abi::Part part);  // "UNPACK", "MATH", "PACK"
const char* kind_name(CoreKind kind);          // "core", "Ethernet core"

// "core (1,2) RISCV_0 kernel reader.cpp", and of a part "core (1,2) MATH kernel compute.cpp"
std::string name_of(const KernelRun& run);

}  // namespace lightmetal::device::cpu
