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
  EXPECT_ANY_THROW(llrt::read_hex_vec_from_core(4, {1, 0}, 0x20000, 4));
  CloseDevice(device);
  expect_throws([] { llrt::read_hex_vec_from_core(4, {18, 18}, 0, 4); }, "Device 4 is not open");
  setenv("LIGHTMETAL_DEVICE", "watched", 1);
}

}  // namespace
}  // namespace tt::tt_metal::testing
