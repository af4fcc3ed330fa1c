// Measures the ratios that the project promises and writes them as a JSON object.
// Usage: lightmetal_bench [--summary FILE] [--only NAME] [--require]
#include <cstdlib>
#include <cxxopts.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "benchmarks/benchmarks.h"
#include "device/cpu/tiles/processor.h"

namespace lightmetal::bench {
namespace {

struct Benchmark {
  const char* name;
  Target target;
  const char* device;
  std::function<Ratio()> run;
  // The most that --require accepts, which is wider than the target by what noise does to the
  // ratio. Without one anything is accepted, for ratios of times that busy processors disturb.
  std::optional<double> limit = {};
};

constexpr bool kAtLeast = true;

std::vector<Benchmark> benchmarks(const std::string& bin_folder, const std::string& folder) {
  return {
      {"capture_idle_call",
       {1.5},
       "null",
       [=] { return capture_idle_call(bin_folder, "SetRuntimeArgs"); }},
      {"capture_idle_run_args",
       {1.5},
       "null",
       [=] { return capture_idle_call(bin_folder, "SetProgramRunArgs"); }},
      {"capture_idle_workload",
       {1.5},
       "null",
       [=] { return capture_idle_call(bin_folder, "EnqueueMeshWorkload"); }},
      {"capture_small_call", {2.5}, "null", capture_small_call},
      {"capture_file_call", {1.3}, "null", [=] { return capture_file_call(folder); }, 3},
      {"capture_payload", {1.5}, "null", [=] { return capture_payload(folder); }},
      {"replay_dispatch", {2.0}, "null", replay_dispatch},
      {"replay_vs_live", {1.05}, "cpu", replay_vs_live},
      {"transformer_replay_vs_live", {1.05}, "cpu", transformer_replay_vs_live},
      {"mesh_vs_classic", {1.02}, "cpu", mesh_vs_classic, 1.2},
      {"trace_vs_eager", {0.7}, "cpu", trace_vs_eager},
      {"fixed_schedule", {1.3}, "cpu", fixed_schedule, 2},
      {"matmul_vs_openblas",
       {device::cpu::has_amx_bf16() ? 1.0 : 0.6, kAtLeast},
       "cpu",
       matmul_vs_openblas},
      {"launch_vs_thread_per_kernel", {0.1}, "cpu", launch_vs_thread_per_kernel},
      {"vecadd_vs_loop", {0.4, kAtLeast}, "cpu", vecadd_vs_loop},
      {"kernel_cache_hit", {}, "cpu", kernel_cache_hit},
      {"kernel_compile", {3}, "cpu", [=] { return kernel_compile(folder); }, 6},
      {"verify_vs_read", {1.5}, "cpu", [=] { return verify_vs_read(folder); }, 2.5},
      {"dedup_size", {1.05}, "null", [=] { return dedup_size(folder); }, 1.05},
      {"open_scaling", {1.5}, "null", [=] { return open_scaling(folder); }, 2.5},
      {"info_speed", {6}, "null", [=] { return info_speed(folder); }, 12},
      {"command_scaling", {1.2}, "null", [=] { return command_scaling(folder); }, 2},
      {"live_object_scaling", {}, "null", [=] { return live_object_scaling(folder); }},
      {"resident_run", {1.05}, "cpu", resident_run},
      {"run_allocations", {0}, "cpu", [=] { return run_allocations(bin_folder); }, 0},
      {"overlap", {0.65}, "cpu", [=] { return overlap(folder); }, 0.8},
      {"stitch_bytes", {0}, "cpu", stitch_bytes, 0},
      {"cold_start_vs_compile",
       {0.1},
       "cpu",
       [=] { return cold_start_vs_compile(bin_folder, folder); }},
      {"compare_exact", {1.5}, "null", compare_exact},
      {"compare_tolerance", {6}, "null", compare_tolerance},
      {"bench_overhead", {1.05}, "cpu", [=] { return bench_overhead(bin_folder, folder); }},
      {"suite_scaling", {0.6}, "cpu", [=] { return suite_scaling(bin_folder, folder); }},
      {"capture_rss_mb", {300}, "cpu", [=] { return capture_rss_mb(bin_folder, folder); }, 32},
  };
}

// Returns false, after a line that says so, when the ratio is beyond its limit.
bool is_accepted(const Benchmark& benchmark, const Ratio& ratio) {
  if (!benchmark.limit.has_value() || ratio.ratio <= *benchmark.limit) return true;
  std::cerr << absl::StrFormat("lightmetal_bench: %s is %.2f, and at most %.2f is accepted\n",
                               benchmark.name, ratio.ratio, *benchmark.limit);
  return false;
}

// Errors name the benchmark.
Ratio run_and_print(const Benchmark& benchmark) {
  try {
    Ratio ratio = benchmark.run();
    print_ratio(benchmark.name, ratio, benchmark.target);
    return ratio;
  } catch (const std::exception& error) {
    throw std::runtime_error(absl::StrFormat("%s: %s", benchmark.name, error.what()));
  }
}

int run(const cxxopts::ParseResult& arguments, const std::string& program) {
  const std::string summary = arguments["summary"].as<std::string>();
  const std::string only = arguments["only"].as<std::string>();
  const std::filesystem::path folder = std::filesystem::absolute(summary).parent_path();
  std::filesystem::create_directories(folder);
  std::string json;
  bool accepted = true;
  for (const Benchmark& benchmark :
       benchmarks(std::filesystem::path(program).parent_path(), folder)) {
    if (!only.empty() && only != benchmark.name) continue;
    setenv("LIGHTMETAL_DEVICE", benchmark.device, 1);
    const Ratio ratio = run_and_print(benchmark);
    accepted &= is_accepted(benchmark, ratio);
    json +=
        absl::StrFormat("%s\n  \"%s\": %.4f", json.empty() ? "" : ",", benchmark.name, ratio.ratio);
  }
  std::ofstream(summary) << "{" << json << "\n}\n";
  return accepted || arguments.count("require") == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace lightmetal::bench

int main(int argc, char** argv) {
  cxxopts::Options options("lightmetal_bench", "Measures the project's promised ratios");
  options.add_options()("summary", "Write the ratios to FILE",
                        cxxopts::value<std::string>()->default_value("summary.json"), "FILE")(
      "only", "Run this one alone", cxxopts::value<std::string>()->default_value(""), "NAME")(
      "require", "Fail when one of those that hold on any machine does not")("h,help",
                                                                             "Print this text");
  try {
    const cxxopts::ParseResult arguments = options.parse(argc, argv);
    if (arguments.count("help")) {
      std::cout << options.help();
      return EXIT_SUCCESS;
    }
    return lightmetal::bench::run(arguments, argv[0]);
  } catch (const std::exception& error) {
    std::cerr << "lightmetal_bench: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}
