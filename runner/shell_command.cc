#include "runner/shell_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace lightmetal::runner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kKeptErrors = 64 << 10;

std::string quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// The child: a group of its own, so that who ends it ends what it has started.
[[noreturn]] void be_shell(const std::string& command, std::FILE* errors, const sigset_t& mask) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(::fileno(errors), STDERR_FILENO);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(127);
}

std::string beginning_of(std::FILE* file) {
  std::string text(kKeptErrors, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

// Waits for the child to end, for the limit, or for a signal of the user's, which it returns.
int wait_for(pid_t child, const sigset_t& signals, Clock::time_point deadline) {
  while (true) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == child) {
      return 0;
    }
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now());
    if (left.count() <= 0) return 0;
    const timespec time = {static_cast<time_t>(left.count() / 1'000'000'000),
                           static_cast<long>(left.count() % 1'000'000'000)};
    const int signal = ::sigtimedwait(&signals, nullptr, &time);
    if (signal > 0 && signal != SIGCHLD) return signal;
  }
}

}  // namespace

UserSignals::UserSignals() {
  sigemptyset(&set_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, signal);
  sigprocmask(SIG_BLOCK, &set_, &mask_before_);
}

UserSignals::~UserSignals() { sigprocmask(SIG_SETMASK, &mask_before_, nullptr); }

std::string with_file(const std::string& command, const std::string& file) {
  if (!absl::StrContains(command, "{}")) return absl::StrCat(command, " ", quoted(file));
  return absl::StrReplaceAll(command, {{"{}", quoted(file)}});
}

absl::StatusOr<ShellResult> run_shell(const std::string& command,
                                      std::chrono::duration<double> limit,
                                      const UserSignals& signals) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors(std::tmpfile(), &std::fclose);
  if (errors == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("no temporary file for messages: ", std::strerror(errno)));
  }
  const pid_t child = ::fork();
  if (child == 0) be_shell(command, errors.get(), signals.mask_before());
  if (child < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no process for ", command, ": ", std::strerror(errno)));
  }
  ::setpgid(child, child);
  const int signal = wait_for(child, signals.set(),
                              Clock::now() + std::chrono::duration_cast<Clock::duration>(limit));
  ShellResult result;
  int status = 0;
  result.timed_out = ::waitpid(child, &status, WNOHANG) == 0;
  ::kill(-child, SIGKILL);
  if (result.timed_out) ::waitpid(child, &status, 0);
  if (signal != 0) return absl::CancelledError("ended by a signal");
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.errors = beginning_of(errors.get());
  return result;
}

}  // namespace lightmetal::runner
