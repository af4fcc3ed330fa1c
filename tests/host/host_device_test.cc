// The rules of devices, of their memory and of sub-devices, by themselves: device_api_test,
// sub_device_test and semantics_device_test meet them through the host API and through files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "host/device.h"
#include "host/memory.h"
#include "host/memory_place.h"

namespace lightmetal::host {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

CoreSet columns(uint32_t first, uint32_t last) {
  CoreSet set;
  EXPECT_TRUE(set.add_range({first, 0}, {last, 7}).ok());
  return set;
}

std::string refused(const absl::Status& status) { return std::string(status.message()); }

TEST(HostDevice, HasQueuesAndMemoryOfItsProfile) {
  const DeviceProfile profile;
  const auto refusal = [&](const DeviceRequest& request) {
    return refused(check_request(request, profile));
  };
  EXPECT_EQ(refusal({.chip_id = 7, .num_queues = 2}), "");
  EXPECT_EQ(refusal({.chip_id = -1}), "There is no device -1: ids go from 0 to 7");
  EXPECT_THAT(refusal({.num_queues = 3}), HasSubstr("1 to 2 command queues"));
  const uint64_t l1 = profile.l1_size - profile.l1_unreserved_base;
  EXPECT_EQ(refusal({.l1_small_size = l1}), "");
  EXPECT_THAT(refusal({.l1_small_size = l1 + 1}), HasSubstr("l1_small_size is 1396737 B"));
  EXPECT_THAT(refusal({.trace_region_size = kMost}), HasSubstr("of a DRAM bank are free"));
}

TEST(HostMemory, IsDividedAtAlignedBorders) {
  const DeviceProfile profile;
  const auto memory = memory_of(profile, 1000, 33);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory->l1_small.size(), 1008u);
  EXPECT_EQ(memory->l1.end(), memory->l1_small.begin());
  EXPECT_EQ(memory->trace.size(), 64u);
  EXPECT_EQ(memory->dram.end(), memory->trace.begin());
  EXPECT_EQ(memory->dram.begin(), 32u);
  for (const uint64_t size : {profile.l1_size, kMost}) {
    EXPECT_THAT(refused(memory_of(profile, size, 0).status()),
                HasSubstr("does not fit into the L1"));
  }
}

TEST(HostMemory, OfL1TheFirstBytesAreLeftToSubDevices) {
  Memory memory = *memory_of(DeviceProfile(), 0, 0);
  const uint64_t base = memory.l1.begin(), size = memory.l1.size();
  ASSERT_TRUE(memory.leave_to_sub_devices(4096).ok());
  EXPECT_EQ(memory.l1.begin(), base + 4096);
  EXPECT_EQ(memory.of_sub_device(4096).l1.begin(), base);
  EXPECT_EQ(memory.of_sub_device(4096).l1.end(), base + 4096);
  EXPECT_EQ(refused(memory.leave_to_sub_devices(size + 1)),
            "Sub-devices cannot have 1396737 B of each bank of L1, which has 1396736 B");
  ASSERT_TRUE(memory.l1.allocate_at(base + 8192, 16));
  EXPECT_EQ(refused(memory.leave_to_sub_devices(8208)),
            "Sub-devices cannot have the L1 below 110608: a buffer lies at address 110592");
  EXPECT_EQ(memory.l1.begin(), base + 4096);
  ASSERT_TRUE(memory.leave_to_sub_devices(0).ok());
  EXPECT_EQ(memory.l1.begin(), base);
}

TEST(HostSubDevices, HaveCoresOfTheGridAndOfNoOther) {
  const Core grid{8, 8};
  const std::vector<CoreSet> before = {columns(0, 3), columns(6, 6)};
  const auto refusal = [&](const CoreSet& cores) {
    return refused(check_cores_of_sub_device(before, cores, grid));
  };
  EXPECT_EQ(refusal(columns(4, 5)), "");
  EXPECT_EQ(refusal(CoreSet()), "Sub-device 2 has no cores");
  EXPECT_THAT(refusal(columns(7, 8)), HasSubstr("leave the 8x8 compute grid"));
  EXPECT_EQ(refusal(columns(5, 7)),
            "Sub-devices 1 and 2 overlap on cores {[(x=6,y=0) - (x=6,y=7)]}");
  EXPECT_TRUE(check_num_sub_devices(8).ok());
  EXPECT_FALSE(check_num_sub_devices(9).ok());
}

TEST(HostSubDevices, AreThereWhileTheirManagerIsLoaded) {
  EXPECT_TRUE(check_is_loaded(2, 1).ok());
  EXPECT_EQ(refused(check_is_loaded(2, 2)), "2 sub-devices are loaded: there is no sub-device 2");
  EXPECT_FALSE(check_has_memory(0, 0).ok());
  EXPECT_FALSE(check_can_be_removed(3, true).ok());
  EXPECT_TRUE(check_has_no_buffer(3, 0, std::nullopt).ok());
  EXPECT_EQ(
      refused(check_has_no_buffer(3, 1, 64)),
      "Sub-device manager 3 cannot be exchanged: a buffer lies at address 64 in the memory of "
      "its sub-device 1");
}

TEST(HostMemoryPlace, EndsWhereItsMemoryDoes) {
  const DeviceProfile profile;
  using Kind = MemoryPlace::Kind;
  EXPECT_TRUE(check_range({Kind::kDram, 11, 0}, profile, profile.dram_bank_size - 4, 4).ok());
  EXPECT_TRUE(check_range({Kind::kL1, 7, 7}, profile, profile.l1_size, 0).ok());
  for (const Kind kind : {Kind::kDram, Kind::kL1, Kind::kEthernetL1}) {
    EXPECT_FALSE(check_range({kind, 0, 0}, profile, profile.dram_bank_size, 4).ok());
    EXPECT_FALSE(check_range({kind, 0, 0}, profile, kMost, 4).ok());
    EXPECT_FALSE(check_range({kind, 0, 0}, profile, 4, kMost).ok());
    EXPECT_FALSE(check_place({kind, 12, 9}, profile, 1).ok());
  }
  EXPECT_TRUE(check_place({Kind::kEthernetL1, 0, 7}, profile, 1).ok());
}

}  // namespace
}  // namespace lightmetal::host
