// What programs ask about chips, open devices and the environment beside the calls of host_api.hpp.
#include <umd/device/device_api_metal.h>

#include <cstdlib>
#include <set>
#include <stdexcept>
#include <tt-metalium/device_pool.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/llrt.hpp>
#include <tt_metal/impl/context/metal_context.hpp>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using llrt::RunTimeOptions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ClusterApiTest : public WatchedTest {};

TEST_F(ClusterApiTest, ChipsAreThoseThatCanBeOpened) {
  setenv("LIGHTMETAL_NUM_DEVICES", "3", 1);
  const auto chips = tt_ClusterDescriptor::create();
  EXPECT_EQ(chips->get_all_chips(), (std::unordered_set<chip_id_t>{0, 1, 2}));
  EXPECT_EQ(umd::Cluster::create_cluster_descriptor()->get_number_of_chips(), 3);
  EXPECT_EQ(chips->get_arch(2), hal::get_arch());
  expect_throws([&] { chips->get_arch(3); }, "There is no chip 3: 3 chips are available");
  EXPECT_THAT(Cluster::instance().all_chip_ids(), ElementsAre(0, 1, 2));
  EXPECT_EQ(Cluster::instance().number_of_user_devices(), 3);
  unsetenv("LIGHTMETAL_NUM_DEVICES");
}

// Every wire is seen from both its ends, and ends within the cluster.
TEST_F(ClusterApiTest, TheDriversDescriptorKnowsTheWiresFromBothEnds) {
  for (const char* count : {"1", "3", "8"}) {
    setenv("LIGHTMETAL_NUM_DEVICES", count, 1);
    const auto cluster = umd::ClusterDescriptor::create();
    size_t wires = 0;
    for (const auto& [chip, ends] : cluster->get_ethernet_connections()) {
      EXPECT_EQ(cluster->get_active_eth_channels(chip).size(), ends.size());
      for (const auto& [core, end] : ends) {
        const auto& [other_chip, other_core] = end;
        EXPECT_EQ(cluster->get_chip_and_channel_of_remote_ethernet_core(other_chip, other_core),
                  std::tuple(chip, core));
        EXPECT_FALSE(cluster->get_idle_eth_channels(chip).contains(static_cast<uint32_t>(core)));
        ++wires;
      }
    }
    EXPECT_EQ(wires, std::string_view(count) == "1" ? 0 : std::string_view(count) == "3" ? 8 : 48);
  }
  unsetenv("LIGHTMETAL_NUM_DEVICES");
}

TEST_F(ClusterApiTest, TheDriversDescriptorHasChipsOfOneBoardEach) {
  setenv("LIGHTMETAL_NUM_DEVICES", "3", 1);
  const auto cluster = umd::ClusterDescriptor::create();
  EXPECT_EQ(cluster->get_board_type(2), BoardType::N150);
  EXPECT_EQ(cluster->get_board_chips(cluster->get_board_id_for_chip(2)),
            (std::unordered_set<ChipId>{2}));
  EXPECT_EQ(cluster->get_closest_mmio_capable_chip(1), 1);
  EXPECT_TRUE(cluster->is_chip_mmio_capable(1));
  EXPECT_FALSE(cluster->is_chip_remote(1));
  EXPECT_EQ(cluster->get_chips_local_first({2, 0}), (std::vector<ChipId>{0, 2}));
  EXPECT_EQ(cluster->get_harvesting_masks(0), HarvestingMasks{});
  expect_throws([&] { cluster->get_board_type(3); }, "There is no chip 3: 3 chips are available");
  expect_throws([&] { cluster->get_chip_and_channel_of_remote_ethernet_core(0, 7); },
                "Ethernet core 7 of chip 0 leads nowhere");
  const auto part =
      umd::ClusterDescriptor::create_constrained_cluster_descriptor(cluster.get(), {1});
  EXPECT_EQ(part->get_number_of_chips(), 1);
  EXPECT_TRUE(part->get_active_eth_channels(1).empty());
  unsetenv("LIGHTMETAL_NUM_DEVICES");
}

TEST_F(ClusterApiTest, ChipsOfTheDriversDescriptorLieInTwoRowsOfFour) {
  const auto cluster = umd::ClusterDescriptor::create();
  for (int chip = 0; chip < 8; ++chip) {
    EXPECT_EQ(cluster->get_chip_location(chip), (EthCoord{0, chip % 4, chip / 4, 0, 0}));
  }
  const auto all = umd::ClusterDescriptor::create_constrained_cluster_descriptor(cluster.get());
  EXPECT_EQ(all->get_all_chips(), cluster->get_all_chips());
  const auto wires = cluster->get_directly_connected_ethernet_channels_between_chips(1, 5);
  EXPECT_FALSE(wires.empty());
  for (const auto& [core, other] : wires) {
    EXPECT_EQ(cluster->get_chip_and_channel_of_remote_ethernet_core(1, core), std::tuple(5, other));
  }
  EXPECT_TRUE(cluster->get_directly_connected_ethernet_channels_between_chips(0, 6).empty());
}

TEST_F(ClusterApiTest, ABoardHasAFixedNumberOfChips) {
  using enum BoardType;
  for (const BoardType one : {N150, P100, P150, QUASAR_BOARD})
    EXPECT_EQ(get_number_of_chips_from_board_type(one), 1u);
  for (const BoardType two : {N300, P300}) EXPECT_EQ(get_number_of_chips_from_board_type(two), 2u);
  for (const BoardType many : {UBB, UBB_BLACKHOLE})
    EXPECT_EQ(get_number_of_chips_from_board_type(many), 32u);
  expect_throws([] { get_number_of_chips_from_board_type(GALAXY); }, "a board galaxy has");
}

TEST_F(ClusterApiTest, BoardsHaveTheirNamesAndIds) {
  for (const auto& [type, name] : board_type_canonical_name_map) {
    EXPECT_EQ(board_type_to_string(type), name);
    EXPECT_EQ(board_type_from_string(name), type);
  }
  EXPECT_EQ(board_type_from_string("P150C"), BoardType::P150);
  EXPECT_EQ(board_type_from_string("none"), BoardType::UNKNOWN);
  EXPECT_EQ(get_board_type_from_board_id(uint64_t{0x14} << 36), BoardType::N300);
  expect_throws([] { get_board_type_from_board_id(1); }, "No board has the id 0x1");
  expect_throws([] { get_blackhole_chip_type(BoardType::P150, 1); },
                "A board p150 has no chip at 1");
  EXPECT_EQ(get_blackhole_chip_type(BoardType::P300, 1), BlackholeChipType::Type1);
}

TEST_F(ClusterApiTest, CoresSayWhatTheyAreAndInWhichSystem) {
  EXPECT_EQ(umd::CoreCoord(1, 2).str(), CoreCoord(1, 2).str());
  EXPECT_EQ(umd::CoreCoord(1, 2, CoreType::TENSIX, CoordSystem::NOC0).str(), "t1-2 (NOC0)");
  EXPECT_EQ(umd::CoreCoord(1, 2, CoreType::ETH, CoordSystem::LOGICAL), CoreCoord(1, 2));
  EXPECT_EQ(tt_cxy_pair(3, 1, 2).str(), "(chip=3,x=1,y=2)");
  EXPECT_LT(tt_cxy_pair(0, 5, 5), tt_cxy_pair(1, 0, 0));
  EXPECT_EQ(to_str(CoreType::ACTIVE_ETH), "ACTIVE_ETH");
}

TEST_F(ClusterApiTest, ThereIsNoSimulator) {
  EXPECT_FALSE(RunTimeOptions::get_instance().get_simulator_enabled());
  expect_throws([] { tt_SimulationDeviceInit("/a/simulator").get_arch_name(); },
                "There is no simulator /a/simulator");
}

TEST_F(ClusterApiTest, OptionsAreThoseOfTheEnvironment) {
  RunTimeOptions& options = MetalContext::instance().rtoptions();
  EXPECT_EQ(&options, &llrt::OptionsG);
  unsetenv("TT_METAL_HOME");
  expect_throws([&] { options.get_root_dir(); }, "TT_METAL_HOME is not set");
  setenv("TT_METAL_HOME", "/a/tree", 1);
  EXPECT_EQ(options.get_root_dir(), "/a/tree/");
  unsetenv("TT_METAL_HOME");
  EXPECT_FALSE(options.is_kernel_dir_specified());
  setenv("TT_METAL_KERNEL_PATH", "/kernels/", 1);
  EXPECT_TRUE(options.is_kernel_dir_specified());
  EXPECT_EQ(options.get_kernel_dir(), "/kernels/");
  unsetenv("TT_METAL_KERNEL_PATH");
  setenv("TT_METAL_GTEST_NUM_HW_CQS", "2", 1);
  setenv("TT_METAL_GTEST_ETH_DISPATCH", "1", 1);
  EXPECT_EQ(options.get_num_hw_cqs(), 2);
  EXPECT_EQ(options.get_dispatch_core_config().get_dispatch_core_type(), DispatchCoreType::ETH);
  for (const char* text : {"-1", "abc"}) {
    setenv("TT_METAL_GTEST_NUM_HW_CQS", text, 1);
    try {
      options.get_num_hw_cqs();
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("TT_METAL_GTEST_NUM_HW_CQS is"));
    }
  }
  unsetenv("TT_METAL_GTEST_NUM_HW_CQS");
  unsetenv("TT_METAL_GTEST_ETH_DISPATCH");
  EXPECT_EQ(options.get_num_hw_cqs(), 1);
  EXPECT_EQ(options.get_dispatch_core_config(), DispatchCoreConfig{});
}

TEST_F(ClusterApiTest, ThePoolHasTheDevicesThatAreOpen) {
  IDevice* first = open(2, 2);
  DevicePool::initialize({1, 2}, 1, DEFAULT_L1_SMALL_SIZE, DEFAULT_TRACE_REGION_SIZE, {});
  const DevicePool& pool = DevicePool::instance();
  ASSERT_THAT(pool.get_all_active_devices(), ElementsAre(first, pool.get_active_device(1)));
  EXPECT_FALSE(pool.is_device_active(0));
  expect_throws([&] { pool.get_active_device(0); }, "Device 0 is not open");
  EXPECT_TRUE(pool.close_device(1));
  pool.close_devices({first});
  EXPECT_TRUE(pool.get_all_active_devices().empty());
}

TEST_F(ClusterApiTest, ThePoolOpensAllDevicesOrNone) {
  expect_throws(
      [] {
        DevicePool::initialize({2, 99}, 1, DEFAULT_L1_SMALL_SIZE, DEFAULT_TRACE_REGION_SIZE, {});
      },
      "There is no device 99");
  EXPECT_TRUE(DevicePool::instance().get_all_active_devices().empty());
}

// Writes words as a program of the middle of 2025 does, and reads them back.
void expect_core_memory(IDevice* device, const CoreCoord& core, CoreType type) {
  const tt_cxy_pair place(device->id(), device->virtual_core_from_logical_core(core, type));
  const tt::Cluster& cluster = MetalContext::instance().get_cluster();
  cluster.write_core(device->id(), place, std::vector<uint32_t>{1, 2, 3}, 0x20000);
  const uint32_t word = 9;
  cluster.write_core(&word, sizeof(word), place, 0x20004);
  cluster.l1_barrier(device->id());
  EXPECT_THAT(cluster.read_core(device->id(), place, 0x20000, 12), ElementsAre(1, 9, 3));
  std::vector<uint32_t> words;
  cluster.read_core(words, 8, place, 0x20004);
  EXPECT_THAT(words, ElementsAre(9, 3));
  expect_throws([&] { cluster.write_core(&word, 3, place, 0x20004); }, "3 bytes");
}

void expect_bytes_of_cores(IDevice* device) {
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<uint8_t> read(8);
  detail::WriteToDeviceL1(device, CoreCoord(1, 2), 0x30000, bytes);
  detail::ReadFromDeviceL1(device, CoreCoord(1, 2), 0x30000, std::span(read));
  EXPECT_EQ(read, bytes);
  read.assign(4, 0);
  detail::WriteToDeviceDRAMChannel(device, 3, 0x30000, bytes);
  detail::ReadFromDeviceDRAMChannel(device, 3, 0x30004, std::span(read));
  EXPECT_THAT(read, ElementsAre(5, 6, 7, 8));
  // Parts of words.
  detail::WriteToDeviceDRAMChannel(device, 3, 0x30003, std::span(bytes).first(3));
  read.assign(8, 0);
  detail::ReadFromDeviceDRAMChannel(device, 3, 0x30000, std::span(read));
  EXPECT_THAT(read, ElementsAre(1, 2, 3, 1, 2, 3, 7, 8));
  read.assign(1, 0);
  detail::ReadFromDeviceL1(device, CoreCoord(1, 2), 0x30006, std::span(read));
  EXPECT_THAT(read, ElementsAre(7));
}

// Writes a word through one API, and reads it through the other.
void expect_same_memory(IDevice* device, const CoreCoord& core, CoreType type) {
  const CoreCoord place = device->virtual_core_from_logical_core(core, type);
  llrt::write_hex_vec_to_core(device->id(), place, {7, 8}, 0x20000);
  std::vector<uint32_t> words;
  if (type == CoreType::DRAM) {
    const int channel = static_cast<int>(device->dram_channel_from_logical_core(core));
    detail::ReadFromDeviceDRAMChannel(device, channel, 0x20004, 4, words);
  } else {
    detail::ReadFromDeviceL1(device, core, 0x20004, 4, words, type);
  }
  EXPECT_THAT(words, ElementsAre(8)) << core.str();
  EXPECT_THAT(llrt::read_hex_vec_from_core(device->id(), place, 0x20000, 4), ElementsAre(7));
}

TEST_F(ClusterApiTest, MemoryIsReachedByTheCoordinateOfItsCore) {
  setenv("LIGHTMETAL_DEVICE", "cpu", 1);
  IDevice* device = CreateDevice(4);
  expect_same_memory(device, {3, 5}, CoreType::WORKER);
  expect_same_memory(device, {0, 6}, CoreType::ETH);
  expect_same_memory(device, {2, 0}, CoreType::DRAM);
  expect_core_memory(device, {3, 5}, CoreType::WORKER);
  expect_core_memory(device, {0, 6}, CoreType::ETH);
  expect_core_memory(device, {2, 0}, CoreType::DRAM);
  expect_bytes_of_cores(device);
  const CoreCoord worker = device->worker_core_from_logical_core({0, 0});
  expect_throws([&] { llrt::read_hex_vec_from_core(4, worker, uint64_t{1} << 32, 4); },
                "Address 4294967296");
  EXPECT_ANY_THROW(llrt::read_hex_vec_from_core(4, {1, 0}, 0x20000, 4));
  CloseDevice(device);
  expect_throws([] { llrt::read_hex_vec_from_core(4, {18, 18}, 0, 4); }, "Device 4 is not open");
  setenv("LIGHTMETAL_DEVICE", "watched", 1);
}

}  // namespace
}  // namespace tt::tt_metal::testing
