#include "device/cpu/kernel_run.h"

#include "absl/strings/str_format.h"
#include "device/cpu/core_state.h"
#include "device/cpu/diagnosis/kernel_diagnosis.h"
#include "device/cpu/memory_guard.h"

namespace lightmetal::device::cpu {

KernelRun::KernelRun(std::unique_ptr<Fiber> its_fiber) : fiber(std::move(its_fiber)) {}
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
  const kernel_abi::PageCounters& counters = run.core->counters[wait.subject];
  const uint32_t used = counters.pushed - counters.popped;
  if (wait.kind == Wait::Kind::kPagesAtFront) return used >= wait.amount;
  return run.context().cb[wait.subject].num_pages - used >= wait.amount;
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

std::string name_of(const KernelRun& run) {
  return absl::StrFormat("%s (%d,%d) %s kernel %s", kind_name(run.core->kind), run.core->core.x,
                         run.core->core.y, processor_name(run.plan->processor), run.plan->name);
}

}  // namespace lightmetal::device::cpu
