#include "device/cpu/faults/fault_handler.h"

#include <signal.h>
#if defined(__x86_64__)
#include <linux/audit.h>
#include <sys/syscall.h>
#endif
#include <ucontext.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/signal_link.h"
#include "device/cpu/faults/signal_stack.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/kernels/processor_flags.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/memory/memory_guard.h"
#include "device/system_call_names.h"

namespace lightmetal::device::cpu {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool kSupported = true;
#else
constexpr bool kSupported = false;
#endif

constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

// `own_state` is for a thread that keeps a signal stack of somebody else's, so has no state on one
// of ours. initial-exec: the variables must be there before a signal handler first uses them, since
// a handler must not allocate.
__attribute__((tls_model("initial-exec"))) constinit thread_local ThreadState own_state;
__attribute__((tls_model("initial-exec"))) constinit thread_local ThreadState* state_of_thread =
    nullptr;

// The actions that were there before, by signal. Each is written before our handler can run.
std::array<struct sigaction, 65> previous_actions;

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

// Whether the kernel's code can call the place by an L1 address, though no memory may be there.
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
  if (run.fault.foreign_call) {
    return absl::PermissionDeniedError(
        absl::StrCat("makes system call ", run.fault.system_call,
                     " of another architecture, and a kernel in the sandbox may make none"));
  }
  if (run.fault.signal == SIGSYS) {
    return absl::PermissionDeniedError(absl::StrCat("makes the system call ",
                                                    name_of_system_call(run.fault.system_call),
                                                    ", and a kernel in the sandbox may make none"));
  }
  if (in_guard(run, run.fault.address)) return run.stack_is_full;
  // The address space around the L1s has no key of kernels either, and is not the host's.
  if (run.fault.guarded && !is_l1_address(run, run.fault.address)) {
    return absl::PermissionDeniedError(absl::StrFormat(
        "writes to memory of the host, at address 0x%x (SIGSEGV)", run.fault.address));
  }
  return absl::InternalError(absl::StrCat(describe_signal(run.fault.signal), ", ",
                                          describe_address(run),
                                          run.fault.jumped ? ", by a jump to it" : ""));
}

// Runs on the fiber, in place of the kernel, when the handler has returned: a handler must not
// allocate, and errors do.
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

// The return address of a call that has arrived and done nothing more. REQUIRES: the stack pointer
// lies on the kernel's stack.
uint64_t return_address(const ucontext_t& state) {
  return *reinterpret_cast<const uint64_t*>(state.uc_mcontext.gregs[REG_RSP]);
}

uint64_t stack_pointer(const ucontext_t& state) {
  return static_cast<uint64_t>(state.uc_mcontext.gregs[REG_RSP]);
}

// The bits of REG_CSGSFS that hold the selectors of code and stack. A kernel can get into another
// mode of the processor, where the selectors differ, by a jump or by `sysenter`.
constexpr greg_t kSelectors = static_cast<greg_t>(0xffff00000000ffff);

greg_t own_selectors() {
  uint16_t code = 0, stack = 0;
  asm volatile("mov %%cs, %0" : "=r"(code));
  asm volatile("mov %%ss, %0" : "=r"(stack));
  return static_cast<greg_t>(uint64_t{code} | uint64_t{stack} << 48);
}

bool in_another_mode(const ucontext_t& state) {
  return ((state.uc_mcontext.gregs[REG_CSGSFS] ^ own_selectors()) & 0xffff) != 0;
}

// Whether the signal is for a system call of another architecture, whose calls have other numbers.
// Our own code makes none, so the call is the kernel's.
bool is_foreign_call(int signal, const siginfo_t& info) {
  return signal == SIGSYS && info.si_arch != AUDIT_ARCH_X86_64;
}

// Switches off the processor's check of alignment, which nothing but a kernel switches on, when the
// fault is that check's in our own code. True when that was all there was to do.
bool forget_alignment_check(int signal, const siginfo_t& info, ucontext_t& state) {
  greg_t& flags = state.uc_mcontext.gregs[REG_EFL];
  const bool is_check = signal == SIGBUS && info.si_code == BUS_ADRALN;
  if (!is_check || (flags & static_cast<greg_t>(kAlignmentCheckFlag)) == 0) return false;
  flags &= ~static_cast<greg_t>(kAlignmentCheckFlag);
  return true;
}

// Sets the thread pointer by a system call, since not every processor has the instruction for it.
// The function uses no library, because a library would find its data by the thread pointer.
void set_thread_pointer(uint64_t pointer) {
  constexpr uint64_t kSetFs = 0x1002;
  uint64_t result = SYS_arch_prctl;
  asm volatile("syscall" : "+a"(result) : "D"(kSetFs), "S"(pointer) : "rcx", "r11", "memory");
}

void reset_floating_point_of(ucontext_t& state) {
  if (state.uc_mcontext.fpregs == nullptr) return;
  constexpr uint16_t kAllEmpty = 0;  // as the system's frame has it, a bit for each register in use
  state.uc_mcontext.fpregs->mxcsr = kVectorModeAtStart;
  state.uc_mcontext.fpregs->cwd = kX87ModeAtStart;
  state.uc_mcontext.fpregs->swd = 0;
  state.uc_mcontext.fpregs->ftw = kAllEmpty;
}

void go_to_leave_kernel(ucontext_t& state, KernelRun* run, uint64_t stack) {
  constexpr greg_t kInterruptsAllowed = 0x202;  // and nothing else
  auto& registers = state.uc_mcontext.gregs;
  stack -= 24;                              // as after a call: 8 less than a multiple of 16
  *reinterpret_cast<uint64_t*>(stack) = 0;  // no return address: backtraces end here
  registers[REG_RSP] = static_cast<greg_t>(stack);
  registers[REG_RBP] = 0;
  registers[REG_RDI] = reinterpret_cast<greg_t>(run);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&leave_kernel);
  registers[REG_EFL] = kInterruptsAllowed;
  registers[REG_CSGSFS] = (registers[REG_CSGSFS] & ~kSelectors) | own_selectors();
  reset_floating_point_of(state);
}
#elif defined(__aarch64__)
uint64_t program_counter(const ucontext_t& state) { return state.uc_mcontext.pc; }
uint64_t frame_pointer(const ucontext_t& state) { return state.uc_mcontext.regs[29]; }
uint64_t return_address(const ucontext_t& state) { return state.uc_mcontext.regs[30]; }
uint64_t stack_pointer(const ucontext_t& state) { return state.uc_mcontext.sp; }

bool in_another_mode(const ucontext_t&) { return false; }
bool is_foreign_call(int, const siginfo_t&) { return false; }
bool forget_alignment_check(int, const siginfo_t&, ucontext_t&) { return false; }
void set_thread_pointer(uint64_t pointer) { asm volatile("msr tpidr_el0, %0" : : "r"(pointer)); }

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
bool in_another_mode(const ucontext_t&) { return false; }
bool is_foreign_call(int, const siginfo_t&) { return false; }
bool forget_alignment_check(int, const siginfo_t&, ucontext_t&) { return false; }
void set_thread_pointer(uint64_t) {}
void go_to_leave_kernel(ucontext_t&, KernelRun*, uint64_t) {}
#endif

// A kernel that jumped through a bad pointer faults where it arrived, outside its code.
bool has_jumped(const KernelRun& run, int signal, const siginfo_t& info, uint64_t counter) {
  return signal == SIGSEGV && reinterpret_cast<uint64_t>(info.si_addr) == counter &&
         !run.kernel->contains(counter);
}

// An address inside the instruction that raised the signal. The system reports a system call with
// the address behind the instruction, which may have been the last one of the kernel's code.
uint64_t raised_at(int signal, const ucontext_t& state) {
  return program_counter(state) - (signal == SIGSYS ? 1 : 0);
}

// Whether the signal is for a store to guarded memory. Our own code may write to all memory, so the
// kernel did it, or a function that the kernel called and that is no service.
bool is_guarded_memory(int signal, const siginfo_t& info) {
  return signal == SIGSEGV && info.si_code == SEGV_PKUERR;
}

// Whether a kernel asked for single steps and then called a service, in which the trap comes before
// the service has done anything.
bool is_single_step(int signal, const siginfo_t& info) {
  return signal == SIGTRAP && info.si_code == TRAP_TRACE;
}

// Whether the handler may leave the code that raised the signal, as the kernel's. A service that
// takes a lock first makes sure of room on the stack, so code that overflows the stack holds none.
// A kernel that has failed already runs no more, so a second fault is ours.
bool is_raised_by_kernel(const KernelRun& run, int signal, const siginfo_t& info,
                         const ucontext_t& state) {
  const bool by_an_instruction = info.si_code > 0;
  if (!by_an_instruction || run.fault.signal != 0) return false;
  return run.kernel->contains(raised_at(signal, state)) || is_guarded_memory(signal, info) ||
         has_jumped(run, signal, info, program_counter(state)) ||
         in_guard(run, reinterpret_cast<uint64_t>(info.si_addr)) || in_another_mode(state) ||
         is_foreign_call(signal, info) || is_single_step(signal, info);
}

// Where the kernel was. The system reports a trap with the address behind it, like that of a call.
KernelStack stack_of(const KernelRun& run, const ucontext_t& state) {
  const uint64_t frame = frame_pointer(state);
  const uint64_t stack = stack_pointer(state);
  const bool stack_is_good =
      stack >= run.fiber->stack_begin() && stack <= run.fiber->stack_end() - sizeof(uint64_t);
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

void stop_kernel(KernelRun* run, int signal, const siginfo_t& info, ucontext_t& state) {
  run->fault = {.signal = signal,
                .address = reinterpret_cast<uint64_t>(info.si_addr),
                .jumped = has_jumped(*run, signal, info, program_counter(state)),
                .guarded = is_guarded_memory(signal, info),
                .foreign_call = is_foreign_call(signal, info)};
  if (signal == SIGTRAP) run->fault.address = program_counter(state) - 1;
  if (signal == SIGSYS) run->fault.system_call = info.si_syscall;
  run->failed_at = stack_of(*run, state);
  go_to_leave_kernel(state, run, run->fiber->rewind());
}

void handle_fault_of(ThreadState& thread, int signal, siginfo_t* info, void* opaque_state) {
  // A fault while another is handled: something that the handler relies on has been changed, so the
  // second fault goes to the earlier handler, and a third ends the process.
  constexpr int kAgain = 2, kTooOften = 3;
  if (++thread.handling >= kTooOften) {
    ::signal(signal, SIG_DFL);
    return;
  }
  auto& state = *static_cast<ucontext_t*>(opaque_state);
  KernelRun* const run = thread.handling < kAgain ? thread.running : nullptr;
  const bool by_kernel = run != nullptr && is_raised_by_kernel(*run, signal, *info, state);
  if (by_kernel) {
    stop_kernel(run, signal, *info, state);
  } else if (!forget_alignment_check(signal, *info, state)) {
    pass_on(signal, info, opaque_state);
  }
  --thread.handling;
}

// The first steps rely on nothing that a kernel could have changed: neither on the thread pointer
// nor on the stack protector, which is found by it.
__attribute__((no_stack_protector)) void handle_fault(int signal, siginfo_t* info, void* state) {
  if (host_memory_is_guarded()) leave_kernel_code();  // the return restores the kernel's rights
  reset_processor_flags();
  ThreadState* thread = SignalStack::state_at(__builtin_frame_address(0));
  if (thread != nullptr) {
    set_thread_pointer(thread->thread_pointer);
  } else {
    thread = &own_state;
  }
  handle_fault_of(*thread, signal, info, state);
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int signal : kSignals) {
    sigaction(signal, nullptr, &previous_actions[static_cast<size_t>(signal)]);
    sigaction(signal, &action, nullptr);
  }
  note_passing_handler(SIGBUS, handle_fault, &previous_actions[SIGBUS]);
}

}  // namespace

void install_fault_handler() {
  static std::once_flag once;
  if (kSupported) std::call_once(once, install);
}

void prepare_thread_for_faults() {
  if (kSupported) {
    static thread_local const SignalStack stack;
    state_of_thread = stack.state();
  }
  if (host_memory_is_guarded()) prepare_thread_for_guard();
}

void name_running_kernel(char* text, size_t size) {
  const KernelRun* const run = SignalStack::any_running();
  if (run == nullptr) return;
  std::snprintf(text, size, "%s (%u,%u) %s kernel %s", kind_name(run->core->kind),
                run->core->core.x, run->core->core.y, processor_name(run->plan->processor),
                run->plan->name.c_str());
}

FaultScope::FaultScope(KernelRun& run)
    : thread_(state_of_thread != nullptr ? *state_of_thread : own_state) {
  thread_.running = &run;
  thread_.polling = nullptr;
  thread_.handling = 0;  // an earlier handler, to which a fault went, may have left by a jump
}
FaultScope::~FaultScope() { thread_.running = nullptr; }

void note_polling_kernel(const KernelRun* run) {
  (state_of_thread != nullptr ? *state_of_thread : own_state).polling = run;
}

}  // namespace lightmetal::device::cpu
