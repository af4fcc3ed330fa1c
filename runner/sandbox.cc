#include "runner/sandbox.h"

#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/machine.h"
#include "base/status.h"
#include "device/registry/registry.h"
#include "device/system_call_names.h"
#include "runner/lost_file.h"
#include "runner/system_call_filter.h"

namespace lightmetal::runner {
namespace {

// The structure that Linux takes in landlock_create_ruleset. Later versions have made it longer:
// the size that is passed says how much of it there is.
struct LandlockRules {
  uint64_t file_rights = 0;
  uint64_t network_rights = 0;  // since version 4
  uint64_t scopes = 0;          // since version 6
};

absl::Status failed(absl::string_view what) {
  return absl::ErrnoToStatus(errno, absl::StrCat("the sandbox cannot be entered: ", what));
}

LandlockRules landlock_rules(long version) {
  LandlockRules rules;
  // The bits are those of linux/landlock.h: LANDLOCK_ACCESS_FS_*, LANDLOCK_ACCESS_NET_*,
  // LANDLOCK_SCOPE_*.
  rules.file_rights = (uint64_t{1} << 13) - 1;
  if (version >= 2) rules.file_rights |= uint64_t{1} << 13;  // files move between folders
  if (version >= 3) rules.file_rights |= uint64_t{1} << 14;  // truncate
  if (version >= 5) rules.file_rights |= uint64_t{1} << 15;  // ioctl of devices
  if (version >= 4) rules.network_rights = 3;                // TCP: bind, connect
  if (version >= 6) rules.scopes = 3;                        // abstract sockets, signals
  return rules;
}

size_t size_of_rules(long version) {
  return sizeof(uint64_t) * (version >= 6 ? 3 : version >= 4 ? 2 : 1);
}

// Takes every right over files, TCP and other processes that this kernel's Landlock knows.
absl::Status enter_landlock() {
  constexpr uint32_t kAskForVersion = 1;
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskForVersion);
  if (version < 1) return failed("this system has no Landlock (Linux 5.13 and later have it)");
  const LandlockRules rules = landlock_rules(version);
  const long ruleset = ::syscall(SYS_landlock_create_ruleset, &rules, size_of_rules(version), 0);
  if (ruleset < 0) return failed("Landlock takes no rules");
  const long result = ::syscall(SYS_landlock_restrict_self, ruleset, 0);
  const int error = errno;
  ::close(static_cast<int>(ruleset));
  errno = error;
  return result == 0 ? absl::OkStatus() : failed("Landlock does not restrict this process");
}

absl::Status enter_filter(uint64_t code_begin) {
  std::vector<sock_filter> filter = system_call_filter(code_begin);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  const long result =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  if (result == 0) return absl::OkStatus();
  if (result > 0) errno = EBUSY;  // a thread that could not be restrained
  return failed("this system filters no system calls (seccomp)");
}

// Writes without allocating: the process may be broken.
void write_text(absl::string_view text) { write_raw(text.data(), text.size()); }

void write_number(unsigned number) {
  char digits[16];
  char* begin = std::end(digits);
  do {
    *--begin = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  write_text({begin, static_cast<size_t>(std::end(digits) - begin)});
}

void write_system_call(int number) {
  if (const char* name = device::known_name_of_system_call(number)) return write_text(name);
  write_text("number ");
  write_number(static_cast<unsigned>(number));
}

// The handler for signals that the device does not know as a kernel's own fault: says what happened
// and ends the process.
[[noreturn]] void end_process(int signal, siginfo_t* info, void*) {
  if (is_loss_of_file(signal, *info)) end_with_loss_of_file();
  write_text("lightmetal_runner: the sandbox ended the run: ");
  if (signal == SIGSYS) {
    write_text("it made the system call ");
    write_system_call(info->si_syscall);
    write_text(" outside of a kernel's code\n");
  } else {
    write_text("it crashed outside of a kernel's code (SIG");
    write_text(::sigabbrev_np(signal));
    write_text(")\n");
  }
  ::_exit(kFailure);
}

void handle_signals() {
  struct sigaction action = {};
  action.sa_sigaction = end_process;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void add_sandbox_option(cxxopts::Options& options) {
  options.add_options()("sandbox",
                        "Execute the file where it can reach nothing but its device and the "
                        "outputs; best-effort: with what this system has for it",
                        cxxopts::value<std::string>()->implicit_value("strict"), "HOW");
}

SandboxMode sandbox_mode(const cxxopts::ParseResult& arguments) {
  if (arguments.count("sandbox") == 0) return SandboxMode::kOff;
  const bool strict = choice(arguments, "sandbox", "strict", "best-effort") == "strict";
  return strict ? SandboxMode::kStrict : SandboxMode::kBestEffort;
}

// Turns an error into a warning for a best effort, which goes on with what there is.
absl::Status Sandbox::require(absl::Status status) {
  if (status.ok()) return status;
  if (mode_ == SandboxMode::kStrict) {
    return {status.code(),
            absl::StrCat(status.message(), "; --sandbox=best-effort goes on with what there is")};
  }
  warnings_.emplace_back(status.message());
  return absl::OkStatus();
}

absl::Status Sandbox::check_backend(const std::string& backend) {
  if (mode_ == SandboxMode::kOff || backend.empty() || device::is_built_in(backend))
    return absl::OkStatus();
  return require(absl::FailedPreconditionError(absl::StrCat(
      "the sandbox holds kernels of the built-in backends alone, and not those of ", backend)));
}

absl::Status Sandbox::prepare() {
  if (mode_ == SandboxMode::kOff) return absl::OkStatus();
  LM_ASSIGN_OR_RETURN(code_begin, device::confine_kernels());
  code_begin_ = code_begin;
  const absl::Status guarded = device::guard_host_memory();
  if (!guarded.ok()) {
    warnings_.push_back(absl::StrCat(
        guarded.message(), ": stores of kernels into the runner's memory are not stopped"));
  }
  return absl::OkStatus();
}

absl::Status Sandbox::enter() {
  if (mode_ == SandboxMode::kOff) return absl::OkStatus();
  handle_signals();
  this_machine();  // a replay that is loaded later cannot ask the system
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    LM_RETURN_IF_ERROR(require(failed("the process cannot give up new rights")));
  }
  // The filter comes last: it would refuse the calls that the other steps make.
  LM_RETURN_IF_ERROR(require(enter_landlock()));
  return require(enter_filter(code_begin_));
}

}  // namespace lightmetal::runner
