#include "capture/fatal_signals.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

#include "base/signal_link.h"

namespace lightmetal::capture {
namespace {

void on_signal(int signal, siginfo_t* info, void* context);

constinit std::array<SignalLink, 6> g_links = {{{SIGSEGV, on_signal},
                                                {SIGABRT, on_signal},
                                                {SIGBUS, on_signal},
                                                {SIGFPE, on_signal},
                                                {SIGILL, on_signal},
                                                {SIGTERM, on_signal}}};
// What to call; null while nothing is to be done.
std::atomic<void (*)()> g_act = nullptr;

SignalLink& link_of(int signal) {
  size_t i = 0;
  while (g_links[i].signal() != signal) ++i;
  return g_links[i];
}

void on_signal(int signal, siginfo_t* info, void* context) {
  // The interrupted code goes on with its errno if another handler saves the process.
  const int error = errno;
  if (void (*act)() = g_act.load()) act();
  errno = error;
  link_of(signal).pass_on(info, context);
}

}  // namespace

void act_on_fatal_signals(void (*act)()) {
  g_act = act;
  for (SignalLink& link : g_links) link.install();
}

void leave_fatal_signals() {
  g_act = nullptr;
  for (SignalLink& link : g_links) link.remove();
}

}  // namespace lightmetal::capture
