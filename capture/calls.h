#pragma once

#include "schema/command_generated.h"

// Between what surrounds a call (calls.cc) and the recorder.
namespace lightmetal::capture::internal {

// In calls.cc. What this thread records is an intent; it was recorded; and the call itself was.
bool is_announcing();
void announced(schema::Call call);
void ended(schema::Call call);

// While it lives, what this thread records are calls of other threads.
class OtherCallScope {
 public:
  OtherCallScope();
  ~OtherCallScope();
  OtherCallScope(const OtherCallScope&) = delete;
  OtherCallScope& operator=(const OtherCallScope&) = delete;

 private:
  const schema::Call announced_;
};

// In recorder.cc. True on a thread that may hold a lock of the capture's: in a signal handler, that
// is, which has interrupted it.
bool holds_capture_locks();

// In recorder.cc. True once the capture has something to write to: one that begins at the first
// call may never have.
bool has_begun_to_write();

// In recorder.cc, for a flight recorder. A call has failed.
void write_ring_for_error();

// What the end of a call is good for.
enum class SegmentWish { None, Wanted, Urgent, LastChance };
SegmentWish wish_for_segment();
// REQUIRES: no other thread is inside a call, and what this one calls is not recorded as calls.
void begin_next_segment();

}  // namespace lightmetal::capture::internal
