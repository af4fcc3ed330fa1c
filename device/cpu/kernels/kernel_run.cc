#include "device/cpu/kernels/kernel_run.h"

#include <unwind.h>

#include "absl/strings/str_format.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/memory/memory_guard.h"

namespace lightmetal::device::cpu {
namespace {

#if defined(__x86_64__)
constexpr int kFramePointer = 6;  // DWARF's number of the register
#else
constexpr int kFramePointer = 29;
#endif

// Adds the callers of the function whose frame this is. A frame begins with the caller's frame
// pointer and the address to which the function returns. A kernel may have written anything there,
// so each frame must lie on the stack, behind the one before it, and lead into the kernel's code.
void push_callers(const KernelRun& run, uint64_t frame, KernelStack& stack) {
  constexpr uint64_t kFrameSize = 2 * sizeof(uint64_t);
  uint64_t lowest = run.fiber->stack_begin();
  while (frame >= lowest && frame <= run.fiber->stack_end() - kFrameSize && frame % 8 == 0) {
    const auto* words = reinterpret_cast<const uint64_t*>(frame);
    const uint64_t call = words[1] - 1;  // a call that does not return may be the last of the code
    if (!run.kernel->contains(call) || stack.full()) return;
    stack.push(call);
    lowest = frame + kFrameSize;
    frame = words[0];
  }
}

struct Search {
  const KernelRun& run;
  KernelStack stack;
};

// A callback of _Unwind_Backtrace(). Our own functions have unwind tables and kernels have none, so
// the backtrace leads exactly up to the first frame of kernel code; from there on, frame pointers
// do.
_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* opaque_search) {
  auto& search = *static_cast<Search*>(opaque_search);
  const uint64_t counter = _Unwind_GetIP(context);
  if (!search.run.kernel->contains(counter - 1)) return _URC_NO_REASON;
  const KernelFrame frame{.counter = counter, .pointer = _Unwind_GetGR(context, kFramePointer)};
  search.stack = stack_from(search.run, frame, /*is_call=*/true);
  return _URC_NORMAL_STOP;
}

}  // namespace

KernelRun::KernelRun(std::unique_ptr<Fiber> its_fiber)
    : fiber(std::move(its_fiber)),
      stack_is_full(
          absl::InternalError(absl::StrFormat("the kernel's stack of %d KiB is full",
                                              (fiber->stack_end() - fiber->stack_begin()) >> 10))) {
}
KernelRun::~KernelRun() = default;

void KernelRun::AlignedDelete::operator()(float* tiles) const {
  if (host_memory_is_guarded()) refuse_kernels(tiles, kDstBytes);
  ::operator delete(tiles, kDstAlignment);
}

void KernelRun::fail(absl::Status why) {
  failed_at = stack_of_caller(*this);
  failure = std::move(why);
}

void KernelRun::wait_for(Wait condition) {
  wait = condition;
  const bool must_block =
      wait.kind == Wait::Kind::kWord ? core->waiters.park(*this) : !holds(*this);
  if (must_block) suspend(State::kBlocked);
}

void KernelRun::wait_for_start() {
  saw_start = true;
  waits_at = {};
  if (!worker->all_under_way()) suspend(State::kAwaitsStart);
}

void KernelRun::stop() {
  while (true) suspend(State::kBlocked);  // Never resumed: the worker discards the fiber.
}

bool holds(const KernelRun& run) {
  const Wait& wait = run.wait;
  if (wait.kind == Wait::Kind::kWord) return WordWaiters::holds(wait, run.core->l1);
  if (wait.kind != Wait::Kind::kPagesAtFront && wait.kind != Wait::Kind::kPagesFree)
    return run.core->parts->holds(wait);
  const kernel_abi::PageCounters& counters = run.core->counters[wait.subject];
  const uint32_t used = counters.pushed - counters.popped;
  if (wait.kind == Wait::Kind::kPagesAtFront) return used >= wait.amount;
  return kernel_abi::circular_buffer_at(run.context(), wait.subject).num_pages - used >=
         wait.amount;
}

KernelStack stack_from(const KernelRun& run, KernelFrame innermost, bool is_call) {
  KernelStack stack;
  const uint64_t address = innermost.counter - (is_call ? 1 : 0);
  if (run.kernel->contains(address)) stack.push(address);
  push_callers(run, innermost.pointer, stack);
  return stack;
}

KernelStack stack_of_caller(const KernelRun& run) {
  Search search{run, {}};
  _Unwind_Backtrace(look_at_frame, &search);
  return search.stack;
}

const char* kind_name(CoreKind kind) {
  return kind == CoreKind::kEthernet ? "Ethernet core" : "core";
}

const char* processor_name(Processor processor) {
  switch (processor) {
    case Processor::kRiscv0:
      return "RISCV_0";
    case Processor::kRiscv1:
      return "RISCV_1";
    case Processor::kCompute:
      return "COMPUTE";
    case Processor::kEthernet:
      return "ETHERNET";
  }
  return "UNKNOWN";
}

const char* part_name(kernel_abi::Part part) {
  switch (part) {
    case kernel_abi::Part::kUnpack:
      return "UNPACK";
    case kernel_abi::Part::kMath:
      return "MATH";
    case kernel_abi::Part::kPack:
      return "PACK";
  }
  return "UNKNOWN";
}

std::string name_of(const KernelRun& run) {
  const char* processor =
      run.part.has_value() ? part_name(*run.part) : processor_name(run.plan->processor);
  return absl::StrFormat("%s (%d,%d) %s kernel %s", kind_name(run.core->kind), run.core->core.x,
                         run.core->core.y, processor, run.plan->name);
}

}  // namespace lightmetal::device::cpu
