#include <array>
#include <tt-metalium/sub_device.hpp>

#include "api/src/objects/trace_content.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/object_ids.h"
#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class TraceApiTest : public WatchedTest {
 protected:
  TraceApiTest() : kernel_(add_kernel(program_, CoreCoord{0, 0})) {}

  // A trace with the program once for each of `args`.
  uint32_t trace_with(const std::vector<uint32_t>& args) {
    const uint32_t id = BeginTraceCapture(device(), 0);
    for (const uint32_t arg : args) {
      SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {arg});
      EnqueueProgram(queue(), program_, false);
    }
    EndTraceCapture(device(), 0, id);
    return id;
  }
  std::vector<uint32_t> launched_args() {
    std::vector<uint32_t> args;
    for (size_t i = 0; i < watched().launches().size(); ++i)
      args.push_back(watched().args(i).at(0));
    return args;
  }

  Program program_;
  KernelHandle kernel_;
};

TEST_F(TraceApiTest, CapturingATraceRunsNothing) {
  trace_with({1, 2});
  Finish(queue());
  EXPECT_THAT(watched().launches(), SizeIs(0));
}

TEST_F(TraceApiTest, AReplayRunsWhatWasCaptured) {
  const uint32_t id = trace_with({1, 2});
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {77});
  ReplayTrace(device(), 0, id, false);
  EnqueueTrace(queue(), id, true);
  EXPECT_THAT(launched_args(), ElementsAre(1, 2, 1, 2));
}

TEST_F(TraceApiTest, ATraceNeedsItsProgramsNoMore) {
  const uint32_t id = trace_with({5});
  program_ = Program();
  ReplayTrace(device(), 0, id, true);
  EXPECT_THAT(launched_args(), ElementsAre(5));
}

TEST_F(TraceApiTest, OtherCallsOnTheQueueAreRefusedMeanwhile) {
  open(0, 2);
  const auto buffer = dram(64, 64);
  const auto event = std::make_shared<Event>();
  std::vector<uint32_t> data(16);
  const uint32_t id = BeginTraceCapture(device(), 0);
  EXPECT_EQ(queue().tid(), id);
  const std::string text = "not supported during trace capture";
  expect_throws([&] { EnqueueWriteBuffer(queue(), buffer, data, false); }, "Writes", text);
  expect_throws([&] { EnqueueReadBuffer(queue(), buffer, data, false); }, "Reads", text);
  expect_throws([&] { Finish(queue()); }, "Finish", text);
  expect_throws([&] { Synchronize(device()); }, text);
  expect_throws([&] { EnqueueRecordEvent(queue(), event); }, "Events", text);
  expect_throws([&] { EnqueueWaitForEvent(queue(), event); }, "Events", text);
  expect_throws([&] { BeginTraceCapture(device(), 0); }, "captures trace " + std::to_string(id));
  EnqueueWriteBuffer(device()->command_queue(1), buffer, data, true);
  EndTraceCapture(device(), 0, id);
  EXPECT_EQ(queue().tid(), std::nullopt);
  EnqueueWriteBuffer(queue(), buffer, data, true);
}

TEST_F(TraceApiTest, ATraceEndsWhereItBegan) {
  const uint32_t id = BeginTraceCapture(device(), 0);
  expect_throws([&] { EndTraceCapture(device(), 0, id + 1); }, "does not capture trace");
  EndTraceCapture(device(), 0, id);
  expect_throws([&] { EndTraceCapture(device(), 0, id); }, "does not capture trace");
}

TEST_F(TraceApiTest, TraceIdsAreUniqueInTheProcess) { EXPECT_NE(trace_with({1}), trace_with({1})); }

TEST_F(TraceApiTest, AReleasedTraceIsGone) {
  const uint32_t id = trace_with({1});
  EXPECT_NE(find_trace(*device(), id), nullptr);
  EXPECT_NE(device()->get_trace(id), nullptr);
  ReleaseTrace(device(), id);
  EXPECT_EQ(find_trace(*device(), id), nullptr);
  EXPECT_EQ(device()->get_trace(id), nullptr);
  const std::string text = "Trace instance " + std::to_string(id) + " must exist on device 0";
  expect_throws([&] { ReplayTrace(device(), 0, id, false); }, text);
  expect_throws([&] { EnqueueTrace(queue(), id, false); }, text);
  expect_throws([&] { ReleaseTrace(device(), id); }, text);
}

TEST_F(TraceApiTest, ATraceMayBeReleasedWhileItIsQueued) {
  const uint32_t id = trace_with({3});
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(queue(), gate);
  EnqueueTrace(queue(), id, false);
  ReleaseTrace(device(), id);
  EnqueueRecordEvent(open(1)->command_queue(), gate);
  Finish(queue());
  EXPECT_THAT(launched_args(), ElementsAre(3));
}

TEST_F(TraceApiTest, ATraceIsLoadedOnAnotherDevice) {
  const uint32_t id = trace_with({1, 2});
  const TraceDescriptor descriptor = *find_trace(*device(), id);
  EXPECT_THAT(descriptor.sub_device_ids, ElementsAre(SubDeviceId{0}));
  EXPECT_THAT(descriptor.content->launches, SizeIs(2));
  EXPECT_EQ(descriptor.content->launches[0].launch.plan,
            descriptor.content->launches[1].launch.plan);
  IDevice* other = open(1);
  const uint32_t loaded = replay_hooks::reserve_trace_id();
  LoadTrace(other, 0, loaded, descriptor);
  CloseDevice(device());
  ReplayTrace(other, 0, loaded, true);
  EXPECT_THAT(launched_args(), ElementsAre(1, 2));
  EXPECT_EQ(watched().launches().at(0).chip, 1);
  expect_throws([&] { LoadTrace(other, 0, loaded, descriptor); }, "has a trace");
}

// One launch on sub-device 0, two on sub-device 1.
TEST_F(TraceApiTest, ATraceIsOfTheSubDevicesThatItLaunchesOn) {
  const auto row = [](size_t y) {
    return SubDevice(std::array{CoreRangeSet(CoreRange({0, y}, {7, y}))});
  };
  device()->load_sub_device_manager(device()->create_sub_device_manager({row(0), row(1)}, 0));
  Program other;
  add_kernel(other, CoreCoord{0, 1});
  const uint32_t id = BeginTraceCapture(device(), 0);
  EnqueueProgram(queue(), program_, false);
  for (int i = 0; i < 2; ++i) EnqueueProgram(queue(), other, false);
  EndTraceCapture(device(), 0, id);
  const TraceDescriptor trace = *find_trace(*device(), id);
  EXPECT_THAT(trace.sub_device_ids, ElementsAre(SubDeviceId{0}, SubDeviceId{1}));
  for (const uint8_t number : {0, 1}) {
    const TraceWorkerDescriptor& counts = trace.descriptors.at(SubDeviceId{number});
    EXPECT_EQ(counts.num_traced_programs_needing_go_signal_multicast, number + 1u);
  }
  watched().on_launch([](const device::Launch& launch) {
    return launch.plan->lane == 2 ? absl::InternalError("it broke") : absl::OkStatus();
  });
  expect_throws([&] { ReplayTrace(device(), 0, id, true); }, "it broke");
  IDevice* const undivided = open(1);
  expect_throws([&] { LoadTrace(undivided, 0, id, trace); }, "device 1 is not divided");
}

TEST_F(TraceApiTest, AGivenTraceIdIsNotGivenAgain) {
  const TraceDescriptor descriptor = *find_trace(*device(), trace_with({1}));
  for (const uint32_t ahead : {1u, 10u}) {
    const uint32_t given = replay_hooks::reserve_trace_id() + ahead;
    LoadTrace(device(), 0, given, descriptor);
    EXPECT_GT(trace_with({2}), given) << ahead;
  }
}

TEST_F(TraceApiTest, ATraceWithoutContentIsNotLoaded) {
  expect_throws([&] { LoadTrace(device(), 0, 1000, TraceDescriptor{}); },
                "Trace 1000 has no content");
}

TEST_F(TraceApiTest, AFailureInATraceIsThrownByTheNextWait) {
  const uint32_t id = trace_with({1, 2});
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  ReplayTrace(device(), 0, id, false);
  expect_throws([&] { Finish(queue()); }, "it broke");
  EXPECT_THAT(watched().launches(), SizeIs(1));  // the rest of that replay is given up
}

TEST_F(TraceApiTest, AnEmptyTraceReplays) {
  ReplayTrace(device(), 0, trace_with({}), true);
  EXPECT_THAT(watched().launches(), SizeIs(0));
}

TEST_F(TraceApiTest, TheDevicesOwnFunctionsDoTheSame) {
  const uint32_t id = replay_hooks::reserve_trace_id();
  device()->begin_trace(0, id);
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {4});
  EnqueueProgram(queue(), program_, false);
  device()->end_trace(0, id);
  device()->replay_trace(0, id, true);
  EXPECT_THAT(launched_args(), ElementsAre(4));
  device()->release_trace(id);
  EXPECT_EQ(find_trace(*device(), id), nullptr);
}

}  // namespace
}  // namespace tt::tt_metal::testing
