#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

// Ratios of two workloads, measured so that a noisy machine disturbs them little: both run in turn,
// many times, in one process.
namespace lightmetal::bench {

struct Ratio {
  double ratio = 0;    // the median, over the rounds, of subject over baseline
  double subject = 0;  // medians, in `unit`
  double baseline = 0;
  std::string unit = "ns";  // nanoseconds for one operation, or work per time
  std::string note = {};    // what else a reader must know; may be empty
  std::string work = {};    // how much was timed: what checked_work() returned
};

struct Pair {
  // Each does its work once and returns how many operations that was. Work that must not be
  // measured goes into the prepare functions.
  std::function<size_t()> subject;
  std::function<size_t()> baseline;
  std::function<void()> prepare_subject = [] {};
  std::function<void()> prepare_baseline = [] {};
};

// Returns how much work a benchmark timed: "1000000 commands". Throws std::runtime_error if `found`
// is not `expected`, because the time is then that of other work. `found` must be counted in a file
// or read back from a device.
std::string checked_work(uint64_t expected, uint64_t found, const std::string& what);

// Runs both once to warm up, then `rounds` times in turn. The ratio is one of times.
Ratio measure_ratio(const Pair& pair, int rounds);

// Returns the same measurement as a ratio of rates. Each operation does `work` floating-point
// operations for "GFLOP/s", or `work` bytes for "GB/s": work per nanosecond is billions per second.
Ratio as_rates(const Ratio& times, double work, const std::string& unit);

// What a ratio should reach: at most `value` for costs, at least `value` for rates. Without one
// nothing is asked for.
struct Target {
  std::optional<double> value = {};
  bool at_least = false;
};

// Prints the name, the ratio, its target, the subject and the baseline, the work, and the note.
// Throws std::runtime_error if `ratio.work` is empty.
void print_ratio(const std::string& name, const Ratio& ratio, const Target& target);

}  // namespace lightmetal::bench
