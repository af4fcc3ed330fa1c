#pragma once

#include "capture/capture.h"
#include "schema/commands/forward.h"

// What the surroundings of a call (calls.cc) and the recorder (recorder.cc) tell each other. Not
// for the host API's functions.
namespace lightmetal::capture::internal {

// ---- In calls.cc ----

// True while what this thread records is an intent.
bool is_announcing();
// The recorder has appended the intent of this thread's call.
void announced(schema::Call call);
// The recorder has appended this thread's call itself, so that its intent no longer stands alone.
void ended(schema::Call call);

// What the captures wanted when this thread's call began. A call goes to no capture that has begun
// since. Outside of calls all bits are set.
Mode wanted_by_call();

// While it lives, this thread records a call of another thread, which began when the captures
// wanted `mode`.
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

// In recorder.cc. True while this thread may hold a lock of the capture: that is what a signal
// handler sees which has interrupted the recorder, and then must not record.
bool holds_capture_locks();

// In calls.cc. While it lives, no flight recorder takes a snapshot, as during a call. Waits for one
// that is being taken.
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
// first recorded call, which may never come.
bool environment_has_begun_to_write();

// In recorder.cc. Whether the capture for which this thread records has asked for intents.
// REQUIRES: inside for_each_capture().
bool wants_intents();

// In recorder.cc. A call has failed: the flight recorders among the captures that recorded it write
// their files.
void write_ring_for_error();

// In recorder.cc. How urgently a flight recorder wants to begin a segment at the end of a call.
enum class SegmentWish { None, Wanted, Urgent, LastChance };
SegmentWish wish_for_segment();
// Begins a segment of each flight recorder that wants one and can have a snapshot now. REQUIRES: no
// other thread is inside a call, and what this thread calls is not recorded as calls.
void begin_next_segment();

}  // namespace lightmetal::capture::internal
