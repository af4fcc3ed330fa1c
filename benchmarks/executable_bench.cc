// What it costs to run a file as an executable.
#include <filesystem>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/printed_by.h"
#include "benchmarks/resident_matmul.h"

namespace lightmetal::bench {

namespace tm = tt::tt_metal;

// A request: A goes to the device, C comes back; with the conversion to and from tiles, which the
// calls have done beforehand.
Ratio resident_run() {
  tm::IDevice* const device = tm::CreateDevice(0);
  Ratio ratio;
  {
    const auto executable = load_matmul(device);
    MatmulRequest request;
    ResidentMatmul matmul(device);
    matmul.write_b();
    ratio = measure_ratio({.subject =
                               [&] {
                                 request.run(*executable);
                                 return size_t{1};
                               },
                           .baseline =
                               [&] {
                                 matmul.write_a_and_launch();
                                 matmul.read_c();
                                 return size_t{1};
                               }},
                          51);
  }
  tm::CloseDevice(device);
  return ratio;
}

Ratio run_allocations(const std::string& bin_folder) {
  double allocations = 0;
  const std::string printed = printed_by(bin_folder + "/run_allocations");
  if (!absl::SimpleAtod(printed, &allocations))
    throw std::runtime_error("run_allocations has printed " + printed);
  return {.ratio = allocations, .subject = allocations, .baseline = 1, .unit = "allocations"};
}

// A process that replays the captured matmul, up to its end, over one of the program itself that
// has no kernel compiled yet.
Ratio cold_start_vs_compile(const std::string& bin_folder, const std::string& folder) {
  const std::string file = folder + "/cold_start.lmb", cache = folder + "/cold_start_cache";
  const std::string program = bin_folder + "/matmul_multi_core";
  printed_by(absl::StrCat(program, " --capture ", file));
  const auto process = [](const std::string& command) {
    return [command] {
      printed_by(command);
      return size_t{1};
    };
  };
  const Ratio ratio = measure_ratio(
      {.subject = process(absl::StrCat(bin_folder, "/lightmetal_runner run ", file)),
       .baseline = process(absl::StrCat("LIGHTMETAL_CACHE_DIR=", cache, " ", program)),
       .prepare_baseline = [&] { std::filesystem::remove_all(cache); }},
      5);
  std::filesystem::remove_all(cache);
  std::filesystem::remove(file);
  return ratio;
}

}  // namespace lightmetal::bench
