#pragma once

// The signals that end a process by a fault or by request: SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL
// and SIGTERM.
namespace lightmetal::capture {

// Calls `act` on the thread that gets such a signal, then does what would have happened without:
// calls the handler that was there, in the way that was asked for (SA_RESTART, SA_NODEFER,
// SA_RESETHAND, sa_mask), or ends the process by the signal. A signal that the process ignores is
// left alone. A handler that the program installs later comes first, and passes the signal on or
// not. `act` must be async-signal-safe. Not thread-safe, as sigaction is not.
void act_on_fatal_signals(void (*act)());

// Puts back what was there. Where the program has installed a handler since, ours stays below it
// and only passes signals on.
void leave_fatal_signals();

}  // namespace lightmetal::capture
