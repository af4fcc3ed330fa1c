#pragma once

namespace lightmetal::capture {

// Gives this thread a stack for signal handlers, unless it has one, until the thread ends: a
// handler that is to act on a stack overflow has nowhere else to run. When there is no memory for
// it, the thread goes without.
void have_signal_stack();

}  // namespace lightmetal::capture
