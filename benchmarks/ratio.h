#pragma once

#include <functional>
#include <string>

// Ratios of two workloads that survive a noisy machine: both run in turn, many times, in one
// process.
namespace lightmetal::bench {

struct Ratio {
  double ratio = 0;       // the median, over the rounds, of subject time over baseline time
  double subject_ns = 0;  // medians, for one operation
  double baseline_ns = 0;
};

struct Pair {
  // Each does its work once and returns how many operations that was. What they must not measure
  // goes into the prepare functions.
  std::function<size_t()> subject;
  std::function<size_t()> baseline;
  std::function<void()> prepare_subject = [] {};
  std::function<void()> prepare_baseline = [] {};
};

// Runs both once to warm up, then `rounds` times in turn.
Ratio measure_ratio(const Pair& pair, int rounds);

// One line: the name, the ratio, what it should reach, and both times.
void print_ratio(const std::string& name, const Ratio& ratio, double target);

}  // namespace lightmetal::bench
