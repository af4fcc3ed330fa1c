#include "benchmarks/ratio.h"

#include <algorithm>
#include <chrono>
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
  return {1 / times.ratio, work / times.subject, work / times.baseline, unit, times.note};
}

void print_ratio(const std::string& name, const Ratio& ratio, const Target& target) {
  const std::string reach =
      target.value.has_value()
          ? absl::StrFormat("(reach at %s %.2f)", target.at_least ? "least" : "most", *target.value)
          : "";
  absl::PrintF("%-27s %6.2f %-21s %12.1f over %12.1f %s\n", name, ratio.ratio, reach, ratio.subject,
               ratio.baseline, ratio.unit);
  if (!ratio.note.empty()) absl::PrintF("%27s %s\n", "", ratio.note);
}

}  // namespace lightmetal::bench
