// What is fast must also be right: results do not depend on how many threads compute them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "benchmarks/programs.h"
#include "examples/common/tiles.h"

namespace lightmetal::bench::speed {
namespace {

using namespace tt::tt_metal;
using Words = std::vector<uint16_t>;

// A device with that many worker threads.
class Grid {
 public:
  explicit Grid(int workers) {
    setenv("LIGHTMETAL_DEVICE", "cpu", 1);
    setenv("LIGHTMETAL_CPU_DEVICE_WORKERS", std::to_string(workers).c_str(), 1);
    device_ = CreateDevice(0);
    cores_ = device_->compute_with_storage_grid_size();
  }
  ~Grid() { CloseDevice(device_); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  Words product(bool block_calls) {
    const MatmulShape shape{.rows = 16, .inner = 8, .columns = 16};
    auto a = tiles(shape.rows * shape.inner, 1), b = tiles(shape.inner * shape.columns, 2),
         c = example::make_tiles(device_, shape.rows * shape.columns);
    const MatmulBlocking blocking{.rows = 2, .columns = 2, .step = 2, .block_calls = block_calls};
    return run(make_matmul_program(cores_, shape, blocking, *a, *b, *c), *c);
  }

  Words sum() {
    constexpr uint32_t kTiles = 512;
    auto a = tiles(kTiles, 3), b = tiles(kTiles, 4), c = example::make_tiles(device_, kTiles);
    return run(make_sum_program(cores_, kTiles, /*batch=*/4, *a, *b, *c), *c);
  }

 private:
  // Numbers of either sign and sizes from 2^-7 to 2.
  std::shared_ptr<Buffer> tiles(uint32_t count, uint32_t seed) {
    auto buffer = example::make_tiles(device_, count);
    Words words(size_t{count} * 1024);
    for (uint16_t& word : words) {
      seed = seed * 1664525 + 1013904223;
      word = static_cast<uint16_t>((seed >> 16 & 0x83ff) | 0x3c00);
    }
    EnqueueWriteBuffer(device_->command_queue(), *buffer, words.data(), /*blocking=*/true);
    return buffer;
  }

  Words run(Program program, Buffer& result) {
    Words words(result.size() / sizeof(uint16_t));
    EnqueueProgram(device_->command_queue(), program, /*blocking=*/false);
    EnqueueReadBuffer(device_->command_queue(), result, words.data(), /*blocking=*/true);
    return words;
  }

  IDevice* device_;
  CoreCoord cores_;
};

// Not all bytes are alike, so that equal results mean something.
void expect_computed(const Words& words) {
  EXPECT_GT(std::count_if(words.begin(), words.end(), [&](auto word) { return word != words[0]; }),
            static_cast<std::ptrdiff_t>(words.size() / 2));
}

TEST(ResultsWithManyWorkers, ProductsAreTheSameBytes) {
  for (const bool block_calls : {false, true}) {
    const Words expected = Grid(1).product(block_calls);
    expect_computed(expected);
    for (const int workers : {2, 8}) EXPECT_EQ(Grid(workers).product(block_calls), expected);
  }
}

TEST(ResultsWithManyWorkers, SumsAreTheSameBytes) {
  const Words expected = Grid(1).sum();
  expect_computed(expected);
  for (const int workers : {2, 8}) EXPECT_EQ(Grid(workers).sum(), expected);
}

}  // namespace
}  // namespace lightmetal::bench::speed
