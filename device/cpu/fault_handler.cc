#include "device/cpu/fault_handler.h"

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/signal_link.h"
#include "device/cpu/core_state.h"
#include "device/cpu/diagnosis/failure.h"
#include "device/cpu/diagnosis/system_call_names.h"
#include "device/cpu/mapping.h"
#include "device/cpu/memory_guard.h"
#include "device/cpu/worker.h"

namespace lightmetal::device::cpu {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool kSupported = true;
#else
constexpr bool kSupported = false;
#endif

constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

// initial-exec: a signal handler must not be the one that allocates it.
__attribute__((tls_model("initial-exec"))) constinit thread_local KernelRun* running = nullptr;

std::array<struct sigaction, 65>
    previous_actions;  // by signal; written before our handlers are there

const char* describe_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "invalid memory access (SIGSEGV)";
    case SIGBUS:
      return "invalid memory access (SIGBUS)";
    case SIGFPE:
      return "arithmetic error such as a division by zero (SIGFPE)";
    case SIGTRAP:
      return "breakpoint without a debugger (SIGTRAP)";
    default:
      return "illegal instruction or trap (SIGILL)";
  }
}

// Whether it is what the kernel's core calls an L1 address, though there may be no memory.
bool is_l1_address(const KernelRun& run, uint64_t address) {
  return address - run.context().l1_base < uint64_t{1} << 32;
}

std::string describe_address(const KernelRun& run) {
  const uint64_t address = run.fault.address;
  const uint64_t l1_address = address - run.context().l1_base;
  if (run.fault.signal != SIGSEGV && run.fault.signal != SIGBUS) {
    return absl::StrFormat("at instruction 0x%x", address);
  }
  if (is_l1_address(run, address)) return absl::StrFormat("at L1 address 0x%x", l1_address);
  return absl::StrFormat("at host address 0x%x", address);
}

bool in_guard(const KernelRun& run, uint64_t address) {
  return address >= run.fiber->guard() && address < run.fiber->stack_begin();
}

absl::Status describe_fault(const KernelRun& run) {
  if (run.fault.signal == SIGSYS) {
    return absl::PermissionDeniedError(absl::StrCat("makes the system call ",
                                                    name_of_system_call(run.fault.system_call),
                                                    ", and a kernel in the sandbox may make none"));
  }
  if (in_guard(run, run.fault.address)) return stack_is_full(run);
  // What lies around the L1s has no key of theirs either.
  if (run.fault.guarded && !is_l1_address(run, run.fault.address)) {
    return absl::PermissionDeniedError(absl::StrFormat(
        "writes to memory of the host, at address 0x%x (SIGSEGV)", run.fault.address));
  }
  return absl::InternalError(absl::StrCat(describe_signal(run.fault.signal), ", ",
                                          describe_address(run),
                                          run.fault.jumped ? ", by a jump to it" : ""));
}

// Runs on the fiber, in place of the kernel.
[[noreturn]] void leave_kernel(KernelRun* run) {
  if (host_memory_is_guarded()) leave_kernel_code();
  run->failure = describe_fault(*run);
  run->stop();
}

#if defined(__x86_64__)
uint64_t program_counter(const ucontext_t& state) {
  return static_cast<uint64_t>(state.uc_mcontext.gregs[REG_RIP]);
}

uint64_t frame_pointer(const ucontext_t& state) {
  return static_cast<uint64_t>(state.uc_mcontext.gregs[REG_RBP]);
}

// Of a call that has arrived and done nothing more. REQUIRES: the stack pointer is good.
uint64_t return_address(const ucontext_t& state) {
  return *reinterpret_cast<const uint64_t*>(state.uc_mcontext.gregs[REG_RSP]);
}

uint64_t stack_pointer(const ucontext_t& state) {
  return static_cast<uint64_t>(state.uc_mcontext.gregs[REG_RSP]);
}

void go_to_leave_kernel(ucontext_t& state, KernelRun* run, uint64_t stack) {
  constexpr greg_t kDirectionFlag = 1 << 10;  // the ABI wants it clear
  auto& registers = state.uc_mcontext.gregs;
  stack -= 24;                              // as after a call: 8 less than a multiple of 16
  *reinterpret_cast<uint64_t*>(stack) = 0;  // no return address: backtraces end here
  registers[REG_RSP] = static_cast<greg_t>(stack);
  registers[REG_RBP] = 0;
  registers[REG_RDI] = reinterpret_cast<greg_t>(run);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&leave_kernel);
  registers[REG_EFL] &= ~kDirectionFlag;
}
#elif defined(__aarch64__)
uint64_t program_counter(const ucontext_t& state) { return state.uc_mcontext.pc; }
uint64_t frame_pointer(const ucontext_t& state) { return state.uc_mcontext.regs[29]; }
uint64_t return_address(const ucontext_t& state) { return state.uc_mcontext.regs[30]; }
uint64_t stack_pointer(const ucontext_t& state) { return state.uc_mcontext.sp; }

void go_to_leave_kernel(ucontext_t& state, KernelRun* run, uint64_t stack) {
  state.uc_mcontext.sp = stack - 16;
  state.uc_mcontext.regs[0] = reinterpret_cast<uint64_t>(run);
  state.uc_mcontext.regs[29] = 0;  // no frame and no return address: backtraces end here
  state.uc_mcontext.regs[30] = 0;
  state.uc_mcontext.pc = reinterpret_cast<uint64_t>(&leave_kernel);
}
#else
uint64_t program_counter(const ucontext_t&) { return 0; }
uint64_t frame_pointer(const ucontext_t&) { return 0; }
uint64_t return_address(const ucontext_t&) { return 0; }
uint64_t stack_pointer(const ucontext_t&) { return 0; }
void go_to_leave_kernel(ucontext_t&, KernelRun*, uint64_t) {}
#endif

// A kernel that jumped through a bad pointer faults where it arrived, outside its code.
bool has_jumped(const KernelRun& run, int signal, const siginfo_t& info, uint64_t counter) {
  return signal == SIGSEGV && reinterpret_cast<uint64_t>(info.si_addr) == counter &&
         !run.kernel->contains(counter);
}

// Where an instruction of the kernel lay that raised the signal. A system call is told of when it
// is over, and may have been the last instruction of the code.
uint64_t raised_at(int signal, const ucontext_t& state) {
  return program_counter(state) - (signal == SIGSYS ? 1 : 0);
}

// Our own code may write to all memory, so this is the kernel's, or what it called that is no
// service.
bool is_guarded_memory(int signal, const siginfo_t& info) {
  return signal == SIGSEGV && info.si_code == SEGV_PKUERR;
}

// A service that takes a lock first makes sure of room on the stack, so what overflows it holds
// none.
bool is_raised_by_kernel(const KernelRun& run, int signal, const siginfo_t& info,
                         uint64_t counter) {
  const bool by_an_instruction = info.si_code > 0;
  return by_an_instruction && (run.kernel->contains(counter) || is_guarded_memory(signal, info) ||
                               has_jumped(run, signal, info, counter) ||
                               in_guard(run, reinterpret_cast<uint64_t>(info.si_addr)));
}

// Where the kernel was. A trap is told of when it is over.
KernelStack stack_of(const KernelRun& run, const ucontext_t& state) {
  const uint64_t frame = frame_pointer(state);
  const uint64_t stack = stack_pointer(state);
  const bool stack_is_good = stack >= run.fiber->stack_begin() && stack < run.fiber->stack_end();
  if (run.fault.jumped && stack_is_good) {
    return stack_from(run, {.counter = return_address(state), .pointer = frame}, true);
  }
  return stack_from(run, {.counter = program_counter(state), .pointer = frame},
                    run.fault.signal == SIGTRAP || run.fault.signal == SIGSYS);
}

void pass_on(int signal, siginfo_t* info, void* state) {
  const struct sigaction& previous = previous_actions[static_cast<size_t>(signal)];
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, state);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  sigaction(signal, &previous, nullptr);  // On return the instruction faults again.
  if (info->si_code <= 0) raise(signal);  // Sent by a process: there is no such instruction.
}

void handle_fault(int signal, siginfo_t* info, void* opaque_state) {
  if (host_memory_is_guarded()) leave_kernel_code();  // on return it is as it was
  auto& state = *static_cast<ucontext_t*>(opaque_state);
  KernelRun* const run = running;
  if (run == nullptr || !is_raised_by_kernel(*run, signal, *info, raised_at(signal, state))) {
    return pass_on(signal, info, opaque_state);
  }
  run->fault = {.signal = signal,
                .address = reinterpret_cast<uint64_t>(info->si_addr),
                .jumped = has_jumped(*run, signal, *info, program_counter(state)),
                .guarded = is_guarded_memory(signal, *info)};
  if (signal == SIGTRAP) run->fault.address = program_counter(state) - 1;
  if (signal == SIGSYS) run->fault.system_call = info->si_syscall;
  run->failed_at = stack_of(*run, state);
  go_to_leave_kernel(state, run, run->fiber->rewind());
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int signal : kSignals) {
    sigaction(signal, nullptr, &previous_actions[static_cast<size_t>(signal)]);
    sigaction(signal, &action, nullptr);
  }
  note_passing_handler(SIGBUS, handle_fault, &previous_actions[SIGBUS]);
}

class SignalStack {
 public:
  SignalStack() {
    stack_t current = {};
    sigaltstack(nullptr, &current);
    if ((current.ss_flags & SS_DISABLE) == 0) return;  // The thread has one, such as a sanitizer's.
    constexpr uint64_t kSize = 64 << 10;
    auto memory = Mapping::reserve(kSize, page_size());
    if (!memory.ok() || !memory->allow(0, kSize).ok())
      return;  // Faults then end the process, as they would without us.
    // The system lets a signal handler begin with the host's memory alone.
    if (refuse_kernels(memory->data(), kSize) != 0) return;
    memory_ = *std::move(memory);
    const stack_t stack = {.ss_sp = memory_.data(), .ss_flags = 0, .ss_size = kSize};
    sigaltstack(&stack, nullptr);
  }

  ~SignalStack() {
    if (memory_.data() == nullptr) return;
    const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
  }

  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  Mapping memory_;
};

}  // namespace

void install_fault_handler() {
  static std::once_flag once;
  if (kSupported) std::call_once(once, install);
}

void prepare_thread_for_faults() {
  if (kSupported) static thread_local const SignalStack stack;
  if (host_memory_is_guarded()) prepare_thread_for_guard();
}

FaultScope::FaultScope(KernelRun& run) { running = &run; }
FaultScope::~FaultScope() { running = nullptr; }

}  // namespace lightmetal::device::cpu
