#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/sub_device.hpp>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class QueueApiTest : public WatchedTest {
 protected:
  // Holds back queue 0 of device 0 until the test says otherwise.
  class Gate {
   public:
    explicit Gate(IDevice* device) : device_(device) {
      EnqueueWaitForEvent(device_->command_queue(0), event_);
    }
    ~Gate() { open(); }
    void open() {
      if (!open_) EnqueueRecordEvent(device_->command_queue(1), event_);
      open_ = true;
    }

   private:
    IDevice* device_;
    std::shared_ptr<Event> event_ = std::make_shared<Event>();
    bool open_ = false;
  };

  template <typename T>
  void expect_round_trip(std::vector<T> values) {
    const auto buffer = dram(values.size() * sizeof(T), 64);
    std::vector<T> read;
    EnqueueWriteBuffer(queue(), buffer, values, false);
    EnqueueReadBuffer(queue(), buffer, read, true);
    EXPECT_EQ(read, values);
    for (T& value : values) value = static_cast<T>(value + value);
    EnqueueWriteBuffer(queue(), *buffer, std::make_shared<std::vector<T>>(values), false);
    EnqueueReadBuffer(queue(), *buffer, read, true);
    EXPECT_EQ(read, values);
  }

  Program failing_program() {
    Program program;
    add_kernel(program, CoreCoord{0, 0});
    return program;
  }
  // A manager with one sub-device, on which the program above runs.
  SubDeviceManagerId create_manager() {
    const std::array cores = {CoreRangeSet(CoreRange(CoreCoord{0, 0}))};
    return device()->create_sub_device_manager({SubDevice(cores)}, 0);
  }
};

TEST_F(QueueApiTest, EveryElementTypeKeepsItsBytes) {
  expect_round_trip(std::vector<uint8_t>(256, 100));
  expect_round_trip(std::vector<uint16_t>(128, 30'000));
  expect_round_trip(std::vector<int32_t>(64, -5));
  expect_round_trip(counting(64));
  expect_round_trip(std::vector<float>(64, 1.25f));
  const auto buffer = dram(256, 64);
  const auto values = std::make_shared<std::vector<bfloat16>>(128, bfloat16(3.5f));
  EnqueueWriteBuffer(queue(), buffer, values, false);
  std::vector<bfloat16> read;
  EnqueueReadBuffer(queue(), buffer, read, true);
  EXPECT_EQ(read, *values);
}

TEST_F(QueueApiTest, APointerIsCopiedByTheCall) {
  open(0, 2);
  const auto buffer = dram(256, 64);
  std::vector<uint32_t> values = counting(64), read;
  Gate gate(device());
  EnqueueWriteBuffer(queue(), buffer, values.data(), false);
  EnqueueWriteSubBuffer(queue(), buffer, values.data(), BufferRegion(0, 64), false);
  values.assign(64, 99);
  gate.open();
  EnqueueReadBuffer(queue(), buffer, read, true);
  EXPECT_EQ(read, counting(64));
}

TEST_F(QueueApiTest, AVectorIsCopiedByANonBlockingCall) {
  open(0, 2);
  const auto buffer = dram(256, 64);
  std::vector<uint32_t> values = counting(64), read;
  Gate gate(device());
  EnqueueWriteBuffer(queue(), buffer, values, false);
  values.clear();
  values.shrink_to_fit();
  gate.open();
  EnqueueReadBuffer(queue(), buffer, read, true);
  EXPECT_EQ(read, counting(64));
}

TEST_F(QueueApiTest, AVectorThatTheProgramGivesAwayIsHeldUntilItIsWritten) {
  open(0, 2);
  const auto buffer = dram(256, 64);
  auto values = std::make_shared<std::vector<uint32_t>>(counting(64));
  const std::weak_ptr<std::vector<uint32_t>> held = values;
  Gate gate(device());
  EnqueueWriteBuffer(queue(), buffer, std::move(values), false);
  EXPECT_FALSE(held.expired());
  gate.open();
  Finish(queue());
  EXPECT_TRUE(held.expired());
}

TEST_F(QueueApiTest, AVectorThatTheProgramSharesMayChangeAfterTheCall) {
  open(0, 2);
  const auto buffer = dram(256, 64);
  const auto values = std::make_shared<std::vector<uint32_t>>(counting(64));
  std::vector<uint32_t> read;
  Gate gate(device());
  EnqueueWriteBuffer(queue(), buffer, values, false);
  values->assign(64, 9);
  gate.open();
  EnqueueReadBuffer(queue(), buffer, read, true);
  EXPECT_EQ(read, counting(64));
}

// What is in the buffer behind a short vector's last page stays, and nothing behind the vector is
// read.
TEST_F(QueueApiTest, OfAShortVectorWhatIsThereIsWritten) {
  const auto buffer = dram(256, 64);
  EnqueueWriteBuffer(queue(), buffer, std::vector<uint32_t>(64, 7), false);
  EnqueueWriteBuffer(queue(), buffer, counting(20), false);
  std::vector<uint32_t> expected = counting(20);
  expected.resize(32, 0);  // the rest of the second page
  expected.resize(64, 7);
  std::vector<uint32_t> read;
  EnqueueReadBuffer(queue(), *buffer, read, true);
  EXPECT_EQ(read, expected);

  EnqueueWriteBuffer(queue(), buffer, std::make_shared<std::vector<uint8_t>>(10, 3), true);
  EnqueueWriteSubBuffer(queue(), buffer, counting(16), BufferRegion(128, 128), false);
  EnqueueWriteBuffer(queue(), buffer, std::vector<uint32_t>(), false);
  EnqueueReadBuffer(queue(), *buffer, read, true);
  EXPECT_EQ(read[0], 0x03030303u);
  EXPECT_EQ(read[3], 0u);
  EXPECT_EQ(read[16], 16u) << "of the write before";
  EXPECT_EQ(read[32 + 15], 15u);
  EXPECT_EQ(read[48], 7u);
}

TEST_F(QueueApiTest, UnderTheDeviceChecksTooLittleDataIsRefusedWithTheSizes) {
  const auto buffer = dram(256, 64);
  setenv("LIGHTMETAL_CPU_DEVICE_CHECKS", "all", 1);
  expect_throws([&] { EnqueueWriteBuffer(queue(), buffer, counting(63), false); }, "252 B",
                "256 B");
  expect_throws(
      [&] {
        EnqueueWriteBuffer(queue(), buffer, std::make_shared<std::vector<uint8_t>>(10), false);
      },
      "10 B", "256 B");
  expect_throws(
      [&] { EnqueueWriteSubBuffer(queue(), buffer, counting(3), BufferRegion(0, 64), true); },
      "12 B", "64 B");
  expect_throws([&] { detail::WriteToBuffer(*buffer, counting(2)); }, "8 B", "256 B");
  unsetenv("LIGHTMETAL_CPU_DEVICE_CHECKS");
}

TEST_F(QueueApiTest, WithoutDeviceChecksTooLittleDataIsSaidOnce) {
  const auto buffer = dram(256, 64);
  ::testing::internal::CaptureStdout();
  for (const char* none : {"none", ""}) {
    setenv("LIGHTMETAL_CPU_DEVICE_CHECKS", none, 1);
    EnqueueWriteBuffer(queue(), buffer, counting(3, 7), true);
    detail::WriteToBuffer(*buffer, counting(2, 5));
  }
  unsetenv("LIGHTMETAL_CPU_DEVICE_CHECKS");
  const std::string said = ::testing::internal::GetCapturedStdout();
  const auto first = said.find("(this is said once");
  EXPECT_TRUE(first == said.npos || said.find("(this is said once", first + 1) == said.npos)
      << said;
  std::vector<uint32_t> read;
  EnqueueReadBuffer(queue(), buffer, read, true);
  EXPECT_THAT(std::vector<uint32_t>(read.begin(), read.begin() + 3), ElementsAre(5, 6, 0));
}

TEST_F(QueueApiTest, ANullPointerIsRefusedAndTooMuchStaysOut) {
  const auto buffer = dram(256, 64);
  expect_throws([&] { EnqueueWriteBuffer(queue(), buffer, static_cast<void*>(nullptr), false); },
                "null pointer");
  EnqueueWriteBuffer(queue(), buffer, counting(100), true);  // what is too much stays out
}

TEST_F(QueueApiTest, ANullBufferIsRefusedByEveryForm) {
  const std::shared_ptr<Buffer> null;
  const BufferRegion region(0, 64);
  std::vector<uint32_t> data(16);
  constexpr const char* kSaid = "The buffer is a null pointer";
  expect_throws([&] { EnqueueReadBuffer(queue(), null, data, true); }, kSaid);
  expect_throws([&] { EnqueueReadBuffer(queue(), null, data.data(), true); }, kSaid);
  expect_throws([&] { EnqueueReadSubBuffer(queue(), null, data, region, true); }, kSaid);
  expect_throws([&] { EnqueueReadSubBuffer(queue(), null, data.data(), region, true); }, kSaid);
  expect_throws([&] { EnqueueWriteBuffer(queue(), null, data, true); }, kSaid);
  expect_throws([&] { EnqueueWriteSubBuffer(queue(), null, data, region, true); }, kSaid);
  expect_throws([&] { detail::WriteToBuffer(null, data); }, kSaid);
  expect_throws([&] { detail::ReadFromBuffer(null, data); }, kSaid);
}

TEST_F(QueueApiTest, AReadMakesTheVectorAsLargeAsTheBuffer) {
  const auto buffer = dram(192, 64);
  std::vector<uint16_t> read(1000);
  EnqueueReadBuffer(queue(), *buffer, read, true);
  EXPECT_THAT(read, SizeIs(96));
}

TEST_F(QueueApiTest, AReadIntoElementsThatDoNotFitIsRefusedAndWritesNothing) {
  const auto buffer = dram(12, 12);
  std::vector<uint64_t> read = {7};
  expect_throws([&] { EnqueueReadBuffer(queue(), *buffer, read, true); }, "12 B", "8 B");
  expect_throws([&] { EnqueueReadBuffer(queue(), buffer, read, true); }, "12 B", "8 B");
  expect_throws([&] { EnqueueReadSubBuffer(queue(), *buffer, read, BufferRegion(0, 12), true); },
                "12 B", "8 B");
  expect_throws([&] { detail::ReadFromBuffer(*buffer, read); }, "12 B", "8 B");
  EXPECT_THAT(read, ElementsAre(7));
}

TEST_F(QueueApiTest, SubBuffersAreWrittenAndRead) {
  const auto buffer = dram(256, 64);
  EnqueueWriteBuffer(queue(), buffer, std::vector<uint32_t>(64, 0), false);
  EnqueueWriteSubBuffer(queue(), buffer, counting(32, 1), BufferRegion(64, 128), false);
  std::vector<uint32_t> part, whole;
  EnqueueReadSubBuffer(queue(), *buffer, part, BufferRegion(128, 64), true);
  EXPECT_EQ(part, counting(16, 17));
  EnqueueReadBuffer(queue(), buffer, whole, true);
  EXPECT_EQ(whole[15], 0);
  EXPECT_EQ(whole[16], 1);
  EXPECT_EQ(whole[47], 32);
  EXPECT_EQ(whole[48], 0);
}

TEST_F(QueueApiTest, ASubBufferIsPagesOfItsBuffer) {
  const auto buffer = dram(256, 64);
  std::vector<uint32_t> data(64);
  expect_throws([&] { EnqueueReadSubBuffer(queue(), buffer, data, BufferRegion(192, 128), true); },
                "128 B", "offset 192 B", "256 B");
  expect_throws([&] { EnqueueReadSubBuffer(queue(), buffer, data, BufferRegion(32, 64), true); },
                "pages of 64 B");
  expect_throws(
      [&] { EnqueueWriteSubBuffer(queue(), buffer, counting(3), BufferRegion(0, 63), true); },
      "pages of 64 B");
}

TEST_F(QueueApiTest, BuffersOfAnotherDeviceAndDeallocatedOnesAreRefused) {
  CommandQueue& other = open(1)->command_queue();
  const auto buffer =
      CreateBuffer(InterleavedBufferConfig{.device = open(0), .size = 64, .page_size = 64});
  std::vector<uint32_t> data(16);
  expect_throws([&] { EnqueueReadBuffer(other, buffer, data, true); }, "device 0", "device 1");
  DeallocateBuffer(*buffer);
  expect_throws([&] { EnqueueReadBuffer(buffer->device()->command_queue(), buffer, data, true); },
                "deallocated");
}

TEST_F(QueueApiTest, NonBlockingCallsReturnBeforeTheirWorkIsDone) {
  open(0, 2);
  Program program = failing_program();
  const auto buffer = dram(1 << 16, 2048);
  std::vector<uint32_t> read(1 << 14, 7);
  Gate gate(device());
  EnqueueWriteBuffer(queue(), buffer, counting(1 << 14), false);
  EnqueueProgram(queue(), program, false);
  EnqueueReadBuffer(queue(), buffer, read.data(), false);
  EXPECT_THAT(read, Each(7));
  EXPECT_THAT(watched().launches(), SizeIs(0));
  gate.open();
  Finish(queue());
  EXPECT_EQ(read, counting(1 << 14));
  EXPECT_THAT(watched().launches(), SizeIs(1));
}

TEST_F(QueueApiTest, ABlockingCallWaitsForAllBefore) {
  Program program = failing_program();
  watched().on_launch([](const device::Launch&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return absl::OkStatus();
  });
  for (int i = 0; i < 3; ++i) EnqueueProgram(queue(), program, false);
  EnqueueProgram(queue(), program, true);
  EXPECT_THAT(watched().launches(), SizeIs(4));
}

TEST_F(QueueApiTest, AQueueKeepsItsOrder) {
  const auto buffer = dram(64, 64);
  std::vector<std::vector<uint32_t>> reads(50, std::vector<uint32_t>(16));
  for (uint32_t i = 0; i < 50; ++i) {
    EnqueueWriteBuffer(queue(), buffer, counting(16, i), false);
    EnqueueReadBuffer(queue(), buffer, reads[i].data(), false);
  }
  Finish(queue());
  for (uint32_t i = 0; i < 50; ++i) EXPECT_EQ(reads[i], counting(16, i));
}

TEST_F(QueueApiTest, ABufferMayGoWhileItIsQueued) {
  open(0, 2);
  std::vector<uint32_t> read(16);
  Gate gate(device());
  {
    const auto buffer = dram(64, 64);
    EnqueueWriteBuffer(queue(), buffer, counting(16, 3), false);
    EnqueueReadBuffer(queue(), buffer, read.data(), false);
  }
  gate.open();
  Finish(queue());
  EXPECT_EQ(read, counting(16, 3));
}

TEST_F(QueueApiTest, AFailedLaunchIsThrownOnceByTheNextWait) {
  Program program = failing_program();
  watched().on_launch(
      [](const device::Launch&) { return absl::InternalError("core (1,2) waits"); });
  EnqueueProgram(queue(), program, false);
  EnqueueProgram(queue(), program, false);
  expect_throws([&] { Finish(queue()); }, "core (1,2) waits");
  Finish(queue());
  watched().on_launch(nullptr);
  EnqueueProgram(queue(), program, true);
}

TEST_F(QueueApiTest, OfSeveralFailuresTheFirstIsThrown) {
  Program program = failing_program();
  std::atomic<int> launches = 0;
  watched().on_launch([&](const device::Launch&) {
    return absl::InternalError("launch " + std::to_string(++launches) + " broke");
  });
  for (int i = 0; i < 3; ++i) EnqueueProgram(queue(), program, false);
  expect_throws([&] { Finish(queue()); }, "launch 1 broke");
  Finish(queue());
  for (int i = 0; i < 3; ++i) detail::LaunchProgram(device(), program, false);
  expect_throws([&] { detail::WaitProgramDone(device(), program); }, "launch 4 broke");
}

TEST_F(QueueApiTest, WhatADeviceThrowsIsAFailureLikeOthers) {
  Program program = failing_program();
  watched().on_launch(
      [](const device::Launch&) -> absl::Status { throw std::runtime_error("out of luck"); });
  EnqueueProgram(queue(), program, false);
  expect_throws([&] { Finish(queue()); }, "out of luck");
  expect_throws([&] { detail::LaunchProgram(device(), program); }, "out of luck");
  watched().on_launch(nullptr);
  EnqueueProgram(queue(), program, true);
  EXPECT_THAT(watched().launches(), Not(IsEmpty()));
}

TEST_F(QueueApiTest, ABlockingProgramThrowsItsOwnFailure) {
  Program program = failing_program();
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  expect_throws([&] { EnqueueProgram(queue(), program, true); }, "it broke");
}

TEST_F(QueueApiTest, EveryWaitReportsAFailure) {
  Program program = failing_program();
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  const auto buffer = dram(64, 64);
  std::vector<uint32_t> read;
  EnqueueProgram(queue(), program, false);
  expect_throws([&] { EnqueueReadBuffer(queue(), buffer, read, true); }, "it broke");
  EnqueueProgram(queue(), program, false);
  expect_throws([&] { Synchronize(device()); }, "it broke");
  const auto event = std::make_shared<Event>();
  EnqueueProgram(queue(), program, false);
  EnqueueRecordEvent(queue(), event);
  expect_throws([&] { EventSynchronize(event); }, "it broke");
  EnqueueRecordEvent(queue(), event);
  EventSynchronize(event);
}

// The launch fails on the worker of the sub-device, before what the queue does next.
TEST_F(QueueApiTest, EveryWaitReportsAFailureOnASubDevice) {
  device()->load_sub_device_manager(create_manager());
  Program program = failing_program();
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  const auto buffer = dram(64, 64);
  std::vector<uint32_t> data = counting(16);
  const std::vector<std::function<void()>> waits = {
      [&] { Finish(queue()); }, [&] { Synchronize(device()); },
      [&] { EnqueueWriteBuffer(queue(), buffer, data, true); },
      [&] { EnqueueReadBuffer(queue(), buffer, data, true); },
      [&] {
        EnqueueRecordEvent(queue(), std::make_shared<Event>());
        Finish(queue());
      }};
  for (const auto& wait : waits) {
    EnqueueProgram(queue(), program, false);
    expect_throws(wait, "it broke");
    EXPECT_NO_THROW(Finish(queue()));
  }
}

// Each time, since the queue reaches the event while the host asks for the error.
TEST_F(QueueApiTest, AWaitForAnEventReportsAFailureOnASubDevice) {
  device()->load_sub_device_manager(create_manager());
  Program program = failing_program();
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  for (int i = 0; i < 500; ++i) {
    const auto event = std::make_shared<Event>();
    EnqueueProgram(queue(), program, false);
    EnqueueRecordEvent(queue(), event);
    expect_throws([&] { EventSynchronize(event); }, "it broke");
    ASSERT_FALSE(HasFailure()) << "time " << i;
  }
}

TEST_F(QueueApiTest, AManagerIsNotLoadedWhenALaunchBesideTheQueuesHasFailed) {
  const SubDeviceManagerId manager = create_manager();
  Program program = failing_program();
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  detail::LaunchProgram(device(), program, false);
  expect_throws([&] { device()->load_sub_device_manager(manager); }, "it broke");
  EXPECT_EQ(device()->get_active_sub_device_manager_id(),
            device()->get_default_sub_device_manager_id());
  EXPECT_NO_THROW(detail::WaitProgramDone(device(), program)) << "it was thrown once";
}

TEST_F(QueueApiTest, AFailureStaysInItsQueue) {
  open(0, 2);
  Program program = failing_program();
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  EnqueueProgram(device()->command_queue(1), program, false);
  Finish(device()->command_queue(0));
  expect_throws([&] { Finish(device()->command_queue(1)); }, "it broke");
}

TEST_F(QueueApiTest, AnEventIsReachedAfterWhatCameBefore) {
  open(0, 2);
  const auto event = std::make_shared<Event>();
  EXPECT_FALSE(event->ready);
  EXPECT_FALSE(EventQuery(event));
  {
    Gate gate(device());
    EnqueueRecordEvent(queue(), event);
    EXPECT_TRUE(event->ready);
    EXPECT_EQ(event->device, device());
    EXPECT_EQ(event->cq_id, 0);
    EXPECT_FALSE(EventQuery(event));
  }
  EventSynchronize(event);
  EXPECT_TRUE(EventQuery(event));
}

TEST_F(QueueApiTest, EventIdsCountTheEventsOfAQueue) {
  open(0, 2);
  std::vector<std::shared_ptr<Event>> events;
  for (const int cq : {0, 0, 1}) {
    events.push_back(std::make_shared<Event>());
    EnqueueRecordEvent(device()->command_queue(cq), events.back());
  }
  EXPECT_EQ(events[0]->event_id, 0);
  EXPECT_EQ(events[1]->event_id, 1);
  EXPECT_EQ(events[2]->event_id, 0);
  EXPECT_NE(events[0]->unique_id(), events[1]->unique_id());
}

TEST_F(QueueApiTest, QueuesWaitForEachOther) {
  open(0, 2);
  CommandQueue& first = device()->command_queue(0);
  CommandQueue& second = device()->command_queue(1);
  const auto buffer = dram(64, 64);
  std::vector<uint32_t> read(16);
  for (uint32_t i = 0; i < 20; ++i) {
    const auto written = std::make_shared<Event>();
    const auto seen = std::make_shared<Event>();
    EnqueueWriteBuffer(first, buffer, counting(16, i), false);
    EnqueueRecordEvent(first, written);
    EnqueueWaitForEvent(second, written);
    EnqueueReadBuffer(second, buffer, read.data(), false);
    EnqueueRecordEvent(second, seen);
    EnqueueWaitForEvent(first, seen);
    EventSynchronize(seen);
    EXPECT_EQ(read, counting(16, i));
  }
}

TEST_F(QueueApiTest, DevicesWaitForEachOther) {
  Program program = failing_program();
  CommandQueue& first = open(0)->command_queue();
  CommandQueue& second = open(1)->command_queue();
  const auto event = std::make_shared<Event>();
  EnqueueWaitForEvent(second, event);
  EnqueueProgram(second, program, false);
  EnqueueProgram(first, program, false);
  EnqueueRecordEvent(first, event);
  Finish(second);
  ASSERT_THAT(watched().launches(), SizeIs(2));
  EXPECT_EQ(watched().launches()[0].chip, 0);
  EXPECT_EQ(watched().launches()[1].chip, 1);
}

bool comes_within(const std::shared_ptr<Event>& event, std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (!EventQuery(event)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

TEST_F(QueueApiTest, AWaitIsNotEndedByALaterRecordingInAnotherQueue) {
  IDevice* const held = open(0, 2);
  IDevice* const other = open(1, 2);
  const auto event = std::make_shared<Event>(), behind = std::make_shared<Event>();
  Gate gate(held);
  EnqueueRecordEvent(held->command_queue(0), event);
  EnqueueWaitForEvent(other->command_queue(0), event);
  EnqueueRecordEvent(other->command_queue(0), behind);
  EnqueueRecordEvent(other->command_queue(1), event);
  EventSynchronize(event);  // with its last recording
  EXPECT_FALSE(comes_within(behind, std::chrono::milliseconds(20)));
  gate.open();
  EventSynchronize(behind);
}

TEST_F(QueueApiTest, AnEventMayGoWhileItIsQueued) {
  open(0, 2);
  {
    const auto event = std::make_shared<Event>();
    EnqueueRecordEvent(device()->command_queue(1), event);
    EnqueueWaitForEvent(device()->command_queue(0), event);
  }
  Synchronize(device());
}

TEST_F(QueueApiTest, AnEventThatWasNeverRecordedCannotBeSynchronized) {
  expect_throws([] { EventSynchronize(std::make_shared<Event>()); }, "never recorded");
  expect_throws([] { EventSynchronize(nullptr); }, "null pointer");
}

TEST_F(QueueApiTest, ClosingGivesUpAWaitForAnEventThatNeverCame) {
  IDevice* closing = device();
  EnqueueWaitForEvent(queue(), std::make_shared<Event>());
  expect_throws([&] { CloseDevice(closing); }, "Queue 0 of device 0", "never recorded");
  EXPECT_FALSE(closing->is_initialized());
}

TEST_F(QueueApiTest, SynchronizeWaitsForOneQueueOrAll) {
  open(0, 2);
  Program program = failing_program();
  Gate gate(device());
  EnqueueProgram(device()->command_queue(1), program, false);
  Synchronize(device(), 1);
  EXPECT_THAT(watched().launches(), SizeIs(1));
  EnqueueProgram(device()->command_queue(0), program, false);
  gate.open();
  Synchronize(device());
  EXPECT_THAT(watched().launches(), SizeIs(2));
  expect_throws([&] { Synchronize(device(), 2); }, "no queue 2");
}

TEST_F(QueueApiTest, ThreadsShareAQueue) {
  const auto buffer = dram(4 * 64, 64);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        EnqueueWriteSubBuffer(queue(), buffer, counting(16, 100 * i), BufferRegion(i * 64, 64),
                              round % 10 == 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<uint32_t> read;
  EnqueueReadBuffer(queue(), buffer, read, true);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(read[16 * i], 100 * i);
}

TEST_F(QueueApiTest, DirectBufferCallsTakeEffectAtOnce) {
  const auto buffer = dram(256, 64);
  std::vector<uint32_t> read;
  detail::WriteToBuffer(buffer, counting(64, 9));
  detail::ReadFromBuffer(buffer, read);
  EXPECT_EQ(read, counting(64, 9));
  detail::WriteToBuffer(*buffer, counting(18));
  detail::ReadFromBuffer(buffer, read);
  std::vector<uint32_t> expected = counting(18);
  expected.resize(32, 0);  // the rest of the second page
  for (uint32_t i = 32; i < 64; ++i) expected.push_back(9 + i);
  EXPECT_EQ(read, expected);
}

// A page of the CPU device, which is cleared in more than one piece.
TEST_F(QueueApiTest, AClearedBufferIsZerosAndItsNeighboursStay) {
  setenv("LIGHTMETAL_DEVICE", "cpu", 1);
  constexpr size_t kPage = 80'000;
  const auto before = dram(64, 64), cleared = dram(kPage, kPage), after = dram(64, 64);
  for (const auto& buffer : {before, cleared, after}) {
    EnqueueWriteBuffer(queue(), buffer, std::vector<uint32_t>(buffer->size() / 4, 7), true);
  }
  LightMetalClearBuffer(cleared);
  std::vector<uint32_t> read;
  for (const auto& buffer : {before, cleared, after}) {
    EnqueueReadBuffer(queue(), buffer, read, true);
    EXPECT_THAT(read, Each(buffer == cleared ? 0u : 7u));
  }
}

TEST_F(QueueApiTest, AShardIsReadInItsOwnOrder) {
  const ShardSpecBuffer shards(CoreRangeSet(CoreRange({0, 0}, {0, 1})), {32, 32},
                               ShardOrientation::ROW_MAJOR, {32, 32}, {2, 1});
  const auto buffer = CreateBuffer(ShardedBufferConfig{.device = device(),
                                                       .size = 2 * 2048,
                                                       .page_size = 2048,
                                                       .buffer_type = BufferType::L1,
                                                       .shard_parameters = shards});
  detail::WriteToBuffer(buffer, counting(1024));
  std::vector<uint32_t> shard;
  detail::ReadShard(*buffer, shard, 1);
  EXPECT_EQ(shard, counting(512, 512));
  std::vector<std::array<uint32_t, 3>> triples;
  expect_throws([&] { detail::ReadShard(*buffer, triples, 1); }, "2048 B", "12 B");
  expect_throws([&] { detail::ReadShard(*buffer, shard, 2); }, "2 shards", "no shard 2");
  expect_throws([&] { detail::ReadShard(*dram(64, 64), shard, 0); }, "sharded");
}

}  // namespace
}  // namespace tt::tt_metal::testing
