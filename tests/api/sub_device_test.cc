// Sub-devices: memory of their own, programs at the same time, what waits for what.
#include <array>
#include <chrono>
#include <stdexcept>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/sub_device.hpp>

#include "api/src/memory/stall_group.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using testing::add_data_movement;
using testing::expect_refused;
using testing::expect_replays_alike;

constexpr uint32_t kLocalSize = 3200;

CoreRangeSet range(size_t x0, size_t y0, size_t x1, size_t y1) {
  return CoreRangeSet(CoreRange({x0, y0}, {x1, y1}));
}

SubDevice sub_device(const CoreRangeSet& cores) { return SubDevice(std::array{cores}); }

const CoreRangeSet& first_cores() {
  static const CoreRangeSet cores = range(0, 0, 2, 2);
  return cores;
}
const CoreRangeSet& second_cores() {
  static const CoreRangeSet cores(
      std::vector{CoreRange({3, 3}, {3, 3}), CoreRange({4, 4}, {6, 6})});
  return cores;
}

ShardedBufferConfig one_page_each(IDevice* device, const CoreRangeSet& cores, uint32_t page_size) {
  return {.device = device,
          .size = cores.num_cores() * page_size,
          .page_size = page_size,
          .buffer_type = BufferType::L1,
          .buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED,
          .shard_parameters = ShardSpecBuffer(cores, {1, 1}, ShardOrientation::ROW_MAJOR, {1, 1},
                                              {cores.num_cores(), 1})};
}

InterleavedBufferConfig page_of(IDevice* device, BufferType type) {
  return {.device = device, .size = 1024, .page_size = 1024, .buffer_type = type};
}

SubDeviceManagerId load_two(IDevice* device, DeviceAddr local_size = kLocalSize) {
  const auto manager = device->create_sub_device_manager(
      {sub_device(first_cores()), sub_device(second_cores())}, local_size);
  device->load_sub_device_manager(manager);
  return manager;
}

class SubDeviceTest : public testing::CpuApiTest {};

TEST_F(SubDeviceTest, TheDefaultOneIsTheWholeGrid) {
  EXPECT_EQ(device()->get_active_sub_device_manager_id(),
            device()->get_default_sub_device_manager_id());
  EXPECT_EQ(device()->worker_cores(HalProgrammableCoreType::TENSIX, SubDeviceId{0}),
            range(0, 0, 7, 7));
  EXPECT_EQ(device()->num_sub_devices(), 1u);
  EXPECT_EQ(device()->allocator(SubDeviceId{0}), device()->allocator());
}

TEST_F(SubDeviceTest, AManagerSaysWhatIsLoaded) {
  const auto manager = load_two(device());
  EXPECT_EQ(device()->get_active_sub_device_manager_id(), manager);
  EXPECT_THAT(device()->get_sub_device_ids(),
              ::testing::ElementsAre(SubDeviceId{0}, SubDeviceId{1}));
  EXPECT_EQ(device()->worker_cores(HalProgrammableCoreType::TENSIX, SubDeviceId{1}),
            second_cores());
  EXPECT_EQ(device()->num_worker_cores(HalProgrammableCoreType::TENSIX, SubDeviceId{1}), 10u);
  EXPECT_EQ(device()->get_sub_device_stall_group(), device()->get_sub_device_ids());
  device()->set_sub_device_stall_group({SubDeviceId{1}});
  device()->clear_loaded_sub_device_manager();
  EXPECT_EQ(device()->num_sub_devices(), 1u);
  EXPECT_EQ(device()->get_sub_device_stall_group(), device()->get_sub_device_ids());
  device()->remove_sub_device_manager(manager);
  expect_refused([&] { device()->load_sub_device_manager(manager); }, "no sub-device manager");
}

TEST_F(SubDeviceTest, ManagersThatCannotBeAreRefused) {
  const auto create = [&](std::vector<SubDevice> sub_devices, DeviceAddr size = 0) {
    device()->create_sub_device_manager(
        tt::stl::Span<const SubDevice>(sub_devices.data(), sub_devices.size()), size);
  };
  expect_refused([&] { create({}); }, "1 to 8 sub-devices, not into 0");
  expect_refused(
      [&] {
        create({sub_device(range(0, 0, 2, 2)), sub_device(range(2, 2, 3, 3))});
      },
      "Sub-devices 0 and 1 overlap on cores", "(x=2,y=2)");
  expect_refused([&] { create({sub_device(range(7, 7, 8, 7))}); }, "leave the 8x8 compute grid");
  expect_refused([&] { create({sub_device(CoreRangeSet())}); }, "Sub-device 0 has no cores");
  const std::array with_ethernet = {range(0, 0, 0, 0), range(0, 0, 0, 1)};
  expect_refused([&] { create({SubDevice(with_ethernet)}); }, "has Ethernet cores");
  expect_refused([&] { device()->remove_sub_device_manager(SubDeviceManagerId{0}); },
                 "no sub-device manager 0");
  const auto huge = device()->create_sub_device_manager({sub_device(first_cores())}, 1 << 30);
  expect_refused([&] { device()->load_sub_device_manager(huge); },
                 "Sub-devices cannot have 1073741824 B of each bank");
  const auto manager = load_two(device());
  expect_refused([&] { device()->remove_sub_device_manager(manager); }, "is loaded");
}

TEST_F(SubDeviceTest, BuffersOfASubDeviceLieInItsMemory) {
  const DeviceAddr base = device()->allocator()->get_base_allocator_addr(HalMemType::L1);
  load_two(device());
  auto first = CreateBuffer(one_page_each(device(), first_cores(), 64), SubDeviceId{0});
  auto second = CreateBuffer(one_page_each(device(), second_cores(), 64), SubDeviceId{1});
  EXPECT_EQ(first->address(), base + kLocalSize - 64);
  EXPECT_EQ(second->address(), first->address());  // each has memory of its own
  EXPECT_EQ(first->sub_device_id(), SubDeviceId{0});
  EXPECT_EQ(device()->lowest_occupied_compute_l1_address(), first->address());
  const std::array only_second = {SubDeviceId{1}};
  EXPECT_EQ(device()->lowest_occupied_compute_l1_address(only_second), second->address());
  std::vector<uint32_t> data(9 * 16), found;
  for (uint32_t i = 0; i < data.size(); ++i) data[i] = i;
  EnqueueWriteBuffer(queue(), first, data, false);
  EnqueueReadBuffer(queue(), first, found, true);
  EXPECT_EQ(found, data);
  EXPECT_EQ(l1_words({1, 0}, first->address(), 1)[0], 16u);
}

TEST_F(SubDeviceTest, TheLowestAddressIsThatOfAnySubDevice) {
  load_two(device());
  auto first = CreateBuffer(one_page_each(device(), first_cores(), 128), SubDeviceId{0});
  const auto second = CreateBuffer(one_page_each(device(), second_cores(), 64), SubDeviceId{1});
  EXPECT_LT(first->address(), second->address());
  EXPECT_EQ(device()->lowest_occupied_compute_l1_address(), first->address());
  first.reset();
  first = CreateBuffer(one_page_each(device(), first_cores(), 32), SubDeviceId{0});
  EXPECT_EQ(device()->lowest_occupied_compute_l1_address(), second->address());
}

TEST_F(SubDeviceTest, TheMemoryOfSubDevicesEndsAtAnAddressForBuffers) {
  const DeviceAddr base = device()->allocator()->get_base_allocator_addr(HalMemType::L1);
  load_two(device(), kLocalSize + 1);
  const auto local = CreateBuffer(one_page_each(device(), first_cores(), 64), SubDeviceId{0});
  EXPECT_EQ(local->address(), base + kLocalSize + 16 - 64);
  const auto bottom = Buffer::create(device(), 64, 64, BufferType::L1,
                                     TensorMemoryLayout::INTERLEAVED, std::nullopt,
                                     /*bottom_up=*/true);
  EXPECT_EQ(bottom->address(), base + kLocalSize + 16);
}

TEST_F(SubDeviceTest, ABufferOfASubDeviceHasNoMemoryOnceTheDeviceIsClosed) {
  load_two(device());
  const auto buffer = CreateBuffer(one_page_each(device(), second_cores(), 64), SubDeviceId{1});
  CloseDevice(device());
  EXPECT_FALSE(buffer->is_allocated());
  EXPECT_NO_THROW(buffer->deallocate());
}

TEST_F(SubDeviceTest, OtherBuffersLieAboveTheMemoryOfSubDevices) {
  load_two(device(), 1 << 20);
  const DeviceAddr base = device()->allocator()->get_base_allocator_addr(HalMemType::L1);
  auto bottom = Buffer::create(device(), 64, 64, BufferType::L1, TensorMemoryLayout::INTERLEAVED,
                               std::nullopt, /*bottom_up=*/true);
  EXPECT_EQ(bottom->address(), base + (1 << 20));
  bottom.reset();
  device()->clear_loaded_sub_device_manager();
  bottom = Buffer::create(device(), 64, 64, BufferType::L1, TensorMemoryLayout::INTERLEAVED,
                          std::nullopt, /*bottom_up=*/true);
  EXPECT_EQ(bottom->address(), base);
  expect_refused([&] { load_two(device()); }, "a buffer lies at address");
  EXPECT_EQ(device()->num_sub_devices(), 1u);
}

TEST_F(SubDeviceTest, BuffersThatASubDeviceCannotHaveAreRefused) {
  load_two(device());
  const auto create = [&](const CoreRangeSet& cores, uint8_t id) {
    CreateBuffer(one_page_each(device(), cores, 64), SubDeviceId{id});
  };
  expect_refused([&] { create(second_cores(), 0); }, "does not lie on the cores");
  expect_refused([&] { create(first_cores(), 2); }, "no sub-device 2");
  expect_refused([&] { CreateBuffer(page_of(device(), BufferType::L1), SubDeviceId{0}); },
                 "must be sharded and in L1");
  expect_refused(
      [&] { CreateBuffer(one_page_each(device(), first_cores(), 4096), SubDeviceId{0}); },
      "Out of Memory");
  device()->clear_loaded_sub_device_manager();
  load_two(device(), 0);
  expect_refused([&] { create(first_cores(), 0); }, "has no memory of its own");
}

TEST_F(SubDeviceTest, ManagersAreNotExchangedWhileABufferLiesInTheirMemory) {
  const auto other = device()->create_sub_device_manager({sub_device(first_cores())}, kLocalSize);
  load_two(device());
  auto buffer = CreateBuffer(one_page_each(device(), first_cores(), 32), SubDeviceId{0});
  expect_refused([&] { device()->clear_loaded_sub_device_manager(); }, "cannot be exchanged");
  expect_refused([&] { device()->load_sub_device_manager(other); }, "of its sub-device 0");
  DeallocateBuffer(*buffer);
  buffer = CreateBuffer(one_page_each(device(), second_cores(), 32), SubDeviceId{1});
  expect_refused([&] { device()->load_sub_device_manager(other); }, "of its sub-device 1");
  DeallocateBuffer(*buffer);
  device()->load_sub_device_manager(other);
}

TEST_F(SubDeviceTest, CircularBuffersMayNotReachABufferOfTheProgramsSubDevice) {
  load_two(device());
  Program program = CreateProgram();
  add_data_movement(program, "", first_cores());
  const CBHandle cb = CreateCircularBuffer(
      program, first_cores(),
      CircularBufferConfig(kLocalSize, {{0, DataFormat::Float16_b}}).set_page_size(0, 32));
  auto elsewhere = CreateBuffer(one_page_each(device(), second_cores(), 64), SubDeviceId{1});
  EnqueueProgram(queue(), program, true);
  auto here = CreateBuffer(one_page_each(device(), first_cores(), 64), SubDeviceId{0});
  expect_refused([&] { EnqueueProgram(queue(), program, true); }, "clash with L1 buffers");
  UpdateCircularBufferTotalSize(program, cb, kLocalSize / 2);
  EnqueueProgram(queue(), program, true);
}

TEST_F(SubDeviceTest, AProgramsCoresLieInOneSubDevice) {
  load_two(device());
  Program wide = CreateProgram();
  add_data_movement(wide, "", range(2, 2, 3, 3));
  expect_refused([&] { EnqueueProgram(queue(), wide, true); }, "not in one sub-device");
  Program semaphores = CreateProgram();
  add_data_movement(semaphores, "", first_cores());
  CreateSemaphore(semaphores, range(0, 0, 7, 7), 0);
  expect_refused([&] { EnqueueProgram(queue(), semaphores, true); }, "runs on sub-device 0",
                 "not all among its cores");
}

// A program for the second sub-device whose n-th run waits until the semaphore is n, and counts its
// runs at `place`. Nothing is set back: an increment may come before the run that waits for it.
Program waiter(const GlobalSemaphore& semaphore, const CoreCoord& core, uint32_t place) {
  Program program = CreateProgram();
  add_data_movement(program,
                    "auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(" +
                        std::to_string(semaphore.address()) +
                        "u);\n"
                        "auto* runs = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(" +
                        std::to_string(place) +
                        "u);\n"
                        "const uint32_t run = *runs + 1;\n"
                        "noc_semaphore_wait_min(word, run);\n"
                        "*runs = run;",
                    core);
  return program;
}

Program incrementer(IDevice* device, const GlobalSemaphore& semaphore, const CoreCoord& from,
                    const CoreCoord& to) {
  const CoreCoord noc = device->worker_core_from_logical_core(to);
  Program program = CreateProgram();
  add_data_movement(program,
                    "noc_semaphore_inc(get_noc_addr(" + std::to_string(noc.x) + ", " +
                        std::to_string(noc.y) + ", " + std::to_string(semaphore.address()) +
                        "u), 1);\nnoc_async_atomic_barrier();",
                    from);
  return program;
}

constexpr uint32_t kPlace = 0x80000;

void run_waiter_and_incrementer(IDevice* device) {
  std::vector<uint32_t> zero = {0};
  detail::WriteToDeviceL1(device, CoreCoord(3, 3), kPlace, zero);
  const auto semaphore = CreateGlobalSemaphore(device, CoreRangeSet(CoreRange(CoreCoord(3, 3))), 0);
  load_two(device);
  Program waits = waiter(semaphore, {3, 3}, kPlace);
  Program increments = incrementer(device, semaphore, {1, 1}, {3, 3});
  CommandQueue& queue = device->command_queue();
  for (int i = 0; i < 5; ++i) {
    EnqueueProgram(queue, waits, false);
    device->set_sub_device_stall_group({SubDeviceId{0}});
    EnqueueProgram(queue, increments, true);  // waits for its own sub-device alone
    device->reset_sub_device_stall_group();
  }
  Synchronize(device);
}

TEST_F(SubDeviceTest, ProgramsOnDifferentSubDevicesRunAtTheSameTime) {
  run_waiter_and_incrementer(device());
  EXPECT_EQ(l1_words({3, 3}, kPlace, 1)[0], 5u);
}

TEST_F(SubDeviceTest, OnlyTheStallGroupIsWaitedFor) {
  const auto semaphore = CreateGlobalSemaphore(device(), second_cores(), 0);
  Synchronize(device());
  load_two(device());
  Program waits = waiter(semaphore, {3, 3}, kPlace);
  EnqueueProgram(queue(), waits, false);
  device()->set_sub_device_stall_group({SubDeviceId{0}});
  // None of these waits for the program.
  auto buffer = CreateBuffer(one_page_each(device(), first_cores(), 32), SubDeviceId{0});
  std::vector<uint32_t> data(9 * 8, 7), found;
  EnqueueWriteBuffer(queue(), buffer, data, true);
  EnqueueReadBuffer(queue(), buffer, found, true);
  EXPECT_EQ(found, data);
  auto event = std::make_shared<Event>();
  EnqueueRecordEvent(queue(), event);
  EventSynchronize(event);
  Synchronize(device(), 0);
  const std::array first = {SubDeviceId{0}};
  Finish(queue(), first);
  // An event after the second sub-device has not come yet.
  auto late = std::make_shared<Event>();
  const std::array second = {SubDeviceId{1}};
  EnqueueRecordEvent(queue(), late, second);
  EXPECT_FALSE(EventQuery(late));
  std::vector<uint32_t> one = {1};
  detail::WriteToDeviceL1(device(), CoreCoord(3, 3), semaphore.address(), one);
  EventSynchronize(late);
  device()->reset_sub_device_stall_group();
  Synchronize(device());
}

TEST_F(SubDeviceTest, AGlobalSemaphoreWaitsForTheSubDevicesThatAreNamed) {
  const auto semaphore = CreateGlobalSemaphore(device(), second_cores(), 0);
  Synchronize(device());
  load_two(device());
  Program waits = waiter(semaphore, {3, 3}, kPlace);
  EnqueueProgram(queue(), waits, false);
  const std::array first = {SubDeviceId{0}};
  const auto other = CreateGlobalSemaphore(device(), first_cores(), 7, BufferType::L1, first);
  Finish(queue(), first);
  EXPECT_EQ(l1_words({0, 0}, other.address(), 1)[0], 7u);
  EXPECT_EQ(device()->get_sub_device_stall_group().size(), 2u);
  const std::array third = {SubDeviceId{2}};
  expect_refused([&] { CreateGlobalSemaphore(device(), first_cores(), 7, BufferType::L1, third); },
                 "no sub-device 2");
  std::vector<uint32_t> one = {1};
  detail::WriteToDeviceL1(device(), CoreCoord(3, 3), semaphore.address(), one);
  Synchronize(device());
}

TEST_F(SubDeviceTest, AStallGroupIsPutBackThoughTheCallThrows) {
  load_two(device());
  const std::array first = {SubDeviceId{0}};
  const auto fail = []() -> int { throw std::runtime_error("its own error"); };
  expect_refused([&] { with_stall_group(*device(), first, fail); }, "its own error");
  EXPECT_EQ(device()->get_sub_device_stall_group().size(), 2u);
}

TEST_F(SubDeviceTest, AStallGroupThatCannotBePutBackIsAnErrorOfTheCall) {
  load_two(device());
  const std::array first = {SubDeviceId{0}};
  const auto close = [&] { return CloseDevice(device()); };
  expect_refused([&] { with_stall_group(*device(), first, close); }, "has been closed");
}

TEST_F(SubDeviceTest, AStallGroupThatCannotBePutBackHidesNoError) {
  load_two(device());
  const std::array first = {SubDeviceId{0}};
  const auto close_and_fail = [&]() -> int {
    CloseDevice(device());
    throw std::runtime_error("its own error");
  };
  expect_refused([&] { with_stall_group(*device(), first, close_and_fail); }, "its own error");
}

TEST_F(SubDeviceTest, AQueueDoesNotWaitForProgramsOfAnother) {
  open(/*queues=*/2);
  const auto semaphore = CreateGlobalSemaphore(device(), second_cores(), 0);
  Synchronize(device());
  load_two(device());
  Program waits = waiter(semaphore, {3, 3}, kPlace);
  Program increments = incrementer(device(), semaphore, {1, 1}, {3, 3});
  EnqueueProgram(device()->command_queue(1), waits, false);
  EnqueueProgram(device()->command_queue(0), increments, true);
  Synchronize(device());
}

TEST_F(SubDeviceTest, AWaitThatNothingEndsIsReported) {
  setenv("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", "0.3", 1);
  const auto semaphore = CreateGlobalSemaphore(device(), second_cores(), 0);
  Synchronize(device());
  load_two(device());
  Program waits = waiter(semaphore, {3, 3}, kPlace);
  EnqueueProgram(queue(), waits, false);
  expect_refused([&] { Finish(queue()); }, "no other launch goes on", "core (3,3)",
                 "waits for >= 1, holds 0");
  Program fine = CreateProgram();
  add_data_movement(fine, "", first_cores());
  EnqueueProgram(queue(), fine, true);
}

TEST_F(SubDeviceTest, StallGroupsAndWaitsNameLoadedSubDevices) {
  load_two(device());
  const std::array third = {SubDeviceId{2}};
  const char* const kMessage = "2 sub-devices are loaded: there is no sub-device 2";
  expect_refused([&] { device()->set_sub_device_stall_group(third); }, kMessage);
  expect_refused([&] { Finish(queue(), third); }, kMessage);
  expect_refused([&] { Synchronize(device(), 0, third); }, kMessage);
  expect_refused([&] { EnqueueRecordEvent(queue(), std::make_shared<Event>(), third); }, kMessage);
  expect_refused([&] { device()->set_sub_device_stall_group({}); }, "at least one");
}

TEST_F(SubDeviceTest, RelativeCoordinatesBeginAtTheSubDevicesCorner) {
  Program program = CreateProgram();
  add_data_movement(program,
                    "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);\n"
                    "out[0] = get_relative_logical_x(); out[1] = get_relative_logical_y();\n"
                    "out[2] = get_absolute_logical_x(); out[3] = get_absolute_logical_y();",
                    CoreRange({4, 4}, {5, 6}));
  EnqueueProgram(queue(), program, true);
  EXPECT_THAT(l1_words({5, 6}, kPlace, 4), ::testing::ElementsAre(5, 6, 5, 6));
  load_two(device());
  EnqueueProgram(queue(), program, true);
  EXPECT_THAT(l1_words({5, 6}, kPlace, 4), ::testing::ElementsAre(2, 3, 5, 6));
  device()->load_sub_device_manager(
      device()->create_sub_device_manager({sub_device(range(4, 1, 6, 6))}, 0));
  EnqueueProgram(queue(), program, true);
  EXPECT_THAT(l1_words({5, 6}, kPlace, 4), ::testing::ElementsAre(1, 5, 5, 6));
  device()->clear_loaded_sub_device_manager();
  EnqueueProgram(queue(), program, true);
  EXPECT_THAT(l1_words({5, 6}, kPlace, 4), ::testing::ElementsAre(5, 6, 5, 6));
}

// Its workers are new each time, and count their launches from the beginning.
void launch_and_load_again(IDevice* device) {
  Program program = CreateProgram();
  add_data_movement(program, "++*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);",
                    CoreCoord(1, 1));
  std::vector<uint32_t> count = {0};
  detail::WriteToDeviceL1(device, CoreCoord(1, 1), kPlace, count);
  const auto manager = load_two(device);
  const auto other = device->create_sub_device_manager({sub_device(first_cores())}, 0);
  CommandQueue& queue = device->command_queue();
  for (int i = 0; i < 3; ++i) {
    EnqueueProgram(queue, program, /*blocking=*/false);
    EnqueueProgram(queue, program, /*blocking=*/false);
    Finish(queue);
    device->clear_loaded_sub_device_manager();
    device->load_sub_device_manager(manager);
    Finish(queue);
    EnqueueProgram(queue, program, /*blocking=*/false);
    device->load_sub_device_manager(other);
    device->load_sub_device_manager(manager);
    Synchronize(device);
  }
  detail::ReadFromDeviceL1(device, CoreCoord(1, 1), kPlace, 4, count);
  EXPECT_EQ(count[0], 9u);
  device->clear_loaded_sub_device_manager();
  device->remove_sub_device_manager(other);
  device->remove_sub_device_manager(manager);
}

TEST_F(SubDeviceTest, NothingIsAwaitedOfTheLanesThatAManagerHadWhenItWasLoadedBefore) {
  launch_and_load_again(device());
}

TEST_F(SubDeviceTest, AManagerThatIsLoadedAgainIsReplayed) {
  expect_replays_alike([&] {
    IDevice* device = CreateDevice(0);
    launch_and_load_again(device);
    CloseDevice(device);
  });
}

void run_trace_on_two(IDevice* device) {
  const auto semaphore = CreateGlobalSemaphore(device, CoreRangeSet(CoreRange(CoreCoord(3, 3))), 0);
  std::vector<uint32_t> words = {0};
  detail::WriteToDeviceL1(device, CoreCoord(3, 3), kPlace, words);
  Synchronize(device);
  load_two(device);
  Program waits = waiter(semaphore, {3, 3}, kPlace);
  Program increments = incrementer(device, semaphore, {1, 1}, {3, 3});
  CommandQueue& queue = device->command_queue();
  const uint32_t trace = BeginTraceCapture(device, 0);
  EnqueueProgram(queue, waits, false);
  EnqueueProgram(queue, increments, false);
  EndTraceCapture(device, 0, trace);
  for (int i = 0; i < 3; ++i) ReplayTrace(device, 0, trace, /*blocking=*/true);
  Finish(queue);
  detail::ReadFromDeviceL1(device, CoreCoord(3, 3), kPlace, 4, words);
  EXPECT_EQ(words[0], 3u);
  ReleaseTrace(device, trace);
}

TEST_F(SubDeviceTest, ATraceRunsOnSeveralSubDevices) { run_trace_on_two(device()); }

TEST_F(SubDeviceTest, ATraceBelongsToItsManager) {
  Program program = CreateProgram();
  add_data_movement(program, "", first_cores());
  load_two(device());
  const uint32_t trace = BeginTraceCapture(device(), 0);
  expect_refused([&] { device()->clear_loaded_sub_device_manager(); },
                 "not supported during trace capture");
  EnqueueProgram(queue(), program, false);
  EndTraceCapture(device(), 0, trace);
  device()->clear_loaded_sub_device_manager();
  expect_refused([&] { ReplayTrace(device(), 0, trace, true); }, "for sub-device manager");
}

TEST_F(SubDeviceTest, RunsAndTracesAreReplayed) {
  expect_replays_alike([&] {
    IDevice* device = CreateDevice(0);
    run_waiter_and_incrementer(device);
    std::vector<uint32_t> words;
    detail::ReadFromDeviceL1(device, CoreCoord(3, 3), kPlace, 4, words);
    {
      const std::array first = {SubDeviceId{0}};
      const auto seven = CreateGlobalSemaphore(device, first_cores(), 7, BufferType::L1, first);
      Finish(device->command_queue(), first);
      detail::ReadFromDeviceL1(device, CoreCoord(0, 0), seven.address(), 4, words);
    }
    auto local = CreateBuffer(one_page_each(device, first_cores(), 32), SubDeviceId{0});
    std::vector<uint32_t> data(9 * 8, 7), found;
    EnqueueWriteBuffer(device->command_queue(), local, data, false);
    EnqueueReadBuffer(device->command_queue(), local, found, true);
    local.reset();
    const auto manager = device->get_active_sub_device_manager_id();
    device->clear_loaded_sub_device_manager();
    device->remove_sub_device_manager(manager);
    run_trace_on_two(device);
    CloseDevice(device);
  });
}

}  // namespace
}  // namespace tt::tt_metal
