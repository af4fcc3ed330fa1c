#pragma once

#include <pthread.h>

#include <atomic>

namespace lightmetal {

// One T for the whole process, made when it is first asked for and never destroyed. A forked child
// gets a T of its own: in its parent's T, locks may be held by threads that the child does not
// have, and what those threads were changing is half done. Threads that ask for it at the same time
// may each make a T, and all but one are destroyed again: T's constructor must have no effects
// elsewhere. Thread-safe.
template <class T>
class PerProcess {
 public:
  static T& get() {
    T* here = here_.load(std::memory_order_acquire);
    return here != nullptr ? *here : make();
  }

 private:
  static T& make() {
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, begin_anew);
    T* const made = new T;
    T* there = nullptr;
    if (here_.compare_exchange_strong(there, made, std::memory_order_acq_rel)) return *made;
    delete made;
    return *there;
  }

  static void begin_anew() { of_parent_ = here_.exchange(nullptr); }

  static inline std::atomic<T*> here_ = nullptr;
  static inline T* of_parent_ = nullptr;  // keeps the parent's T reachable for leak checkers
};

}  // namespace lightmetal
