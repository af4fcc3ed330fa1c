#include <chrono>
#include <exception>
#include <string>

#include "absl/strings/str_cat.h"
#include "capture/call_gate.h"
#include "capture/call_state.h"
#include "capture/capture.h"
#include "capture/recorder.h"
#include "capture/session.h"
#include "capture/signal_stack.h"
#include "capture/thread_state.h"

namespace lightmetal::capture {
namespace {

using internal::t_call;

// A message may quote any bytes, and the strings of a file are text.
std::string printable(const std::string& text) {
  std::string result = text;
  for (char& byte : result) {
    const auto code = static_cast<unsigned char>(byte);
    if ((code < 0x20 && code != '\n' && code != '\t') || code >= 0x7f) byte = '?';
  }
  return result;
}

void record_failure(const char* function, Mode mode) {
  const std::string text = t_call.has_failure ? printable(thread_state().failure) : "";
  record_encoded<schema::CallFailed>([&](Encoder& encoder) {
    const auto name = encoder.builder().CreateString(function);
    const auto error = encoder.builder().CreateString(text);
    const schema::Call announced =
        internal::wants_intents() ? t_call.announced : schema::Call::NONE;
    return schema::CreateCallFailed(encoder.builder(), name, error,
                                    static_cast<uint8_t>(announced));
  });
  if ((mode & kGated) != 0) internal::write_ring_for_error();
}

// Opens the gate whatever the snapshot throws.
class Opener {
 public:
  ~Opener() { call_gate().open(); }
};

// How long calls wait for a quiet moment. A second is long for a program, but the last chance comes
// at most once for each segment, and without a snapshot the rest of the capture is lost.
std::chrono::milliseconds patience_for(internal::SegmentWish wish) {
  switch (wish) {
    case internal::SegmentWish::Urgent:
      return std::chrono::milliseconds(50);
    case internal::SegmentWish::LastChance:
      return std::chrono::seconds(1);
    default:
      return std::chrono::milliseconds(0);
  }
}

// At the end of a call that failed no snapshot is taken: the program waits for its error.
void leave_gate(bool failed) {
  using internal::SegmentWish;
  const SegmentWish wish = failed ? SegmentWish::None : internal::wish_for_segment();
  if (!call_gate().leave(wish != SegmentWish::None, patience_for(wish))) return;
  const Opener opener;
  internal::begin_next_segment();
}

template <class Action>
void try_to(Action action) noexcept {
  try {
    action();
  } catch (const std::exception& error) {
    internal::recording_failed(error);
  }
}

}  // namespace

void note_failure(const char* text, size_t size) {
  // Outside of captured functions nobody records a failure.
  if (t_depth == 0) return;
  thread_state().failure.assign(text, size);
  t_call.has_failure = true;
}

namespace internal {

void recording_failed(const std::exception& error) noexcept {
  record_error(absl::InternalError(absl::StrCat("a call cannot be recorded: ", error.what())));
}

IntentScope::IntentScope() { t_call.is_announcing = true; }
IntentScope::~IntentScope() { t_call.is_announcing = false; }

int enter_call(Mode mode) {
  if ((mode & kAnnounces) != 0) t_call.announced = schema::Call::NONE;
  if ((mode & kGated) != 0) {
    have_signal_stack();
    call_gate().enter();
  }
  t_call.has_failure = false;
  t_call.wanted = mode;
  return std::uncaught_exceptions();
}

// The program's own exception may be on its way through this frame, so nothing of ours may be
// thrown. The failure is recorded before the gate is left: a snapshot that is taken there comes
// behind it.
void leave_call(Mode mode, int exceptions, const char* function) noexcept {
  const bool failed = std::uncaught_exceptions() > exceptions;
  if (failed) try_to([&] { record_failure(function, mode); });
  t_call.wanted = kEverything;
  if ((mode & kGated) != 0) try_to([&] { leave_gate(failed); });
}

}  // namespace internal
}  // namespace lightmetal::capture
