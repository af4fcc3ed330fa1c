#include "device/cpu/threads/deadlock_report.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "device/cpu/ethernet/services.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/machine/core_state.h"

namespace lightmetal::device::cpu {
namespace {

constexpr size_t kMostKernels = 16;

std::string word_name(const KernelRun& run) {
  using namespace kernel_abi;
  const uint32_t address = run.wait.subject;
  if (run.core->kind == CoreKind::kEthernet) {
    if (const std::string name = channel_word_name(address); !name.empty()) return name;
  }
  const uint32_t offset = address - kSemaphoreAddress;
  if (address >= kSemaphoreAddress && address < kArgsAddress && offset % kSemaphoreStride == 0) {
    return absl::StrFormat("semaphore %d (L1 0x%x)", offset / kSemaphoreStride, address);
  }
  return absl::StrFormat("the word at L1 0x%x", address);
}

// Who else may write the words of an Ethernet core: kernels behind the wire.
std::string origin_of(const CoreState& core) {
  if (core.kind != CoreKind::kEthernet) return "";
  return absl::StrCat("; it or its own chip may be written by ", wire_name(core));
}

std::string describe_word(const KernelRun& run) {
  const Wait& wait = run.wait;
  const uint32_t value =
      WordWaiters::word(run.core->l1, wait.subject).load(std::memory_order_acquire);
  const char* test = wait.at_least ? ">=" : wait.at_most ? "<=" : "==";
  return absl::StrFormat("%s: waits for %s %d, holds %d%s", word_name(run), test, wait.amount,
                         value, origin_of(*run.core));
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
                         kernel_abi::circular_buffer_at(run.context(), wait.subject).num_pages);
}

// A wait of a part of a compute kernel for another part.
std::string describe_part_wait(const KernelRun& run) {
  const Wait& wait = run.wait;
  const ComputeParts& parts = *run.core->parts;
  const auto part = [](uint32_t number) {
    return part_name(static_cast<kernel_abi::Part>(number));
  };
  switch (wait.kind) {
    case Wait::Kind::kOperands:
      return "waits for operands that UNPACK reads";
    case Wait::Kind::kRoomForOperands:
      return absl::StrFormat("waits until %s takes operands, of which %d are unpacked",
                             part(wait.subject), parts.unpacked[wait.subject].size());
    case Wait::Kind::kMail:
      return absl::StrFormat("waits for a word in the mailbox from %s",
                             part(wait.subject / ComputeParts::kParts));
    case Wait::Kind::kRoomForMail:
      return absl::StrFormat("waits for room in the mailbox to %s, which holds %d words",
                             part(wait.subject % ComputeParts::kParts),
                             parts.mailboxes[wait.subject].size());
    case Wait::Kind::kPartSemaphore:
      return absl::StrFormat("semaphore %d between the processors: waits while it is 0",
                             wait.subject);
    case Wait::Kind::kRoomInPartSemaphore:
      return absl::StrFormat("semaphore %d between the processors: waits while it is %d, its most",
                             wait.subject, parts.semaphores[wait.subject].value);
    case Wait::Kind::kDstFree:
      return "waits for a free section of DST, which PACK releases";
    default:
      return "waits for a section of DST, which MATH commits";
  }
}

std::string describe_wait(const KernelRun& run) {
  if (run.state == KernelRun::State::kAwaitsStart) return "waits for other kernels to start";
  if (run.state != KernelRun::State::kBlocked)
    return "polls memory or loops for ever, and nothing changes";
  switch (run.wait.kind) {
    case Wait::Kind::kWord:
      return describe_word(run);
    case Wait::Kind::kPagesAtFront:
    case Wait::Kind::kPagesFree:
      return describe_pages(run);
    default:
      return describe_part_wait(run);
  }
}

// Where the kernel waits; empty for a kernel that has not begun.
std::string place_of_wait(const KernelRun& run) {
  if (run.waits_at.counter == 0) return "";
  return at_line(run, stack_from(run, run.waits_at, /*is_call=*/true));
}

}  // namespace

BlockedKernel describe(const KernelRun& run) {
  return {.core = run.core->core,
          .processor = run.plan->processor,
          .part = run.part,
          .text = absl::StrCat(name_of(run), ": ", describe_wait(run), place_of_wait(run))};
}

// Sorted, because workers give up their cores in any order and a report should read the same.
std::string deadlock_report(const std::string& heading, std::vector<BlockedKernel> blocked) {
  std::sort(blocked.begin(), blocked.end(), [](const BlockedKernel& a, const BlockedKernel& b) {
    return std::tie(a.core.y, a.core.x, a.processor, a.part) <
           std::tie(b.core.y, b.core.x, b.processor, b.part);
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
