// The transformer block's file against the program that made it.
#include <gtest/gtest.h>

#include <cstring>
#include <lightmetal/replay.hpp>
#include <memory>
#include <tt-metalium/device.hpp>
#include <tt-metalium/distributed.hpp>
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
  const std::vector<bfloat16> live =
      run_encoder_block(*on_device(device), shape, weights, input, 10);
  const LightMetalBinary binary = LightMetalEndCapture();
  int reads = 0;
  RunOptions options;
  options.on_read = [&](const ReadData& read) {
    ++reads;
    ASSERT_EQ(read.data.size(), live.size() * sizeof(bfloat16));
    EXPECT_EQ(std::memcmp(read.data.data(), live.data(), read.data.size()), 0);
  };
  auto replay = Replay::load_bytes(binary.get_data(), {.device = device});
  ASSERT_TRUE(replay.ok()) << replay.status();
  constexpr int kRuns = 3;
  for (int run = 0; run < kRuns; ++run) {
    const auto result = (*replay)->run(options);
    ASSERT_TRUE(result.ok()) << result.status();
  }
  EXPECT_EQ(reads, kRuns);
  replay->reset();
  CloseDevice(device);
}

// A unit mesh is a device, so a file does not tell which form of the host API made it.
TEST(TransformerReplay, BothFormsOfTheHostApiGiveTheSameFile) {
  const BlockShape shape = {32, 64, 2};
  const BlockWeights weights = tilized(make_weights(shape, 1));
  const example::transformer::Matrix input = tilized(make_input(shape, 1));
  // Each on a mesh of its own, since a capture holds what memory has when it begins.
  const auto file_of = [&](const auto& on) {
    const auto mesh =
        distributed::MeshDevice::create_unit_mesh(0, DEFAULT_L1_SMALL_SIZE, kTraceRegionSize);
    LightMetalBeginCapture();
    std::unique_ptr<BlockDevice> form = on(*mesh);
    run_encoder_block(*form, shape, weights, input, 2);
    form.reset();
    return LightMetalEndCapture().get_data();
  };
  EXPECT_EQ(file_of([](distributed::MeshDevice& mesh) { return on_mesh(mesh); }),
            file_of([](distributed::MeshDevice& mesh) { return on_device(&mesh); }));
}

}  // namespace
}  // namespace lightmetal
