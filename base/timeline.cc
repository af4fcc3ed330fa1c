#include "base/timeline.h"

#include <chrono>
#include <utility>

#include "base/mutex.h"

namespace lightmetal::timeline {

namespace internal {
constinit std::atomic<bool> g_is_on = false;
}

namespace {

constinit std::atomic<bool> g_is_enabled = false;
constinit std::atomic<uint64_t> g_threads = 0;

constinit Mutex g_mutex;
Spans& kept() ABSL_EXCLUSIVE_LOCKS_REQUIRED(g_mutex) {
  static auto& spans = *new Spans;  // never destroyed: devices may work while the process exits
  return spans;
}

uint64_t this_thread() {
  thread_local const uint64_t number = g_threads.fetch_add(1) + 1;
  return number;
}

// How much later a transfer begins that goes on with the one before it.
constexpr int64_t kPause = 20'000;

bool goes_on(const Span& before, const Span& span) {
  const bool is_transfer = span.kind == Kind::kWrite || span.kind == Kind::kRead;
  return is_transfer && span.kind == before.kind && span.thread == before.thread &&
         span.chip == before.chip && span.begin - before.end < kPause;
}

}  // namespace

void enable() { g_is_enabled = true; }
bool is_enabled() { return g_is_enabled; }

void start() {
  MutexLock lock(&g_mutex);
  kept() = Spans();
  internal::g_is_on = true;
}

Spans take() {
  internal::g_is_on = false;
  MutexLock lock(&g_mutex);
  return std::exchange(kept(), Spans());
}

int64_t now() {
  using std::chrono::steady_clock;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             steady_clock::now().time_since_epoch())
      .count();
}

void add(Span span) {
  if (!is_on()) return;
  span.thread = this_thread();
  MutexLock lock(&g_mutex);
  Spans& spans = kept();
  if (!spans.spans.empty() && goes_on(spans.spans.back(), span)) {
    spans.spans.back().end = span.end;
    spans.spans.back().bytes += span.bytes;
  } else if (spans.spans.size() == kMostSpans) {
    ++spans.dropped;
  } else {
    spans.spans.push_back(std::move(span));
  }
}

}  // namespace lightmetal::timeline
