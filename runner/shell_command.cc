#include "runner/shell_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"

namespace lightmetal::runner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kKeptErrors = 64 << 10;

std::string quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// The child: a group of its own, so that who ends it ends what it has started.
[[noreturn]] void be_shell(const std::string& command, int errors, const sigset_t& mask) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(127);
}

// A descriptor that is closed with this object.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return number_; }
  void reset(int number = -1) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }

 private:
  int number_;
};

// What the command has written by now; only the beginning of it is kept.
class Errors {
 public:
  absl::Status open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return absl::UnavailableError(absl::StrCat("no pipe for messages: ", std::strerror(errno)));
    from_.reset(ends[0]);
    to_.reset(ends[1]);
    ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
    return absl::OkStatus();
  }

  int descriptor() const { return from_.get(); }  // -1 once nobody can write any more
  int for_child() const { return to_.get(); }
  void leave_to_child() { to_.reset(); }

  // At most a pipe's worth, so that who writes for ever is ended in time.
  void read() {
    char piece[kKeptErrors];
    const ssize_t size = ::read(from_.get(), piece, sizeof(piece));
    if (size == 0) from_.reset();
    if (size > 0)
      text_.append(piece, std::min(static_cast<size_t>(size), kKeptErrors - text_.size()));
  }

  std::string take() { return std::move(text_); }

 private:
  Descriptor from_, to_;
  std::string text_;
};

bool has_ended(pid_t child) {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == child;
}

// The signal that has come, 0 for none.
int signal_in(const Descriptor& signals) {
  signalfd_siginfo info{};
  const bool came = ::read(signals.get(), &info, sizeof(info)) == sizeof(info);
  return came ? static_cast<int>(info.ssi_signo) : 0;
}

// Waits for the child to end, for the limit, or for a signal of the user's, which it returns.
int wait_for(pid_t child, const Descriptor& signals, Errors& errors, Clock::time_point deadline) {
  while (!has_ended(child)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return 0;
    pollfd ready[] = {{signals.get(), POLLIN, 0}, {errors.descriptor(), POLLIN, 0}};
    ::poll(ready, 2, static_cast<int>(std::min<int64_t>(left.count(), INT32_MAX)));
    if (errors.descriptor() >= 0 && ready[1].revents != 0) errors.read();
    const int signal = ready[0].revents != 0 ? signal_in(signals) : 0;
    if (signal != 0 && signal != SIGCHLD) return signal;
  }
  if (errors.descriptor() >= 0) errors.read();
  return 0;
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
  Errors errors;
  LM_RETURN_IF_ERROR(errors.open());
  const Descriptor signal_descriptor(::signalfd(-1, &signals.set(), SFD_CLOEXEC | SFD_NONBLOCK));
  if (signal_descriptor.get() < 0)
    return absl::UnavailableError(absl::StrCat("no descriptor: ", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0) be_shell(command, errors.for_child(), signals.mask_before());
  if (child < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no process for ", command, ": ", std::strerror(errno)));
  }
  ::setpgid(child, child);
  errors.leave_to_child();
  const int signal = wait_for(child, signal_descriptor, errors,
                              Clock::now() + std::chrono::duration_cast<Clock::duration>(limit));
  ShellResult result;
  int status = 0;
  result.timed_out = ::waitpid(child, &status, WNOHANG) == 0;
  ::kill(-child, SIGKILL);
  if (result.timed_out) ::waitpid(child, &status, 0);
  if (signal != 0) return absl::CancelledError("ended by a signal");
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.errors = errors.take();
  return result;
}

}  // namespace lightmetal::runner
