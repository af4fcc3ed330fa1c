#pragma once

#include <signal.h>

#include <atomic>

namespace lightmetal {

using SignalHandler = void (*)(int signal, siginfo_t* info, void* context);

// One handler of a signal in the chain of handlers of a process: it acts on what is its own and
// passes on the rest to the action that was there before it, in the way that was asked for
// (SA_RESTART, SA_NODEFER, SA_RESETHAND, sa_mask). An object lives for ever, because the system may
// call its handler at any time. Not thread-safe, as sigaction is not, except for what is said to be
// async-signal-safe.
class SignalLink {
 public:
  constexpr SignalLink(int signal, SignalHandler handler) : signal_(signal), handler_(handler) {}
  SignalLink(const SignalLink&) = delete;
  SignalLink& operator=(const SignalLink&) = delete;

  int signal() const { return signal_; }

  // Puts the handler before the action that is there. It stays where it is below a handler that the
  // program has installed since: were it on top as well, it would pass on to itself. Leaves a
  // signal alone that the process ignores.
  void install();

  // Puts back the action that was there. Where the program has installed a handler since, this one
  // stays below it.
  void remove();

  // Does what would have happened without the handler, which calls this and returns.
  // Async-signal-safe.
  void pass_on(siginfo_t* info, void* context);

  // True when a signal that is raised now comes to the handler: the handlers before it are all
  // known to pass on. Async-signal-safe.
  bool is_reached() const;

 private:
  bool is_handler_of(const struct sigaction& action) const;
  // The action that the next signal would have met without the handler.
  struct sigaction previous_now() const;

  const int signal_;
  const SignalHandler handler_;
  bool installed_ = false;  // the handler is in the chain
  struct sigaction previous_ = {};
  std::atomic<bool> was_called_ = false;  // previous_ was; with SA_RESETHAND it is used up
};

// Says that `handler`, when it gets `signal`, passes on what is not its own to `previous`, which
// lives for ever. A few handlers of the project's own are noted so; those beyond the room for eight
// are taken for the program's, so that is_reached() may say false but never wrongly true.
void note_passing_handler(int signal, SignalHandler handler, const struct sigaction* previous);

}  // namespace lightmetal
