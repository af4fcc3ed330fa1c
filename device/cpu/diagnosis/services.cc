#include "device/cpu/diagnosis/services.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "device/cpu/diagnosis/kernel_diagnosis.h"
#include "device/cpu/diagnosis/tolerance.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/kernels/zones.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/machine/event_counts.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/memory/initialised_memory.h"
#include "device/cpu/schedule/random_schedule.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::CircularBufferCall;
using kernel_abi::Context;
using kernel_abi::NocBarrier;
using Unfinished = DelayedTransfers::Unfinished;

bool checks(const Context& context, kernel_abi::Check check) {
  return (context.checks & check) != 0;
}

const char* barrier_of(TransferKind kind) {
  return kind == TransferKind::kRead ? "noc_async_read_barrier" : "noc_async_write_barrier";
}

void noc_barrier(Context* context, NocBarrier barrier) {
  KernelRun& run = run_of(context);
  require_stack(run);
  run.worker->note_activity();
  if (run.schedule != nullptr) return run.schedule->finish(run, barrier);
  if (checks(*context, kernel_abi::kDelayTransfers)) run.diagnosis->transfers.finish(barrier);
}

// Kernels call this only where Context::checks has kCountEvents.
void count_event(Context* context, kernel_abi::Event event, const char* name) {
  KernelRun& run = run_of(context);
  require_stack(run);
  Machine& machine = run.worker->machine();
  const bool ends = event == kernel_abi::Event::kProfilerZoneEnd;
  if (machine.event_counts() != nullptr && !ends)
    machine.event_counts()->add(run.plan->name, event, name);
  if (machine.marks_zones() && (ends || event == kernel_abi::Event::kProfilerZone))
    mark_zone(run, machine.chip_id(), name, !ends);
}

// Pages must not change hands while a transfer still works on them: a read into pages must be done
// before they are pushed, a write from pages before they are popped.
absl::Status check_unfinished(KernelRun& run, CircularBufferCall call, uint32_t index,
                              uint32_t pages) {
  const kernel_abi::CircularBuffer& cb = kernel_abi::circular_buffer_at(run.context(), index);
  const DelayedTransfers& transfers = run.diagnosis->transfers;
  const uint64_t size = uint64_t{pages} * cb.page_size;
  const bool push = call == CircularBufferCall::kPush;
  const Unfinished* unfinished = push ? transfers.read_into(*run.core, cb.write_ptr, size)
                                      : transfers.write_from(*run.core, cb.read_ptr, size);
  if (unfinished == nullptr) return absl::OkStatus();
  const TransferKind kind = unfinished->transfer.kind;
  run.started_at = unfinished->started_at;
  return absl::FailedPreconditionError(absl::StrFormat(
      "circular buffer %d: %s while a %s %s them is not waited for: %s is missing before", index,
      push ? "pushes pages" : "pops pages", name_of(kind), push ? "into" : "from",
      barrier_of(kind)));
}

absl::Status check_call(KernelRun& run, CircularBufferCall call, uint32_t index, uint32_t pages) {
  const Context& context = run.context();
  KernelDiagnosis& diagnosis = *run.diagnosis;
  absl::Status status;
  if (checks(context, kernel_abi::kCheckCircularBuffers))
    status = diagnosis.circular_buffers.note(
        call, index, pages, kernel_abi::circular_buffer_at(context, index).num_pages);
  const bool moves = call == CircularBufferCall::kPush || call == CircularBufferCall::kPop;
  if (!status.ok() || !moves || !checks(context, kernel_abi::kDelayTransfers)) return status;
  return check_unfinished(run, call, index, pages);
}

void circular_buffer_call(Context* context, CircularBufferCall call, uint32_t cb, uint32_t pages) {
  KernelRun& run = run_of(context);
  if (run.diagnosis == nullptr || cb >= kernel_abi::kMaxCircularBuffers) return;
  require_stack(run);
  if (run.schedule != nullptr) run.schedule->let_others_run(run);
  run.failure = check_call(run, call, cb, pages);
  if (run.failure.ok()) [[likely]]
    return;
  run.failed_at = stack_of_caller(run);
  run.stop();
}

bool creates_semaphore(const LaunchPlan& plan, uint32_t id) {
  return std::any_of(plan.cores.begin(), plan.cores.end(), [id](const CorePlan& core) {
    return std::any_of(core.semaphores.begin(), core.semaphores.end(),
                       [id](const SemaphorePlan& each) { return each.id == id; });
  });
}

void semaphore_used(Context* context, uint32_t id) {
  KernelRun& run = run_of(context);
  if (run.diagnosis == nullptr || creates_semaphore(*run.diagnosis->plan, id)) return;
  require_stack(run);
  run.fail(absl::FailedPreconditionError(
      absl::StrFormat("semaphore %d was not created by the program on any core", id)));
  run.stop();
}

// The marks of the core's L1; null for a range that leaves L1, since touching it faults anyway.
std::byte* marks_of(const KernelRun& run, uint32_t address, uint32_t size) {
  return uint64_t{address} + size <= run.core->l1_size ? run.core->initialised : nullptr;
}

void l1_loaded(Context* context, uint32_t address, uint32_t size) {
  KernelRun& run = run_of(context);
  const std::byte* marks = marks_of(run, address, size);
  if (marks == nullptr) return;
  const auto found = find_uninitialised(marks, address, size);
  if (!found.has_value()) [[likely]]
    return;
  require_stack(run);
  run.fail(absl::FailedPreconditionError(
      absl::StrFormat("reads %d bytes of L1 at 0x%x, where nothing has been written at 0x%x", size,
                      address, *found)));
  run.stop();
}

void l1_stored(Context* context, uint32_t address, uint32_t size) {
  const KernelRun& run = run_of(context);
  std::byte* marks = marks_of(run, address, size);
  if (marks != nullptr) mark_initialised(marks, address, size);
}

void tolerate_misuse(Context* context, kernel_abi::Misuse misuse, uint32_t cb,
                     const char* message) {
  tolerate(run_of(context), misuse, cb, message);
}

}  // namespace

const kernel_abi::DiagnosisServices& diagnosis_services() {
  static constexpr kernel_abi::DiagnosisServices kServices = {
      .noc_barrier = noc_barrier,
      .count_event = count_event,
      .circular_buffer_call = circular_buffer_call,
      .semaphore_used = semaphore_used,
      .l1_loaded = l1_loaded,
      .l1_stored = l1_stored,
      .tolerate = tolerate_misuse,
  };
  return kServices;
}

void begin_diagnosis(KernelRun& run, const LaunchPlan& plan) {
  if (run.diagnosis == nullptr) run.diagnosis = std::make_shared<KernelDiagnosis>();
  run.diagnosis->plan = &plan;
  run.diagnosis->circular_buffers = {};
  run.diagnosis->transfers.clear();
}

absl::Status end_diagnosis(KernelRun& run) {
  if (!checks(run.context(), kernel_abi::kDelayTransfers)) return absl::OkStatus();
  const Unfinished* unfinished = run.diagnosis->transfers.first();
  if (unfinished == nullptr) return absl::OkStatus();
  const TransferKind kind = unfinished->transfer.kind;
  run.failed_at = unfinished->started_at;
  run.failure = absl::FailedPreconditionError(
      absl::StrFormat("the kernel ends and a %s of %d bytes was not waited for: %s is missing",
                      name_of(kind), unfinished->transfer.size, barrier_of(kind)));
  return take_failure(run);
}

}  // namespace lightmetal::device::cpu
