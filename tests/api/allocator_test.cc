#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <tt-metalium/allocator.hpp>
#include <vector>

#include "base/device_profile.h"
#include "base/free_list.h"
#include "tests/support/thrown_by.h"

namespace tt::tt_metal {
namespace {

using lightmetal::DeviceProfile;
using lightmetal::FreeList;
using lightmetal::testing::thrown_by;
using testing::HasSubstr;

constexpr DeviceAddr kL1End = 1'499'136;
constexpr DeviceAddr kBankEnd = DeviceAddr{1} << 30;

TEST(AllocatorTest, DramGrowsUpFromItsUnreservedBase) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  EXPECT_EQ(allocator.allocate(BufferType::DRAM, 64, true), 32u);
  EXPECT_EQ(allocator.allocate(BufferType::DRAM, 33, true), 96u);  // takes 64: a multiple of 32
  EXPECT_EQ(allocator.allocate(BufferType::DRAM, 32, true), 160u);
}

TEST(AllocatorTest, L1GrowsDownFromItsEnd) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  EXPECT_EQ(allocator.allocate(BufferType::L1, 2048, false), kL1End - 2048);
  EXPECT_EQ(allocator.allocate(BufferType::L1, 20, false), kL1End - 2048 - 32);  // a multiple of 16
  EXPECT_EQ(allocator.get_lowest_occupied_l1_address(), kL1End - 2048 - 32);
}

TEST(AllocatorTest, EitherEndCanBeAskedFor) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  EXPECT_EQ(allocator.allocate(BufferType::DRAM, 64, false), kBankEnd - 64);
  EXPECT_EQ(allocator.allocate(BufferType::L1, 64, true), DeviceProfile{}.l1_unreserved_base);
}

TEST(AllocatorTest, SmallRegionLiesAboveL1) {
  Allocator allocator(DeviceProfile{}, 1000, 0);  // rounded up to 1008
  EXPECT_EQ(allocator.allocate(BufferType::L1, 16, false), kL1End - 1008 - 16);
  EXPECT_EQ(allocator.allocate(BufferType::L1_SMALL, 16, false), kL1End - 16);
  EXPECT_EQ(allocator.get_bank_size(BufferType::L1_SMALL), 1008u);
  EXPECT_EQ(allocator.get_bank_size(BufferType::L1),
            kL1End - 1008 - DeviceProfile{}.l1_unreserved_base);
  EXPECT_NE(thrown_by([&] { allocator.allocate(BufferType::L1_SMALL, 1008, false); }), "");
}

TEST(AllocatorTest, SmallRegionDoesNotCountAsOccupiedL1) {
  Allocator allocator(DeviceProfile{}, 1024, 0);
  allocator.allocate(BufferType::L1_SMALL, 16, false);
  EXPECT_EQ(allocator.get_lowest_occupied_l1_address(), std::nullopt);
}

TEST(AllocatorTest, TraceRegionIsTheTopOfEachDramBank) {
  Allocator allocator(DeviceProfile{}, 0, 4096);
  EXPECT_EQ(allocator.allocate(BufferType::DRAM, 32, false), kBankEnd - 4096 - 32);
  EXPECT_EQ(allocator.allocate(BufferType::TRACE, 64, true), kBankEnd - 4096);
  EXPECT_EQ(allocator.allocate(BufferType::TRACE, 64, false), kBankEnd - 64);
  EXPECT_EQ(allocator.get_bank_size(BufferType::DRAM), kBankEnd - 32 - 4096);
}

TEST(AllocatorTest, RegionsThatDoNotFitAreRejected) {
  EXPECT_THAT(thrown_by([] { Allocator(DeviceProfile{}, kL1End, 0); }),
              HasSubstr(std::to_string(kL1End)));
  EXPECT_THAT(thrown_by([] { Allocator(DeviceProfile{}, 0, kBankEnd); }), HasSubstr("DRAM"));
}

TEST(AllocatorTest, FirstHoleThatFitsIsTaken) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  const auto dram = [&](DeviceAddr size) {
    return allocator.allocate(BufferType::DRAM, size, true);
  };
  const DeviceAddr a = dram(64), b = dram(32), c = dram(128), d = dram(32);
  allocator.deallocate(BufferType::DRAM, a, 0);
  allocator.deallocate(BufferType::DRAM, c, 0);
  EXPECT_EQ(dram(96), c);  // does not fit into a's hole
  EXPECT_EQ(dram(32), a);
  EXPECT_EQ(dram(32), a + 32);
  EXPECT_EQ(dram(32), c + 96);
  EXPECT_EQ(dram(32), d + 32);
  EXPECT_LT(a, b);
}

TEST(AllocatorTest, FreedNeighboursBecomeOneHole) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  std::vector<DeviceAddr> addresses;
  for (int i = 0; i < 4; ++i) addresses.push_back(allocator.allocate(BufferType::L1, 1024, false));
  for (const int i : {0, 2, 1}) allocator.deallocate(BufferType::L1, addresses[i], 0);
  EXPECT_EQ(allocator.allocate(BufferType::L1, 3072, false), addresses[2]);
}

TEST(AllocatorTest, ExhaustionNamesTypeSizesBanksAndLargestHole) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  const DeviceAddr all = allocator.get_bank_size(BufferType::L1);
  allocator.allocate(BufferType::L1, all - 4096, false);
  const std::string error =
      thrown_by([&] { allocator.allocate(BufferType::L1, 5008, false, 320512); });
  EXPECT_THAT(
      error,
      HasSubstr("Out of Memory: Not enough space to allocate 320512 B L1 buffer across 64 banks"));
  EXPECT_THAT(error, HasSubstr("5008 B"));
  EXPECT_THAT(error, HasSubstr("largest free block is 4096 B"));
  EXPECT_EQ(allocator.allocate(BufferType::L1, 4096, false), DeviceProfile{}.l1_unreserved_base);
}

TEST(AllocatorTest, SizesBeyondEveryBankAreExhaustionToo) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  EXPECT_THAT(thrown_by([&] { allocator.allocate(BufferType::DRAM, ~DeviceAddr{0}, true); }),
              HasSubstr("Out of Memory"));
}

TEST(AllocatorTest, RecordedAddressIsTakenExactly) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  allocator.allocate_at(BufferType::DRAM, 96, 100);  // takes 128
  EXPECT_EQ(allocator.allocate(BufferType::DRAM, 64, true), 32u);
  EXPECT_EQ(allocator.allocate(BufferType::DRAM, 32, true), 224u);
}

TEST(AllocatorTest, RecordedAddressThatIsTakenNamesBoth) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  allocator.allocate_at(BufferType::DRAM, 96, 128);
  for (const DeviceAddr address : {64u, 96u, 128u, 192u}) {
    const std::string error =
        thrown_by([&] { allocator.allocate_at(BufferType::DRAM, address, 64); });
    EXPECT_THAT(error, HasSubstr("address " + std::to_string(address) + " are not free"));
    EXPECT_THAT(error, HasSubstr("address 96 is taken, with 128 B"));
  }
  allocator.allocate_at(BufferType::DRAM, 32, 64);
  allocator.allocate_at(BufferType::DRAM, 224, 64);
}

TEST(AllocatorTest, RecordedAddressOutsideTheRegionIsRejected) {
  Allocator allocator(DeviceProfile{}, 0, 4096);
  EXPECT_THAT(thrown_by([&] { allocator.allocate_at(BufferType::DRAM, 0, 64); }),
              HasSubstr("outside"));
  EXPECT_THAT(thrown_by([&] { allocator.allocate_at(BufferType::DRAM, kBankEnd - 4096, 64); }),
              HasSubstr("outside"));
  EXPECT_THAT(thrown_by([&] { allocator.allocate_at(BufferType::DRAM, 32, ~DeviceAddr{0}); }),
              HasSubstr("outside"));
  EXPECT_THAT(thrown_by([&] { allocator.allocate_at(BufferType::DRAM, 48, 64); }),
              HasSubstr("multiple of 32"));
}

TEST(AllocatorTest, NothingIsFreedTwice) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  const DeviceAddr address = allocator.allocate(BufferType::DRAM, 64, true);
  allocator.deallocate(BufferType::DRAM, address, 0);
  allocator.deallocate(BufferType::DRAM, address, 0);
  EXPECT_EQ(allocator.get_statistics(BufferType::DRAM).total_allocated_bytes, 0u);
}

TEST(AllocatorTest, FreeingAfterEverythingWasFreedLeavesNewAllocationsAlone) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  const uint64_t before = allocator.generation();
  const DeviceAddr old_address = allocator.allocate(BufferType::L1, 64, false);
  allocator.deallocate_buffers();
  EXPECT_EQ(allocator.get_statistics(BufferType::L1).total_allocated_bytes, 0u);
  EXPECT_EQ(allocator.allocate(BufferType::L1, 64, false), old_address);
  allocator.deallocate(BufferType::L1, old_address, before);
  EXPECT_EQ(allocator.get_statistics(BufferType::L1).total_allocated_bytes, 64u);
}

TEST(AllocatorTest, EverythingIsFreedInEveryRegion) {
  Allocator allocator(DeviceProfile{}, 4096, 4096);
  constexpr std::array kTypes = {BufferType::DRAM, BufferType::L1, BufferType::L1_SMALL,
                                 BufferType::TRACE};
  for (const BufferType type : kTypes) allocator.allocate(type, 64, true);
  allocator.deallocate_buffers();
  for (const BufferType type : kTypes) {
    const Statistics statistics = allocator.get_statistics(type);
    EXPECT_EQ(statistics.total_allocated_bytes, 0u);
    EXPECT_EQ(statistics.largest_free_block_bytes, statistics.total_allocatable_size_bytes);
  }
}

TEST(AllocatorTest, MemoryBelongsToTheGenerationInWhichItWasTaken) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  uint64_t first = 7, second = 7;
  allocator.allocate(BufferType::L1, 64, false, 0, &first);
  allocator.deallocate_buffers();
  allocator.allocate_at(BufferType::DRAM, 32, 64, &second);
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(second, 1u);
}

TEST(AllocatorTest, WhatIsTakenWhileAnotherThreadFreesEverythingIsFreedByItsOwner) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  std::atomic<bool> done = false;
  std::thread frees_all([&] {
    while (!done) allocator.deallocate_buffers();
  });
  int left = 0;
  while (allocator.generation() < 200'000) {
    uint64_t generation = 0;
    const DeviceAddr address = allocator.allocate(BufferType::L1, 64, false, 0, &generation);
    allocator.deallocate(BufferType::L1, address, generation);
    if (allocator.get_statistics(BufferType::L1).total_allocated_bytes != 0) ++left;
  }
  done = true;
  frees_all.join();
  EXPECT_EQ(left, 0);
}

TEST(AllocatorTest, BanksAreCoresRowByRowAndChannels) {
  Allocator allocator(DeviceProfile{}, 0, 0);
  EXPECT_EQ(allocator.get_num_banks(BufferType::DRAM), 12u);
  EXPECT_EQ(allocator.get_num_banks(BufferType::L1), 64u);
  EXPECT_EQ(allocator.get_logical_core_from_bank_id(9), CoreCoord(1, 1));
  EXPECT_EQ(allocator.get_bank_ids_from_logical_core(BufferType::L1, {1, 1}),
            std::vector<uint32_t>{9});
  EXPECT_EQ(allocator.get_bank_ids_from_logical_core(BufferType::DRAM, {5, 0}),
            std::vector<uint32_t>{5});
  EXPECT_EQ(allocator.get_alignment(BufferType::DRAM), 32u);
  EXPECT_EQ(allocator.get_alignment(BufferType::L1), 16u);
  EXPECT_EQ(allocator.get_base_allocator_addr(HalMemType::DRAM), 32u);
  EXPECT_THROW(allocator.get_num_banks(BufferType::SYSTEM_MEMORY), std::runtime_error);
  EXPECT_THROW(allocator.get_logical_core_from_bank_id(64), std::runtime_error);
}

// The rules once more, as slowly and plainly as possible: one flag for each unit of memory.
class PlainModel {
 public:
  explicit PlainModel(std::size_t units) : taken_(units, false) {}

  std::optional<std::size_t> allocate(std::size_t size, bool bottom_up) {
    for (std::size_t i = 0; i + size <= taken_.size(); ++i) {
      const std::size_t start = bottom_up ? i : taken_.size() - size - i;
      if (is_free(start, size)) {
        mark(start, size, true);
        return start;
      }
    }
    return std::nullopt;
  }
  bool is_free(std::size_t start, std::size_t size) const {
    for (std::size_t i = start; i < start + size; ++i) {
      if (taken_[i]) return false;
    }
    return true;
  }
  void mark(std::size_t start, std::size_t size, bool taken) {
    for (std::size_t i = start; i < start + size; ++i) taken_[i] = taken;
  }

 private:
  std::vector<bool> taken_;
};

TEST(FreeListTest, AgreesWithOneFlagForEachUnit) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::size_t kUnits = 200, kBase = 1000;
  FreeList list(kBase, kBase + kUnits);
  PlainModel model(kUnits);
  std::map<std::size_t, std::size_t> live;
  std::size_t allocated = 0;
  for (int step = 0; step < 20000; ++step) {
    const std::size_t size = 1 + random() % 20;
    if (random() % 2 == 0 && !live.empty()) {
      const auto victim = std::next(live.begin(), random() % live.size());
      ASSERT_TRUE(list.free(kBase + victim->first));
      model.mark(victim->first, victim->second, false);
      allocated -= victim->second;
      live.erase(victim);
    } else if (random() % 3 == 0) {
      const std::size_t start = random() % (kUnits - size);
      const bool is_free = model.is_free(start, size);
      ASSERT_EQ(list.overlapping(kBase + start, size).has_value(), !is_free) << "step " << step;
      ASSERT_EQ(list.allocate_at(kBase + start, size), is_free) << "step " << step;
      if (!is_free) continue;
      model.mark(start, size, true);
      live[start] = size;
      allocated += size;
    } else {
      const bool bottom_up = random() % 2 == 0;
      const auto expected = model.allocate(size, bottom_up);
      const auto address = list.allocate(size, bottom_up);
      ASSERT_EQ(address.has_value(), expected.has_value()) << "step " << step;
      if (!expected) continue;
      ASSERT_EQ(*address, kBase + *expected) << "step " << step;
      live[*expected] = size;
      allocated += size;
    }
    ASSERT_EQ(list.allocated_bytes(), allocated);
    if (live.empty()) {
      ASSERT_EQ(list.lowest_allocated(), std::nullopt);
      ASSERT_EQ(list.largest_free().size, kUnits);
    } else {
      ASSERT_EQ(list.lowest_allocated(), kBase + live.begin()->first);
    }
  }
}

TEST(FreeListTest, AnAllocationOfNothingIsRefusedAndTakesNothing) {
  FreeList list(100, 200);
  for (const bool bottom_up : {true, false}) EXPECT_EQ(list.allocate(0, bottom_up), std::nullopt);
  EXPECT_FALSE(list.allocate_at(100, 0));
  EXPECT_FALSE(list.allocate_at(150, 0));
  EXPECT_EQ(list.largest_free().size, 100u);
  EXPECT_EQ(list.lowest_allocated(), std::nullopt);
}

TEST(FreeListTest, BeginsWhereItIsToldAsFarAsNothingIsAllocatedBelow) {
  FreeList list(100, 200);
  ASSERT_TRUE(list.allocate_at(100, 10));
  EXPECT_FALSE(list.move_begin(101));
  EXPECT_FALSE(list.move_begin(201));
  ASSERT_TRUE(list.move_begin(60));
  EXPECT_EQ(list.size(), 140u);
  EXPECT_EQ(list.allocate(40, true), 60u);
  ASSERT_TRUE(list.free(60));
  ASSERT_TRUE(list.move_begin(80));
  EXPECT_FALSE(list.allocate_at(60, 10));
  EXPECT_EQ(list.allocate(30, true), 110u);
  ASSERT_TRUE(list.free(100));
  EXPECT_EQ(list.largest_free().address, 140u);
  ASSERT_TRUE(list.free(110));
  EXPECT_EQ(list.largest_free().size, 120u);
}

TEST(FreeListTest, NamesTheLowestOfSeveralBlocks) {
  FreeList list(100, 200);
  for (const uint64_t address : {110, 140, 180}) ASSERT_TRUE(list.allocate_at(address, 10));
  EXPECT_EQ(list.overlapping(100, 100)->address, 110u);
  EXPECT_EQ(list.overlapping(119, 22)->address, 110u);
  EXPECT_EQ(list.overlapping(120, 21)->address, 140u);
  EXPECT_FALSE(list.overlapping(120, 20).has_value());
  EXPECT_EQ(list.largest_free().address, 150u);
  ASSERT_TRUE(list.allocate_at(120, 10));
  ASSERT_TRUE(list.allocate_at(170, 10));
  EXPECT_EQ(list.largest_free().address, 150u);
  EXPECT_EQ(list.largest_free().size, 20u);
  ASSERT_TRUE(list.free(120));
  EXPECT_EQ(list.largest_free().address, 120u);
}

TEST(FreeListTest, EmptyListHasNoRoom) {
  FreeList list(100, 100);
  EXPECT_EQ(list.allocate(1, true), std::nullopt);
  EXPECT_EQ(list.largest_free().size, 0u);
  EXPECT_FALSE(list.allocate_at(100, 1));
}

}  // namespace
}  // namespace tt::tt_metal
