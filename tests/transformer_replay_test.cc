// The transformer block's file against the program that made it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <lightmetal/replay.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>

#include "examples/transformer_block/encoder_block.h"

namespace lightmetal {
namespace {

using namespace tt::tt_metal;
using namespace example::transformer;

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

// Both do the same device work: buffers, writes of the weights, seven programs, their trace, ten
// replays of it, the read-back. They run in turn, and the fastest run of each is free of most of
// what else the machine does; the more rounds, the more so. A replay that is slower stays slower.
TEST(TransformerReplay, RunPhaseIsNoSlowerThanLive) {
  constexpr int kFewestRounds = 5, kMostRounds = 50;
  const BlockShape shape;
  const BlockWeights weights = tilized(make_weights(shape, 1));
  const example::transformer::Matrix input = tilized(make_input(shape, 1));
  IDevice* device = CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, kTraceRegionSize);
  const auto run_live = [&] { run_encoder_block(device, shape, weights, input, 10); };
  LightMetalBeginCapture();
  run_live();
  const LightMetalBinary binary = LightMetalEndCapture();
  auto replay = Replay::load_bytes(binary.get_data(), {.device = device});
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto run_replay = [&] {
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_TRUE(result->matches());
  };
  run_replay();

  double live = 1e9, replayed = 1e9;
  for (int round = 0; round < kFewestRounds || (round < kMostRounds && replayed > live); ++round) {
    live = std::min(live, milliseconds(run_live));
    replayed = std::min(replayed, milliseconds(run_replay));
  }
  replay->reset();
  CloseDevice(device);
  RecordProperty("live_ms", std::to_string(live));
  RecordProperty("replay_ms", std::to_string(replayed));
  std::cout << "live " << live << " ms, replay " << replayed << " ms, ratio " << replayed / live
            << "\n";
  constexpr double kNoise = 1.03;  // what two equal workloads may differ by
  EXPECT_LE(replayed, live * kNoise);
}

}  // namespace
}  // namespace lightmetal
