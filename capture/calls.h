#pragma once

#include "capture/capture.h"
#include "schema/forward.h"

// Between what surrounds a call (calls.cc) and the recorder.
namespace lightmetal::capture::internal {

// In calls.cc. What this thread records is an intent; it was recorded; and the call itself was.
bool is_announcing();
void announced(schema::Call call);
void ended(schema::Call call);

// In calls.cc. What was wanted when the call began that this thread records: it goes to no capture
// that has begun since. Outside of calls everything that could be wanted.
Mode wanted_by_call();

// While it lives, what this thread records is a call of another thread, which began when `mode` was
// wanted.
class OtherCallScope {
 public:
  explicit OtherCallScope(Mode mode);
  ~OtherCallScope();
  OtherCallScope(const OtherCallScope&) = delete;
  OtherCallScope& operator=(const OtherCallScope&) = delete;

 private:
  const schema::Call announced_;
  const Mode wanted_;
};

// In recorder.cc. True on a thread that may hold a lock of the capture's: in a signal handler, that
// is, which has interrupted it.
bool holds_capture_locks();

// In calls.cc. Keeps snapshots of flight recorders away, as a call does.
class GatePass {
 public:
  GatePass();
  ~GatePass();
  GatePass(const GatePass&) = delete;
  GatePass& operator=(const GatePass&) = delete;

 private:
  const bool is_gated_;
};

// In recorder.cc. True once the environment's capture has something to write to: it begins at the
// first call and may never have.
bool environment_has_begun_to_write();

// In recorder.cc. Whether the capture for which this thread records has asked for intents.
// REQUIRES: inside for_each_capture().
bool wants_intents();

// In recorder.cc, for a flight recorder. A call has failed.
void write_ring_for_error();

// What the end of a call is good for.
enum class SegmentWish { None, Wanted, Urgent, LastChance };
SegmentWish wish_for_segment();
// REQUIRES: no other thread is inside a call, and what this one calls is not recorded as calls.
void begin_next_segment();

}  // namespace lightmetal::capture::internal
