// Where a capture can begin, and where not.
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <tt-metalium/sub_device.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "api/src/capture/snapshot.h"
#include "api/src/devices/touched_memory.h"
#include "tests/capture/snapshot_test_kit.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/api_test_kit.h"

namespace tt::tt_metal {
namespace {

using ::lightmetal::testing::AccumulatingProgram;
using ::lightmetal::testing::counting_buffer;
using ::lightmetal::testing::names_of;
using ::lightmetal::testing::open_file;
using ::lightmetal::testing::words_in;
using testing::all_of_type;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kReads;
using ::testing::Not;
using testing::thrown_by;

namespace schema = ::lightmetal::schema;

class SnapshotBeginTest : public testing::SnapshotTest {};

TEST_F(SnapshotBeginTest, OneCaptureAfterTheOther) {
  IDevice* device = open();
  std::vector<LightMetalBinary> binaries;
  {
    auto buffer = counting_buffer(device, 2);
    AccumulatingProgram accumulate(buffer);
    for (int i = 0; i < 3; ++i) {
      begin();
      EnqueueProgram(device->command_queue(), accumulate.program, false);
      EXPECT_EQ(words_in(buffer)[0], 20u * i + 10);
      binaries.push_back(end());
      EnqueueProgram(device->command_queue(), accumulate.program, false);
    }
  }
  for (const LightMetalBinary& binary : binaries) expect_replays(binary, 1);
}

TEST_F(SnapshotBeginTest, AFileHoldsWhatABinaryHolds) {
  IDevice* device = open();
  auto buffer = counting_buffer(device, 2);
  begin();
  const LightMetalBinary binary = end();
  ::lightmetal::CaptureOptions options = kReads;
  options.path = folder_.path("streamed.lmb");
  LightMetalBeginCapture(options);
  LightMetalEndCapture();
  EXPECT_EQ(LightMetalBinary::load_from_file(options.path).get_data(), binary.get_data());
}

TEST_F(SnapshotBeginTest, ABeginDuringTheCaptureOfADeviceTraceIsRefusedAndHarmsNothing) {
  IDevice* device = open();
  auto buffer = counting_buffer(device, 1);
  AccumulatingProgram accumulate(buffer);
  EnqueueProgram(device->command_queue(), accumulate.program, true);
  const std::string path = folder_.path("precious.lmb");
  ::lightmetal::testing::write_file(path, "precious");
  const uint32_t trace = BeginTraceCapture(device, 0);
  EnqueueProgram(device->command_queue(), accumulate.program, false);
  EXPECT_THAT(thrown_by([&] { LightMetalBeginCapture({.path = path}); }),
              HasSubstr("queue 0 of device 0 captures device trace"));
  EnqueueProgram(device->command_queue(), accumulate.program, false);
  EndTraceCapture(device, 0, trace);
  ReplayTrace(device, 0, trace, true);
  EXPECT_EQ(words_in(buffer)[0], 30u);
  EXPECT_EQ(::lightmetal::testing::read_file(path), "precious");
  EXPECT_THAT(thrown_by([] { LightMetalEndCapture(); }), HasSubstr("no capture was begun"));
}

TEST_F(SnapshotBeginTest, ABeginIsRefusedWhicheverQueueCapturesADeviceTrace) {
  const std::array devices = {open(0, 2), open(1, 2)};
  for (const uint8_t chip : {0, 1}) {
    for (const uint8_t cq : {0, 1}) {
      const uint32_t trace = BeginTraceCapture(devices[chip], cq);
      EXPECT_THAT(thrown_by(begin), HasSubstr(absl::StrCat("queue ", cq, " of device ", chip,
                                                           " captures device trace ", trace)));
      EndTraceCapture(devices[chip], cq, trace);
    }
  }
}

TEST_F(SnapshotBeginTest, ABeginWhileAQueueWaitsForAnEventToComeIsRefusedAndHarmsNothing) {
  IDevice* device = open(0, 2);
  auto buffer = counting_buffer(device, 1);
  auto event = std::make_shared<Event>();
  EnqueueWaitForEvent(device->command_queue(0), event);
  EXPECT_THAT(thrown_by(begin), HasSubstr("a queue waits for an event that has not been recorded"));
  EnqueueRecordEvent(device->command_queue(1), event);
  begin();
  EXPECT_EQ(words_in(buffer)[5], 5u);
  EXPECT_THAT(names_of(*open_file(end())), Contains("EnqueueReadBuffer"));
}

TEST_F(SnapshotBeginTest, AnEventOfAClosedDeviceHasComeAllTheSame) {
  auto event = std::make_shared<Event>();
  EnqueueRecordEvent(open(1)->command_queue(), event);
  close_all();
  IDevice* device = open();
  begin();
  EnqueueWaitForEvent(device->command_queue(), event);
  {
    auto buffer = counting_buffer(device, 1);
    EXPECT_EQ(words_in(buffer)[5], 5u);
  }
  event.reset();  // a capture of the replay would begin with it
  expect_replays(end(), 1);
}

TEST_F(SnapshotBeginTest, AnEventOfAClosedDeviceHasComeOnTheNextDeviceThoughNoneWasOpenAtTheBegin) {
  auto event = std::make_shared<Event>(), unused = std::make_shared<Event>();
  EnqueueRecordEvent(open(1)->command_queue(), event);
  EnqueueRecordEvent(open(2)->command_queue(), unused);
  close_all();
  begin();
  unused.reset();  // the file knows nothing of it
  IDevice* device = open();
  EnqueueWaitForEvent(device->command_queue(), event);
  {
    auto buffer = counting_buffer(device, 1);
    EXPECT_EQ(words_in(buffer)[5], 5u);
  }
  event.reset();
  expect_replays(end(), 1);
}

TEST_F(SnapshotBeginTest, AProgramInMemoryOfAClosedDeviceIsThereOnceADeviceOpens) {
  auto program = std::make_unique<Program>(CreateProgram());
  {
    auto memory = CreateBuffer(InterleavedBufferConfig{
        .device = open(1), .size = 64, .page_size = 64, .buffer_type = BufferType::L1});
    CircularBufferConfig config(64, {{0, tt::DataFormat::UInt32}});
    config.set_page_size(0, 64).set_globally_allocated_address(*memory);
    CreateCircularBuffer(*program, CoreCoord{0, 0}, config);
  }
  close_all();
  begin();
  IDevice* device = open();
  {
    auto result = counting_buffer(device, 1);
    CreateKernelFromString(*program,
                           "void kernel_main() { noc_async_write(get_write_ptr(0),"
                           " get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0)), 64);"
                           " noc_async_write_barrier(); }\n",
                           CoreCoord{0, 0}, DataMovementConfig{});
    SetRuntimeArgs(*program, 0, CoreCoord{0, 0}, {static_cast<uint32_t>(result->address())});
    EnqueueProgram(device->command_queue(), *program, true);
    words_in(result);
  }
  program.reset();
  expect_replays(end(), 1);
}

TEST_F(SnapshotBeginTest, AnErrorOfAQueueStaysWithTheProgram) {
  IDevice* device = open();
  Program program = CreateProgram();
  CreateKernelFromString(program,
                         "#include \"dataflow_api.h\"\nvoid kernel_main() {"
                         " noc_async_read(get_noc_addr(0, 11, 0xfffffff0), 0x20000, 4096); }\n",
                         CoreCoord(0, 0), DataMovementConfig{});
  EnqueueProgram(device->command_queue(), program, false);
  begin();
  EXPECT_NE(thrown_by([&] { Finish(device->command_queue()); }), "");
  (void)end();
}

// On the device that shows what it is told, and that does not know what was written.
class SnapshotOfAWatchedDevice : public testing::WatchedTest {
 protected:
  ~SnapshotOfAWatchedDevice() override { unsetenv("LIGHTMETAL_DEVICE"); }

  // Expects that no snapshot is possible until what `launch` launches has ended.
  void expect_awaited(const std::function<void(Program&)>& launch) {
    absl::Notification begun, goes_on;
    testing::watched().on_launch([&](const ::lightmetal::device::Launch&) {
      begun.Notify();
      goes_on.WaitForNotification();
      return absl::OkStatus();
    });
    Program program;
    add_kernel(program, CoreCoord{0, 1});
    launch(program);
    begun.WaitForNotification();
    EXPECT_TRUE(absl::IsUnavailable(prepare_segment(std::chrono::milliseconds(0))));
    goes_on.Notify();
    EXPECT_EQ(prepare_segment(std::chrono::minutes(1)), absl::OkStatus());
    testing::watched().on_launch(nullptr);
  }
};

TEST_F(SnapshotOfAWatchedDevice, WaitsForLaunchesInQueuesOnSubDevicesAndBesideTheQueues) {
  expect_awaited([&](Program& program) { EnqueueProgram(queue(), program, false); });
  expect_awaited([&](Program& program) { detail::LaunchProgram(device(), program, false); });
  const auto row = [](size_t y) {
    return SubDevice(std::array{CoreRangeSet(CoreRange({0, y}, {7, y}))});
  };
  device()->load_sub_device_manager(device()->create_sub_device_manager({row(0), row(1)}, 0));
  expect_awaited([&](Program& program) {
    EnqueueProgram(queue(), program, false);
    Finish(queue(), {SubDeviceId{0}});  // the queue has nothing left to do
  });
}

TEST_F(SnapshotOfAWatchedDevice, HasWhatItsBuffersHold) {
  const auto buffer = dram(256, 64), never_written = dram(256, 64);
  EnqueueWriteBuffer(queue(), buffer, testing::constant(7, 64), true);
  LightMetalBeginCapture(kReads);
  const auto file = open_file(LightMetalEndCapture());
  const auto writes = all_of_type<schema::EnqueueWriteBufferT>(*file);
  ASSERT_EQ(writes.size(), 1u);
  const auto payload = file->blob(*writes[0].data);
  ASSERT_TRUE(payload.ok()) << payload.status();
  EXPECT_EQ(payload->bytes().size(), 256u);
  EXPECT_EQ(payload->bytes()[0], std::byte{7});
}

std::vector<std::pair<uint64_t, uint64_t>> ends_of(const TouchedMemory& memory) {
  std::vector<std::pair<uint64_t, uint64_t>> ends;
  for (const MemoryRange& range : memory.ranges()) {
    ends.emplace_back(range.begin, range.begin + range.size);
  }
  return ends;
}

TEST(TouchedMemory, RangesAreWholeWordsAndJoinWhereTheyTouch) {
  TouchedMemory memory;
  memory.add({}, 101, 2);
  EXPECT_THAT(ends_of(memory), ElementsAre(std::pair(100, 104)));
  memory.add({}, 200, 8);
  memory.add({}, 104, 0);
  EXPECT_THAT(ends_of(memory), ElementsAre(std::pair(100, 104), std::pair(200, 208)));
  memory.add({}, 96, 4);
  memory.add({}, 208, 4);
  EXPECT_THAT(ends_of(memory), ElementsAre(std::pair(96, 104), std::pair(200, 212)));
  memory.add({}, 100, 104);
  memory.add({}, 120, 4);
  EXPECT_THAT(ends_of(memory), ElementsAre(std::pair(96, 212)));
  memory.add({.kind = MemoryPlace::Kind::kL1, .x = 1}, 96, 4);
  EXPECT_THAT(ends_of(memory), ElementsAre(std::pair(96, 212), std::pair(96, 100)));
}

// Registries hold what lives, whatever thread made it.
TEST_F(SnapshotBeginTest, ObjectsOfManyThreadsAreFoundOnce) {
  IDevice* device = open();
  std::vector<std::shared_ptr<Buffer>> kept(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kept.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        kept[i] =
            CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
        const Program program;
        const Event event;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  begin();
  const auto file = open_file(end());
  EXPECT_EQ(all_of_type<schema::BufferCreateT>(*file).size(), kept.size());
  EXPECT_THAT(names_of(*file), Not(Contains("ProgramCreate")));
  EXPECT_THAT(names_of(*file), Not(Contains("EventCreate")));
}

}  // namespace
}  // namespace tt::tt_metal
