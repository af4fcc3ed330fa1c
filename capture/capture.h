#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

// The entry/call pair that every captured function of the host API carries. recorder.h holds what
// stands behind the pair, and record.h says how a call becomes one line.
//
//   void EventSynchronize(const std::shared_ptr<Event>& event) {
//     LIGHT_METAL_TRACE_FUNCTION_ENTRY();
//     ... the real call ...
//     LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::EventSynchronize>, *event);
//   }
//
// An exception of the recording becomes the capture's error and does not reach the program. A call
// that throws is recorded as one that failed, under the name of the function; a function that is
// not the host API's own gives the entry the name of the call: ENTRY("EnqueueWriteBuffer"). Only
// the outermost captured function on a thread is recorded: what it calls is part of it.
//
// Idle, a call costs one relaxed load and its arguments are not evaluated. With
// LIGHTMETAL_ENABLE_CAPTURE off the pair is type-checked and leaves no code.
namespace lightmetal::capture {

// What the captures want of the captured functions. 0: no capture runs. Two captures can run at the
// same time (session.h), and each has one of the two bits of every wish.
using Mode = uint8_t;
inline constexpr Mode kRecords = 0x11;
inline constexpr Mode kAnnounces = 0x22;  // calls that launch or wait write intents: announce()
inline constexpr Mode kGated = 0x44;      // calls wait while a flight recorder takes its snapshot

#ifdef LIGHTMETAL_ENABLE_CAPTURE
inline constexpr bool kEnabled = true;

// Only the recorder writes this. Relaxed: a call that begins while a capture begins may go either
// way.
extern std::atomic<Mode> g_mode;

// How many captured functions this thread is inside of, counted while a capture runs.
inline thread_local constinit int t_depth = 0;

namespace internal {

// Recording a call has thrown `error`: it becomes the error of the capture, and the program does
// not see it.
void recording_failed(const std::exception& error) noexcept;

// Called around an outermost call. enter_call() returns how many exceptions this thread is
// handling; leave_call() compares, and so knows whether the call throws.
int enter_call(Mode mode);
void leave_call(Mode mode, int exceptions, const char* function) noexcept;

// While it lives, this thread records intents.
class IntentScope {
 public:
  IntentScope();
  ~IntentScope();
  IntentScope(const IntentScope&) = delete;
  IntentScope& operator=(const IntentScope&) = delete;
};

}  // namespace internal

// Lives as long as one captured function runs. `function` is its name, which must live for ever.
// Belongs to the thread that made it.
class CallScope {
 public:
  explicit CallScope(const char* function = __builtin_FUNCTION())
      : function_(function),
        mode_(g_mode.load(std::memory_order_relaxed)),
        records_(mode_ != 0 && t_depth++ == 0),
        exceptions_(records_ ? internal::enter_call(mode_) : 0) {}
  ~CallScope() {
    if (mode_ == 0) return;
    // The depth stays until the end: a host API call that a signal handler makes meanwhile is an
    // inner one, and takes none of the capture's locks.
    if (records_) internal::leave_call(mode_, exceptions_, function_);
    --t_depth;
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  // What the captures wanted when the call began. A capture that begins later does not have the
  // call.
  Mode mode() const { return mode_; }
  // True for the outermost call on this thread, which is the one that is recorded.
  bool records() const { return records_; }
  // True when an intent of the call is written before the call is made.
  bool announces() const { return records_ && (mode_ & kAnnounces) != 0; }

 private:
  const char* const function_;
  const Mode mode_;
  const bool records_;
  const int exceptions_;
};
#else
inline constexpr bool kEnabled = false;

namespace internal {
inline void recording_failed(const std::exception&) noexcept {}
struct IntentScope {};
}  // namespace internal

class CallScope {
 public:
  constexpr explicit CallScope(const char* = nullptr) {}
  constexpr Mode mode() const { return 0; }
  constexpr bool records() const { return false; }
  constexpr bool announces() const { return false; }
};
#endif

// Writes an intent of the call that is about to be made, where the capture was asked for intents:
// `record()` records the call as it does afterwards. If the call never returns, the file shows it.
template <class Record>
void announce([[maybe_unused]] const CallScope& scope, [[maybe_unused]] Record&& record) {
  if constexpr (kEnabled) {
    if (!scope.announces()) [[likely]]
      return;
    [[maybe_unused]] const internal::IntentScope intent;
    try {
      record();
    } catch (const std::exception& error) {
      internal::recording_failed(error);
    }
  }
}

// Calls `record()`, which records the call, unless the call is part of another or nobody captures.
template <class Record>
void record_call([[maybe_unused]] const CallScope& scope, [[maybe_unused]] Record&& record) {
  if constexpr (kEnabled) {
    if (!scope.records()) return;
    try {
      record();
    } catch (const std::exception& error) {
      internal::recording_failed(error);
    }
  }
}

// Notes why the host API's function that runs on this thread is about to throw, for the record of
// the failed call (CallFailed).
#ifdef LIGHTMETAL_ENABLE_CAPTURE
void note_failure(const char* text, size_t size);
#else
inline void note_failure(const char*, size_t) {}
#endif

}  // namespace lightmetal::capture

#define LIGHT_METAL_TRACE_FUNCTION_ENTRY(...) \
  [[maybe_unused]] const ::lightmetal::capture::CallScope light_metal_call_scope { __VA_ARGS__ }
#define LIGHT_METAL_TRACE_FUNCTION_CALL(capture_fn, ...)                        \
  do {                                                                          \
    if constexpr (::lightmetal::capture::kEnabled) {                            \
      if (light_metal_call_scope.records()) {                                   \
        try {                                                                   \
          capture_fn(__VA_ARGS__);                                              \
        } catch (const std::exception& light_metal_error) {                     \
          ::lightmetal::capture::internal::recording_failed(light_metal_error); \
        }                                                                       \
      }                                                                         \
    }                                                                           \
  } while (false)
