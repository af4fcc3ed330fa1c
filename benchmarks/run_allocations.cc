// Prints how often the process allocates memory, on any thread, for a run of a resident executable
// after the first ones.
#include <cstdio>
#include <tt-metalium/host_api.hpp>

#include "benchmarks/counted_allocations.h"
#include "benchmarks/resident_matmul.h"

namespace lightmetal::bench {
namespace {

void print_allocations(tt::tt_metal::IDevice* device) {
  const auto executable = load_matmul(device);
  MatmulRequest request;
  std::printf("%.2f\n", allocations_each([&] { request.run(*executable); }));
}

}  // namespace
}  // namespace lightmetal::bench

int main() {
  tt::tt_metal::IDevice* const device = tt::tt_metal::CreateDevice(0);
  lightmetal::bench::print_allocations(device);
  tt::tt_metal::CloseDevice(device);
  return 0;
}
