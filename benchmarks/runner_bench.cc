// What the runner adds to a replay: comparing goldens, benchmarking, running many files at a time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <lightmetal/capture.hpp>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/counted_work.h"
#include "benchmarks/printed_by.h"
#include "benchmarks/values.h"
#include "examples/common/tiles.h"
#include "examples/matmul_multi_core/matmul_program.h"
#include "replay/compare.h"
#include "schema/file/reader.h"

namespace lightmetal::bench {
namespace {

namespace fs = std::filesystem;

double seconds_of(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

uint64_t count_of(absl::string_view text, absl::string_view part) {
  uint64_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

Bytes view(const std::vector<float>& values) {
  return bytes_of(values.data(), values.size() * sizeof(float));
}

// Comparing 64 MiB of floats, all of which differ by one step where `found` says so, over memcmp of
// equal bytes.
Ratio compare_over_memcmp(const ComparePolicy& policy, const std::vector<float>& expected,
                          const std::vector<float>& found) {
  const Bytes e = view(expected), f = view(found);
  const std::vector<float> equal = expected;
  bool is_right = true;
  uint64_t elements = 0;
  Ratio ratio = measure_ratio(
      {.subject =
           [&] {
             const GoldenResult result = replay::compare(schema::ElementType::Float32, policy, e, f,
                                                         replay::Errors::kOfFailures);
             is_right &= result.passed;
             elements = result.elements;
             return size_t{1};
           },
       .baseline =
           [&] {
             is_right &= std::memcmp(e.data(), view(equal).data(), e.size()) == 0;
             return size_t{1};
           }},
      11);
  if (!is_right) throw std::runtime_error("the goldens differ");
  ratio.work = checked_work(size_t{16} << 20, elements, "compared elements");
  return ratio;
}

std::vector<float> counting_floats() {
  std::vector<float> values(size_t{16} << 20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 4096) + 0.5f;
  return values;
}

}  // namespace

Ratio compare_exact() {
  const std::vector<float> values = counting_floats(), equal = values;
  return compare_over_memcmp({}, values, equal);
}

Ratio compare_tolerance() {
  const std::vector<float> values = counting_floats();
  std::vector<float> near = values;
  for (float& value : near) value = std::nextafter(value, 1e9f);
  return compare_over_memcmp(ComparePolicy::parse("atol:1e-3,rtol:1e-3").value(), values, near);
}

// The median run of `lightmetal_runner bench` over that of a loop that makes the calls itself: the
// device work of the 640x640x640 matmul.
Ratio bench_overhead(const std::string& bin_folder, const std::string& folder) {
  constexpr int kLoop = 15;
  const std::string file = folder + "/bench_overhead.lmb";
  const example::MatmulInputs tiles = example::tilized(example::make_matmul_inputs());
  const auto in_mesh = [&](const std::function<void(distributed::MeshDevice&)>& work) {
    const auto mesh = distributed::MeshDevice::create_unit_mesh(0);
    work(*mesh);
  };
  // The device stays open from run to run, as it does in the loop.
  in_mesh([&](distributed::MeshDevice& mesh) {
    LightMetalBeginCapture({.path = file});
    example::run_matmul(mesh, tiles);
    LightMetalEndCapture();
  });
  const std::string command = absl::StrCat(bin_folder, "/lightmetal_runner bench ", file,
                                           " --loop ", kLoop, " --format json");
  std::vector<double> subjects, baselines, ratios;
  for (int round = 0; round < 5; ++round) {
    in_mesh([&](distributed::MeshDevice& mesh) {
      std::vector<double> times;
      for (int i = 0; i < 1 + kLoop; ++i)
        times.push_back(seconds_of([&] { example::run_matmul(mesh, tiles); }));
      baselines.push_back(median_of({times.begin() + 1, times.end()}));
    });
    const std::string json = printed_by(command);
    checked_work(kLoop, count_of(json, "\"run_name\":\"run\",\"run_type\":\"iteration\""), "runs");
    const size_t place = json.find("\"real_time\":", json.find("\"name\":\"run_median\""));
    double nanoseconds = 0;
    const std::string text = json.substr(place + 12, json.find(',', place) - place - 12);
    if (!absl::SimpleAtod(text, &nanoseconds)) throw std::runtime_error("no median in " + json);
    subjects.push_back(nanoseconds * 1e-9);
    ratios.push_back(subjects.back() / baselines.back());
  }
  const uint64_t launches = launches_of(*value_of(schema::File::open(file)));
  fs::remove(file);
  return {.ratio = median_of(ratios),
          .subject = median_of(subjects) * 1e9,
          .baseline = median_of(baselines) * 1e9,
          .work = checked_work(1, launches, "launch in each run")};
}

// `lightmetal_runner run` of 200 files with two jobs over one.
Ratio suite_scaling(const std::string& bin_folder, const std::string& folder) {
  const fs::path files = fs::path(folder) / "suite_scaling";
  fs::remove_all(files);
  fs::create_directories(files);
  const std::string first = files / "000.lmb";
  printed_by(absl::StrCat(bin_folder, "/vecadd_multi_core --capture ", first, " > /dev/null"));
  for (int i = 1; i < 200; ++i) fs::copy_file(first, files / absl::StrFormat("%03d.lmb", i));
  constexpr size_t kFiles = 200;
  uint64_t passed = 0;
  const auto run = [&](int jobs) {
    return [&, jobs] {
      const std::string table = printed_by(
          absl::StrCat(bin_folder, "/lightmetal_runner run ", files.string(), " --jobs ", jobs));
      if (absl::StrContains(table, "200 files: 200 passed, 0 differs")) passed += kFiles;
      return kFiles;
    };
  };
  constexpr int kRounds = 3;
  Ratio ratio = measure_ratio({.subject = run(2), .baseline = run(1)}, kRounds);
  ratio.work = checked_work(2 * (kRounds + 1) * kFiles, passed, "files that passed");
  fs::remove_all(files);
  return ratio;
}

}  // namespace lightmetal::bench
