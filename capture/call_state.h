#pragma once

#include <utility>

#include "capture/capture.h"
#include "schema/command_generated.h"

// What a thread's running call of the host API is to the captures. The surroundings of the call
// (calls.cc) and the recorder (recorder.cc) tell each other here. Not for the host API's functions.
namespace lightmetal::capture::internal {

inline constexpr Mode kEverything = kRecords | kAnnounces | kGated;

struct CallState {
  // What the call was announced as, as long as its intent stands alone in the file; NONE without an
  // intent.
  schema::Call announced = schema::Call::NONE;
  // What the captures wanted when the call began: it goes to no capture that has begun since.
  // Outside of calls all bits are set.
  Mode wanted = kEverything;
  // While an IntentScope lives: what the thread records are intents.
  bool is_announcing = false;
  // Whether thread_state().failure is of this call.
  bool has_failure = false;
};

// The thread's own.
inline thread_local constinit CallState t_call;

// The recorder has appended this thread's call itself, so that its intent no longer stands alone.
inline void ended(schema::Call call) {
  if (t_call.announced == call) t_call.announced = schema::Call::NONE;
}

// While it lives, this thread records a call of another thread, which began when the captures
// wanted `mode`.
class OtherCallScope {
 public:
  explicit OtherCallScope(Mode mode)
      : announced_(t_call.announced), wanted_(std::exchange(t_call.wanted, mode)) {}
  ~OtherCallScope() {
    t_call.announced = announced_;
    t_call.wanted = wanted_;
  }
  OtherCallScope(const OtherCallScope&) = delete;
  OtherCallScope& operator=(const OtherCallScope&) = delete;

 private:
  const schema::Call announced_;
  const Mode wanted_;
};

}  // namespace lightmetal::capture::internal
