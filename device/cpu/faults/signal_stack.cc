#include "device/cpu/faults/signal_stack.h"

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "device/cpu/memory/mapping.h"
#include "device/cpu/memory/memory_guard.h"

namespace lightmetal::device::cpu {
namespace {

constexpr uint64_t kSignalStackSize = 64 << 10;
constexpr uint32_t kMostStacks = 4096;
constexpr uint64_t kStateOffset = kSignalStackSize - sizeof(ThreadState);

// SS_AUTODISARM, which the C library's headers do not have (Linux 4.7). With it the system always
// begins at the end of the signal stack, wherever the interrupted code has put its stack pointer.
constexpr int kDisarm = static_cast<int>(1U << 31);

std::atomic<uint64_t> range_begin{0};  // for handlers
std::atomic<uint32_t> places_used{0};

// The stacks of all threads, in one range. It lives as long as the process, because a handler may
// look at it at any time.
class StackRange {
 public:
  explicit StackRange(Mapping memory) : memory_(std::move(memory)) {}

  std::byte* begin() const { return memory_.data(); }

  std::optional<uint32_t> take() {
    MutexLock lock(&mutex_);
    if (!returned_.empty()) {
      const uint32_t place = returned_.back();
      returned_.pop_back();
      return place;
    }
    if (used_ == kMostStacks) return std::nullopt;
    // The lowest page stays closed, so that an overflow faults. Kernels may not write to the stack,
    // and the system begins a handler with the rights for the host's memory alone.
    std::byte* const stack = begin() + used_ * kSignalStackSize;
    if (refuse_kernels(stack + page_size(), kSignalStackSize - page_size()) != 0)
      return std::nullopt;
    places_used.store(used_ + 1, std::memory_order_relaxed);
    return used_++;
  }

  void give_back(uint32_t place) {
    MutexLock lock(&mutex_);
    returned_.push_back(place);
  }

 private:
  const Mapping memory_;
  Mutex mutex_;
  uint32_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<uint32_t> returned_ ABSL_GUARDED_BY(mutex_);
};

// Made at the first call; null when there is no address space for it.
StackRange* stack_range() {
  static StackRange* const made_once = [] {
    auto memory = Mapping::reserve(kMostStacks * kSignalStackSize, kSignalStackSize);
    if (!memory.ok()) return static_cast<StackRange*>(nullptr);
    auto* const made = new StackRange(*std::move(memory));
    range_begin.store(reinterpret_cast<uint64_t>(made->begin()));
    return made;
  }();
  return made_once;
}

bool has_signal_stack() {
  stack_t current = {};
  sigaltstack(nullptr, &current);
  return (current.ss_flags & SS_DISABLE) == 0;
}

bool use_stack(std::byte* begin, uint64_t size) {
  stack_t stack = {.ss_sp = begin, .ss_flags = kDisarm, .ss_size = size};
  if (sigaltstack(&stack, nullptr) == 0) return true;
  stack.ss_flags = 0;
  return sigaltstack(&stack, nullptr) == 0;
}

}  // namespace

SignalStack::SignalStack() {
  if (has_signal_stack() || stack_range() == nullptr) return;
  place_ = stack_range()->take();
  if (!place_.has_value()) return;  // A kernel that overflows its stack then ends the process.
  std::byte* const begin = stack_range()->begin() + *place_ * kSignalStackSize;
  if (!use_stack(begin + page_size(), kStateOffset / 64 * 64 - page_size())) return;
  state_ = new (begin + kStateOffset) ThreadState;
#if defined(__x86_64__) || defined(__aarch64__)
  state_->thread_pointer = reinterpret_cast<uint64_t>(__builtin_thread_pointer());
#endif
}

SignalStack::~SignalStack() {
  if (!place_.has_value()) return;
  const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  if (state_ != nullptr) sigaltstack(&none, nullptr);
  stack_range()->give_back(*place_);
}

ThreadState* SignalStack::state_at(const void* frame) {
  const uint64_t begin = range_begin.load(std::memory_order_relaxed);
  const uint64_t offset = reinterpret_cast<uint64_t>(frame) - begin;
  if (begin == 0 || offset >= kMostStacks * kSignalStackSize) return nullptr;
  return reinterpret_cast<ThreadState*>(begin + offset / kSignalStackSize * kSignalStackSize +
                                        kStateOffset);
}

const KernelRun* SignalStack::any_running() {
  const uint64_t begin = range_begin.load(std::memory_order_relaxed);
  for (uint32_t place = 0; place < places_used.load(std::memory_order_relaxed); ++place) {
    const auto* state =
        reinterpret_cast<const ThreadState*>(begin + place * kSignalStackSize + kStateOffset);
    if (state->running != nullptr) return state->running;
    if (state->polling != nullptr) return state->polling;
  }
  return nullptr;
}

}  // namespace lightmetal::device::cpu
