#include "capture/fatal_signals.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace lightmetal::capture {
namespace {

constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM};

struct Previous {
  bool installed = false;  // ours is in the chain of handlers
  struct sigaction action = {};
  std::atomic<bool> was_called = false;  // with SA_RESETHAND that was the only time
};
std::array<Previous, kSignals.size()> g_previous;  // written before our handler is there
std::atomic<void (*)()> g_act = nullptr;

Previous& previous_of(int signal) {
  size_t i = 0;
  while (kSignals[i] != signal) ++i;
  return g_previous[i];
}

bool is_one_shot(const struct sigaction& action) {
  return (static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) != 0;
}

struct sigaction default_action() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  return action;
}

void pass_on(int signal, siginfo_t* info, void* context) {
  Previous& previous = previous_of(signal);
  const bool is_over = previous.was_called.exchange(true) && is_one_shot(previous.action);
  const struct sigaction action = is_over ? default_action() : previous.action;
  if ((action.sa_flags & SA_SIGINFO) != 0) return action.sa_sigaction(signal, info, context);
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler != SIG_DFL) return action.sa_handler(signal);
  sigaction(signal, &action, nullptr);  // A faulting instruction faults again on return.
  if (info->si_code <= 0) raise(signal);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (void (*act)() = g_act.load()) act();
  errno = error;
  pass_on(signal, info, context);
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_signal;
}

void install(int signal) {
  Previous& previous = previous_of(signal);
  // Below a handler of the program's: it would be called by itself if it were on top as well.
  struct sigaction current = {};
  sigaction(signal, nullptr, &current);
  const bool plain = (current.sa_flags & SA_SIGINFO) == 0;
  if (previous.installed && !(plain && current.sa_handler == SIG_DFL)) return;
  if (plain && current.sa_handler == SIG_IGN) return;
  previous.action = current;
  previous.was_called = false;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | (current.sa_flags & (SA_RESTART | SA_NODEFER));
  action.sa_mask = current.sa_mask;
  previous.installed = sigaction(signal, &action, nullptr) == 0;
}

}  // namespace

void act_on_fatal_signals(void (*act)()) {
  g_act = act;
  for (const int signal : kSignals) install(signal);
}

void leave_fatal_signals() {
  g_act = nullptr;
  for (const int signal : kSignals) {
    Previous& previous = previous_of(signal);
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if (!previous.installed || !is_ours(current)) continue;
    const bool is_over = previous.was_called && is_one_shot(previous.action);
    const struct sigaction action = is_over ? default_action() : previous.action;
    sigaction(signal, &action, nullptr);
    previous.installed = false;
  }
}

}  // namespace lightmetal::capture
