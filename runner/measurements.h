#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/timeline.h"

// What `bench` measures, and how it is shown.
namespace lightmetal::runner {

// The times of one thing that happened several times.
struct Measurement {
  std::string name;
  std::vector<double> times = {};  // seconds, in the order in which they were taken
  uint64_t bytes = 0;    // moved between host and device at one time; 0: none, or not known
  double reference = 0;  // seconds that it took elsewhere; 0: not known
};

// The q-quantile of the times, 0 the least and 1 the most of them: the value below which this part
// of them lies, between two times in proportion (type 7 of Hyndman and Fan, 1996). REQUIRES: there
// is a time.
double quantile(const Measurement& measurement, double q);

// What happened in one run, by the timeline of its devices and scopes. A scope's name has those of
// the scopes around it before it ("prefill/layer 3"); a program is known by the order of its first
// launch among programs of the same kernels and as many cores.
class RunDetails {
 public:
  // Adds a run. A scope or a program that earlier runs have had goes on with their times.
  void add(const timeline::Spans& timeline);

  const std::vector<Measurement>& scopes() const { return scopes_; }
  const std::vector<Measurement>& programs() const { return programs_; }
  uint64_t bytes_moved() const { return bytes_moved_; }  // in the last run

 private:
  void add_scopes(std::vector<timeline::Span> scopes, absl::Span<const timeline::Span> transfers);
  void add_programs(absl::Span<const timeline::Span> launches);

  std::vector<Measurement> scopes_, programs_;
  uint64_t bytes_moved_ = 0;
};

// A table on standard output: a line for each, with the least, the median, 95 % and the most of its
// times. With references, how many times as long as the reference the median is.
void print_measurements(absl::Span<const Measurement> measurements);

// The measurements as Google Benchmark writes them (--benchmark_format=json), so that its tools
// compare them: each time is an iteration, cpu_time is real_time.
std::string json_of(absl::Span<const Measurement> measurements);

}  // namespace lightmetal::runner
