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

void print_ratio(const std::string& name, const Ratio& ratio, double target) {
  absl::PrintF("%-20s %6.2f (reach %.2f)   %12.1f ns over %12.1f ns\n", name, ratio.ratio, target,
               ratio.subject_ns, ratio.baseline_ns);
}

}  // namespace lightmetal::bench
