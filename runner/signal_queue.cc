#include "runner/signal_queue.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>
#include <new>

namespace lightmetal::runner {

SignalQueue::SignalQueue() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, &mask_before_);
  struct sigaction told = {};
  told.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &told, &action_before_);
  descriptor_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw std::bad_alloc();
}

bool SignalQueue::end_is_asked() const {
  bool asked = false;
  signalfd_siginfo signal;
  while (::read(descriptor_, &signal, sizeof(signal)) == sizeof(signal)) {
    asked |= signal.ssi_signo != SIGCHLD;
  }
  return asked;
}

void SignalQueue::leave() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  descriptor_ = -1;
  ::sigaction(SIGCHLD, &action_before_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

}  // namespace lightmetal::runner
