#include "benchmarks/ratio.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "absl/strings/str_format.h"

namespace lightmetal::bench {
namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double nanoseconds_each(const std::function<void()>& prepare, const std::function<size_t()>& work) {
  prepare();
  const auto start = std::chrono::steady_clock::now();
  const size_t operations = work();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(operations);
}

}  // namespace

Ratio measure_ratio(const Pair& pair, int rounds) {
  std::vector<double> ratios, subjects, baselines;
  for (int round = -1; round < rounds; ++round) {
    const double baseline = nanoseconds_each(pair.prepare_baseline, pair.baseline);
    const double subject = nanoseconds_each(pair.prepare_subject, pair.subject);
    if (round < 0) continue;  // warm-up
    ratios.push_back(subject / baseline);
    subjects.push_back(subject);
    baselines.push_back(baseline);
  }
  return {median(ratios), median(subjects), median(baselines)};
}

Ratio as_rates(const Ratio& times, double work, const std::string& unit) {
  return {1 / times.ratio, work / times.subject, work / times.baseline, unit, times.note,
          times.work};
}

std::string checked_work(uint64_t expected, uint64_t found, const std::string& what) {
  if (found == expected) return absl::StrFormat("%d %s", found, what);
  throw std::runtime_error(
      absl::StrFormat("expected to time %d %s, found %d", expected, what, found));
}

void print_ratio(const std::string& name, const Ratio& ratio, const Target& target) {
  if (ratio.work.empty()) throw std::runtime_error("the benchmark checks no amount of work");
  const std::string reach =
      target.value.has_value()
          ? absl::StrFormat("(reach at %s %.2f)", target.at_least ? "least" : "most", *target.value)
          : "";
  absl::PrintF("%-27s %6.2f %-21s %12.1f over %12.1f %s\n", name, ratio.ratio, reach, ratio.subject,
               ratio.baseline, ratio.unit);
  absl::PrintF("%27s timed: %s\n", "", ratio.work);
  if (!ratio.note.empty()) absl::PrintF("%27s %s\n", "", ratio.note);
}

}  // namespace lightmetal::bench
