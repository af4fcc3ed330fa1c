#include "runner/children.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runner/command_line.h"
#include "runner/progress.h"
#include "runner/signal_queue.h"

namespace lightmetal::runner {
namespace {

// How much of the end of a child's standard error is kept.
constexpr size_t kKeptErrors = 64 << 10;

// The line that says what came of a file: the first difference, or else what was said last.
std::string message_of(absl::string_view errors, const std::string& file, Outcome outcome) {
  std::string message;
  for (absl::string_view line : absl::StrSplit(errors, '\n')) {
    if (!absl::ConsumePrefix(&line, "lightmetal_runner: ")) continue;
    absl::ConsumePrefix(&line, absl::StrCat(printable(file), ": "));
    if (absl::StartsWith(line, "warning: ")) continue;
    message = std::string(line);
    if (outcome == Outcome::kDiffers) break;
  }
  return message;
}

// Memory in which one child notes its goldens. The parent has it mapped, too, and no other child:
// a hostile file could write to it.
struct Unmap {
  void operator()(Goldens* goldens) const { ::munmap(goldens, sizeof(Goldens)); }
};
using SharedGoldens = std::unique_ptr<Goldens, Unmap>;

SharedGoldens new_goldens() {
  void* const memory =
      ::mmap(nullptr, sizeof(Goldens), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return SharedGoldens(new (memory) Goldens);
}

class Children {
 public:
  Children(absl::Span<const std::string> files, size_t jobs, ExecuteChild execute, int asker)
      : jobs_(jobs), execute_(execute), asker_(asker) {
    for (const std::string& file : files) results_.push_back({.file = file});
  }

  std::vector<FileResult> run() {
    while (begun_ < results_.size() || !running_.empty()) {
      while (begun_ < results_.size() && running_.size() < jobs_) begin(begun_++);
      wait();
      // In this order: who ends behind collect() is announced again.
      const bool end_is_asked = signals_.end_is_asked() || asker_has_gone_;
      collect();
      if (end_is_asked) {
        end_all();
        break;
      }
      progress_.update_files(results_.size() - left(), results_.size());
    }
    return std::move(results_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Child {
    size_t index;
    pid_t process;
    int errors;  // the end of a pipe
    SharedGoldens goldens;
    Clock::time_point start;
    std::string text = {};  // what came through the pipe, or the end of it
  };

  size_t left() const { return results_.size() - begun_ + running_.size(); }

  void begin(size_t index) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return cannot_begin(index);
    std::fflush(stdout);  // or the child would write it again
    SharedGoldens goldens = new_goldens();
    const pid_t parent = ::getpid(), process = ::fork();
    if (process == 0) be_child(index, parent, ends, *goldens);
    ::close(ends[1]);
    if (process < 0) {
      ::close(ends[0]);
      return cannot_begin(index);
    }
    // By the parent, too: it may have to end the group before the child has run.
    ::setpgid(process, process);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    running_.push_back({index, process, ends[0], std::move(goldens), Clock::now()});
  }

  void cannot_begin(size_t index) {
    results_[index].outcome = Outcome::kFailed;
    results_[index].message = absl::StrCat("no process to execute it: ", std::strerror(errno));
  }

  // A group of its own: who ends it ends what it has started, and a terminal's signals reach the
  // parent alone.
  [[noreturn]] void be_child(size_t index, pid_t parent, const int (&ends)[2], Goldens& goldens) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kFailure);
    signals_.leave();
    for (const Child& other : running_) ::close(other.errors);
    running_.clear();
    if (asker_ >= 0)
      ::close(asker_);  // or it would seem to live on when this process's parent dies
    ::close(ends[0]);
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    show_no_colors();
    try {
      std::exit(static_cast<int>(execute_(results_[index].file, goldens)));
    } catch (const std::exception& error) {
      std::exit(fail(error.what()));
    }
  }

  // Until a child writes or ends, the user wants an end, or who asked has gone.
  void wait() {
    std::vector<pollfd> watched = {{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = asker_, .events = POLLIN, .revents = 0}};
    for (const Child& child : running_) {
      watched.push_back({.fd = child.errors, .events = POLLIN, .revents = 0});
    }
    ::poll(watched.data(), watched.size(), -1);
    asker_has_gone_ = watched[1].revents != 0;
  }

  void collect() {
    std::erase_if(running_, [this](Child& child) {
      int status = 0;
      const bool ended = ::waitpid(child.process, &status, WNOHANG) == child.process;
      read_errors(child);
      if (ended) finish(child, status);
      return ended;
    });
  }

  static void read_errors(Child& child) {
    char part[4096];
    for (ssize_t size; (size = ::read(child.errors, part, sizeof(part))) > 0;) {
      child.text.append(part, static_cast<size_t>(size));
      if (child.text.size() > 2 * kKeptErrors) {
        child.text.erase(0, child.text.size() - kKeptErrors);
        return;  // others write, too
      }
    }
  }

  void finish(const Child& child, int status) {
    FileResult& result = results_[child.index];
    ::close(child.errors);
    result.seconds = std::chrono::duration<double>(Clock::now() - child.start).count();
    result.goldens = *child.goldens;
    if (WIFSIGNALED(status)) {
      result.outcome = Outcome::kCrashed;
      result.message = absl::StrCat("signal ", WTERMSIG(status), " ended its process");
      return;
    }
    result.outcome = static_cast<Outcome>(std::min(WEXITSTATUS(status), kMostOutcome));
    if (result.outcome == Outcome::kPassed) return;
    result.message = message_of(child.text, result.file, result.outcome);
  }

  void end_all() {
    for (const Child& child : running_) {
      ::kill(-child.process, SIGKILL);
      ::waitpid(child.process, nullptr, 0);
      ::close(child.errors);
    }
    running_.clear();
  }

  static constexpr int kMostOutcome = static_cast<int>(Outcome::kTimedOut);

  const size_t jobs_;
  const ExecuteChild execute_;
  const int asker_;  // poll() takes -1 for nobody
  bool asker_has_gone_ = false;
  SignalQueue signals_;
  Progress progress_;
  std::vector<FileResult> results_;
  size_t begun_ = 0;
  std::vector<Child> running_;
};

}  // namespace

std::vector<FileResult> execute_in_children(absl::Span<const std::string> files, size_t jobs,
                                            ExecuteChild execute, int asker) {
  return Children(files, jobs, execute, asker).run();
}

}  // namespace lightmetal::runner
