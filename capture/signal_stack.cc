#include "capture/signal_stack.h"

#include <signal.h>
#include <sys/mman.h>

#include <cstddef>

namespace lightmetal::capture {
namespace {

// Room for what a handler saves of the processor (AMX alone is 8 KiB), for what it needs itself,
// and as much again for the program's own handler, which it calls.
constexpr size_t kSize = size_t{128} << 10;

class SignalStack {
 public:
  SignalStack() {
    stack_t current = {};
    if (sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;
    void* memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = memory;
    const stack_t stack = {.ss_sp = memory_, .ss_flags = 0, .ss_size = kSize};
    sigaltstack(&stack, nullptr);
  }

  // The thread may have set another stack meanwhile, which stays.
  ~SignalStack() {
    if (memory_ == nullptr) return;
    stack_t current = {};
    sigaltstack(nullptr, &current);
    const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    if (current.ss_sp == memory_ && sigaltstack(&none, nullptr) != 0) return;
    munmap(memory_, kSize);
  }

  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace

void have_signal_stack() { static thread_local const SignalStack stack; }

}  // namespace lightmetal::capture
