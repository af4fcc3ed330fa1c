#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/shapes.h"
#include "tests/device/tiles/tile_program.h"

// Every set of vector instructions that this processor has, not only the best one, converts and
// moves tiles to the same bits, and sums them up within the tolerance.
namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Broadcast;
using kernel_abi::ReduceDim;
using kernel_abi::ReduceOp;
using testing::kStoredFloats;
using testing::random_tile;
using testing::Tile;

Tile edged_tile() {
  Tile tile = random_tile(5, -70000, 70000);
  const float edges[] = {0.0f,
                         -0.0f,
                         0x1p-149f,
                         -0x1p-126f,
                         65520.0f,
                         0x1p-25f,
                         0x1.8p-25f,
                         0x1.ffcp-15f,
                         std::numeric_limits<float>::infinity(),
                         std::numeric_limits<float>::max()};
  for (uint32_t i = 0; i < std::size(edges); ++i) tile[i * 37] = edges[i];
  for (uint32_t i = 256; i < 512; ++i) tile[i] *= 0x1p-20f;
  return tile;
}

// Bits of everything that must not depend on the instructions.
std::vector<std::byte> exact_results() {
  const Tile tile = edged_tile();
  std::vector<std::byte> bits;
  const auto keep = [&](const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bits.insert(bits.end(), begin, begin + size);
  };
  Tile result(kTileElements);
  for (const testing::StoredFloat& format : kStoredFloats) {
    std::vector<std::byte> packed(tile_bytes(format.format));
    pack_floats(format.format, tile.data(), false, packed.data());
    unpack_floats(format.format, packed.data(), result.data());
    keep(packed.data(), packed.size());
    keep(result.data(), kTileElements * sizeof(float));
  }
  for (const Broadcast broadcast : {Broadcast::kColumn, Broadcast::kRow, Broadcast::kScalar}) {
    broadcast_tile(broadcast, 0, tile.data(), result.data());
    keep(result.data(), kTileElements * sizeof(float));
  }
  for (const uint32_t relu : {0x00000001u, 0x42c80002u, 0x42c80003u}) {
    clamp_floats(relu, tile.data(), result.data());
    keep(result.data(), kTileElements * sizeof(float));
  }
  const Tile ones(kTileElements, 1.0f);
  for (const ReduceDim dim : {ReduceDim::kRow, ReduceDim::kColumn, ReduceDim::kScalar}) {
    const Reduced most = reduce_floats(ReduceOp::kMax, dim, {32, 32}, tile.data(), ones.data());
    keep(most.values, most.count * sizeof(float));
  }
  return bits;
}

std::vector<float> sums() {
  const Tile tile = random_tile(6);
  const Tile scaler(kTileElements, 0.5f);
  std::vector<float> all;
  for (const ReduceDim dim : {ReduceDim::kRow, ReduceDim::kColumn, ReduceDim::kScalar}) {
    const Reduced sum = reduce_floats(ReduceOp::kSum, dim, {32, 32}, tile.data(), scaler.data());
    all.insert(all.end(), sum.values, sum.values + sum.count);
  }
  return all;
}

TEST(TileTargets, EverySetOfInstructionsGivesTheSame) {
  const int64_t supported = hwy::SupportedTargets();
  const std::vector<std::byte> expected = exact_results();
  const std::vector<float> expected_sums = sums();
  for (int64_t left = supported; left != 0; left &= left - 1) {
    const int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    EXPECT_EQ(exact_results(), expected);
    const std::vector<float> actual = sums();
    for (size_t i = 0; i < actual.size(); ++i)
      EXPECT_NEAR(actual[i], expected_sums[i], 1024 * 4 * testing::kSumTolerance);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace lightmetal::device::cpu
