#include "runner/lost_file.h"

#include <signal.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"

namespace lightmetal::runner {
namespace {

// Whole before the handler is there: it may only write it.
std::string& loss_message() {
  static std::string& message = *new std::string;
  return message;
}

void report_loss(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  const std::string& message = loss_message();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(kFailure);
}

}  // namespace

void report_loss_of(const std::string& file) {
  loss_message() = absl::StrCat(
      "lightmetal_runner: ", printable(file),
      ": it, or a file that it refers to, was cut short or cannot be read while it is used\n");
  struct sigaction action = {};
  action.sa_sigaction = report_loss;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace lightmetal::runner
