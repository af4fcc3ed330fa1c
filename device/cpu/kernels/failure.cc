#include "device/cpu/kernels/failure.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "device/cpu/machine/core_state.h"

namespace lightmetal::device::cpu {
namespace {

std::string line_of(const KernelRun& run, const KernelStack& stack) {
  const std::optional<SourceLine> line = run.kernel->source_line(stack.addresses());
  return line.has_value() ? absl::StrCat(line->file, ":", line->line) : "";
}

std::string started_at_line(const KernelRun& run) {
  const std::string line = line_of(run, run.started_at);
  return line.empty() ? "" : absl::StrCat("; the transfer was started at ", line);
}

}  // namespace

std::string at_line(const KernelRun& run, const KernelStack& stack) {
  const std::string line = line_of(run, stack);
  return line.empty() ? "" : absl::StrCat(" (at ", line, ")");
}

// The run is used again for other kernels, so nothing of this failure may stay in it.
absl::Status take_failure(KernelRun& run) {
  const absl::Status failure = std::exchange(run.failure, absl::OkStatus());
  const std::string started = started_at_line(run);
  run.started_at = {};
  return {failure.code(), absl::StrCat(name_of(run), ": ", failure.message(), started,
                                       at_line(run, run.failed_at))};
}

// By frame pointers, since unwinding (KernelRun::fail) takes more than 4 KiB, and with an error
// that is there, since making one takes malloc's lock.
void stop_on_full_stack(KernelRun& run, KernelFrame caller) {
  run.failed_at = stack_from(run, caller, /*is_call=*/true);
  run.failure = run.stack_is_full;
  run.stop();
}

// An L1 has more than 4 bytes, so the subtraction does not wrap.
void require_word(KernelRun& run, uint32_t l1_address) {
  const uint64_t l1_size = run.core->l1_size;
  if (l1_address % 4 == 0 && l1_address <= l1_size - 4) return;
  run.fail(absl::OutOfRangeError(absl::StrFormat("no semaphore can be at L1 0x%x", l1_address)));
  run.stop();
}

}  // namespace lightmetal::device::cpu
