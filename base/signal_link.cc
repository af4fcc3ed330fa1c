#include "base/signal_link.h"

#include <array>
#include <cstddef>

namespace lightmetal {
namespace {

struct PassingHandler {
  std::atomic<int> signal = 0;
  std::atomic<SignalHandler> handler = nullptr;
  std::atomic<const struct sigaction*> previous = nullptr;
};
std::array<PassingHandler, 8> g_passing;

bool is_default(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

bool is_ignored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
}

bool is_one_shot(const struct sigaction& action) {
  return (static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) != 0;
}

struct sigaction default_action() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  return action;
}

// Returns the action behind a handler that was noted as passing on; null for any other action.
const struct sigaction* behind(int signal, const struct sigaction& action) {
  if ((action.sa_flags & SA_SIGINFO) == 0) return nullptr;
  for (const PassingHandler& passing : g_passing) {
    if (passing.handler == action.sa_sigaction && passing.signal == signal) return passing.previous;
  }
  return nullptr;
}

}  // namespace

void note_passing_handler(int signal, SignalHandler handler, const struct sigaction* previous) {
  for (PassingHandler& passing : g_passing) {
    if (passing.handler != nullptr) continue;
    // The handler is stored last: a signal that comes in between finds an entry with all of its
    // fields or none.
    passing.signal = signal;
    passing.previous = previous;
    passing.handler = handler;
    return;
  }
}

bool SignalLink::is_handler_of(const struct sigaction& action) const {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handler_;
}

struct sigaction SignalLink::previous_now() const {
  return was_called_ && is_one_shot(previous_) ? default_action() : previous_;
}

void SignalLink::install() {
  struct sigaction current = {};
  sigaction(signal_, nullptr, &current);
  // A default action on top of an installed link means that the program has thrown the link away.
  if ((installed_ && !is_default(current)) || is_ignored(current)) return;
  previous_ = current;
  was_called_ = false;
  struct sigaction action = {};
  action.sa_sigaction = handler_;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | (current.sa_flags & (SA_RESTART | SA_NODEFER));
  action.sa_mask = current.sa_mask;
  installed_ = sigaction(signal_, &action, nullptr) == 0;
}

void SignalLink::remove() {
  struct sigaction current = {};
  sigaction(signal_, nullptr, &current);
  if (!installed_ || !is_handler_of(current)) return;
  const struct sigaction action = previous_now();
  sigaction(signal_, &action, nullptr);
  installed_ = false;
}

void SignalLink::pass_on(siginfo_t* info, void* context) {
  const struct sigaction action = previous_now();
  was_called_ = true;
  if ((action.sa_flags & SA_SIGINFO) != 0) return action.sa_sigaction(signal_, info, context);
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler != SIG_DFL) return action.sa_handler(signal_);
  sigaction(signal_, &action, nullptr);  // A faulting instruction faults again on return.
  if (info->si_code <= 0) raise(signal_);
}

bool SignalLink::is_reached() const {
  struct sigaction current = {};
  if (sigaction(signal_, nullptr, &current) != 0) return false;
  const struct sigaction* action = &current;
  // The chain cannot be longer than the noted handlers and one more; the bound ends a walk through
  // a chain that has become a circle.
  for (size_t i = 0; action != nullptr && i <= g_passing.size(); ++i) {
    if (is_handler_of(*action)) return true;
    action = behind(signal_, *action);
  }
  return false;
}

}  // namespace lightmetal
