#include "device/cpu/services/services.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/schedule/random_schedule.h"
#include "device/cpu/services/noc_transfer.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;

// Waits for pages of a circular buffer. A wait for more pages than the circular buffer has could
// never end, so it fails at once. `frame` is the kernel's: only the service itself, which the
// kernel has called, can find it.
void wait_for_pages(Context* context, Wait::Kind kind, uint32_t cb, uint32_t pages,
                    KernelFrame frame) {
  KernelRun& run = run_of(context);
  require_stack(run);
  run.waits_at = frame;
  if (cb >= kernel_abi::kMaxCircularBuffers ||
      kernel_abi::circular_buffer_at(*context, cb).num_pages == 0) {
    run.fail(absl::FailedPreconditionError(
        absl::StrCat("circular buffer ", cb, " does not exist on this core")));
    run.stop();
  }
  const uint32_t num_pages = kernel_abi::circular_buffer_at(*context, cb).num_pages;
  if (pages > num_pages) {
    run.fail(absl::FailedPreconditionError(absl::StrFormat(
        "circular buffer %d: %s %d pages, more than the %d it has", cb,
        kind == Wait::Kind::kPagesAtFront ? "waits for" : "reserves", pages, num_pages)));
    run.stop();
  }
  run.wait_for({.kind = kind, .subject = cb, .amount = pages});
}

void cb_wait_front(Context* context, uint32_t cb, uint32_t pages) {
  wait_for_pages(context, Wait::Kind::kPagesAtFront, cb, pages, calling_frame());
}

void cb_reserve_back(Context* context, uint32_t cb, uint32_t pages) {
  wait_for_pages(context, Wait::Kind::kPagesFree, cb, pages, calling_frame());
}

void semaphore_wait(Context* context, uint32_t l1_address, uint32_t value, uint32_t at_least) {
  KernelRun& run = run_of(context);
  require_stack(run);
  run.waits_at = calling_frame();
  require_word(run, l1_address);
  run.wait_for({.kind = Wait::Kind::kWord,
                .at_least = at_least != 0,
                .subject = l1_address,
                .amount = value});
  if (run.schedule != nullptr) [[unlikely]]
    run.schedule->let_others_run(run);
}

void yield(Context* context) {
  KernelRun& run = run_of(context);
  require_stack(run);
  run.waits_at = calling_frame();
  run.yield();
}

// A line is written when it ends, so that lines of several kernels do not mix; what follows the
// last end of line waits in the run (flush_print).
void write_line(KernelRun& run, absl::string_view text) {
  run.worker->machine().print_sink().write_line(run.core->core, run.plan->processor, text);
}

void print(Context* context, const char* text, uint32_t length) {
  KernelRun& run = run_of(context);
  require_stack(run);
  run.worker->note_activity();
  if (!run.worker->machine().print_sink().prints(run.core->core)) return;
  absl::string_view rest(text, length);
  for (size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
    run.line.append(rest.data(), end);
    write_line(run, run.line);
    run.line.clear();
    rest.remove_prefix(end + 1);
  }
  run.line.append(rest.data(), rest.size());
}

void fail(Context* context, const char* file, uint32_t line, const char* message) {
  KernelRun& run = run_of(context);
  require_stack(run);
  if (*file == 0) {
    run.fail(absl::InternalError(message));
  } else {
    run.failure = absl::InternalError(absl::StrFormat("%s:%d: %s", file, line, message));
    run.failed_at = {};  // The message names the place already.
  }
  run.stop();
}

}  // namespace

void fill_core_services(kernel_abi::Services& services) {
  services.cb_wait_front = cb_wait_front;
  services.cb_reserve_back = cb_reserve_back;
  services.semaphore_wait = semaphore_wait;
  services.yield = yield;
  services.print = print;
  services.fail = fail;
  fill_noc_services(services);
}

void flush_print(KernelRun& run) {
  if (run.line.empty()) return;
  write_line(run, run.line);
  run.line.clear();
}

}  // namespace lightmetal::device::cpu
