// The rules of buffers and of memory, by themselves: buffer_test, sharded_buffer_test and
// semantics_device_test meet them through the host API and through files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "host/bindings.h"
#include "host/buffer.h"
#include "host/memory.h"

namespace lightmetal::host {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

Buffer buffer_of(BufferType type, uint64_t size, uint64_t page_size) {
  return {.id = 7,
          .size = size,
          .page_size = page_size,
          .type = type,
          .banks = banks_of(DeviceProfile(), type)};
}

Buffer sharded(BufferLayout layout, uint64_t num_pages, const Shards& shards) {
  Buffer buffer = buffer_of(BufferType::kL1, num_pages * 32, 32);
  buffer.layout = layout;
  buffer.shards = shards;
  return buffer;
}

ShardSpec spec_on(Core last) {
  ShardSpec spec{.height = 64, .width = 32, .page_height = 32, .page_width = 32};
  EXPECT_TRUE(spec.grid.add_range({0, 0}, last).ok());
  return spec;
}

TEST(HostBuffer, LiesInTheBanksOfItsMemory) {
  const Banks l1 = banks_of(DeviceProfile(), BufferType::kL1Small);
  EXPECT_EQ(l1.count(), 64u);
  EXPECT_EQ(l1.size, 1499136u);
  const Banks dram = banks_of(DeviceProfile(), BufferType::kTrace);
  EXPECT_EQ(dram.count(), 12u);
  EXPECT_EQ(dram.alignment, 32u);
}

TEST(HostBuffer, TakesTheSameOfEachBank) {
  const Buffer dram = buffer_of(BufferType::kDram, 13 * 36, 36);
  EXPECT_EQ(dram.aligned_page_size(), 64u);
  EXPECT_EQ(dram.size_per_bank(), 2 * 64u);
  EXPECT_EQ(dram.aligned_size(), 13 * 64u);
  EXPECT_EQ(buffer_of(BufferType::kDram, 0, 0).size_per_bank(), 0u);
  const Buffer shards = sharded(BufferLayout::kHeightSharded, 5, {2, 3, 1, 6, 1});
  EXPECT_EQ(shards.num_dev_pages(), 6u);
  EXPECT_EQ(shards.size_per_bank(), 3 * 32u);
  EXPECT_EQ(shards.room_for_circular_buffer(), 3 * 32u);
}

TEST(HostBuffer, NumbersOfAFileOverflowNowhere) {
  for (const uint64_t page_size : {uint64_t{0}, uint64_t{4}, kHuge - 3, kHuge}) {
    EXPECT_FALSE(check_size(buffer_of(BufferType::kDram, kHuge - 3, page_size)).ok());
    EXPECT_FALSE(check_page_size(buffer_of(BufferType::kDram, kHuge - 3, 4), page_size).ok() &&
                 page_size != kHuge - 3);
  }
  const Buffer buffer = buffer_of(BufferType::kDram, 128, 32);
  EXPECT_FALSE(check_region(buffer, kHuge, 32).ok());
  EXPECT_FALSE(check_region(buffer, 32, kHuge).ok());
  EXPECT_FALSE(check_region(buffer, kHuge - 31, 32).ok());
  ShardSpec spec = spec_on({7, 7});
  spec.height = spec.width = 1u << 31;
  spec.page_height = spec.page_width = 1;
  EXPECT_FALSE(shards_of(buffer_of(BufferType::kL1, 128, 32), spec).ok());
}

TEST(HostBuffer, WithPagesOfNothingHasNoShards) {
  for (const uint64_t size : {0, 128}) {
    EXPECT_EQ(shards_of(buffer_of(BufferType::kL1, size, 0), spec_on({7, 7})).status().message(),
              "A sharded buffer needs pages, but its page size is 0");
  }
}

TEST(HostBuffer, HasAsManyPagesAsCanBeCounted) {
  Buffer large = buffer_of(BufferType::kDram, uint64_t{1} << 34, 8);
  large.banks.size = uint64_t{1} << 36;
  EXPECT_TRUE(check_size(large).ok());
  EXPECT_EQ(check_page_size(large, 4).message(), "A buffer cannot have 4294967296 pages");
  large.page_size = 4;
  EXPECT_EQ(check_size(large).message(), "A buffer cannot have 4294967296 pages");
}

TEST(HostBuffer, InASingleBankHasOnePage) {
  Buffer buffer = buffer_of(BufferType::kDram, 64, 32);
  buffer.layout = BufferLayout::kSingleBank;
  EXPECT_THAT(std::string(check_size(buffer).message()), HasSubstr("size 64 is not page size 32"));
  buffer.page_size = 64;
  EXPECT_TRUE(check_size(buffer).ok());
}

TEST(HostBuffer, OfASubDeviceIsShardedOnItsCores) {
  Buffer buffer = sharded(BufferLayout::kHeightSharded, 4, {2, 2, 1, 4, 1});
  const CoreSet grid = spec_on({1, 0}).grid, cores = spec_on({1, 3}).grid;
  EXPECT_TRUE(check_sub_device(buffer, grid, 0, &cores).ok());
  EXPECT_EQ(check_sub_device(buffer, cores, 2, &grid).message(),
            "A buffer on cores {[(x=0,y=0) - (x=1,y=3)]} does not lie on the cores "
            "{[(x=0,y=0) - (x=1,y=0)]} of sub-device 2");
  EXPECT_TRUE(check_sub_device(buffer, cores, 0, nullptr).ok());
  buffer.layout = BufferLayout::kInterleaved;
  EXPECT_EQ(check_sub_device(buffer, grid, 1, nullptr).message(),
            "A buffer of sub-device 1 must be sharded and in L1, not INTERLEAVED in L1");
}

TEST(HostBuffer, AShardAtTheEndOfTheTensorCountsWithWhatIsThere) {
  // Blocks of 2x2 pages of a tensor of 3x3 pages: four of them, the last with one page.
  const Shards three{3, 2, 2, 3, 3}, four{4, 2, 2, 3, 3};
  EXPECT_TRUE(check_holds_all_pages(sharded(BufferLayout::kBlockSharded, 9, four)).ok());
  EXPECT_FALSE(check_holds_all_pages(sharded(BufferLayout::kBlockSharded, 9, three)).ok());
  EXPECT_TRUE(check_holds_all_pages(sharded(BufferLayout::kBlockSharded, 8, three)).ok());
  EXPECT_FALSE(check_holds_all_pages(sharded(BufferLayout::kBlockSharded, 10, four)).ok());
}

TEST(HostBuffer, ReachesAsFarAsItsBanks) {
  Buffer view = buffer_of(BufferType::kDram, 24 * 32, 32);
  view.address = view.banks.size - 32;
  EXPECT_TRUE(check_transfer(view, 0, 12 * 32).ok());
  EXPECT_EQ(check_transfer(view, 32, 12 * 32).message(),
            "The pages of 32 B of buffer 7 from address 1073741792 on reach beyond the end of its "
            "banks of 1073741824 B");
  EXPECT_FALSE(check_transfer(view, 23 * 32, 64).ok());
  view.address = view.banks.size;
  EXPECT_FALSE(check_transfer(view, 0, 32).ok());
  EXPECT_TRUE(check_transfer(view, 32, 0).ok());
}

TEST(HostBuffer, LiesWhereKernelsCanAddressIt) {
  Buffer view = buffer_of(BufferType::kDram, 64, 32);
  view.banks.size = uint64_t{8} << 30;
  EXPECT_TRUE(check_given_address(view, kMaxAddress).ok());
  EXPECT_FALSE(check_given_address(view, kMaxAddress + 1).ok());
  FreeList memory(32, uint64_t{8} << 30);
  const uint64_t last = kMaxAddress - 31;
  EXPECT_TRUE(allocate_at(memory, BufferType::kDram, last, 64, 32).ok());
  EXPECT_FALSE(allocate_at(memory, BufferType::kDram, last + 64, 64, 32).ok());
}

TEST(HostMemory, IsTakenAtAnAddressOnce) {
  FreeList memory(32, 1024);
  const auto take = [&](uint64_t address, uint64_t size) {
    return std::string(allocate_at(memory, BufferType::kL1, address, size, 16).message());
  };
  EXPECT_EQ(take(64, 20), "");
  EXPECT_EQ(take(80, 16), "16 B at address 80 are not free in L1: address 64 is taken, with 32 B");
  EXPECT_EQ(take(40, 16), "Address 40 of a L1 buffer is not a multiple of 16");
  for (const uint64_t address : {uint64_t{16}, uint64_t{1024}, kHuge - 15}) {
    EXPECT_THAT(take(address, 16), HasSubstr("lie outside the memory of L1 buffers, [32, 1024)"));
  }
  EXPECT_THAT(take(1008, kHuge), HasSubstr("lie outside"));
  EXPECT_EQ(memory.allocated_bytes(), 32u);
}

// ---- Names ----

absl::Status give_name(Bindings& bindings, const std::string& name, const Buffer& buffer) {
  return bindings.add({.name = name, .tensor = {{16}, TensorType::UInt32}}, buffer, true);
}

TEST(HostBindings, HaveNamesThatACommandLineTakes) {
  const Buffer buffer = buffer_of(BufferType::kDram, 64, 64);
  for (const std::string& name :
       {std::string("a b"), std::string("\xc3\xbc:,%"), std::string(kLongestBindingName, 'n')}) {
    Bindings bindings;
    EXPECT_TRUE(give_name(bindings, name, buffer).ok()) << name;
    EXPECT_TRUE(Entries().begin(name).ok()) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("="), std::string("a/b"), std::string("a\nb"),
        std::string("\x7f"), std::string(1, '\0'), std::string(kLongestBindingName + 1, 'n')}) {
    Bindings bindings;
    EXPECT_TRUE(absl::IsInvalidArgument(give_name(bindings, name, buffer))) << name;
    EXPECT_TRUE(absl::IsInvalidArgument(Entries().begin(name))) << name;
  }
}

TEST(HostBindings, AreAsManyAsThereIsRoomForAndEndWithTheirBuffers) {
  const Buffer first = buffer_of(BufferType::kDram, 64, 64);
  Buffer second = first;
  second.id = 8;
  Bindings bindings;
  for (size_t i = 1; i < kMostBindings; ++i) {
    ASSERT_TRUE(give_name(bindings, std::to_string(i), i == 1 ? second : first).ok());
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(give_name(bindings, "1", first)));
  EXPECT_TRUE(give_name(bindings, "last", first).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(give_name(bindings, "too many", first)));
  ASSERT_TRUE(bindings.allow_move(second, true).ok());
  EXPECT_TRUE(bindings.check_offset(8, 4).ok());
  bindings.remove_buffer(8);
  EXPECT_TRUE(absl::IsFailedPrecondition(bindings.check_offset(8, 4)));
  EXPECT_TRUE(bindings.check_offset(8, 0).ok());
  EXPECT_TRUE(give_name(bindings, "1", first).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(give_name(bindings, "too many", first)));
}

}  // namespace
}  // namespace lightmetal::host
