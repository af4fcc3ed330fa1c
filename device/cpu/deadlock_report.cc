#include "device/cpu/deadlock_report.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "device/cpu/core_state.h"

namespace lightmetal::device::cpu {
namespace {

constexpr size_t kMostKernels = 16;

std::string word_name(uint32_t address) {
  using namespace kernel_abi;
  const uint32_t offset = address - kSemaphoreAddress;
  if (address >= kSemaphoreAddress && address < kArgsAddress && offset % kSemaphoreStride == 0) {
    return absl::StrFormat("semaphore %d (L1 0x%x)", offset / kSemaphoreStride, address);
  }
  return absl::StrFormat("the word at L1 0x%x", address);
}

std::string describe_word(const KernelRun& run) {
  const Wait& wait = run.wait;
  const uint32_t value =
      WordWaiters::word(run.core->l1, wait.subject).load(std::memory_order_acquire);
  return absl::StrFormat("%s: waits for %s %d, holds %d", word_name(wait.subject),
                         wait.at_least ? ">=" : "==", wait.amount, value);
}

std::string describe_pages(const KernelRun& run) {
  const Wait& wait = run.wait;
  const kernel_abi::PageCounters& counters = run.core->counters[wait.subject];
  const bool front = wait.kind == Wait::Kind::kPagesAtFront;
  return absl::StrFormat("circular buffer %d: waits for %d %s at the %s, holds %d of %d",
                         wait.subject, wait.amount,
                         front ? (wait.amount == 1 ? "page" : "pages")
                               : (wait.amount == 1 ? "free page" : "free pages"),
                         front ? "front" : "back", counters.pushed - counters.popped,
                         run.context().cb[wait.subject].num_pages);
}

std::string describe_wait(const KernelRun& run) {
  if (run.state != KernelRun::State::kBlocked) return "polls memory, and nothing changes";
  return run.wait.kind == Wait::Kind::kWord ? describe_word(run) : describe_pages(run);
}

}  // namespace

BlockedKernel describe(const KernelRun& run) {
  return {.core = run.core->core,
          .processor = run.plan->processor,
          .text = absl::StrCat(name_of(run), ": ", describe_wait(run))};
}

std::string deadlock_report(const std::string& heading, std::vector<BlockedKernel> blocked) {
  std::sort(blocked.begin(), blocked.end(), [](const BlockedKernel& a, const BlockedKernel& b) {
    return std::tie(a.core.y, a.core.x, a.processor) < std::tie(b.core.y, b.core.x, b.processor);
  });
  std::string report = absl::StrFormat("%s; %d %s not ended:", heading, blocked.size(),
                                       blocked.size() == 1 ? "kernel has" : "kernels have");
  for (size_t i = 0; i < std::min(blocked.size(), kMostKernels); ++i) {
    absl::StrAppend(&report, "\n  ", blocked[i].text);
  }
  if (blocked.size() > kMostKernels)
    absl::StrAppend(&report, "\n  and ", blocked.size() - kMostKernels, " more");
  return report;
}

}  // namespace lightmetal::device::cpu
