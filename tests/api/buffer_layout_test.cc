#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tt-metalium/math.hpp>
#include <vector>

#include "api/src/memory/buffer_io.h"
#include "api/src/memory/buffer_page_mapping.h"

namespace tt::tt_metal {
namespace {

using lightmetal::Bytes;
using lightmetal::Core;
using testing::ElementsAre;
using testing::HasSubstr;

uint32_t bank_of_core(const CoreCoord& core) { return static_cast<uint32_t>(core.y * 8 + core.x); }

// A shard grid of one rectangle with pages of one element.
ShardSpecBuffer spec(CoreRange grid, std::array<uint32_t, 2> shard, std::array<uint32_t, 2> tensor,
                     ShardOrientation orientation = ShardOrientation::ROW_MAJOR) {
  return ShardSpecBuffer(grid, shard, orientation, {1, 1}, tensor);
}

BufferPageMapping mapping_of(const ShardSpecBuffer& shards, TensorMemoryLayout layout,
                             uint32_t num_pages) {
  return make_page_mapping(shards, layout, num_pages, bank_of_core);
}

using Pages = std::vector<uint32_t>;

TEST(PageMappingTest, HeightShardsTakePagesInOrder) {
  const auto mapping = mapping_of(spec(CoreRange({0, 0}, {1, 0}), {2, 2}, {4, 2}),
                                  TensorMemoryLayout::HEIGHT_SHARDED, 8);
  EXPECT_THAT(mapping.all_cores_, ElementsAre(CoreCoord(0, 0), CoreCoord(1, 0)));
  EXPECT_THAT(mapping.core_host_page_indices_, ElementsAre(Pages{0, 1, 2, 3}, Pages{4, 5, 6, 7}));
  EXPECT_THAT(mapping.host_page_to_dev_page_mapping_, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(mapping.dev_page_to_core_mapping_, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

// As tests of TT-Metalium's Light Metal have it: the tensor's shape says nothing of the order.
TEST(PageMappingTest, HeightShardsIgnoreTheTensorsWidth) {
  const auto mapping = mapping_of(spec(CoreRange({0, 0}, {0, 1}), {2, 2}, {4, 4}),
                                  TensorMemoryLayout::HEIGHT_SHARDED, 8);
  EXPECT_THAT(mapping.core_host_page_indices_, ElementsAre(Pages{0, 1, 2, 3}, Pages{4, 5, 6, 7}));
  EXPECT_THAT(mapping.core_bank_indices_, ElementsAre(0, 8));
}

TEST(PageMappingTest, LastHeightShardMayBePartlyOrNotUsed) {
  const auto mapping = mapping_of(spec(CoreRange({0, 0}, {2, 0}), {2, 2}, {3, 2}),
                                  TensorMemoryLayout::HEIGHT_SHARDED, 6);
  EXPECT_THAT(mapping.core_host_page_indices_,
              ElementsAre(Pages{0, 1, 2, 3}, Pages{4, 5}, Pages{}));
  EXPECT_EQ(mapping.dev_page_to_host_page_mapping_[5], 5u);
  EXPECT_EQ(mapping.dev_page_to_host_page_mapping_[6], std::nullopt);
  EXPECT_EQ(mapping.dev_page_to_host_page_mapping_.size(), 12u);
  EXPECT_THAT(mapping.core_shard_shape_[1], ElementsAre(1, 2));
  EXPECT_THAT(mapping.core_shard_shape_[2], ElementsAre(0, 0));
}

TEST(PageMappingTest, WidthShardsTakeColumns) {
  const auto mapping = mapping_of(spec(CoreRange({0, 0}, {0, 1}), {2, 2}, {2, 4}),
                                  TensorMemoryLayout::WIDTH_SHARDED, 8);
  EXPECT_THAT(mapping.core_host_page_indices_, ElementsAre(Pages{0, 1, 4, 5}, Pages{2, 3, 6, 7}));
  EXPECT_THAT(mapping.host_page_to_dev_page_mapping_, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(mapping.host_page_to_local_shard_page_mapping_, ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
}

TEST(PageMappingTest, LastWidthShardKeepsItsRowsApart) {
  const auto mapping = mapping_of(spec(CoreRange({0, 0}, {1, 0}), {2, 2}, {2, 3}),
                                  TensorMemoryLayout::WIDTH_SHARDED, 6);
  EXPECT_THAT(mapping.core_host_page_indices_, ElementsAre(Pages{0, 1, 3, 4}, Pages{2, 5}));
  // Shard 1 is device pages 4 to 7: page 2, a pad, page 5, a pad.
  EXPECT_THAT(mapping.dev_page_to_host_page_mapping_,
              ElementsAre(0u, 1u, 3u, 4u, 2u, std::nullopt, 5u, std::nullopt));
  EXPECT_THAT(mapping.core_shard_shape_[1], ElementsAre(2, 1));
}

TEST(PageMappingTest, BlockShardsGoRowByRowOverTheGrid) {
  const auto mapping = mapping_of(spec(CoreRange({1, 1}, {2, 2}), {1, 2}, {2, 4}),
                                  TensorMemoryLayout::BLOCK_SHARDED, 8);
  EXPECT_THAT(mapping.all_cores_,
              ElementsAre(CoreCoord(1, 1), CoreCoord(2, 1), CoreCoord(1, 2), CoreCoord(2, 2)));
  EXPECT_THAT(mapping.core_host_page_indices_,
              ElementsAre(Pages{0, 1}, Pages{2, 3}, Pages{4, 5}, Pages{6, 7}));
  EXPECT_THAT(mapping.core_bank_indices_, ElementsAre(9, 10, 17, 18));
}

TEST(PageMappingTest, ColumnMajorOrientationGoesDownTheGridFirst) {
  const auto mapping =
      mapping_of(spec(CoreRange({0, 0}, {1, 1}), {1, 2}, {2, 4}, ShardOrientation::COL_MAJOR),
                 TensorMemoryLayout::BLOCK_SHARDED, 8);
  EXPECT_THAT(mapping.all_cores_,
              ElementsAre(CoreCoord(0, 0), CoreCoord(0, 1), CoreCoord(1, 0), CoreCoord(1, 1)));
  EXPECT_EQ(mapping.core_to_core_id_.at(CoreCoord(0, 1)), 1u);
  EXPECT_THAT(mapping.core_host_page_indices_[1], ElementsAre(2, 3));
}

TEST(PageMappingTest, CornerBlockIsPartialBothWays) {
  const auto mapping = mapping_of(spec(CoreRange({0, 0}, {1, 1}), {2, 2}, {3, 3}),
                                  TensorMemoryLayout::BLOCK_SHARDED, 9);
  EXPECT_THAT(mapping.core_host_page_indices_,
              ElementsAre(Pages{0, 1, 3, 4}, Pages{2, 5}, Pages{6, 7}, Pages{8}));
  EXPECT_THAT(mapping.core_shard_shape_[3], ElementsAre(1, 1));
}

TEST(PageMappingTest, ShardsThatHoldTooLittleAreRejectedWithTheNumbers) {
  for (const auto layout : {TensorMemoryLayout::HEIGHT_SHARDED, TensorMemoryLayout::WIDTH_SHARDED,
                            TensorMemoryLayout::BLOCK_SHARDED}) {
    try {
      mapping_of(spec(CoreRange({0, 0}, {1, 0}), {1, 2}, {2, 4}), layout, 8);
      FAIL() << fmt::format("{}", layout);
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("4 of a buffer's 8 pages"));
    }
  }
}

// Where the element of a host page must lie, by the definition of each layout.
std::pair<uint32_t, uint32_t> plain_place(const ShardSpecBuffer& shards, TensorMemoryLayout layout,
                                          uint32_t page) {
  const auto [height, width] = shards.shape();
  const uint32_t columns = shards.tensor2d_shape_in_pages[1];
  if (layout == TensorMemoryLayout::HEIGHT_SHARDED)
    return {page / (height * width), page % (height * width)};
  const uint32_t row = page / columns, column = page % columns;
  const uint32_t block_columns = (columns + width - 1) / width;
  return {row / height * block_columns + column / width, row % height * width + column % width};
}

TEST(PageMappingTest, AgreesWithTheDefinitionForRandomShapes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    const auto layout = static_cast<TensorMemoryLayout>(2 + random() % 3);
    const auto orientation = static_cast<ShardOrientation>(random() % 2);
    const std::array<uint32_t, 2> tensor = {1 + uint32_t(random() % 9), 1 + uint32_t(random() % 9)};
    const std::array<uint32_t, 2> shard = {2 + uint32_t(random() % 4), 2 + uint32_t(random() % 4)};
    const ShardSpecBuffer shards = spec(CoreRange({0, 0}, {4, 4}), shard, tensor, orientation);
    const uint32_t num_pages = tensor[0] * tensor[1];
    const auto mapping = mapping_of(shards, layout, num_pages);
    std::set<uint32_t> used;
    for (uint32_t page = 0; page < num_pages; ++page) {
      const auto [s, within] = plain_place(shards, layout, page);
      const uint32_t dev_page = mapping.host_page_to_dev_page_mapping_[page];
      ASSERT_EQ(dev_page, s * shard[0] * shard[1] + within) << "page " << page;
      ASSERT_EQ(mapping.dev_page_to_core_mapping_[dev_page], s);
      ASSERT_EQ(mapping.dev_page_to_host_page_mapping_[dev_page], page);
      ASSERT_EQ(mapping.host_page_to_local_shard_page_mapping_[page], within);
      used.insert(dev_page);
    }
    ASSERT_EQ(used.size(), num_pages);
    for (uint32_t s = 0; s < 25; ++s) {
      const CoreCoord expected = orientation == ShardOrientation::ROW_MAJOR
                                     ? CoreCoord(s % 5, s / 5)
                                     : CoreCoord(s / 5, s % 5);
      ASSERT_EQ(mapping.all_cores_[s], expected);
    }
    const auto unused = std::count(mapping.dev_page_to_host_page_mapping_.begin(),
                                   mapping.dev_page_to_host_page_mapping_.end(), std::nullopt);
    ASSERT_EQ(static_cast<std::size_t>(unused),
              mapping.dev_page_to_host_page_mapping_.size() - num_pages);
  }
}

// Remembers every byte written and how many calls it took.
class MemoryDevice : public lightmetal::device::Device {
 public:
  const lightmetal::DeviceProfile& profile() const override { return profile_; }

  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    return write(dram(bank), address, data);
  }
  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    return read(dram(bank), address, data);
  }
  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    return write(l1(core), address, data);
  }
  absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    return read(l1(core), address, data);
  }
  absl::StatusOr<lightmetal::device::KernelObject> compile(
      const lightmetal::device::KernelSource&) override {
    return absl::UnimplementedError("memory only");
  }
  absl::StatusOr<std::shared_ptr<lightmetal::device::LoadedKernel>> load(
      const lightmetal::device::KernelObject&, const std::string&) override {
    return absl::UnimplementedError("memory only");
  }
  absl::Status launch(const lightmetal::device::Launch&) override {
    return absl::UnimplementedError("memory only");
  }

  std::vector<std::byte>& dram(uint32_t bank) { return bank_of(1000 + bank); }
  std::vector<std::byte>& l1(Core core) { return bank_of(core.y * 8 + core.x); }
  int calls() const { return calls_; }

 private:
  std::vector<std::byte>& bank_of(uint32_t key) {
    auto& bank = banks_[key];
    bank.resize(1 << 16);
    return bank;
  }
  absl::Status check(uint64_t address, uint64_t size) {
    ++calls_;
    return address + size <= (1 << 16) ? absl::OkStatus() : absl::OutOfRangeError("past the end");
  }
  absl::Status write(std::vector<std::byte>& bank, uint64_t address, Bytes data) {
    if (absl::Status status = check(address, data.size()); !status.ok()) return status;
    std::copy(data.begin(), data.end(), bank.begin() + address);
    return absl::OkStatus();
  }
  absl::Status read(const std::vector<std::byte>& bank, uint64_t address,
                    absl::Span<std::byte> data) {
    if (absl::Status status = check(address, data.size()); !status.ok()) return status;
    std::copy_n(bank.begin() + address, data.size(), data.begin());
    return absl::OkStatus();
  }

  lightmetal::DeviceProfile profile_;
  std::map<uint32_t, std::vector<std::byte>> banks_;
  int calls_ = 0;
};

BufferLayoutSnapshot interleaved(BufferType type, uint64_t size, uint64_t page_size) {
  const bool dram = type == BufferType::DRAM;
  BufferLayoutSnapshot buffer;
  buffer.id = 7;
  buffer.address = 64;
  buffer.size = size;
  buffer.page_size = page_size;
  buffer.aligned_page_size = round_up(page_size, dram ? 32 : 16);
  buffer.num_banks = dram ? 12 : 64;
  buffer.buffer_type = type;
  return buffer;
}

std::vector<std::byte> numbered(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256 + 1);
  return bytes;
}

TEST(BufferIoTest, InterleavedPagesGoRoundTheBanks) {
  MemoryDevice device;
  const auto buffer = interleaved(BufferType::DRAM, 14 * 40, 40);
  const auto data = numbered(14 * 40);
  ASSERT_TRUE(write_buffer(device, buffer, 0, data).ok());
  for (std::size_t page = 0; page < 14; ++page) {
    const std::byte* stored =
        device.dram(page % 12).data() + 64 + page / 12 * 64;  // slots are 64 bytes apart
    EXPECT_EQ(std::memcmp(stored, data.data() + page * 40, 40), 0) << page;
    EXPECT_EQ(stored[40], std::byte{0}) << "padding after page " << page;
  }
}

TEST(BufferIoTest, L1BanksAreCoresRowByRow) {
  MemoryDevice device;
  const auto data = numbered(64 * 32);
  ASSERT_TRUE(write_buffer(device, interleaved(BufferType::L1, 64 * 32, 32), 0, data).ok());
  EXPECT_EQ(std::memcmp(device.l1({3, 2}).data() + 64, data.data() + (2 * 8 + 3) * 32, 32), 0);
}

TEST(BufferIoTest, PartOfABufferLeavesTheRestAlone) {
  MemoryDevice device;
  const auto buffer = interleaved(BufferType::DRAM, 30 * 32, 32);
  std::vector<std::byte> expected = numbered(30 * 32);
  ASSERT_TRUE(write_buffer(device, buffer, 0, expected).ok());
  const std::vector<std::byte> part(3 * 32, std::byte{0xEE});
  ASSERT_TRUE(write_buffer(device, buffer, 11 * 32, part).ok());
  std::copy(part.begin(), part.end(), expected.begin() + 11 * 32);
  std::vector<std::byte> all(30 * 32), some(5 * 32);
  ASSERT_TRUE(read_buffer(device, buffer, 0, absl::MakeSpan(all)).ok());
  EXPECT_EQ(all, expected);
  ASSERT_TRUE(read_buffer(device, buffer, 10 * 32, absl::MakeSpan(some)).ok());
  EXPECT_TRUE(std::equal(some.begin(), some.end(), expected.begin() + 10 * 32));
}

TEST(BufferIoTest, RangesThatCutPagesOrLeaveTheBufferAreErrors) {
  MemoryDevice device;
  const auto buffer = interleaved(BufferType::DRAM, 128, 32);
  const std::vector<std::byte> data(64);
  EXPECT_THAT(std::string(write_buffer(device, buffer, 16, data).message()),
              HasSubstr("must begin and end at pages of 32 B"));
  EXPECT_FALSE(write_buffer(device, buffer, 0, Bytes(data).first(48)).ok());
  EXPECT_THAT(std::string(write_buffer(device, buffer, 96, data).message()),
              HasSubstr("is invalid for buffer 7 of 128 B"));
  EXPECT_FALSE(write_buffer(device, buffer, ~uint64_t{0} - 31, data).ok());
  EXPECT_EQ(device.calls(), 0);
}

TEST(BufferIoTest, DeviceErrorsArePassedOn) {
  MemoryDevice device;
  auto buffer = interleaved(BufferType::DRAM, 128, 32);
  buffer.address = 1 << 16;
  EXPECT_EQ(write_buffer(device, buffer, 0, numbered(128)).code(), absl::StatusCode::kOutOfRange);
}

TEST(BufferIoTest, EmptyBufferIsCopiedWithoutACall) {
  MemoryDevice device;
  EXPECT_TRUE(write_buffer(device, interleaved(BufferType::DRAM, 0, 0), 0, {}).ok());
  EXPECT_EQ(device.calls(), 0);
}

BufferLayoutSnapshot sharded(const ShardSpecBuffer& shards, TensorMemoryLayout layout,
                             uint32_t page_size) {
  const uint32_t num_pages = shards.tensor2d_shape_in_pages[0] * shards.tensor2d_shape_in_pages[1];
  auto buffer = interleaved(BufferType::L1, uint64_t{num_pages} * page_size, page_size);
  buffer.page_mapping =
      std::make_shared<const BufferPageMapping>(mapping_of(shards, layout, num_pages));
  buffer.pages_per_shard = shards.num_pages();
  return buffer;
}

TEST(BufferIoTest, ShardedPagesGoToTheirCores) {
  MemoryDevice device;
  const auto buffer = sharded(spec(CoreRange({0, 0}, {0, 1}), {2, 2}, {2, 4}),
                              TensorMemoryLayout::WIDTH_SHARDED, 20);
  const auto data = numbered(8 * 20);
  ASSERT_TRUE(write_buffer(device, buffer, 0, data).ok());
  // Page 6 is the third of the second core's shard; slots are 32 bytes apart.
  EXPECT_EQ(std::memcmp(device.l1({0, 1}).data() + 64 + 2 * 32, data.data() + 6 * 20, 20), 0);
  std::vector<std::byte> back(data.size());
  ASSERT_TRUE(read_buffer(device, buffer, 0, absl::MakeSpan(back)).ok());
  EXPECT_EQ(back, data);
}

TEST(BufferIoTest, ShardWithoutGapsIsOneCopy) {
  MemoryDevice device;
  const auto buffer = sharded(spec(CoreRange({0, 0}, {3, 0}), {4, 4}, {16, 4}),
                              TensorMemoryLayout::HEIGHT_SHARDED, 32);
  ASSERT_TRUE(write_buffer(device, buffer, 0, numbered(64 * 32)).ok());
  EXPECT_EQ(device.calls(), 4);
}

TEST(BufferIoTest, ReadShardGivesTheShardsOwnOrderWithZerosForPads) {
  MemoryDevice device;
  const auto buffer = sharded(spec(CoreRange({0, 0}, {1, 0}), {2, 2}, {2, 3}),
                              TensorMemoryLayout::WIDTH_SHARDED, 16);
  const auto data = numbered(6 * 16);
  ASSERT_TRUE(write_buffer(device, buffer, 0, data).ok());
  std::vector<std::byte> shard(shard_size(buffer), std::byte{1}), expected(4 * 16, std::byte{0});
  std::copy_n(data.begin() + 2 * 16, 16, expected.begin());
  std::copy_n(data.begin() + 5 * 16, 16, expected.begin() + 2 * 16);
  ASSERT_TRUE(read_shard(device, buffer, 1, absl::MakeSpan(shard)).ok());
  EXPECT_EQ(shard, expected);
  EXPECT_FALSE(read_shard(device, buffer, 2, absl::MakeSpan(shard)).ok());
  EXPECT_FALSE(read_shard(device, buffer, 1, absl::MakeSpan(shard).first(16)).ok());
}

TEST(BufferIoTest, WhatIsWrittenIsReadForRandomShards) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    const auto layout = static_cast<TensorMemoryLayout>(2 + random() % 3);
    const std::array<uint32_t, 2> tensor = {1 + uint32_t(random() % 9), 1 + uint32_t(random() % 9)};
    const std::array<uint32_t, 2> shard = {2 + uint32_t(random() % 4), 2 + uint32_t(random() % 4)};
    const uint32_t page_size = 4 * (1 + random() % 20);
    const auto buffer = sharded(spec(CoreRange({0, 0}, {4, 4}), shard, tensor), layout, page_size);
    MemoryDevice device;
    const auto data = numbered(buffer.size);
    ASSERT_TRUE(write_buffer(device, buffer, 0, data).ok());
    std::vector<std::byte> back(data.size());
    ASSERT_TRUE(read_buffer(device, buffer, 0, absl::MakeSpan(back)).ok());
    ASSERT_EQ(back, data);
  }
}

}  // namespace
}  // namespace tt::tt_metal
