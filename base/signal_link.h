#pragma once

#include <signal.h>

#include <atomic>

namespace lightmetal {

using SignalHandler = void (*)(int signal, siginfo_t* info, void* context);

// One handler of a signal in the chain of those of a process: it acts on what is its own and passes
// on the rest to the action that was there before it, in the way that was asked for (SA_RESTART,
// SA_NODEFER, SA_RESETHAND, sa_mask). Lives for ever. Not thread-safe, as sigaction is not, but for
// what is said to be async-signal-safe.
class SignalLink {
 public:
  constexpr SignalLink(int signal, SignalHandler handler) : signal_(signal), handler_(handler) {}
  SignalLink(const SignalLink&) = delete;
  SignalLink& operator=(const SignalLink&) = delete;

  int signal() const { return signal_; }

  // Puts the handler before what is there. It stays where it is below a handler that the program
  // has installed since: it would be called by itself if it were on top as well. A signal that the
  // process ignores is left alone.
  void install();

  // Puts back what was there. Where the program has installed a handler since, this one stays below
  // it.
  void remove();

  // Does what would have happened without the handler, which calls this and returns.
  // Async-signal-safe.
  void pass_on(siginfo_t* info, void* context);

  // True when such a signal comes to the handler now: nothing is before it but handlers that are
  // known to pass on. Async-signal-safe.
  bool is_reached() const;

 private:
  bool is_handler_of(const struct sigaction& action) const;
  // What the next signal would have met without the handler.
  struct sigaction previous_now() const;

  const int signal_;
  const SignalHandler handler_;
  bool installed_ = false;  // it is in the chain
  struct sigaction previous_ = {};
  std::atomic<bool> was_called_ = false;  // with SA_RESETHAND that was the only time
};

// Says that `handler`, when it gets `signal`, passes on what is not its own to `previous`, which
// lives for ever. A few handlers of the project's own say so; more than there is room for are taken
// for the program's.
void note_passing_handler(int signal, SignalHandler handler, const struct sigaction* previous);

}  // namespace lightmetal
