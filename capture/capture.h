#pragma once

#include <atomic>

// The entry/call pair that every captured function of the host API carries. recorder.h holds what
// stands behind it.
//
//   void Finish(CommandQueue& cq) {
//     LIGHT_METAL_TRACE_FUNCTION_ENTRY();
//     ... the real call ...
//     LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::finish, cq);
//   }
//
// Idle, a call costs one relaxed load and its arguments are not evaluated. With
// LIGHTMETAL_ENABLE_CAPTURE off the pair is type-checked and leaves no code.
namespace lightmetal::capture {

#ifdef LIGHTMETAL_ENABLE_CAPTURE
inline constexpr bool kEnabled = true;

// True while a capture runs. Written by the recorder alone.
extern std::atomic<bool> g_active;

// How deep this thread is in captured functions while a capture runs.
inline thread_local constinit int t_depth = 0;

// Lives as long as one captured function runs.
class CallScope {
 public:
  CallScope()
      : entered_(g_active.load(std::memory_order_relaxed)), records_(entered_ && t_depth++ == 0) {}
  ~CallScope() {
    if (entered_) --t_depth;
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  // True for the outermost call on this thread: the one to record.
  bool records() const { return records_; }

 private:
  bool entered_;
  bool records_;
};
#else
inline constexpr bool kEnabled = false;

class CallScope {
 public:
  constexpr CallScope() {}
  constexpr bool records() const { return false; }
};
#endif

}  // namespace lightmetal::capture

#define LIGHT_METAL_TRACE_FUNCTION_ENTRY() \
  [[maybe_unused]] const ::lightmetal::capture::CallScope light_metal_call_scope
#define LIGHT_METAL_TRACE_FUNCTION_CALL(capture_fn, ...)             \
  do {                                                               \
    if constexpr (::lightmetal::capture::kEnabled) {                 \
      if (light_metal_call_scope.records()) capture_fn(__VA_ARGS__); \
    }                                                                \
  } while (false)
