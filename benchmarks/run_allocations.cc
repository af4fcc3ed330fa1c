// Prints how often a run of a resident executable allocates memory, after the first ones, beyond
// what the same calls allocate in their queue.
#include <cstdio>
#include <tt-metalium/host_api.hpp>

#include "benchmarks/counted_allocations.h"
#include "benchmarks/resident_matmul.h"

namespace lightmetal::bench {
namespace {

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
