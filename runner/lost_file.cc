#include "runner/lost_file.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runner/verbs.h"

namespace lightmetal::runner {
namespace {

// What the signal handler prints; null before there is anything. A handler may not allocate, and
// the signal may come at any time: so a text is complete before it is shown here, and stays.
std::atomic<const std::string*> g_loss_message = nullptr;

// Keeps the text to the end of the process.
const std::string& kept(std::string text) {
  static auto& texts = *new std::list<std::string>;
  return texts.emplace_back(std::move(text));
}

// Any other SIGBUS ends the process as it would have without this handler.
void report_loss(int signal, siginfo_t* info, void*) {
  if (is_loss_of_file(signal, *info)) end_with_loss_of_file();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

bool is_loss_of_file(int signal, const siginfo_t& info) {
  return signal == SIGBUS && info.si_code == BUS_ADRERR && g_loss_message != nullptr;
}

void end_with_loss_of_file() {
  const std::string& message = *g_loss_message;
  write_raw(message.data(), message.size());
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
  g_loss_message = &kept(absl::StrCat(
      "lightmetal_runner: ", file,
      ": it, or a file that it refers to, was cut short or cannot be read while it is used\n"));
  struct sigaction action = {};
  action.sa_sigaction = report_loss;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace lightmetal::runner
