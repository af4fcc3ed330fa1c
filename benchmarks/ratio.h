#pragma once

#include <cstddef>
#include <functional>
#include <string>

// Ratios of two workloads that survive a noisy machine: both run in turn, many times, in one
// process.
namespace lightmetal::bench {

struct Ratio {
  double ratio = 0;    // the median, over the rounds, of subject over baseline
  double subject = 0;  // medians, in `unit`
  double baseline = 0;
  std::string unit = "ns";  // nanoseconds for one operation, or work per time
  std::string note = {};    // what else a reader must know; may be empty
};

struct Pair {
  // Each does its work once and returns how many operations that was. What they must not measure
  // goes into the prepare functions.
  std::function<size_t()> subject;
  std::function<size_t()> baseline;
  std::function<void()> prepare_subject = [] {};
  std::function<void()> prepare_baseline = [] {};
};

// Runs both once to warm up, then `rounds` times in turn. A ratio of times.
Ratio measure_ratio(const Pair& pair, int rounds);

// The same measurement as a ratio of rates: each operation does `work` units per nanosecond's
// worth, such as floating-point operations for "GFLOP/s" or bytes for "GB/s".
Ratio as_rates(const Ratio& times, double work, const std::string& unit);

// What a ratio should reach: at most this for costs, at least this for rates. 0:
// nothing is asked for.
struct Target {
  double value = 0;
  bool at_least = false;
};

// The name, the ratio, what it should reach and both numbers behind it, and the note.
void print_ratio(const std::string& name, const Ratio& ratio, const Target& target);

}  // namespace lightmetal::bench
