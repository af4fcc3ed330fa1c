// The rules of distributions, by themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "host/buffer.h"
#include "host/distribution.h"
#include "tests/support/number_in_environment.h"

namespace lightmetal::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Core> row_of_cores(uint32_t count) {
  std::vector<Core> cores;
  for (uint32_t x = 0; x < count; ++x) cores.push_back({x, 0});
  return cores;
}

std::string refusal_of(const Distribution& distribution) {
  return std::string(DealtShards::of(distribution).status().message());
}

TEST(HostDistribution, CountsShardsAndPages) {
  const auto dealt = DealtShards::of({{3, 5}, {2, 2}, row_of_cores(4)});
  ASSERT_TRUE(dealt.ok()) << dealt.status();
  EXPECT_EQ(dealt->tensor_pages(), 15u);
  EXPECT_EQ(dealt->num_shards(), 6u);
  EXPECT_EQ(dealt->shards_on(1), 2u);
  EXPECT_EQ(dealt->shards_on(2), 1u);
  EXPECT_EQ(dealt->most_pages_on_core(), 8u);
  EXPECT_EQ(DealtShards::of({{3, 5}, {2, 2}, row_of_cores(9)})->num_cores_with_data(), 6u);
}

// Pages of a shard that reaches beyond the tensor keep their places: its rows are as long as those
// of a whole shard.
TEST(HostDistribution, DealsShardsInTurn) {
  const auto dealt = DealtShards::of({{2, 5}, {2, 2}, row_of_cores(2)}).value();
  const auto place = [&](uint64_t page) {
    const DealtShards::Place found = dealt.place_of(page);
    return std::pair(uint64_t{found.core}, found.page);
  };
  EXPECT_EQ(place(1), std::pair(uint64_t{0}, uint64_t{1}));
  EXPECT_EQ(place(2), std::pair(uint64_t{1}, uint64_t{0}));
  EXPECT_EQ(place(4), std::pair(uint64_t{0}, uint64_t{4}));
  EXPECT_EQ(place(9), std::pair(uint64_t{0}, uint64_t{6}));
  const auto runs = DealtShards::of({{8}, {1}, row_of_cores(4), Dealing::kContiguous}).value();
  EXPECT_EQ(runs.place_of(5).core, 2u);
  EXPECT_EQ(runs.place_of(5).page, 1u);
}

TEST(HostDistribution, RefusesWhatIsNone) {
  EXPECT_THAT(refusal_of({{}, {}, row_of_cores(1)}), HasSubstr("at least one"));
  EXPECT_THAT(refusal_of({{2}, {1, 1}, row_of_cores(1)}), HasSubstr("the same dimensions"));
  EXPECT_THAT(refusal_of({{2, 2}, {1, 0}, row_of_cores(1)}),
              HasSubstr("[1, 0] pages holds nothing"));
  EXPECT_THAT(refusal_of({{2}, {1}, {}}), HasSubstr("there are none"));
  EXPECT_THAT(refusal_of({{2}, {1}, {{1, 0}, {0, 0}, {1, 0}}}),
              HasSubstr("Core (x=1,y=0) is to hold shards twice"));
  EXPECT_THAT(refusal_of({{2}, {1}, {{64, 0}}}), HasSubstr("leaves the largest grid"));
  EXPECT_THAT(refusal_of({{5}, {1}, row_of_cores(4), Dealing::kGrid2d}),
              HasSubstr("4 cores cannot hold 5 shards"));
  EXPECT_THAT(refusal_of({{5}, {1}, row_of_cores(4), Dealing::kContiguous}),
              HasSubstr("5 shards do not divide evenly among 4 cores"));
  EXPECT_THAT(refusal_of({{5}, {1}, row_of_cores(4), static_cast<Dealing>(3)}),
              HasSubstr("an unknown way, 3"));
}

// A hostile file may have any numbers: nothing overflows.
TEST(HostDistribution, RefusesMorePagesThanCanBeCounted) {
  constexpr uint32_t kMost = ~0u;
  EXPECT_THAT(refusal_of({{kMost, kMost, kMost, 2}, {1, 1, 1, 1}, row_of_cores(1)}),
              HasSubstr("A tensor of"));
  EXPECT_THAT(refusal_of({{1, 1}, {kMost, kMost}, row_of_cores(1)}), HasSubstr("A shard of"));
  EXPECT_THAT(refusal_of({{kMost, 1}, {1, 2}, row_of_cores(1)}), HasSubstr("shards of [1, 2]"));
  EXPECT_TRUE(DealtShards::of({{kMost, kMost, 0}, {1, 1, 1}, row_of_cores(1)}).ok());
  EXPECT_TRUE(DealtShards::of({{kMost}, {1}, row_of_cores(1)}).ok());
}

TEST(HostDistribution, ABufferTakesWhatTheFullestCoreHas) {
  Buffer buffer{.size = 15 * 64,
                .page_size = 64,
                .type = BufferType::kL1,
                .layout = BufferLayout::kNdSharded};
  buffer.banks = banks_of(DeviceProfile(), buffer.type);
  const auto shards = shards_of(buffer, Distribution{{3, 5}, {2, 2}, row_of_cores(4)});
  ASSERT_TRUE(shards.ok()) << shards.status();
  buffer.shards = *shards;
  EXPECT_EQ(buffer.size_per_bank(), 8 * 64u);
  EXPECT_EQ(buffer.num_dev_pages(), 32u);
  EXPECT_TRUE(check_holds_all_pages(buffer).ok());
  buffer.size += 64;
  EXPECT_THAT(std::string(check_holds_all_pages(buffer).message()), HasSubstr("have no room"));
  const auto refusal = [&](const Distribution& distribution) {
    return std::string(shards_of(buffer, distribution).status().message());
  };
  EXPECT_THAT(refusal({{0, 5}, {2, 2}, row_of_cores(4)}), HasSubstr("a tensor without pages"));
  EXPECT_THAT(refusal({{3, 5}, {2, 2}, row_of_cores(9)}), HasSubstr("outside the L1 grid"));
  EXPECT_THAT(refusal({{3, 5}, {1u << 16, 2}, row_of_cores(4)}), HasSubstr("Out of Memory"));
}

// Whatever the shapes, no two pages are in one place, and every place is within what its core has.
TEST(HostDistribution, EveryPageHasAPlaceOfItsOwn) {
  const uint32_t seed = number_in_environment("LIGHTMETAL_RANDOM_SEED", std::random_device()());
  SCOPED_TRACE("LIGHTMETAL_RANDOM_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const auto up_to = [&](uint32_t most) { return static_cast<uint32_t>(1 + random() % most); };
  for (int round = 0; round < 500; ++round) {
    Distribution distribution{.cores = row_of_cores(up_to(8))};
    for (uint32_t i = up_to(5); i != 0; --i) {
      distribution.tensor.push_back(up_to(5));
      distribution.shard.push_back(up_to(6));
    }
    const auto dealt = DealtShards::of(distribution);
    ASSERT_TRUE(dealt.ok()) << dealt.status();
    std::set<std::pair<uint32_t, uint64_t>> taken;
    for (uint64_t page = 0; page < dealt->tensor_pages(); ++page) {
      const DealtShards::Place place = dealt->place_of(page);
      ASSERT_LT(place.core, dealt->num_cores_with_data());
      ASSERT_LT(place.page, dealt->shards_on(place.core) * dealt->shard_pages());
      ASSERT_TRUE(taken.emplace(place.core, place.page).second);
    }
  }
}

}  // namespace
}  // namespace lightmetal::host
