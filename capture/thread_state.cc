#include "capture/thread_state.h"

namespace lightmetal::capture {
namespace {

// A plain pointer, so that it can be read after the thread's objects were destroyed.
thread_local constinit ThreadState* t_state = nullptr;

struct Cleanup {
  ~Cleanup() {
    delete t_state;
    t_state = nullptr;
  }
  void touch() {}
};

thread_local Cleanup t_cleanup;

ThreadState& make_state() {
  // The clean-up runs once, when the thread ends. A state that is made after that lives as long as
  // the process.
  t_state = new ThreadState;
  t_cleanup.touch();
  return *t_state;
}

}  // namespace

ThreadState& thread_state() { return t_state != nullptr ? *t_state : make_state(); }

}  // namespace lightmetal::capture
