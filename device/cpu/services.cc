#include "device/cpu/services.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "device/cpu/core_state.h"
#include "device/cpu/noc_transfer.h"
#include "device/cpu/worker.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;

KernelRun& run_of(Context* context) { return *static_cast<KernelRun*>(context->fiber); }

void wait_for_pages(Context* context, Wait::Kind kind, uint32_t cb, uint32_t pages) {
  KernelRun& run = run_of(context);
  if (cb >= kernel_abi::kMaxCircularBuffers || context->cb[cb].num_pages == 0) {
    run.worker->fail(absl::FailedPreconditionError(
        absl::StrCat(name_of(run), ": circular buffer ", cb, " does not exist on this core")));
    run.stop();
  }
  run.wait_for({.kind = kind, .subject = cb, .amount = pages});
}

void cb_wait_front(Context* context, uint32_t cb, uint32_t pages) {
  wait_for_pages(context, Wait::Kind::kPagesAtFront, cb, pages);
}

void cb_reserve_back(Context* context, uint32_t cb, uint32_t pages) {
  wait_for_pages(context, Wait::Kind::kPagesFree, cb, pages);
}

void semaphore_wait(Context* context, uint32_t l1_address, uint32_t value, uint32_t at_least) {
  KernelRun& run = run_of(context);
  require_word(run, l1_address);
  run.wait_for({.kind = Wait::Kind::kWord,
                .subject = l1_address,
                .amount = value,
                .at_least = at_least != 0});
}

void yield(Context* context) { run_of(context).yield(); }

void write_line(KernelRun& run, absl::string_view text) {
  run.worker->machine().print_sink().write_line(run.core->core, run.plan->processor, text);
}

void print(Context* context, const char* text, uint32_t length) {
  KernelRun& run = run_of(context);
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
  if (*file == 0) {
    run.worker->fail(absl::InternalError(absl::StrCat(name_of(run), ": ", message)));
  } else {
    run.worker->fail(
        absl::InternalError(absl::StrFormat("%s: %s:%d: %s", name_of(run), file, line, message)));
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
