#include "runner/watchdog.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/output_variable.h"
#include "device/registry/registry.h"
#include "schema/commands/decode.h"
#include "schema/file/reader.h"

namespace lightmetal::runner {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr char kVariable[] = "LIGHTMETAL_RUNNER_WATCHDOG_SECONDS";
constexpr uint64_t kNoCommand = UINT64_MAX;

// The signal by which the parent asks the child which kernel runs.
constexpr int kQuestion = SIGXCPU;

std::string chosen(const cxxopts::ParseResult& arguments, const std::string& option,
                   std::string* name) {
  *name = absl::StrCat("--", option);
  if (arguments.count(option) != 0) return arguments[option].as<std::string>();
  const char* text = std::getenv(kVariable);
  if (text != nullptr && *text != '\0') {
    *name = kVariable;
    return text;
  }
  return arguments[option].has_default() ? arguments[option].as<std::string>() : "";
}

timespec timespec_of(Seconds seconds) {
  const auto whole = static_cast<time_t>(seconds.count());
  return {whole, static_cast<long>((seconds.count() - static_cast<double>(whole)) * 1e9)};
}

// The parent opens the file anew, because the child that had it open may be gone.
std::string name_of_command(const std::string& file, uint64_t number) {
  const auto opened = schema::File::open(file);
  if (!opened.ok()) return "";
  const auto command = (*opened)->command(number);
  return command.ok() ? absl::StrCat(" (", schema::name_of(*command->command), ")") : "";
}

}  // namespace

struct Watchdog::Notes {
  std::atomic<uint64_t> command{kNoCommand};
  std::atomic<bool> names_kernel{false};
  char kernel[256] = {};  // that ran when a question came; empty if none did
};

// Called in the child. The handler runs on a stack of its own, because a kernel may have changed
// its stack pointer.
void Watchdog::answer_questions(Notes* notes) {
  static Notes* asked;
  asked = notes;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    if (asked->names_kernel.load()) return;
    device::name_running_kernel(asked->kernel, sizeof(asked->kernel));
    if (asked->kernel[0] != '\0') asked->names_kernel.store(true);
  };
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(kQuestion, &action, nullptr);
}

void add_watchdog_option(cxxopts::Options& options) {
  options.add_options()("watchdog", "End it when it takes longer", cxxopts::value<std::string>(),
                        "SECONDS");
}

Watchdog::Watchdog(const cxxopts::ParseResult& arguments, const std::string& option)
    : option_(option) {
  std::string name;
  const std::string text = chosen(arguments, option, &name);
  const bool is_captured = !value_of(Output::kCapture).empty();
  if (text.empty()) {
    const bool in_a_child = arguments.count("sync") != 0 || arguments.count("sandbox") != 0;
    if (in_a_child && !is_captured) notes_ = make_notes();
    return;
  }
  double seconds = 0;
  if (!absl::SimpleAtod(text, &seconds) || !(seconds >= 0.01 && seconds <= 1e6)) {
    throw cxxopts::exceptions::parsing(
        absl::StrCat(name, " is a number from 0.01 to 1000000, not ", text));
  }
  if (is_captured) {
    throw cxxopts::exceptions::parsing(absl::StrCat(
        name,
        " executes the file in a child, which LIGHTMETAL_CAPTURE does not capture: unset one"));
  }
  notes_ = make_notes();
  limit_ = Seconds(seconds);
}

Watchdog::Notes* Watchdog::make_notes() {
  void* const memory =
      ::mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return new (memory) Notes;
}

Watchdog::~Watchdog() {
  if (notes_ != nullptr) ::munmap(notes_, sizeof(Notes));
}

void Watchdog::at(uint64_t command) {
  if (notes_ != nullptr) notes_->command.store(command, std::memory_order_relaxed);
}

int Watchdog::guard(const std::string& file, absl::FunctionRef<int()> execute) {
  if (notes_ == nullptr) return execute();
  sigset_t child_ends, before;
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ends, &before);
  // A process that ignores SIGCHLD, as whoever started this one may have arranged, gets no news of
  // its children.
  struct sigaction told = {}, action_before = {};
  told.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &told, &action_before);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail(absl::StrCat("no process for the watchdog: ", std::strerror(errno)));
  if (child > 0) return ends(child) ? exit_code_of(child, file) : stop(child, file);
  ::sigaction(SIGCHLD, &action_before, nullptr);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  // The child must not outlive its parent; the look at the parent afterwards is for one that has
  // died already.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kFailure);
  answer_questions(notes_);
  return execute();
}

// Waits for the child; true when it has ended within the limit.
bool Watchdog::ends(int child) const {
  using Clock = std::chrono::steady_clock;
  // Without a limit, as good as for ever.
  const Seconds limit = limit_.value_or(Seconds(1e9));
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  sigset_t child_ends;
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  while (true) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == child) {
      return true;
    }
    const Seconds left = deadline - Clock::now();
    if (left <= Seconds(0)) return false;
    const timespec time = timespec_of(left);
    sigtimedwait(&child_ends, nullptr, &time);
  }
}

int Watchdog::exit_code_of(int child, const std::string& file) {
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) <= kFailure) return WEXITSTATUS(status);
  end_ = End::kCrashed;
  if (WIFEXITED(status)) {
    return fail(absl::StrCat(file, ": the process that executed it ended with the exit code ",
                             WEXITSTATUS(status), ", which the runner does not have", place(file)));
  }
  return fail(absl::StrCat(file, ": signal ", WTERMSIG(status), " (SIG",
                           ::sigabbrev_np(WTERMSIG(status)), ") ended the process that executed it",
                           place(file)));
}

int Watchdog::stop(int child, const std::string& file) {
  end_ = End::kStopped;
  // Asks for a fifth of a second: the child may be unable to answer, and a kernel that polls gives
  // the processor back between its polls.
  for (int i = 0; i < 100 && !notes_->names_kernel.load(); ++i) {
    ::kill(child, kQuestion);
    ::usleep(2'000);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  notes_->kernel[sizeof(notes_->kernel) - 1] = '\0';
  const std::string kernel = notes_->kernel;
  return fail(absl::StrCat(file, ": ended after ", limit_->count(), " s (--", option_, ")",
                           place(file), kernel.empty() ? "" : ", while a kernel ran: ", kernel));
}

std::string Watchdog::place(const std::string& file) const {
  const uint64_t number = notes_->command.load();
  if (number == kNoCommand) return ", before its first command";
  return absl::StrCat(", in command ", number, name_of_command(file, number));
}

}  // namespace lightmetal::runner
