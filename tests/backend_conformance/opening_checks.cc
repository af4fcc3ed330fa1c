// A device is opened with a profile, and is alone with its memory.
#include <algorithm>

#include "tests/backend_conformance/kit.h"

namespace lightmetal::device::conformance {
namespace {

void device_has_the_profile_it_is_opened_with(const Open& open) {
  EXPECT_EQ(open_or_throw(open)->profile(), DeviceProfile{});
}

// Files hold profiles of other chips; a backend without them says so, and never gives another.
void another_profile_is_taken_whole_or_refused(const Open& open) {
  DeviceOptions options;
  options.profile.grid = {4, 3};
  options.profile.dram_banks = 6;
  options.profile.dram_cores.resize(6);
  const auto device = open(options);
  if (device.ok()) {
    EXPECT_EQ((*device)->profile(), options.profile);
  } else {
    EXPECT_NE(device.status().message(), "");
  }
}

void profile_that_cannot_be_is_refused(const Open& open) {
  DeviceOptions options;
  options.profile.grid = {60, 60};  // leaves the network-on-chip
  expect_code(open(options).status(), absl::StatusCode::kInvalidArgument);
  options.profile = {};
  options.profile.l1_size = 1000;  // below what programs may use
  expect_code(open(options).status(), absl::StatusCode::kInvalidArgument);
}

std::vector<Core> noc_coordinates(const DeviceProfile& profile) {
  std::vector<Core> all;
  for (uint32_t bank = 0; bank < num_l1_banks(profile); ++bank)
    all.push_back(noc_coordinate_of_worker(profile, core_of_l1_bank(profile, bank)));
  for (uint32_t bank = 0; bank < profile.dram_banks; ++bank)
    all.push_back(noc_coordinate_of_dram_bank(profile, bank));
  for (uint32_t core = 0; core < profile.ethernet_cores; ++core)
    all.push_back(noc_coordinate_of_ethernet(profile, core));
  return all;
}

void everything_has_a_coordinate_of_its_own(const Open& open) {
  const auto device = open_or_throw(open);
  std::vector<Core> all = noc_coordinates(device->profile());
  for (const Core& each : all) {
    EXPECT_LT(each.x, kNocCoordinates);
    EXPECT_LT(each.y, kNocCoordinates);
  }
  std::ranges::sort(all);
  EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
}

void several_devices_have_memory_apart(const Open& open) {
  const auto first = open_or_throw(open, {.chip_id = 0, .profile = {}});
  const auto second = open_or_throw(open, {.chip_id = 1, .profile = {}});
  write_words(*first, {1, 1}, kL1, {5});
  write_words(*second, {1, 1}, kL1, {6});
  EXPECT_EQ(read_words(*first, {1, 1}, kL1, 1), std::vector<uint32_t>{5});
  EXPECT_EQ(read_words(*second, {1, 1}, kL1, 1), std::vector<uint32_t>{6});
}

void device_that_is_opened_again_is_new(const Open& open) {
  for (int round = 0; round < 3; ++round) {
    const auto device = open_or_throw(open);
    EXPECT_EQ(read_words(*device, {1, 1}, kL1, 1), std::vector<uint32_t>{0});
    write_words(*device, {1, 1}, kL1, {5});
  }
}

void schedule_is_taken_or_refused(const Open& open) {
  for (const Schedule schedule :
       {Schedule{}, Schedule{.kind = Schedule::Kind::Fixed},
        Schedule{.kind = Schedule::Kind::Random, .seed = 7}, Schedule{.split = true}}) {
    const auto device = open({.chip_id = 0, .profile = {}, .schedule = schedule});
    if (device.ok()) continue;
    EXPECT_NE(schedule, Schedule{}) << device.status();
    expect_code(device.status(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(device.status().message().find(schedule.text()), std::string::npos);
  }
}

}  // namespace

absl::Span<const Check> opening_checks() {
  static constexpr Check kChecks[] = {
      {"DeviceHasTheProfileItIsOpenedWith", device_has_the_profile_it_is_opened_with},
      {"AnotherProfileIsTakenWholeOrRefused", another_profile_is_taken_whole_or_refused},
      {"ProfileThatCannotBeIsRefused", profile_that_cannot_be_is_refused},
      {"EverythingHasACoordinateOfItsOwn", everything_has_a_coordinate_of_its_own},
      {"SeveralDevicesHaveMemoryApart", several_devices_have_memory_apart},
      {"DeviceThatIsOpenedAgainIsNew", device_that_is_opened_again_is_new},
      {"ScheduleIsTakenOrRefused", schedule_is_taken_or_refused},
  };
  return kChecks;
}

}  // namespace lightmetal::device::conformance
