// Prints how often a run of a resident executable allocates memory, after the first ones, beyond
// what the same calls allocate in their queue.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <tt-metalium/host_api.hpp>

#include "benchmarks/counted_allocations.h"
#include "benchmarks/resident_matmul.h"

namespace lightmetal::bench {
namespace {

// What `work` allocates each time: the least of a few rounds, because a worker that comes to a part
// of it late, on a busy machine, allocates there once what it keeps.
double allocations_each(const std::function<void()>& work) {
  constexpr int kWarmUp = 50, kRounds = 5, kTimes = 20;
  for (int i = 0; i < kWarmUp; ++i) work();
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t before = counted_allocations();
    for (int i = 0; i < kTimes; ++i) work();
    least = std::min(least, counted_allocations() - before);
  }
  return static_cast<double>(least) / kTimes;
}

void print_allocations(tt::tt_metal::IDevice* device) {
  const auto executable = load_matmul(device);
  MatmulRequest request;
  ResidentMatmul matmul(device);
  matmul.write_b();
  const double run = allocations_each([&] { request.run(*executable); });
  const double calls = allocations_each([&] {
    matmul.write_a_and_launch();
    matmul.read_c();
  });
  std::printf("%.2f\n", run - calls);
}

}  // namespace
}  // namespace lightmetal::bench

int main() {
  tt::tt_metal::IDevice* const device = tt::tt_metal::CreateDevice(0);
  lightmetal::bench::print_allocations(device);
  tt::tt_metal::CloseDevice(device);
  return 0;
}
