// Shards of tensors of any rank: which core has which page, as programs of 2025 and 2026 expect it,
// and buffers in such shards.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <tt-metalium/buffer_distribution_spec.hpp>
#include <tt-metalium/distributed.hpp>

#include "tests/support/cpu_api_test_kit.h"
#include "tests/support/number_in_environment.h"

namespace tt::tt_metal {
namespace {

using ::testing::ElementsAre;
using testing::expect_refused;
using ::testing::HasSubstr;

constexpr uint32_t kPadding = UncompressedBufferPageMapping::PADDING;
constexpr auto kByRow = ShardOrientation::ROW_MAJOR;
constexpr auto kByColumn = ShardOrientation::COL_MAJOR;
using Pages = std::vector<uint32_t>;

CoreRangeSet grid(size_t x, size_t y) { return CoreRange({0, 0}, {x - 1, y - 1}); }

// ---- The specification ----

TEST(BufferDistributions, ShapesAreSqueezedToAsFewDimensionsAsSayTheSame) {
  struct Row {
    Shape tensor, shard, squeezed_tensor, squeezed_shard;
  };
  const Row rows[] = {
      {Shape({5}), Shape({3}), Shape({5}), Shape({3})},
      {Shape({3, 6}), Shape({2, 2}), Shape({3, 6}), Shape({2, 2})},
      // Dimensions that the shard has not are folded.
      {Shape({1, 3, 6}), Shape({2, 2}), Shape({3, 6}), Shape({2, 2})},
      {Shape({5, 3, 6}), Shape({2, 2}), Shape({15, 6}), Shape({2, 2})},
      {Shape({6}), Shape({1, 4}), Shape({6}), Shape({4})},
      {Shape({1, 3, 6}), Shape({1, 2, 2}), Shape({3, 6}), Shape({2, 2})},
      // A dimension with padding is not folded.
      {Shape({2, 3, 6}), Shape({1, 2, 2}), Shape({2, 3, 6}), Shape({1, 2, 2})},
      {Shape({2, 3, 6}), Shape({2, 2, 2}), Shape({2, 3, 6}), Shape({2, 2, 2})},
      {Shape({4, 4, 6}), Shape({1, 2, 2}), Shape({16, 6}), Shape({2, 2})},
      {Shape({4, 4, 6}), Shape({2, 2, 2}), Shape({4, 4, 6}), Shape({2, 2, 2})},
      // Dimensions that a shard has whole.
      {Shape({4, 4, 5, 5, 4, 6}), Shape({4, 3, 5, 5, 2, 2}), Shape({4, 100, 4, 6}),
       Shape({4, 75, 2, 2})},
      // Dimensions of which a shard has one page.
      {Shape({4, 4, 5, 5, 4, 6}), Shape({4, 3, 1, 1, 2, 2}), Shape({4, 4, 100, 6}),
       Shape({4, 3, 2, 2})},
      {Shape({4, 4, 5, 5, 4, 6}), Shape({4, 4, 1, 1, 3, 2}), Shape({16, 25, 4, 6}),
       Shape({16, 1, 3, 2})},
      {Shape({5, 1, 11, 11}), Shape({5, 1, 1}), Shape({5, 121}), Shape({5, 1})},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{} in {}", row.tensor, row.shard));
    const auto [tensor, shard] = detail::squeeze_shape_ranks(row.tensor, row.shard);
    EXPECT_EQ(tensor, row.squeezed_tensor);
    EXPECT_EQ(shard, row.squeezed_shard);
    const BufferDistributionSpec spec(row.tensor, row.shard, grid(7, 7), kByRow);
    EXPECT_EQ(spec.tensor_shape_in_pages(), row.squeezed_tensor);
    EXPECT_EQ(spec.shard_shape_in_pages(), row.squeezed_shard);
  }
}

TEST(BufferDistributions, CoresAreGroupedByHowManyShardsTheyHave) {
  struct Row {
    Shape tensor;
    std::vector<size_t> shards;  // of each core
    BufferDistributionSpec::CoreGroups groups;
  };
  const CoreRangeSet all = grid(2, 2), first = grid(1, 1), upper = grid(2, 1);
  const CoreRangeSet lower = CoreRange({0, 1}, {1, 1}), last = CoreRange({1, 1}, {1, 1});
  const CoreRangeSet but_first({CoreRange({0, 1}, {1, 1}), CoreRange({1, 0}, {1, 0})});
  const CoreRangeSet but_last({CoreRange({0, 0}, {1, 0}), CoreRange({0, 1}, {0, 1})});
  const Row rows[] = {
      {Shape({3, 3, 3}), {2, 2, 2, 2}, {all, all, {}, 2, 0}},
      {Shape({0, 0, 0}), {0, 0, 0, 0}, {}},
      {Shape({2, 2, 2}), {1, 0, 0, 0}, {first, first, {}, 1, 0}},
      {Shape({2, 2, 4}), {1, 1, 0, 0}, {upper, upper, {}, 1, 0}},
      {Shape({2, 6, 2}), {1, 1, 1, 0}, {but_last, but_last, {}, 1, 0}},
      {Shape({8, 2, 2}), {1, 1, 1, 1}, {all, all, {}, 1, 0}},
      {Shape({1, 1, 33}), {5, 4, 4, 4}, {all, first, but_first, 5, 4}},
      {Shape({1, 35, 1}), {5, 5, 4, 4}, {all, upper, lower, 5, 4}},
      {Shape({37, 1, 1}), {5, 5, 5, 4}, {all, but_last, last, 5, 4}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{}", row.tensor));
    const BufferDistributionSpec spec(row.tensor, Shape({2, 2, 2}), all, kByRow);
    EXPECT_EQ(spec.num_cores(), 4u);
    EXPECT_EQ(spec.max_num_shards_per_core(), row.shards[0]);
    EXPECT_EQ(spec.max_num_dev_pages_per_core(), row.shards[0] * 8);
    for (size_t core = 0; core < 4; ++core) {
      EXPECT_EQ(spec.num_shards_per_core(core), row.shards[core]);
    }
    EXPECT_EQ(spec.core_groups(), row.groups);
    const auto tuple = spec.core_groups_tuple();
    EXPECT_EQ(std::get<0>(tuple), row.groups.cores_with_data.num_cores());
    EXPECT_EQ(std::get<3>(tuple), row.groups.cores_in_group_2);
    EXPECT_EQ(std::get<5>(tuple), row.groups.num_shards_per_core_in_group_2);
    const auto [one, two] = spec.get_core_groups_by_num_shards();
    EXPECT_EQ(one.cores.size() * one.num_shards + two.cores.size() * two.num_shards,
              spec.num_shards());
  }
}

TEST(BufferDistributions, CoresTakeShardsAlongTheOrientation) {
  const auto cores = [](ShardOrientation orientation, ShardDistributionStrategy strategy) {
    return BufferDistributionSpec(Shape({2, 3}), Shape({1, 1}), grid(3, 3), orientation, strategy)
        .cores();
  };
  using enum ShardDistributionStrategy;
  EXPECT_EQ(cores(kByRow, ROUND_ROBIN_1D), corerange_to_cores(grid(3, 3), std::nullopt, true));
  EXPECT_EQ(cores(kByColumn, ROUND_ROBIN_1D), corerange_to_cores(grid(3, 3), std::nullopt, false));
  // A row of shards for a row of cores, or for a column.
  EXPECT_THAT(cores(kByRow, GRID_2D),
              ElementsAre(CoreCoord(0, 0), CoreCoord(1, 0), CoreCoord(2, 0), CoreCoord(0, 1),
                          CoreCoord(1, 1), CoreCoord(2, 1)));
  EXPECT_THAT(cores(kByColumn, GRID_2D),
              ElementsAre(CoreCoord(0, 0), CoreCoord(0, 1), CoreCoord(0, 2), CoreCoord(1, 0),
                          CoreCoord(1, 1), CoreCoord(1, 2)));
  const std::vector<CoreCoord> given = {{3, 1}, {0, 0}};
  EXPECT_EQ(BufferDistributionSpec(Shape({2, 3}), Shape({1, 1}), given).cores(), given);
}

TEST(BufferDistributions, RefusesCoresThatDoNotSuitTheStrategy) {
  using enum ShardDistributionStrategy;
  const auto make = [](const Shape& tensor, const CoreRangeSet& cores,
                       ShardDistributionStrategy strategy) {
    return BufferDistributionSpec(tensor, Shape({1, 1}), cores, kByRow, strategy);
  };
  expect_refused([&] { make(Shape({2, 4}), grid(3, 3), GRID_2D); }, "at least 4x2 cores");
  const CoreRangeSet two({CoreRange({0, 0}, {1, 1}), CoreRange({3, 3}, {4, 4})});
  expect_refused([&] { make(Shape({2, 2}), two, GRID_2D); }, "a rectangle");
  expect_refused([&] { make(Shape({2, 4}), grid(3, 1), CONTIGUOUS_1D); }, "do not divide evenly");
  expect_refused([&] { make(Shape({2, 4}), CoreRangeSet(), ROUND_ROBIN_1D); }, "grid is empty");
  expect_refused([&] { BufferDistributionSpec(Shape({2}), Shape({0}), grid(1, 1), kByRow); },
                 "holds nothing");
  expect_refused(
      [&] {
        BufferDistributionSpec::from_shard_spec(Shape({64, 64}), Shape({32, 48}), Shape2D(32, 32),
                                                grid(1, 1), kByRow);
      },
      "shard", "cannot be divided into pages of 32x32");
}

// What is known of programs that ran on hardware.
TEST(BufferDistributions, PagesAreWhereOtherProgramsExpectThem) {
  struct Row {
    Shape tensor, shard;
    Shape2D page;
    CoreRangeSet cores;
    ShardOrientation orientation;
    std::vector<Pages> pages;  // of the cores with data
  };
  constexpr uint32_t P = kPadding;
  const Row rows[] = {
      {Shape({2, 64, 96}),
       Shape({1, 32, 64}),
       Shape2D(32, 32),
       grid(4, 4),
       kByRow,
       {{0, 1}, {2, P}, {3, 4}, {5, P}, {6, 7}, {8, P}, {9, 10}, {11, P}}},
      {Shape({2, 128, 64}),
       Shape({1, 64, 96}),
       Shape2D(32, 32),
       CoreRangeSet(
           {CoreRange({4, 6}, {6, 6}), CoreRange({1, 1}, {1, 1}), CoreRange({0, 3}, {3, 3})}),
       kByRow,
       {{0, 1, P, 2, 3, P}, {4, 5, P, 6, 7, P}, {8, 9, P, 10, 11, P}, {12, 13, P, 14, 15, P}}},
      {Shape({2, 3, 32}),
       Shape({2, 4, 16}),
       Shape2D(1, 16),
       grid(4, 4),
       kByRow,
       {{0, 2, 4, P, 6, 8, 10, P}, {1, 3, 5, P, 7, 9, 11, P}}},
      {Shape({3, 2, 2, 3, 4}),
       Shape({1, 1, 2, 2, 4}),
       Shape2D(1, 4),
       grid(2, 5),
       kByColumn,
       {{0, 1, 3, 4, 30, 31, 33, 34},
        {2, P, 5, P, 32, P, 35, P},
        {6, 7, 9, 10, P, P, P, P},
        {8, P, 11, P, P, P, P, P},
        {12, 13, 15, 16, P, P, P, P},
        {14, P, 17, P, P, P, P, P},
        {18, 19, 21, 22, P, P, P, P},
        {20, P, 23, P, P, P, P, P},
        {24, 25, 27, 28, P, P, P, P},
        {26, P, 29, P, P, P, P, P}}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{} in {}", row.tensor, row.shard));
    const auto spec = BufferDistributionSpec::from_shard_spec(row.tensor, row.shard, row.page,
                                                              row.cores, row.orientation);
    const UncompressedBufferPageMapping mapping = spec.compute_page_mapping();
    EXPECT_EQ(mapping.all_cores, spec.cores());
    EXPECT_EQ(spec.num_cores_with_data(), row.pages.size());
    for (size_t core = 0; core < mapping.all_cores.size(); ++core) {
      const std::vector<uint32_t>& pages = mapping.core_host_page_indices[core];
      if (core < row.pages.size())
        EXPECT_EQ(pages, row.pages[core]);
      else
        EXPECT_EQ(pages, Pages(pages.size(), kPadding));
    }
  }
}

// ---- Against a model ----

struct Random {
  std::mt19937 engine;
  uint32_t up_to(uint32_t most) { return 1 + engine() % most; }
  bool chance(uint32_t percent) { return engine() % 100 < percent; }
};

struct Case {
  Shape tensor, shard;
  std::vector<CoreCoord> cores;
  ShardDistributionStrategy strategy = ShardDistributionStrategy::ROUND_ROBIN_1D;

  BufferDistributionSpec spec() const { return {tensor, shard, cores, strategy}; }
  std::string text() const {
    return fmt::format("{} in {} on {} cores, {}", tensor, shard, cores.size(),
                       internal::name_of(strategy));
  }
};

// Goes over all shards and all their places, as a person would on paper.
std::vector<Pages> pages_by_model(const Case& c) {
  const size_t rank = c.shard.rank();
  Shape::Container tensor(rank, 1);
  for (size_t i = 0; i < c.tensor.rank(); ++i) {
    const size_t more = c.tensor.rank() > rank ? c.tensor.rank() - rank : 0;
    const size_t at = c.tensor.rank() < rank ? rank - c.tensor.rank() + i : i - std::min(i, more);
    tensor[at] *= c.tensor.view()[i];
  }
  std::vector<uint32_t> grid(rank);
  uint64_t shards = 1;
  for (size_t i = 0; i < rank; ++i) {
    grid[i] = (tensor[i] + c.shard.view()[i] - 1) / c.shard.view()[i];
    shards *= grid[i];
  }
  std::vector<Pages> result(c.cores.size());
  for (uint64_t s = 0; s < shards; ++s) {
    Pages& core = c.strategy == ShardDistributionStrategy::CONTIGUOUS_1D
                      ? result[s / (shards / c.cores.size())]
                      : result[s % c.cores.size()];
    for (uint64_t place = 0; place < c.shard.volume(); ++place) {
      uint64_t page = 0;
      bool is_padding = false;
      uint64_t shards_left = shards, places_left = c.shard.volume(), s_rest = s, p_rest = place;
      for (size_t i = 0; i < rank; ++i) {
        shards_left /= grid[i];
        places_left /= c.shard.view()[i];
        const uint64_t at = s_rest / shards_left * c.shard.view()[i] + p_rest / places_left;
        s_rest %= shards_left;
        p_rest %= places_left;
        is_padding = is_padding || at >= tensor[i];
        page = page * tensor[i] + at;
      }
      core.push_back(is_padding ? kPadding : static_cast<uint32_t>(page));
    }
  }
  size_t most = 0;
  for (const Pages& pages : result) most = std::max(most, pages.size());
  for (Pages& pages : result) pages.resize(most, kPadding);
  return result;
}

// Cores of the first `x` columns and `y` rows, in any order.
Case random_case(Random& random, uint32_t x, uint32_t y) {
  Case c;
  Shape::Container tensor, shard;
  const uint32_t rank = random.up_to(5);
  for (uint32_t i = 0; i < rank; ++i) {
    tensor.push_back(random.up_to(i + 2 < rank ? 3 : 6));
    shard.push_back(random.chance(20) ? tensor[i] : random.up_to(4));
  }
  if (random.chance(20)) tensor.insert(tensor.begin(), random.up_to(3));
  c.tensor = Shape(tensor);
  c.shard = Shape(shard);
  c.cores = corerange_to_cores(grid(x, y), std::nullopt, random.chance(50));
  if (random.chance(30)) std::shuffle(c.cores.begin(), c.cores.end(), random.engine);
  c.cores.resize(random.up_to(static_cast<uint32_t>(c.cores.size())));
  const size_t shards = c.spec().num_shards();
  if (random.chance(30) && shards >= 2) {
    c.strategy = ShardDistributionStrategy::CONTIGUOUS_1D;
    while (shards % c.cores.size() != 0) c.cores.pop_back();
  }
  return c;
}

uint32_t seed_of_test() {
  const uint32_t seed = number_in_environment("LIGHTMETAL_RANDOM_SEED", std::random_device()());
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  std::cout << "LIGHTMETAL_RANDOM_SEED=" << seed << "\n";
  return seed;
}

TEST(BufferDistributions, PagesAreWhereAModelHasThem) {
  Random random{std::mt19937(seed_of_test())};
  for (int round = 0; round < 300; ++round) {
    const Case c = random_case(random, 8, 8);
    SCOPED_TRACE(c.text());
    const std::vector<Pages> expected = pages_by_model(c);
    ASSERT_EQ(c.spec().compute_page_mapping().core_host_page_indices, expected);
    if (c.tensor.rank() == c.shard.rank()) {
      ASSERT_EQ(detail::compute_page_mapping(c.tensor, c.shard, c.cores, c.strategy)
                    .core_host_page_indices,
                expected)
          << "shapes that are not squeezed";
    }
  }
}

// ---- Runs of pages ----

std::map<std::pair<uint32_t, uint32_t>, uint32_t> pages_of(const BufferPageMapping& mapping) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> pages;
  for (const auto& [core, device_page, host_page] : mapping) {
    EXPECT_TRUE(pages.emplace(std::pair(core, device_page), host_page).second);
  }
  return pages;
}

TEST(BufferDistributions, RunsHaveEachPageOnce) {
  Random random{std::mt19937(seed_of_test())};
  for (int round = 0; round < 100; ++round) {
    const Case c = random_case(random, 4, 4);
    SCOPED_TRACE(c.text());
    const UncompressedBufferPageMapping each = c.spec().compute_page_mapping();
    const BufferPageMapping runs(each);
    const uint32_t first = random.up_to(20) - 1, last = first + random.up_to(20);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> all, some;
    for (uint32_t core = 0; core < each.all_cores.size(); ++core) {
      for (uint32_t page = 0; page < each.core_host_page_indices[core].size(); ++page) {
        const uint32_t host_page = each.core_host_page_indices[core][page];
        if (host_page == kPadding) continue;
        all[{core, page}] = host_page;
        if (host_page >= first && host_page < last) some[{core, page}] = host_page;
      }
    }
    ASSERT_EQ(pages_of(runs), all);
    const BufferPageMapping filtered = runs.filter_by_host_range(first, last);
    ASSERT_EQ(pages_of(filtered), some);
    // A run of what is left goes over no other page.
    for (uint32_t core = 0; core < filtered.core_page_mappings.size(); ++core) {
      for (const BufferCorePageMapping& run : filtered.core_page_mappings[core]) {
        uint32_t page = run.device_start_page;
        for (const std::optional<uint32_t>& host_page : run) {
          ASSERT_EQ(host_page.value_or(kPadding), each.core_host_page_indices[core][page++]);
        }
        ASSERT_EQ(page, run.device_start_page + run.num_pages);
      }
    }
  }
}

TEST(BufferDistributions, AnIteratorGivesRunsUpToAnEnd) {
  const BufferPageMapping mapping(
      UncompressedBufferPageMapping{{{0, 0}}, {{4, 5, 6, kPadding, 8, kPadding}}});
  const BufferCorePageMapping& run = mapping.core_page_mappings.at(0).at(0);
  auto it = run.begin();
  const auto next = [&](uint32_t end) {
    const auto range = it.next_range(end);
    return std::array{range.device_page_offset, range.host_page_start, range.num_pages};
  };
  EXPECT_THAT(next(2), ElementsAre(0, 4, 2));
  EXPECT_THAT(next(6), ElementsAre(2, 6, 1));
  EXPECT_THAT(next(6), ElementsAre(4, 8, 1));
  EXPECT_EQ(next(6)[2], 0u);
  EXPECT_TRUE(it == run.end());
}

// ---- Buffers ----

class DistributedBufferTest : public testing::CpuApiTest {
 protected:
  std::shared_ptr<Buffer> make(const BufferDistributionSpec& spec, BufferType type,
                               uint32_t page_size) {
    const uint64_t pages = spec.tensor_shape_in_pages().volume();
    return Buffer::create(device(), pages * page_size, page_size, type, spec);
  }

  // What a core or a bank holds of the buffer.
  std::vector<uint32_t> words_of_core(const Buffer& buffer, const CoreCoord& core) {
    const auto size = static_cast<uint32_t>(buffer.aligned_size_per_bank());
    if (buffer.is_l1()) return l1_words(core, buffer.address(), size / 4);
    std::vector<uint32_t> words;
    detail::ReadFromDeviceDRAMChannel(device(), static_cast<int>(core.x), buffer.address(), size,
                                      words);
    return words;
  }
};

std::vector<uint32_t> random_words(Random& random, size_t count) {
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) word = static_cast<uint32_t>(random.engine());
  return words;
}

TEST_F(DistributedBufferTest, TakesWhatOtherProgramsExpect) {
  struct Row {
    Shape tensor, shard;
    Shape2D page;
    uint32_t page_size;
    CoreRangeSet cores;
    uint32_t cores_with_data, dev_pages, pages_per_bank;
  };
  const Row rows[] = {
      {Shape({5, 2, 64, 96}), Shape({5, 2, 32, 32}), Shape2D(32, 32), 2048, grid(4, 4), 6, 60, 10},
      {Shape({5, 2, 64, 128}), Shape({3, 2, 64, 64}), Shape2D(1, 64), 256, grid(4, 4), 4, 1536,
       384},
      {Shape({5, 2, 64, 96}), Shape({2, 1, 64, 64}), Shape2D(32, 32), 1088,
       CoreRangeSet({CoreRange({0, 0}, {2, 0}), CoreRange({0, 1}, {1, 1})}), 5, 120, 24},
      {Shape({2, 3, 4, 5, 6, 128}), Shape({3, 1, 5, 4, 2, 128}), Shape2D(1, 128), 128, grid(2, 2),
       4, 2400, 600},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{} in {}", row.tensor, row.shard));
    const auto spec =
        BufferDistributionSpec::from_shard_spec(row.tensor, row.shard, row.page, row.cores, kByRow);
    const auto buffer = make(spec, BufferType::L1, row.page_size);
    EXPECT_EQ(buffer->num_cores(), row.cores_with_data);
    EXPECT_EQ(buffer->num_dev_pages(), row.dev_pages);
    EXPECT_EQ(buffer->aligned_size(), row.dev_pages * row.page_size);
    EXPECT_EQ(buffer->aligned_size_per_bank(), row.pages_per_bank * row.page_size);
    EXPECT_EQ(buffer->buffer_layout(), TensorMemoryLayout::BLOCK_SHARDED);
    EXPECT_EQ(buffer->buffer_distribution_spec(), spec);
    EXPECT_FALSE(buffer->has_shard_spec());
    EXPECT_EQ(generate_buffer_page_mapping(*buffer).core_host_page_indices,
              spec.compute_page_mapping().core_host_page_indices);
  }
}

// Writes, reads whole and in regions, and looks into each core.
TEST_F(DistributedBufferTest, HoldsEachPageWhereAModelHasIt) {
  Random random{std::mt19937(seed_of_test())};
  for (int round = 0; round < 60; ++round) {
    const bool in_dram = random.chance(40);
    const Case c = in_dram ? random_case(random, 12, 1) : random_case(random, 8, 8);
    SCOPED_TRACE(c.text());
    const uint32_t page_size = 4 * random.up_to(24);
    const auto buffer = make(c.spec(), in_dram ? BufferType::DRAM : BufferType::L1, page_size);
    const std::vector<uint32_t> data = random_words(random, buffer->size() / 4);
    if (random.chance(50))
      EnqueueWriteBuffer(queue(), buffer, data, random.chance(50));
    else
      detail::WriteToBuffer(buffer, data);
    std::vector<uint32_t> found;
    EnqueueReadBuffer(queue(), buffer, found, true);
    ASSERT_EQ(found, data);
    const std::vector<Pages> pages = pages_by_model(c);
    const size_t words = page_size / 4, stride = buffer->aligned_page_size() / 4;
    for (size_t core = 0; core < buffer->num_cores(); ++core) {
      const std::vector<uint32_t> memory = words_of_core(*buffer, c.cores[core]);
      ASSERT_EQ(memory.size(), pages[core].size() * stride);
      for (size_t i = 0; i < pages[core].size(); ++i) {
        if (pages[core][i] == kPadding) continue;
        ASSERT_TRUE(std::equal(&data[pages[core][i] * words], &data[pages[core][i] * words] + words,
                               &memory[i * stride]));
      }
    }
    const uint32_t first = static_cast<uint32_t>(random.engine()) % buffer->num_pages();
    const uint32_t count = random.up_to(buffer->num_pages() - first);
    EnqueueReadSubBuffer(queue(), buffer, found, BufferRegion(first * page_size, count * page_size),
                         true);
    ASSERT_EQ(found, std::vector<uint32_t>(data.begin() + first * words,
                                           data.begin() + (first + count) * words));
    const uint32_t core = static_cast<uint32_t>(random.engine()) % *buffer->num_cores();
    detail::ReadShard(*buffer, found, core);
    ASSERT_EQ(found.size(), pages[core].size() * words);
    for (size_t i = 0; i < pages[core].size(); ++i) {
      if (pages[core][i] == kPadding) continue;
      ASSERT_TRUE(
          std::equal(&found[i * words], &found[i * words] + words, &data[pages[core][i] * words]));
    }
  }
}

TEST_F(DistributedBufferTest, AWholeMeshBufferIsMadeInShards) {
  const auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  const BufferDistributionSpec spec(Shape({3, 5}), Shape({2, 2}), grid(3, 1), kByRow);
  for (const bool by_older_form : {false, true}) {
    distributed::DeviceLocalBufferConfig local{.page_size = 64, .buffer_type = BufferType::L1};
    if (by_older_form) {
      local.buffer_layout = TensorMemoryLayout::BLOCK_SHARDED;
      local.buffer_distribution_spec = spec;
    } else {
      local.sharding_args = spec;
    }
    auto buffer = distributed::MeshBuffer::create(
        distributed::ReplicatedBufferConfig{.size = 15 * 64}, local, mesh.get());
    EXPECT_EQ(buffer->get_reference_buffer()->buffer_distribution_spec(), spec);
    std::vector<uint32_t> data(15 * 16), found;
    std::iota(data.begin(), data.end(), 7);
    distributed::EnqueueWriteMeshBuffer(mesh->mesh_command_queue(), buffer, data, false);
    distributed::EnqueueReadMeshBuffer(mesh->mesh_command_queue(), found, buffer, true);
    EXPECT_EQ(found, data);
  }
  mesh->close();
}

TEST_F(DistributedBufferTest, RefusesWhatItsMemoryHasNot) {
  const BufferDistributionSpec outside(Shape({2}), Shape({1}), {{0, 0}, {8, 0}});
  expect_refused([&] { make(outside, BufferType::L1, 64); },
                 "has cores outside the L1 grid of 8x8 banks");
  const BufferDistributionSpec large(Shape({2}), Shape({1 << 20}), {{0, 0}});
  expect_refused([&] { make(large, BufferType::L1, 64); }, "Out of Memory");
  const BufferDistributionSpec spec(Shape({3, 5}), Shape({2, 2}), grid(3, 1), kByRow);
  const auto longer = Buffer::create(device(), 16 * 64, 64, BufferType::L1, spec);
  std::vector<uint32_t> data(16 * 16);
  expect_refused([&] { detail::WriteToBuffer(longer, data); }, "have no room for all of the 16");
  expect_refused([&] { make(spec, BufferType::L1, 64)->shard_spec(); }, "no ShardSpecBuffer");
  expect_refused(
      [&] {
        Buffer::create(
            device(), 64, 64, BufferType::L1,
            BufferShardingArgs(std::optional<ShardSpecBuffer>(), TensorMemoryLayout::ND_SHARDED));
      },
      "A buffer with layout ND_SHARDED needs a shard specification");
}

// A circular buffer in the buffer begins with the first shard of each core.
TEST_F(DistributedBufferTest, HoldsACircularBuffer) {
  const CoreRangeSet cores = grid(3, 1);
  const auto buffer =
      make(BufferDistributionSpec(Shape({12}), Shape({2}), cores, kByRow), BufferType::L1, 64);
  std::vector<uint32_t> data(12 * 16);
  std::iota(data.begin(), data.end(), 1000);
  detail::WriteToBuffer(buffer, data);
  Program program = CreateProgram();
  CircularBufferConfig config(4 * 64, {{0, tt::DataFormat::UInt32}});
  config.set_page_size(0, 64).set_globally_allocated_address(*buffer);
  CreateCircularBuffer(program, cores, config);
  testing::add_data_movement(program,
                             "auto* words = (volatile uint32_t*)get_read_ptr(0);\n"
                             "words[0] += 1; words[32] += 2;",
                             cores);
  detail::LaunchProgram(device(), program);
  std::vector<uint32_t> found;
  detail::ReadFromBuffer(buffer, found);
  for (const uint32_t page : {0, 2, 4}) data[page * 16] += 1;
  for (const uint32_t page : {6, 8, 10}) data[page * 16] += 2;
  EXPECT_EQ(found, data);
}

// ---- Capture and replay ----

void write_and_read(IDevice* device, Random& random) {
  for (int i = 0; i < 4; ++i) {
    const bool in_dram = random.chance(40);
    const Case c = in_dram ? random_case(random, 12, 1) : random_case(random, 8, 8);
    const BufferDistributionSpec spec = c.spec();
    const uint32_t page_size = 4 * random.up_to(24);
    const uint64_t size = spec.tensor_shape_in_pages().volume() * page_size;
    const BufferShardingArgs sharding(
        spec, std::nullopt,
        random.chance(50) ? TensorMemoryLayout::ND_SHARDED : TensorMemoryLayout::BLOCK_SHARDED);
    const auto buffer = Buffer::create(device, size, page_size,
                                       in_dram ? BufferType::DRAM : BufferType::L1, sharding);
    EnqueueWriteBuffer(device->command_queue(), buffer, random_words(random, size / 4), true);
    std::vector<uint32_t> found;
    EnqueueReadBuffer(device->command_queue(), buffer, found, true);
    detail::ReadShard(*buffer, found, *buffer->num_cores() - 1);
  }
}

TEST_F(DistributedBufferTest, CapturesReplayAlike) {
  Random random{std::mt19937(seed_of_test())};
  for (int round = 0; round < 5; ++round) {
    testing::expect_replays_alike([&] {
      IDevice* const device = CreateDevice(0);
      write_and_read(device, random);
      CloseDevice(device);
    });
  }
}

}  // namespace
}  // namespace tt::tt_metal
