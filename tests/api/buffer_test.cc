#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/memory_reporter.hpp>
#include <type_traits>

#include "api/src/replay_hooks.h"
#include "base/device_profile.h"
#include "tests/support/thrown_by.h"

namespace tt::tt_metal {
namespace {

using lightmetal::testing::thrown_by;
using testing::HasSubstr;

const DeviceAddr kEndOfL1 = lightmetal::DeviceProfile{}.l1_size;

static_assert(!std::is_copy_constructible_v<Buffer> && !std::is_move_constructible_v<Buffer>);

// A device without memory: these tests are about where buffers lie.
class BufferTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("LIGHTMETAL_DEVICE", "null", 1); }
  void SetUp() override { device_ = CreateDevice(0, 1, 1024, 4096); }
  void TearDown() override {
    if (device_ != nullptr) CloseDevice(device_);
  }

  void close() {
    CloseDevice(device_);
    device_ = nullptr;
  }
  std::shared_ptr<Buffer> dram(DeviceAddr size, DeviceAddr page_size) {
    return Buffer::create(device_, size, page_size, BufferType::DRAM);
  }
  std::shared_ptr<Buffer> l1(DeviceAddr size, DeviceAddr page_size) {
    return Buffer::create(device_, size, page_size, BufferType::L1);
  }
  uint64_t allocated(BufferType type) {
    return device_->allocator()->get_statistics(type).total_allocated_bytes;
  }

  static ShardSpecBuffer two_cores() {
    return ShardSpecBuffer(CoreRange({0, 0}, {0, 1}), {64, 64}, ShardOrientation::ROW_MAJOR,
                           {32, 32}, {4, 2});
  }

  IDevice* device_ = nullptr;
};

TEST_F(BufferTest, InterleavedBufferKnowsItsLayout) {
  const auto buffer = dram(13 * 100, 100);
  EXPECT_EQ(buffer->address(), 32u);
  EXPECT_EQ(buffer->size(), 1300u);
  EXPECT_EQ(buffer->num_pages(), 13u);
  EXPECT_EQ(buffer->num_dev_pages(), 13u);
  EXPECT_EQ(buffer->alignment(), 32u);
  EXPECT_EQ(buffer->aligned_page_size(), 128u);
  EXPECT_EQ(buffer->aligned_size(), 13u * 128);
  EXPECT_EQ(buffer->aligned_size_per_bank(), 256u);
  EXPECT_EQ(buffer->page_address(0, 12), 32u + 128);
  EXPECT_EQ(buffer->page_address(11, 11), 32u);
  EXPECT_THROW(buffer->page_address(12, 0), std::runtime_error);
  EXPECT_EQ(buffer->core_type(), CoreType::DRAM);
  EXPECT_TRUE(buffer->is_dram());
  EXPECT_TRUE(buffer->bottom_up());
  EXPECT_EQ(buffer->num_cores(), std::nullopt);
  EXPECT_THROW(buffer->shard_spec(), std::runtime_error);
  EXPECT_THROW(buffer->get_buffer_page_mapping(), std::runtime_error);
  EXPECT_EQ(dram(64, 64)->address(), 32u + 256);
}

TEST_F(BufferTest, L1BuffersComeFromTheTopBelowTheSmallRegion) {
  const auto buffer = l1(2048, 2048);
  EXPECT_EQ(buffer->address(), kEndOfL1 - 1024 - 2048);
  EXPECT_FALSE(buffer->bottom_up());
  EXPECT_EQ(Buffer::create(device_, 64, 64, BufferType::L1_SMALL)->address(), kEndOfL1 - 64);
  EXPECT_EQ(Buffer::create(device_, 64, 64, BufferType::TRACE)->address(),
            (DeviceAddr{1} << 30) - 4096);
  EXPECT_EQ(Buffer::create(device_, 64, 64, BufferType::DRAM, TensorMemoryLayout::INTERLEAVED,
                           std::nullopt, false)
                ->address(),
            (DeviceAddr{1} << 30) - 4096 - 64);
}

TEST_F(BufferTest, ShardedBufferTakesAShardInEveryBank) {
  const auto buffer = Buffer::create(device_, 8 * 2048, 2048, BufferType::L1,
                                     TensorMemoryLayout::HEIGHT_SHARDED, two_cores());
  EXPECT_EQ(buffer->num_cores(), 2u);
  EXPECT_EQ(buffer->num_dev_pages(), 8u);
  EXPECT_EQ(buffer->aligned_size_per_bank(), 4u * 2048);
  EXPECT_EQ(buffer->address(), kEndOfL1 - 1024 - 4 * 2048);
  EXPECT_EQ(buffer->page_address(8, 5), buffer->address() + 2048);
  const auto mapping = buffer->get_buffer_page_mapping();
  EXPECT_EQ(mapping->core_bank_indices_, (std::vector<uint32_t>{0, 8}));
  EXPECT_EQ(mapping, buffer->get_buffer_page_mapping());
}

TEST_F(BufferTest, DramShardsLieInChannels) {
  const ShardSpecBuffer shards(CoreRange({10, 0}, {11, 0}), {32, 32}, ShardOrientation::ROW_MAJOR,
                               {32, 32}, {1, 2});
  const auto buffer = Buffer::create(device_, 4096, 2048, BufferType::DRAM,
                                     TensorMemoryLayout::WIDTH_SHARDED, shards);
  EXPECT_EQ(buffer->get_buffer_page_mapping()->core_bank_indices_, (std::vector<uint32_t>{10, 11}));
}

TEST_F(BufferTest, MemoryIsFreedWithTheLastOwner) {
  auto buffer = dram(4096, 1024);
  const auto address = buffer->address();
  auto second = buffer;
  buffer.reset();
  EXPECT_NE(allocated(BufferType::DRAM), 0u);
  second.reset();
  EXPECT_EQ(allocated(BufferType::DRAM), 0u);
  EXPECT_EQ(dram(4096, 1024)->address(), address);
}

TEST_F(BufferTest, DeallocatedBufferKeepsItsAddress) {
  const auto buffer = l1(4096, 1024);
  const auto address = buffer->address();
  DeallocateBuffer(*buffer);
  EXPECT_FALSE(buffer->is_allocated());
  EXPECT_EQ(buffer->address(), address);
  EXPECT_EQ(allocated(BufferType::L1), 0u);
}

TEST_F(BufferTest, SecondDeallocationFreesNobodyElsesMemory) {
  const auto first = l1(4096, 1024);
  first->deallocate();
  const auto second = l1(4096, 1024);
  ASSERT_EQ(second->address(), first->address());
  first->deallocate();
  EXPECT_TRUE(second->is_allocated());
  EXPECT_EQ(allocated(BufferType::L1), 1024u);
}

TEST_F(BufferTest, FreedWithTheDevicesBuffersItFreesNothingLater) {
  auto first = l1(4096, 1024);
  device_->allocator()->deallocate_buffers();
  EXPECT_FALSE(first->is_allocated());
  const auto second = l1(4096, 1024);
  first.reset();
  EXPECT_EQ(allocated(BufferType::L1), 1024u);
}

TEST_F(BufferTest, BufferThatOutlivesItsDeviceStillKnowsItsLayout) {
  const auto buffer = dram(13 * 100, 100);
  close();
  EXPECT_EQ(buffer->address(), 32u);
  EXPECT_EQ(buffer->page_address(0, 12), 32u + 128);
  EXPECT_FALSE(buffer->is_allocated());
  buffer->deallocate();
}

TEST_F(BufferTest, AddressGivenByTheProgramAllocatesNothing) {
  const auto owner = dram(4096, 1024);
  {
    const auto view = Buffer::create(device_, owner->address(), 2048, 1024, BufferType::DRAM);
    EXPECT_EQ(view->address(), owner->address());
    EXPECT_TRUE(view->is_allocated());
    EXPECT_EQ(view->given_address(), owner->address());
    view->deallocate();
    EXPECT_FALSE(view->is_allocated());
  }
  EXPECT_TRUE(owner->is_allocated());
  EXPECT_EQ(allocated(BufferType::DRAM), 1024u);
  EXPECT_EQ(owner->given_address(), std::nullopt);
}

TEST_F(BufferTest, EmptyBufferTakesNoMemory) {
  const auto buffer = dram(0, 0);
  EXPECT_EQ(buffer->num_pages(), 0u);
  EXPECT_EQ(buffer->aligned_size_per_bank(), 0u);
  EXPECT_TRUE(buffer->is_allocated());
  EXPECT_EQ(allocated(BufferType::DRAM), 0u);
}

TEST_F(BufferTest, PageSizeChangesWithoutTheMemory) {
  const auto buffer = dram(4096, 1024);
  buffer->set_page_size(512);
  EXPECT_EQ(buffer->num_pages(), 8u);
  EXPECT_EQ(buffer->address(), 32u);
  EXPECT_THAT(thrown_by([&] { buffer->set_page_size(1000); }), HasSubstr("1000"));
  EXPECT_EQ(buffer->page_size(), 512u);
}

TEST_F(BufferTest, AnotherPageSizeMakesAnotherPageMapping) {
  const auto buffer = Buffer::create(device_, 8 * 2048, 2048, BufferType::L1,
                                     TensorMemoryLayout::HEIGHT_SHARDED, two_cores());
  EXPECT_EQ(buffer->get_buffer_page_mapping()->host_page_to_dev_page_mapping_.size(), 8u);
  buffer->set_page_size(4096);
  EXPECT_EQ(buffer->get_buffer_page_mapping()->host_page_to_dev_page_mapping_.size(), 4u);
}

// A hole of 128 B between buffers of 64 B and 32 B in each bank.
TEST_F(BufferTest, AMemoryViewSaysWhatIsTakenAndWhatIsLeft) {
  const auto first = dram(12 * 64, 64);
  auto hole = dram(12 * 128, 128);
  const auto last = dram(12 * 32, 32);
  hole.reset();
  const detail::MemoryView view = detail::GetMemoryView(device_, BufferType::DRAM);
  const size_t bank = (size_t{1} << 30) - 32 - 4096;
  EXPECT_EQ(view.num_banks, 12u);
  EXPECT_EQ(view.total_bytes_per_bank, bank);
  EXPECT_EQ(view.total_bytes_allocated_per_bank, 64u + 32u);
  EXPECT_EQ(view.total_bytes_free_per_bank, bank - 64 - 32);
  EXPECT_EQ(view.largest_contiguous_bytes_free_per_bank, bank - 64 - 128 - 32);
}

TEST_F(BufferTest, IdsAreNeverReused) {
  const uint64_t first = dram(64, 64)->unique_id();
  EXPECT_NE(first, 0u);
  EXPECT_GT(dram(64, 64)->unique_id(), first);
}

TEST_F(BufferTest, RegionsLieWithinTheBuffer) {
  const auto buffer = dram(4096, 1024);
  EXPECT_TRUE(buffer->is_valid_region({0, 4096}));
  EXPECT_FALSE(buffer->is_valid_partial_region({0, 4096}));
  EXPECT_TRUE(buffer->is_valid_partial_region({1024, 3072}));
  EXPECT_FALSE(buffer->is_valid_region({1024, 4096}));
  EXPECT_FALSE(buffer->is_valid_region({~DeviceAddr{0}, 2}));
}

TEST_F(BufferTest, BrokenRulesNameTheValues) {
  EXPECT_THAT(thrown_by([&] { dram(1000, 96); }),
              testing::AllOf(HasSubstr("1000"), HasSubstr("96")));
  EXPECT_THAT(thrown_by([&] { dram(1000, 0); }), HasSubstr("page size 0"));
  EXPECT_THAT(thrown_by([&] { dram(30, 6); }), HasSubstr("Page size 6"));
  EXPECT_THAT(thrown_by([] { Buffer::create(nullptr, 64, 64, BufferType::DRAM); }),
              HasSubstr("device"));
  EXPECT_THAT(thrown_by([&] { Buffer::create(device_, 64, 64, BufferType::SYSTEM_MEMORY); }),
              HasSubstr("SYSTEM_MEMORY"));
  EXPECT_THAT(thrown_by([&] {
                Buffer::create(device_, 64, 64, BufferType::L1, TensorMemoryLayout::BLOCK_SHARDED);
              }),
              HasSubstr("BLOCK_SHARDED"));
  EXPECT_EQ(allocated(BufferType::DRAM) + allocated(BufferType::L1), 0u);
}

TEST_F(BufferTest, BrokenShardRulesNameTheValues) {
  const auto create = [&](CoreRangeSet grid, std::array<uint32_t, 2> shard,
                          std::array<uint32_t, 2> page) {
    Buffer::create(device_, 8 * 2048, 2048, BufferType::L1, TensorMemoryLayout::HEIGHT_SHARDED,
                   ShardSpecBuffer(grid, shard, ShardOrientation::ROW_MAJOR, page, {4, 2}));
  };
  EXPECT_THAT(thrown_by([&] {
                create(CoreRange({0, 0}), {64, 48}, {32, 32});
              }),
              HasSubstr("64x48"));
  EXPECT_THAT(thrown_by([&] { create(CoreRange({0, 0}), {64, 64}, {0, 32}); }), HasSubstr("0x32"));
  EXPECT_THAT(thrown_by([&] { create(CoreRangeSet(), {64, 64}, {32, 32}); }), HasSubstr("empty"));
  EXPECT_THAT(thrown_by([&] {
                create(CoreRange({0, 0}, {8, 0}), {64, 64}, {32, 32});
              }),
              HasSubstr("8x8 banks"));
  EXPECT_THAT(thrown_by([&] {
                create(CoreRange({0, 0}), {0xFFFFFFE0, 0xFFFFFFE0}, {32, 32});
              }),
              HasSubstr("Out of Memory"));
}

TEST_F(BufferTest, ExhaustionNamesWhatWasAskedFor) {
  const DeviceAddr size = 64 * (kEndOfL1 + 16);
  EXPECT_THAT(thrown_by([&] { l1(size, 1024); }),
              HasSubstr("Out of Memory: Not enough space to allocate " + std::to_string(size) +
                        " B L1 buffer across 64 banks"));
  EXPECT_THAT(thrown_by([&] { l1(64 * 1'400'000, 1'400'000); }),
              HasSubstr("where each bank needs to store 1400000 B"));
  EXPECT_THAT(thrown_by([&] { dram(~DeviceAddr{0} - 3, 4); }), HasSubstr("Out of Memory"));
}

TEST_F(BufferTest, RecordedBufferLiesWhereItLay) {
  replay_hooks::RecordedBuffer recorded;
  recorded.device = device_;
  recorded.allocated_address = 4096;
  recorded.size = 2048;
  recorded.page_size = 1024;
  const auto buffer = replay_hooks::create_buffer(recorded);
  EXPECT_EQ(buffer->address(), 4096u);
  EXPECT_EQ(buffer->given_address(), std::nullopt);
  EXPECT_THAT(thrown_by([&] { replay_hooks::create_buffer(recorded); }),
              HasSubstr("address 4096 is taken"));
  DeallocateBuffer(*buffer);
  EXPECT_EQ(replay_hooks::create_buffer(recorded)->address(), 4096u);
}

TEST_F(BufferTest, RecordedViewLiesAtItsGivenAddress) {
  replay_hooks::RecordedBuffer recorded;
  recorded.device = device_;
  recorded.address = 8192;
  recorded.size = 2048;
  recorded.page_size = 1024;
  EXPECT_EQ(replay_hooks::create_buffer(recorded)->given_address(), 8192u);
  EXPECT_EQ(allocated(BufferType::DRAM), 0u);
}

TEST_F(BufferTest, HostApiFormsLeadToTheSameBuffers) {
  const auto interleaved =
      CreateBuffer(BufferConfig{.device = device_, .size = 2048, .page_size = 1024});
  EXPECT_EQ(interleaved->buffer_type(), BufferType::DRAM);
  EXPECT_EQ(CreateBuffer(
                InterleavedBufferConfig{
                    .device = device_, .size = 64, .page_size = 64, .buffer_type = BufferType::L1},
                4096)
                ->address(),
            4096u);
  const auto sharded = CreateBuffer(ShardedBufferConfig{
      .device = device_, .size = 8 * 2048, .page_size = 2048, .shard_parameters = two_cores()});
  EXPECT_EQ(sharded->buffer_layout(), TensorMemoryLayout::HEIGHT_SHARDED);
  EXPECT_TRUE(sharded->is_l1());
  const ShardSpecBuffer with_halo(CoreRange({0, 0}), {32, 32}, ShardOrientation::COL_MAJOR, false,
                                  {32, 32}, {1, 1});
  EXPECT_EQ(with_halo.num_pages(), 1u);
  EXPECT_EQ(with_halo.orientation(), ShardOrientation::COL_MAJOR);
}

}  // namespace
}  // namespace tt::tt_metal
