#include "device/cpu/diagnosis/kernel_stack.h"

#include <unwind.h>

#include "device/cpu/kernel_run.h"

namespace lightmetal::device::cpu {
namespace {

#if defined(__x86_64__)
constexpr int kFramePointer = 6;  // DWARF's number of the register
#else
constexpr int kFramePointer = 29;
#endif

// A frame begins with the caller's frame pointer and the address to return to.
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

// Our own functions have unwind tables, so each is left behind exactly, up to kernel code.
_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* opaque_search) {
  auto& search = *static_cast<Search*>(opaque_search);
  const uint64_t counter = _Unwind_GetIP(context);
  if (!search.run.kernel->contains(counter - 1)) return _URC_NO_REASON;
  const KernelFrame frame{.counter = counter, .pointer = _Unwind_GetGR(context, kFramePointer)};
  search.stack = stack_from(search.run, frame, /*is_call=*/true);
  return _URC_NORMAL_STOP;
}

}  // namespace

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

}  // namespace lightmetal::device::cpu
