// Products of matrices on the CPU device, over OpenBLAS.
#include <cmath>
#include <stdexcept>
#include <string>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <vector>

#include "absl/strings/str_format.h"
#include "benchmarks/benchmarks.h"
#include "benchmarks/openblas.h"
#include "benchmarks/programs.h"
#include "examples/common/tiles.h"

namespace lightmetal::bench {
namespace {

constexpr int kSize = 1024;
constexpr double kOperations = 2.0 * kSize * kSize * kSize;
constexpr MatmulShape kShape;  // 32 tiles each way

std::vector<float> floats(const std::vector<bfloat16>& values) {
  std::vector<float> result;
  for (const bfloat16& value : values) result.push_back(value.to_float());
  return result;
}

// Throws unless both sides computed the same product, to the precision of bfloat16. Returns how
// many elements were compared.
uint64_t check_equal(const std::vector<float>& expected, const std::vector<bfloat16>& found) {
  if (found.size() != expected.size()) return found.size();
  double difference = 0, size = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double error = expected[i] - found[i].to_float();
    difference += error * error;
    size += double{expected[i]} * expected[i];
  }
  if (!(std::sqrt(difference) < 0.01 * std::sqrt(size)))
    throw std::runtime_error("the device and OpenBLAS computed different products");
  return expected.size();
}

}  // namespace

// A 1024x1024x1024 product of bfloat16 through matmul_tiles on the full grid, over cblas_sgemm of
// the same matrices as floats on all of the host's processors.
Ratio matmul_vs_openblas() {
  const OpenBlas blas;
  constexpr uint32_t kBytes = kSize * kSize * sizeof(bfloat16);
  const auto a = create_random_vector_of_bfloat16_native(kBytes, 2.0f, 1, -1.0f);
  const auto b = create_random_vector_of_bfloat16_native(kBytes, 2.0f, 2, -1.0f);
  const std::vector<float> float_a = floats(a), float_b = floats(b);
  std::vector<float> float_c(float_a.size());

  IDevice* device = CreateDevice(0);
  CommandQueue& cq = device->command_queue();
  constexpr uint32_t kTiles = kShape.rows * kShape.columns;
  auto device_a = example::make_tiles(device, kTiles),
       device_b = example::make_tiles(device, kTiles),
       device_c = example::make_tiles(device, kTiles);
  const auto write = [&](const std::shared_ptr<Buffer>& buffer, std::vector<bfloat16> values) {
    tilize(values, kSize, kSize);
    EnqueueWriteBuffer(cq, buffer, values.data(), /*blocking=*/true);
  };
  write(device_a, a);
  write(device_b, b);
  const CoreCoord grid = device->compute_with_storage_grid_size();
  const auto run = [&](Program& program) {
    EnqueueProgram(cq, program, /*blocking=*/true);
    return size_t{1};
  };
  const auto multiply = [&] {
    blas.multiply(kSize, float_a.data(), float_b.data(), float_c.data());
    return size_t{1};
  };
  Program program = make_matmul_program(grid, kShape, {}, *device_a, *device_b, *device_c);
  Ratio ratio =
      as_rates(measure_ratio({.subject = [&] { return run(program); }, .baseline = multiply}, 41),
               kOperations, "GFLOP/s");
  const auto checked_product = [&] {
    std::vector<bfloat16> c;
    EnqueueReadBuffer(cq, device_c, c, /*blocking=*/true);
    untilize(c, kSize, kSize);
    return checked_work(uint64_t{kSize} * kSize, check_equal(float_c, c), "equal elements");
  };
  ratio.work = checked_product();
  write(device_c, std::vector<bfloat16>(a.size()));

  Program blocks =
      make_matmul_program(grid, kShape, {.block_calls = true}, *device_a, *device_b, *device_c);
  const Ratio with_blocks =
      as_rates(measure_ratio({.subject = [&] { return run(blocks); }, .baseline = multiply}, 21),
               kOperations, "GFLOP/s");
  checked_product();
  ratio.note = absl::StrFormat("%s; with matmul_block %.1f GFLOP/s, %.2f", blas.description(),
                               with_blocks.subject, with_blocks.ratio);
  CloseDevice(device);
  return ratio;
}

}  // namespace lightmetal::bench
