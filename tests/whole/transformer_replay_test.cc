// The transformer block's file against the program that made it.
#include <gtest/gtest.h>

#include <cstring>
#include <lightmetal/replay.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "examples/transformer_block/encoder_block.h"

namespace lightmetal {
namespace {

using namespace tt::tt_metal;
using namespace example::transformer;

// What that takes of time is measured by the benchmark transformer_replay_vs_live.
TEST(TransformerReplay, RunsOnTheProgramsDeviceReadWhatTheProgramRead) {
  const BlockShape shape;
  const BlockWeights weights = tilized(make_weights(shape, 1));
  const example::transformer::Matrix input = tilized(make_input(shape, 1));
  IDevice* device = CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, kTraceRegionSize);
  LightMetalBeginCapture();
  const std::vector<bfloat16> live = run_encoder_block(device, shape, weights, input, 10);
  const LightMetalBinary binary = LightMetalEndCapture();
  int reads = 0;
  ReplayOptions options{.device = device};
  options.on_read = [&](const ReadData& read) {
    ++reads;
    ASSERT_EQ(read.data.size(), live.size() * sizeof(bfloat16));
    EXPECT_EQ(std::memcmp(read.data.data(), live.data(), read.data.size()), 0);
  };
  auto replay = Replay::load_bytes(binary.get_data(), options);
  ASSERT_TRUE(replay.ok()) << replay.status();
  constexpr int kRuns = 3;
  for (int run = 0; run < kRuns; ++run) {
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
  }
  EXPECT_EQ(reads, kRuns);
  replay->reset();
  CloseDevice(device);
}

}  // namespace
}  // namespace lightmetal
