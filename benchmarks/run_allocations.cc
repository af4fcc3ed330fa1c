// Prints how often the process allocates memory, on any thread, for a run of a resident executable
// after the first ones, and how many elements of its last product are those of the program's own.
#include <cinttypes>
#include <cstdio>
#include <tt-metalium/host_api.hpp>

#include "benchmarks/counted_allocations.h"
#include "benchmarks/resident_matmul.h"

namespace lightmetal::bench {
namespace {

void print_allocations(tt::tt_metal::IDevice* device) {
  const auto executable = load_matmul(device);
  ResidentMatmul matmul(device);
  matmul.write_b();
  MatmulRequest request(matmul.a());
  const double allocations = allocations_each([&] { request.run(*executable); });
  matmul.write_a_and_launch();
  matmul.read_c();
  std::printf("%.2f %" PRIu64 "\n", allocations, request.equal_elements(matmul.product()));
}

}  // namespace
}  // namespace lightmetal::bench

int main() {
  tt::tt_metal::IDevice* const device = tt::tt_metal::CreateDevice(0);
  lightmetal::bench::print_allocations(device);
  tt::tt_metal::CloseDevice(device);
  return 0;
}
