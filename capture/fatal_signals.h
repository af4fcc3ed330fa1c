#pragma once

// The signals that end a process by a fault or on request: SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL
// and SIGTERM. The handler here acts first and changes nothing of what they do.
namespace lightmetal::capture {

// Has `act` called on the thread that gets such a signal; then the signal does what it would have
// done without that: the handler that was there is called in the way that was asked for
// (SA_RESTART, SA_NODEFER, SA_RESETHAND, sa_mask), or the signal ends the process. A signal that
// the process ignores is left alone. A handler that the program installs later comes first, and
// passes the signal on or not. REQUIRES: `act` is async-signal-safe. Not thread-safe, as sigaction
// is not.
void act_on_fatal_signals(void (*act)());

// Puts back the handlers that were there. Where the program has installed a handler since, ours
// stays below it and only passes signals on.
void leave_fatal_signals();

}  // namespace lightmetal::capture
