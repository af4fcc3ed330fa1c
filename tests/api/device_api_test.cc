#include <array>
#include <set>
#include <tt-metalium/sub_device.hpp>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeviceApiTest : public WatchedTest {};

TEST_F(DeviceApiTest, AnOpenDeviceCannotBeCreatedAgainWithOtherParameters) {
  open(3);
  expect_throws([] { CreateDevice(3, 2); }, "Device 3 is open already, with other parameters");
}

// As after a test that threw before it closed its device.
TEST_F(DeviceApiTest, ADeviceLeftOpenIsGivenAgain) {
  IDevice* left = CreateDevice(3);
  IDevice* device = CreateDevice(3);
  EXPECT_EQ(device, left);
  EXPECT_NO_THROW(Synchronize(device));
  EXPECT_TRUE(CloseDevice(device));
  EXPECT_FALSE(CloseDevice(left));
}

TEST_F(DeviceApiTest, AClosedDeviceCanBeCreatedAgain) {
  EXPECT_TRUE(CloseDevice(open(3)));
  EXPECT_TRUE(open(3)->is_initialized());
}

TEST_F(DeviceApiTest, ClosingTwiceSaysThatItWasClosed) {
  IDevice* device = open();
  EXPECT_TRUE(CloseDevice(device));
  EXPECT_FALSE(CloseDevice(device));
  EXPECT_FALSE(device->is_initialized());
}

TEST_F(DeviceApiTest, AClosedDeviceRefusesCalls) {
  IDevice* device = open();
  CloseDevice(device);
  expect_throws([&] { device->command_queue(); }, "Device 0 has been closed");
  expect_throws([&] { Synchronize(device); }, "Device 0 has been closed");
  expect_throws([&] { device->num_banks(BufferType::L1); }, "Device 0 has been closed");
}

TEST_F(DeviceApiTest, EightDevicesAreOpenAtOnce) {
  EXPECT_EQ(GetNumAvailableDevices(), 8);
  for (int id = 0; id < 8; ++id) EXPECT_EQ(open(id)->id(), id);
  expect_throws([] { CreateDevice(8); }, "There is no device 8");
  expect_throws([] { CreateDevice(-1); }, "There is no device -1");
}

TEST_F(DeviceApiTest, TheEnvironmentSetsHowManyDevicesThereAre) {
  setenv("LIGHTMETAL_NUM_DEVICES", "2", 1);
  EXPECT_EQ(GetNumAvailableDevices(), 2);
  expect_throws([] { CreateDevice(2); }, "There is no device 2: 2 devices are available");
  setenv("LIGHTMETAL_NUM_DEVICES", "many", 1);
  expect_throws([] { GetNumAvailableDevices(); }, "LIGHTMETAL_NUM_DEVICES", "many");
  setenv("LIGHTMETAL_NUM_DEVICES", "", 1);
  EXPECT_EQ(GetNumAvailableDevices(), 8);
  unsetenv("LIGHTMETAL_NUM_DEVICES");
}

TEST_F(DeviceApiTest, ADeviceHasOneOrTwoQueues) {
  IDevice* device = open(0, 2);
  EXPECT_EQ(device->num_hw_cqs(), 2);
  EXPECT_EQ(device->command_queue(1).id(), 1);
  expect_throws([&] { device->command_queue(2); }, "2 command queues", "no queue 2");
  expect_throws([] { CreateDevice(1, 3); }, "num_hw_cqs is 3");
  expect_throws([] { CreateDevice(1, 0); }, "num_hw_cqs is 0");
}

TEST_F(DeviceApiTest, AnUnknownBackendIsNamed) {
  setenv("LIGHTMETAL_DEVICE", "abacus", 1);
  expect_throws([] { CreateDevice(0); }, "abacus");
  setenv("LIGHTMETAL_DEVICE", "watched", 1);
  EXPECT_TRUE(open(0)->is_initialized());  // the chip was not left taken
}

TEST_F(DeviceApiTest, AChipWhoseBackendDoesNotOpenIsNotTaken) {
  device::register_device(
      "refusing",
      [](const device::DeviceOptions&) -> absl::StatusOr<std::unique_ptr<device::Device>> {
        return absl::UnavailableError("no link to the chip");
      });
  setenv("LIGHTMETAL_DEVICE", "refusing", 1);
  expect_throws([] { CreateDevice(0); }, "no link to the chip");
  setenv("LIGHTMETAL_DEVICE", "watched", 1);
  EXPECT_TRUE(open(0)->is_initialized());
}

TEST_F(DeviceApiTest, AL1SmallRegionLargerThanL1IsRefused) {
  expect_throws([] { CreateDevice(0, 1, 2'000'000); }, "l1_small_size is 2000000 B");
}

TEST_F(DeviceApiTest, NumbersAreWormholes) {
  EXPECT_EQ(device()->arch(), tt::ARCH::WORMHOLE_B0);
  EXPECT_EQ(device()->compute_with_storage_grid_size(), CoreCoord(8, 8));
  EXPECT_EQ(device()->logical_grid_size(), CoreCoord(8, 8));
  EXPECT_EQ(device()->l1_size_per_core(), 1'499'136);
  EXPECT_EQ(device()->num_dram_channels(), 12);
  EXPECT_EQ(device()->dram_size_per_channel(), 1u << 30);
  EXPECT_EQ(device()->num_banks(BufferType::DRAM), 12);
  EXPECT_EQ(device()->num_banks(BufferType::L1), 64);
  EXPECT_EQ(device()->get_allocator_alignment(HalMemType::L1), 16);
  EXPECT_EQ(device()->get_allocator_alignment(HalMemType::DRAM), 32);
  EXPECT_EQ(device()->get_allocator_alignment(), 32) << "suits both";
  EXPECT_EQ(device()->grid_size(), CoreCoord(26, 26));
}

TEST_F(DeviceApiTest, WorkersHaveNocCoordinates) {
  EXPECT_EQ(device()->worker_core_from_logical_core({0, 0}), CoreCoord(18, 18));
  EXPECT_THAT(device()->worker_cores_from_logical_cores({{1, 0}, {0, 1}}),
              ElementsAre(CoreCoord(19, 18), CoreCoord(18, 19)));
  EXPECT_EQ(device()->virtual_core_from_logical_core({2, 3}, CoreType::WORKER), CoreCoord(20, 21));
  expect_throws(
      [&] {
        device()->worker_core_from_logical_core({8, 0});
      },
      "(x=8,y=0) is outside the 8x8 compute grid");
  EXPECT_NE(device()->get_noc_unicast_encoding(0, {18, 19}),
            device()->get_noc_unicast_encoding(0, {19, 18}));
}

TEST_F(DeviceApiTest, CoordinatesTellTheKindOfCore) {
  const CoreCoord worker = device()->worker_core_from_logical_core({7, 7});
  EXPECT_EQ(device()->get_programmable_core_type(worker), HalProgrammableCoreType::TENSIX);
  EXPECT_EQ(device()->get_mem_type_of_core(worker), HalMemType::L1);
  EXPECT_EQ(device()->get_dev_addr(worker, HalL1MemAddrType::DEFAULT_UNRESERVED) +
                device()->get_dev_size(worker, HalL1MemAddrType::DEFAULT_UNRESERVED),
            device()->l1_size_per_core());
  for (const CoreCoord& core : device()->ethernet_cores()) {
    const CoreCoord ethernet = device()->ethernet_core_from_logical_core(core);
    EXPECT_EQ(device()->get_programmable_core_type(ethernet),
              device()->is_active_ethernet_core(core) ? HalProgrammableCoreType::ACTIVE_ETH
                                                      : HalProgrammableCoreType::IDLE_ETH);
    EXPECT_EQ(device()->get_mem_type_of_core(ethernet), HalMemType::L1);
  }
  const CoreCoord dram = device()->virtual_core_from_logical_core({11, 0}, CoreType::DRAM);
  EXPECT_EQ(device()->get_mem_type_of_core(dram), HalMemType::DRAM);
  expect_throws([&] { device()->get_programmable_core_type(dram); }, "no Ethernet core");
  expect_throws([&] { device()->get_dev_addr(dram, HalL1MemAddrType::BASE); }, "no Ethernet core");
  expect_throws([&] { device()->get_mem_type_of_core({1, 0}); }, "no Ethernet core");
}

TEST_F(DeviceApiTest, WhatADeviceHasIsListed) {
  EXPECT_EQ(device()->ethernet_cores().size(), 8u);
  EXPECT_EQ(*device()->ethernet_cores().rbegin(), CoreCoord(0, 7));
  EXPECT_TRUE(device()->storage_only_cores().empty());
  EXPECT_TRUE(device()->is_mmio_capable());
  EXPECT_EQ(device()->num_virtual_eth_cores(SubDeviceId{0}), 0u);
  device()->enable_program_cache();
  device()->clear_program_cache();
  EXPECT_EQ(device()->num_program_cache_entries(), 0u);
}

TEST_F(DeviceApiTest, EachDramBankHasAWorkerOfItsOwn) {
  const auto workers = device()->get_optimal_dram_bank_to_logical_worker_assignment();
  ASSERT_EQ(workers.size(), device()->num_banks(BufferType::DRAM));
  EXPECT_EQ(std::set<CoreCoord>(workers.begin(), workers.end()).size(), workers.size());
  for (const CoreCoord& worker : workers) device()->worker_core_from_logical_core(worker);
}

TEST_F(DeviceApiTest, BothNetworksHaveTheSameWorkersForDramBanks) {
  const auto workers = device()->get_optimal_dram_bank_to_logical_worker_assignment();
  for (const NOC noc : {NOC::NOC_0, NOC::NOC_1}) {
    EXPECT_EQ(device()->get_optimal_dram_bank_to_logical_worker_assignment(noc), workers);
  }
}

TEST_F(DeviceApiTest, AWorkersLogicalCoreIsFound) {
  const CoreCoord grid = device()->compute_with_storage_grid_size();
  for (const CoreCoord& core : {CoreCoord(0, 0), CoreCoord(grid.x - 1, grid.y - 1)}) {
    EXPECT_EQ(
        device()->logical_core_from_worker_core(device()->worker_core_from_logical_core(core)),
        core);
  }
  expect_throws([&] { device()->logical_core_from_worker_core({1000, 0}); }, "has no worker core");
}

TEST_F(DeviceApiTest, ADeviceThatNobodyOwnsHasNoMesh) {
  EXPECT_EQ(device()->get_mesh_device(), nullptr);
}

TEST_F(DeviceApiTest, ADramBankIsAChannel) {
  EXPECT_EQ(device()->dram_channel_from_bank_id(7), 7);
  EXPECT_THAT(device()->bank_ids_from_dram_channel(7), ElementsAre(7));
  EXPECT_EQ(device()->logical_core_from_dram_channel(7), CoreCoord(7, 0));
  EXPECT_EQ(device()->dram_channel_from_logical_core({7, 0}), 7);
  EXPECT_THAT(device()->bank_ids_from_dram_channel(12), IsEmpty());
  expect_throws([&] { device()->logical_core_from_dram_channel(12); }, "no channel 12");
  expect_throws([&] { device()->dram_channel_from_logical_core({7, 1}); }, "(x=7,y=1) is none");
}

TEST_F(DeviceApiTest, TheGridIsTheOnlySubDevice) {
  EXPECT_THAT(device()->get_sub_device_ids(), ElementsAre(SubDeviceId{0}));
  EXPECT_EQ(device()->num_worker_cores(HalProgrammableCoreType::TENSIX, SubDeviceId{0}), 64);
  expect_throws([&] { Finish(queue(), {SubDeviceId{1}}); }, "no sub-device 1");
  Finish(queue(), {SubDeviceId{0}});
}

TEST_F(DeviceApiTest, SeveralDevicesAreCreatedAllOrNone) {
  const auto devices = detail::CreateDevices({0, 2});
  EXPECT_EQ(devices.at(2)->id(), 2);
  detail::CloseDevices(devices);
  IDevice* const before = CreateDevice(1);
  expect_throws([] { detail::CreateDevices({0, 1, 9}); }, "There is no device 9");
  EXPECT_TRUE(before->is_initialized());
  EXPECT_EQ(watched().living_devices, 1);
  CloseDevice(before);
}

TEST_F(DeviceApiTest, BuffersOutliveTheirDevice) {
  const auto buffer = dram(1024, 64);
  const uint32_t address = buffer->address();
  CloseDevice(device());
  EXPECT_EQ(buffer->address(), address);
  EXPECT_EQ(buffer->num_pages(), 16);
}

TEST_F(DeviceApiTest, ProgramsOutliveTheirDeviceAndKernelsDoNot) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  EnqueueProgram(queue(), program, true);
  EXPECT_EQ(watched().living_kernels, 1);
  watched().forget_launches();
  CloseDevice(device());
  EXPECT_EQ(watched().living_kernels, 0);
  EXPECT_EQ(watched().living_devices, 0);
  EXPECT_FALSE(watched().kernel_outlived_device);
  EnqueueProgram(open(1)->command_queue(), program, true);
  EXPECT_EQ(watched().launches().size(), 1);
}

TEST_F(DeviceApiTest, TracesEndWithTheirDevice) {
  const int kernels = watched().living_kernels, devices = watched().living_devices;
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  const uint32_t trace = BeginTraceCapture(device(), 0);
  EnqueueProgram(queue(), program, false);
  EndTraceCapture(device(), 0, trace);
  ReplayTrace(device(), 0, trace, true);
  watched().forget_launches();
  CloseDevice(device());
  EXPECT_EQ(watched().living_kernels, kernels);
  EXPECT_EQ(watched().living_devices, devices);
}

TEST_F(DeviceApiTest, ClosingWaitsForTheQueues) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  for (int i = 0; i < 100; ++i) EnqueueProgram(queue(), program, false);
  CloseDevice(device());
  EXPECT_EQ(watched().launches().size(), 100);
}

TEST_F(DeviceApiTest, ClosingReportsAnErrorThatNobodyHasSeen) {
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  EnqueueProgram(queue(), program, false);
  IDevice* closing = device();
  expect_throws([&] { CloseDevice(closing); }, "it broke");
  EXPECT_FALSE(closing->is_initialized());
  open(0);
}

// In a further queue, on a sub-device, and beside the queues.
TEST_F(DeviceApiTest, ClosingReportsAnErrorWhereverItWasMet) {
  using Launch = std::function<void(IDevice*, Program&)>;
  const std::vector<Launch> launches = {
      [](IDevice* on, Program& program) { EnqueueProgram(on->command_queue(1), program, false); },
      [](IDevice* on, Program& program) {
        const std::array cores = {CoreRangeSet(CoreRange(CoreCoord{0, 0}))};
        on->load_sub_device_manager(on->create_sub_device_manager({SubDevice(cores)}, 0));
        EnqueueProgram(on->command_queue(0), program, false);
      },
      [](IDevice* on, Program& program) { detail::LaunchProgram(on, program, false); }};
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  for (const Launch& launch : launches) {
    Program program;
    add_kernel(program, CoreCoord{0, 0});
    IDevice* const closing = open(0, 2);
    launch(closing, program);
    expect_throws([&] { CloseDevice(closing); }, "it broke");
    EXPECT_FALSE(closing->is_initialized());
  }
}

TEST_F(DeviceApiTest, TheNullDeviceTakesWholePrograms) {
  setenv("LIGHTMETAL_DEVICE", "null", 1);
  const auto buffer = l1(64 * 2048, 2048);
  Program program;
  add_kernel(program, CoreRange({0, 0}, {7, 7}));
  std::vector<uint32_t> read;
  EnqueueWriteBuffer(queue(), buffer, counting(64 * 512), false);
  EnqueueProgram(queue(), program, false);
  EnqueueReadBuffer(queue(), buffer, read, true);
  EXPECT_EQ(read, std::vector<uint32_t>(64 * 512, 0));
}

TEST_F(DeviceApiTest, DirectCallsReachDramAndL1) {
  std::vector<uint32_t> written = counting(16, 5);
  std::vector<uint32_t> dram_read, l1_read, other_core;
  EXPECT_TRUE(detail::WriteToDeviceDRAMChannel(device(), 3, 4096, written));
  EXPECT_TRUE(detail::ReadFromDeviceDRAMChannel(device(), 3, 4096, 64, dram_read));
  EXPECT_EQ(dram_read, written);
  EXPECT_TRUE(detail::WriteToDeviceL1(device(), {2, 1}, 200'000, written));
  EXPECT_TRUE(detail::ReadFromDeviceL1(device(), {2, 1}, 200'000, 64, l1_read));
  EXPECT_TRUE(detail::ReadFromDeviceL1(device(), {1, 2}, 200'000, 64, other_core));
  EXPECT_EQ(l1_read, written);
  EXPECT_EQ(other_core, std::vector<uint32_t>(16, 0));
}

TEST_F(DeviceApiTest, DirectCallsNameWhatIsNotThere) {
  std::vector<uint32_t> words(4);
  expect_throws([&] { detail::WriteToDeviceDRAMChannel(device(), 12, 0, words); }, "no channel 12");
  expect_throws([&] { detail::WriteToDeviceL1(device(), {0, 8}, 0, words); }, "(x=0,y=8)");
  expect_throws([&] { detail::ReadFromDeviceL1(device(), {0, 0}, 0, 6, words); }, "6 B");
}

TEST_F(DeviceApiTest, AGlobalSemaphoreIsAWordOnEachOfItsCores) {
  const CoreRangeSet cores(CoreRange({0, 0}, {1, 0}));
  const GlobalSemaphore semaphore = CreateGlobalSemaphore(device(), cores, 7);
  const auto value = [&](CoreCoord core) {
    Finish(queue());
    std::vector<uint32_t> word;
    detail::ReadFromDeviceL1(device(), core, static_cast<uint32_t>(semaphore.address()), 4, word);
    return word.at(0);
  };
  EXPECT_EQ(value({0, 0}), 7);
  EXPECT_EQ(value({1, 0}), 7);
  EXPECT_EQ(value({2, 0}), 0);
  semaphore.reset_semaphore_value(9);
  EXPECT_EQ(value({1, 0}), 9);
}

TEST_F(DeviceApiTest, AGlobalSemaphoreFreesItsMemoryWithItsLastHandle) {
  const CoreRangeSet cores{CoreRange(CoreCoord{0, 0})};
  auto first = std::make_unique<GlobalSemaphore>(CreateGlobalSemaphore(device(), cores, 0));
  const DeviceAddr address = first->address();
  const GlobalSemaphore copy = *first;
  first.reset();
  EXPECT_NE(CreateGlobalSemaphore(device(), cores, 0).address(), address);
  {
    const GlobalSemaphore moved = std::move(copy);
    EXPECT_EQ(moved.address(), address);
  }
}

TEST_F(DeviceApiTest, AGlobalSemaphoreOutsideTheGridIsRefused) {
  expect_throws(
      [&] {
        CreateGlobalSemaphore(device(), CoreRangeSet(CoreRange({0, 0}, {8, 0})), 0);
      },
      "8x8");
  expect_throws(
      [&] {
        CreateGlobalSemaphore(device(), CoreRangeSet(CoreRange({0, 0}, {1, 0})), 0,
                              BufferType::DRAM);
      },
      "L1");
}

}  // namespace
}  // namespace tt::tt_metal::testing
