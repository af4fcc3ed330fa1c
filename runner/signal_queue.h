#pragma once

#include <signal.h>

namespace lightmetal::runner {

// While it lives, the ends of children and what a user sends to end this process come by a
// descriptor instead of a handler. Signals that whoever started this process has it ignore stay
// ignored, but for the ends of children.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue() { leave(); }
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  int descriptor() const { return descriptor_; }

  // Takes what has come; true when the user wants an end.
  bool end_is_asked() const;

  // Signals do again what they did before. Also called in a child.
  void leave();

 private:
  int descriptor_ = -1;
  sigset_t mask_before_;
  struct sigaction action_before_ = {};
};

}  // namespace lightmetal::runner
