#include "runner/lost_file.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "runner/verbs.h"

namespace lightmetal::runner {
namespace {

// What the signal handler prints. The text is complete before the handler is installed, because a
// handler may not allocate.
std::string& loss_message() {
  static std::string& message = *new std::string;
  return message;
}

// Any other SIGBUS ends the process as it would have without this handler.
void report_loss(int signal, siginfo_t* info, void*) {
  if (is_loss_of_file(signal, *info)) end_with_loss_of_file();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

bool is_loss_of_file(int signal, const siginfo_t& info) {
  return signal == SIGBUS && info.si_code == BUS_ADRERR && !loss_message().empty();
}

void end_with_loss_of_file() {
  write_raw(loss_message().data(), loss_message().size());
  ::_exit(kFailure);
}

// The system call itself, because the C library's write() looks at the thread's own memory first,
// which may be broken.
void write_raw(const char* text, size_t size) {
  while (size > 0) {
    const long written = ::syscall(SYS_write, STDERR_FILENO, text, size);
    if (written <= 0) return;
    text += written;
    size -= static_cast<size_t>(written);
  }
}

void report_loss_of(const std::string& file) {
  loss_message() = absl::StrCat(
      "lightmetal_runner: ", file,
      ": it, or a file that it refers to, was cut short or cannot be read while it is used\n");
  struct sigaction action = {};
  action.sa_sigaction = report_loss;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace lightmetal::runner
