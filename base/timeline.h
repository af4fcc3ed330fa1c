#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core.h"

// What devices did when, for those who measure. Nothing is noted until somebody asks.
namespace lightmetal::timeline {

enum class Kind : uint8_t { kWrite, kRead, kLaunch, kCore, kScope };

// Something that a device did. Times are nanoseconds of one clock of the process, which never goes
// back.
struct Span {
  Kind kind = Kind::kLaunch;
  int chip = 0;
  uint64_t thread = 0;  // which of the threads that noted something, counted from 1
  int64_t begin = 0;
  int64_t end = 0;
  uint64_t bytes = 0;     // of a transfer
  uint64_t plan = 0;      // of a launch: the program's plan, unique in the process
  uint32_t lane = 0;      // of a launch: 0, or the sub-device's number plus 1
  uint32_t cores = 0;     // of a launch: how many
  Core core = {};         // kCore: which
  uint32_t depth = 0;     // of a scope: how many it lies in
  std::string name = {};  // of a scope; of a launch, its kernels
};

// At most so many are kept; those behind them are counted.
inline constexpr size_t kMostSpans = size_t{1} << 22;

struct Spans {
  std::vector<Span> spans;  // by their end
  uint64_t dropped = 0;
};

namespace internal {
extern std::atomic<bool> g_is_on;
}

// Whether spans are noted now.
inline bool is_on() { return internal::g_is_on.load(std::memory_order_relaxed); }

// From here on the devices that are opened can be timed. Called before they are opened.
void enable();
bool is_enabled();

// Notes spans from here on, until take(). Thread-safe, as everything here.
void start();
// Ends that, and returns what was noted.
Spans take();

int64_t now();
// Keeps a span if spans are noted; fills in the thread. Transfers that one thread makes to one chip
// right after each other, as those of a buffer's pages, become one.
void add(Span span);

}  // namespace lightmetal::timeline
