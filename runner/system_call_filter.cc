#include "runner/system_call_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <utility>

namespace lightmetal::runner {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// Calls that are allowed without conditions.
constexpr int kAllowed[] = {
    // Memory that the process has. Its rights are mprotect's.
    SYS_munmap, SYS_brk,
    // Threads, which are made by clone, and their locks.
    SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_set_tid_address, SYS_gettid, SYS_getpid,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_exit, SYS_exit_group, SYS_restart_syscall,
    // Signals to itself.
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
    // Time, randomness, how much memory there is.
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_sysinfo, SYS_getrandom,
    // Descriptors that are open.
    SYS_close, SYS_fstat, SYS_getrusage};

// Calls that look at files by their paths. They fail, which is no reason to end the run.
constexpr int kWithPaths[] = {
#if defined(__x86_64__)
    SYS_open,   SYS_stat,       SYS_lstat, SYS_access,    SYS_readlink,
#endif
    SYS_openat, SYS_readlinkat, SYS_statx, SYS_faccessat, SYS_faccessat2};

uint32_t low_word_of_argument(int argument) {
  return static_cast<uint32_t>(offsetof(seccomp_data, args)) + static_cast<uint32_t>(argument) * 8;
}
uint32_t high_word_of_argument(int argument) { return low_word_of_argument(argument) + 4; }

// Writes the instructions of a seccomp filter (seccomp(2), classic BPF), one decision after the
// other. A decision either ends the filter with an action or goes on to the next.
class Builder {
 public:
  std::vector<sock_filter> take() { return std::move(filter_); }

  void load(uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void finish(uint32_t action) { add(BPF_RET | BPF_K, action); }

  // Ends with `action` when the loaded word is `value`.
  void finish_if_equal(uint32_t value, uint32_t action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    finish(action);
  }
  // Ends with `action` when the loaded word is not `value`.
  void finish_unless_equal(uint32_t value, uint32_t action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    finish(action);
  }
  // Ends with `action` when the sum of the word at `offset` and the one at `other` has more than 32
  // bits.
  void finish_if_sum_overflows(uint32_t offset, uint32_t other, uint32_t action) {
    load(offset);
    add(BPF_MISC | BPF_TAX, 0);
    load(other);
    add(BPF_ALU | BPF_ADD | BPF_X, 0);
    add(BPF_JMP | BPF_JGE | BPF_X, 0, 1, 0);  // a sum below what was added has wrapped around
    finish(action);
  }
  // Ends with `action` when the loaded word has none of `bits`.
  void finish_unless_any(uint32_t bits, uint32_t action) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    finish(action);
  }
  // Ends with `action` when the loaded word has any of `bits`.
  void finish_if_any(uint32_t bits, uint32_t action) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    finish(action);
  }

  // `body` decides about system call `number`; where it decides nothing, the call is refused.
  // REQUIRES: the number of the call is loaded. It still is afterwards, for every other number.
  template <class Body>
  void on(int number, Body body) {
    const size_t jump = filter_.size();
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 0);
    body();
    finish(SECCOMP_RET_TRAP);
    // Now the length of the body is known.
    filter_[jump].jf = static_cast<uint8_t>(filter_.size() - jump - 1);
  }

  void allow_if_argument_is(int number, int argument, std::initializer_list<uint32_t> values) {
    on(number, [&] {
      load(low_word_of_argument(argument));
      for (const uint32_t value : values) finish_if_equal(value, SECCOMP_RET_ALLOW);
    });
  }

 private:
  void add(int code, uint32_t operand, uint8_t if_true = 0, uint8_t if_false = 0) {
    filter_.push_back({static_cast<uint16_t>(code), if_true, if_false, operand});
  }

  std::vector<sock_filter> filter_;
};

// Refuses calls of another architecture, which numbers its calls otherwise: the numbers below would
// mean other calls.
void refuse_other_architectures(Builder& filter) {
  filter.load(offsetof(seccomp_data, arch));
  filter.finish_unless_equal(kArchitecture, SECCOMP_RET_TRAP);
}

// Refuses every call that an instruction of a kernel makes. Kernels' code lies in 4 GiB of their
// own, so the upper half of the instruction's address tells.
void refuse_kernel_code(Builder& filter, uint32_t code_high) {
  filter.load(offsetof(seccomp_data, instruction_pointer) + sizeof(uint32_t));
  filter.finish_if_equal(code_high, SECCOMP_RET_TRAP);
}

// Allows changes of rights. Memory may only become executable in the kernels' range, from its first
// byte to its last, and not writable at the same time.
void allow_rights(Builder& filter, uint32_t code_high) {
  constexpr int kAddress = 0, kSize = 1, kRights = 2;
  for (const int number : {SYS_mprotect, SYS_pkey_mprotect}) {
    filter.on(number, [&] {
      filter.load(low_word_of_argument(kRights));
      filter.finish_unless_any(PROT_EXEC, SECCOMP_RET_ALLOW);
      filter.finish_unless_equal(PROT_READ | PROT_EXEC, SECCOMP_RET_TRAP);
      filter.load(high_word_of_argument(kAddress));
      filter.finish_unless_equal(code_high, SECCOMP_RET_TRAP);
      filter.load(high_word_of_argument(kSize));
      filter.finish_unless_equal(0, SECCOMP_RET_TRAP);
      filter.finish_if_sum_overflows(low_word_of_argument(kAddress), low_word_of_argument(kSize),
                                     SECCOMP_RET_TRAP);
      filter.finish(SECCOMP_RET_ALLOW);
    });
  }
}

// Allows mappings to grow, but not out of the kernels' range, where the filter would take kernels'
// code for the runner's. Not to a chosen address either: several mappings could be moved at once,
// of which only the first is seen here.
void allow_growth(Builder& filter, uint32_t code_high) {
  constexpr int kAddress = 0, kFlags = 3;
  filter.on(SYS_mremap, [&] {
    filter.load(high_word_of_argument(kAddress));
    filter.finish_if_equal(code_high, SECCOMP_RET_TRAP);
    filter.load(low_word_of_argument(kFlags));
    filter.finish_if_equal(0, SECCOMP_RET_ALLOW);
    filter.finish_if_equal(MREMAP_MAYMOVE, SECCOMP_RET_ALLOW);
  });
}

// Allows some advice about memory. For any other, libraries are told what an older system would
// tell them: some advice reaches beyond the process, and root can take memory from the whole
// machine.
void allow_advice(Builder& filter) {
  filter.on(SYS_madvise, [&] {
    filter.load(low_word_of_argument(2));
    for (const int advice : {MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE}) {
      filter.finish_if_equal(static_cast<uint32_t>(advice), SECCOMP_RET_ALLOW);
    }
    filter.finish(SECCOMP_RET_ERRNO | EINVAL);
  });
}

// Allows new anonymous memory that is not executable.
void allow_new_memory(Builder& filter) {
  constexpr int kRights = 2, kFlags = 3;
  filter.on(SYS_mmap, [&] {
    filter.load(low_word_of_argument(kRights));
    filter.finish_if_any(PROT_EXEC, SECCOMP_RET_TRAP);
    filter.load(low_word_of_argument(kFlags));
    filter.finish_if_any(MAP_ANONYMOUS, SECCOMP_RET_ALLOW);
  });
}

// Allows new threads, no new processes, and signals to this process alone.
void allow_threads(Builder& filter) {
  // The flags of clone3 lie in memory, where a filter cannot look. The C library then calls clone.
  filter.on(SYS_clone3, [&] { filter.finish(SECCOMP_RET_ERRNO | ENOSYS); });
  filter.on(SYS_clone, [&] {
    filter.load(low_word_of_argument(0));
    filter.finish_if_any(CLONE_THREAD, SECCOMP_RET_ALLOW);
  });
  filter.allow_if_argument_is(SYS_tgkill, 0, {static_cast<uint32_t>(::getpid())});
}

// Refuses to look at files. Libraries do without what they may not look at, such as the list of
// processors.
void refuse_paths(Builder& filter) {
  constexpr uint32_t kNoRight = SECCOMP_RET_ERRNO | EACCES;
  for (const int number : kWithPaths) {
    filter.finish_if_equal(static_cast<uint32_t>(number), kNoRight);
  }
  // Without a path the call is about a descriptor: it is the C library's fstat.
  filter.on(SYS_newfstatat, [&] {
    filter.load(low_word_of_argument(3));
    filter.finish_if_any(AT_EMPTY_PATH, SECCOMP_RET_ALLOW);
    filter.finish(kNoRight);
  });
}

// Allows output behind what is there. Others may write to the same files, and read the same input,
// so nothing may be moved in them.
void allow_output(Builder& filter) {
  filter.finish_if_equal(SYS_lseek, SECCOMP_RET_ERRNO | ESPIPE);
  for (const int number : {SYS_write, SYS_writev}) {
    filter.allow_if_argument_is(number, 0, {STDOUT_FILENO, STDERR_FILENO});
  }
  filter.allow_if_argument_is(SYS_ioctl, 1, {TCGETS, TIOCGWINSZ});
}

#if defined(__x86_64__)
// Allows the calls that ask for AMX, and those that put right a thread pointer which a kernel has
// changed.
void allow_processor_features(Builder& filter) {
  filter.allow_if_argument_is(SYS_arch_prctl, 0, {0x1002, 0x1021, 0x1022, 0x1023});
}
#else
void allow_processor_features(Builder&) {}
#endif

}  // namespace

std::vector<sock_filter> system_call_filter(uint64_t code_begin) {
  const auto code_high = static_cast<uint32_t>(code_begin >> 32);
  Builder filter;
  refuse_other_architectures(filter);
  refuse_kernel_code(filter, code_high);
  filter.load(offsetof(seccomp_data, nr));
  for (const int number : kAllowed) {
    filter.finish_if_equal(static_cast<uint32_t>(number), SECCOMP_RET_ALLOW);
  }
  allow_new_memory(filter);
  allow_rights(filter, code_high);
  allow_growth(filter, code_high);
  allow_advice(filter);
  allow_threads(filter);
  refuse_paths(filter);
  allow_output(filter);
  allow_processor_features(filter);
  filter.finish(SECCOMP_RET_TRAP);
  return filter.take();
}

}  // namespace lightmetal::runner
