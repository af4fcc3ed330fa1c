// What submit refuses before anything is done, and in which order work is done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <functional>
#include <lightmetal/tensors.hpp>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <vector>

#include "base/device_profile.h"
#include "runtime/lane.h"
#include "runtime/state.h"
#include "tests/runtime/tensor_kit.h"

namespace lightmetal::runtime::submitted {
namespace {

namespace tm = tt::tt_metal;

using namespace lightmetal::testing;
using ::testing::HasSubstr;

class SubmitTest : public ::testing::Test {
 protected:
  const FilePointer file_ = captured_scaling({.factor = 3, .w = 1000});
  const Device device_ = value_of(Device::open(*file_));
  const std::shared_ptr<Executable> executable_ = value_of(device_.load(file_));
  const Tensor right_ = host_tensor(counting(0));
};

// ---- what is wrong is said at once, before the device does anything ----

class RefusedSubmit : public SubmitTest {
 protected:
  // The error of a submit with these, which is known when the call returns.
  std::string refused(absl::StatusCode code, const std::vector<Tensor>& inputs,
                      const std::vector<Tensor>& outputs = {}, std::string_view entry = "scale") {
    return refused_of(code, device_, executable_, inputs, outputs, entry);
  }
  std::string refused_of(absl::StatusCode code, const Device& device,
                         const std::shared_ptr<Executable>& executable,
                         const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs = {},
                         std::string_view entry = "scale") {
    const Stats before = device_.stats();
    // It is not even waited for what others are to do first.
    Event gate = Event::create();
    const Event event = submit(device, executable, entry, inputs, outputs, {gate});
    EXPECT_TRUE(query(event));
    gate.signal();
    const absl::Status status = wait(event);
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_TRUE(device_.stats() == before);
    messages_.insert(message_of(status));
    return message_of(status);
  }

  std::set<std::string> messages_;
};

TEST_F(RefusedSubmit, NamesWhatIsWrong) {
  using enum absl::StatusCode;
  EXPECT_THAT(refused(kInvalidArgument, {right_, right_}),
              HasSubstr("2 inputs are given, and the executable has 1"));
  const Tensor output = host_tensor(counting(0));
  EXPECT_THAT(refused(kInvalidArgument, {right_}, {output, output}),
              HasSubstr("2 outputs are given, and the executable has 1"));
  EXPECT_THAT(refused(kNotFound, {right_}, {}, "decode"),
              HasSubstr("has no entry \"decode\": it has scale"));
  const std::vector<std::byte> bytes(kWords * 4);
  const Tensor flat = value_of(createOwnedHostTensor(bytes, {kWords}, TensorType::UInt32));
  EXPECT_THAT(refused(kInvalidArgument, {flat}),
              HasSubstr("the values for x have the shape [64], expected [4, 16]"));
  const Tensor floats = value_of(createOwnedHostTensor(bytes, kShape, TensorType::Float32));
  EXPECT_THAT(refused(kInvalidArgument, {floats}),
              HasSubstr("the values for x are float32, expected uint32"));
  EXPECT_THAT(refused(kInvalidArgument, {right_}, {floats}),
              HasSubstr("the values for y are float32, expected uint32"));
  const Tensor tiles = value_of(createEmptyTensor(
      device_,
      value_of(Layout::of({kShape, TensorType::UInt32, TensorOrder::Tile}, Location::DeviceDRAM)),
      kShape));
  EXPECT_THAT(refused(kFailedPrecondition, {tiles}), HasSubstr("has another layout than"));
  Tensor ended = host_tensor(counting(0));
  deallocate(ended);
  EXPECT_THAT(refused(kFailedPrecondition, {ended}), HasSubstr("has been deallocated"));
  EXPECT_THAT(refused_of(kInvalidArgument, device_, nullptr, {right_}),
              HasSubstr("the executable is a null pointer"));
  EXPECT_EQ(messages_.size(), 9u);
  EXPECT_TRUE(wait(submit(device_, executable_, "scale", {right_}, {})).ok());
}

TEST_F(RefusedSubmit, NamesWhatLiesOnAnotherDevice) {
  using enum absl::StatusCode;
  // On another chip.
  const FilePointer other_file =
      open_file(rewritten(*file_, [](schema::CommandT& command, schema::Writer&) {
        if (auto* create = command.call.AsCreateDevice()) create->chip_id = 1;
      }));
  const Device other = value_of(Device::open(*other_file));
  const std::shared_ptr<Executable> there = value_of(other.load(other_file));
  const Tensor tensor = value_of(allocateInputTensor(other, *there, 0));
  EXPECT_THAT(refused(kFailedPrecondition, {tensor}),
              HasSubstr("the tensor for x lies on another device"));
  EXPECT_THAT(refused_of(kFailedPrecondition, device_, there, {right_}),
              HasSubstr("the executable is loaded on another device"));
  EXPECT_TRUE(absl::IsFailedPrecondition(submit(device_, there, "scale", {right_}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(allocateInputTensor(device_, *there, 0).status()));
  // What the other one has is moved here, over the host.
  ASSERT_TRUE(wait(toLayout(tensor, host_tensor(counting(8)))).ok());
  const Tensor here = value_of(toLayout(tensor, device_, value_of(getLayout(*executable_, 0))));
  EXPECT_NE(here.state(), tensor.state());
  EXPECT_EQ(words_of(value_of(submit(device_, executable_, "scale", {here}))[0]),
            scaled(counting(8), 3, counting(1000)));
}

// What a refused run would have written is not read as if it had, and can be written again.
TEST_F(RefusedSubmit, LeavesOutputsThatCanBeWrittenAgain) {
  Tensor output = value_of(allocateOutputTensor(device_, *executable_, 0));
  refused(absl::StatusCode::kNotFound, {right_}, {output}, "decode");
  EXPECT_THAT(message_of(toHost(output).status()),
              HasSubstr("what this work waits for has failed"));
  EXPECT_TRUE(absl::IsNotFound(wait(output)));
  ASSERT_TRUE(wait(submit(device_, executable_, "scale", {right_}, {output})).ok());
  EXPECT_EQ(words_of(output), scaled(counting(0), 3, counting(1000)));
}

// The input has the value of the file then, and the output is not read.
TEST(SubmittedTensors, ThatAreNoneStandForNoValue) {
  const FilePointer file = captured_scaling({.factor = 5, .w = 1000, .w_is_input = true});
  const Device device = value_of(Device::open(*file));
  const std::shared_ptr<Executable> executable = value_of(device.load(file));
  const Words zeros(kWords, 0);
  const Tensor output = host_tensor(zeros), x = host_tensor(counting(3)),
               w = host_tensor(counting(70));
  ASSERT_TRUE(wait(submit(device, executable, "scale", {Tensor(), w}, {output})).ok());
  EXPECT_EQ(words_of(output), scaled(zeros, 5, counting(70)));
  ASSERT_TRUE(wait(submit(device, executable, "scale", {x, Tensor()}, {output})).ok());
  EXPECT_EQ(words_of(output), scaled(counting(3), 5, counting(1000)));
  EXPECT_TRUE(wait(submit(device, executable, "scale", {x}, {Tensor()})).ok());
}

TEST_F(SubmitTest, InputsAndOutputsThatThereAreNotHaveNoLayout) {
  const auto expect_missing = [](const absl::Status& status, const char* message) {
    EXPECT_TRUE(absl::IsNotFound(status)) << status;
    EXPECT_THAT(message_of(status), HasSubstr(message));
  };
  const char* const input = "there is no input 1: the executable has 1";
  const char* const output = "there is no output 1: the executable has 1";
  expect_missing(getLayout(*executable_, 1).status(), input);
  expect_missing(allocateInputTensor(device_, *executable_, 1).status(), input);
  expect_missing(getOutputLayout(*executable_, 1).status(), output);
  expect_missing(allocateOutputTensor(device_, *executable_, 1).status(), output);
}

// Several events or tensors are waited for together.
TEST_F(SubmitTest, TheFirstErrorOfSeveralIsReturned) {
  Tensor lost = host_tensor(counting(0)), other = host_tensor(counting(0));
  const Event first = refuse({lost}, absl::DataLossError("lost"));
  const Event second = refuse({other}, absl::NotFoundError("other"));
  EXPECT_TRUE(absl::IsDataLoss(wait({Event(), first, second})));
  EXPECT_TRUE(absl::IsNotFound(wait({second, first})));
  EXPECT_TRUE(absl::IsDataLoss(wait({right_, lost, other})));
  EXPECT_TRUE(absl::IsNotFound(wait({other, right_, lost})));
  EXPECT_TRUE(wait({Event(), Event()}).ok());
}

// A device has memory for small buffers if it is opened with some.
TEST(DeviceTest, HasTheMemoryThatTheFileAsksFor) {
  tm::LightMetalBeginCapture();
  tm::IDevice* device = tm::CreateDevice(0, 1, /*l1_small_size=*/4096);
  tm::CreateBuffer(tm::InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = tm::BufferType::L1_SMALL});
  tm::CloseDevice(device);
  const FilePointer file = open_file(tm::LightMetalEndCapture());
  const Device opened = value_of(Device::open(*file));
  const absl::Status status = opened.load(file).status();
  EXPECT_TRUE(status.ok()) << status;
}

// The device is not the one that the file was captured on.
TEST_F(SubmitTest, AFileOfAnotherArchitectureOrGridIsNotLoaded) {
  const auto status_with = [&](const std::function<void(schema::DeviceProfileT&)>& change) {
    const FilePointer file =
        open_file(rewritten(*file_, [&](schema::CommandT& command, schema::Writer&) {
          if (auto* create = command.call.AsCreateDevice()) change(*create->profile);
        }));
    const Stats before = device_.stats();
    const absl::Status status = device_.load(file).status();
    EXPECT_TRUE(device_.stats() == before);
    return status;
  };
  absl::Status status =
      status_with([](schema::DeviceProfileT& profile) { profile.arch = "another"; });
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(message_of(status), HasSubstr("the architecture was recorded as another"));
  status = status_with([](schema::DeviceProfileT& profile) { --profile.l1_size; });
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(message_of(status), HasSubstr("L1"));
}

TEST_F(SubmitTest, AFileOfALaterFormatIsNotOpened) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink, {});
  schema::SessionInfo session = file_->session();
  session.version_major = 2;
  ASSERT_TRUE(writer.begin(session).ok());
  ASSERT_TRUE(writer.finish(absl::OkStatus()).ok());
  const absl::Status status = Executable::load_bytes(sink->take_as<uint8_t>()).status();
  EXPECT_THAT(message_of(status), HasSubstr("has format 2."));
}

// ---- calls return before their work is done, which is done in order ----

TEST_F(SubmitTest, CallsReturnWhileTheirWorkIsHeldAndWorkThatNeedsItWaits) {
  Event gate = Event::create();
  Tensor input = value_of(allocateInputTensor(device_, *executable_, 0));
  const Event upload = toLayout(input, host_tensor(counting(4)), {gate});
  const std::vector<Tensor> outputs = value_of(submit(device_, executable_, "scale", {input}));
  const Tensor result = host_tensor(Words(kWords, 0));
  const Event download = toLayout(result, outputs[0]);
  for (const Event& event : {upload, download}) EXPECT_FALSE(query(event));
  const Stats before = device_.stats();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // Nothing has begun.
  EXPECT_TRUE(device_.stats() == before);
  for (const Event& event : {upload, download}) EXPECT_FALSE(query(event));
  gate.signal();
  EXPECT_TRUE(wait(outputs).ok());
  EXPECT_TRUE(query(upload));
  EXPECT_TRUE(wait(download).ok());
  EXPECT_TRUE(query(download));
  EXPECT_EQ(words_of(result), scaled(counting(4), 3, counting(1000)));
}

// Write after read, and write after write, on both lanes.
TEST_F(SubmitTest, WhatIsReadIsNotWrittenBeforeAndTheLastWriteStays) {
  Event gate = Event::create();
  Tensor input = value_of(allocateInputTensor(device_, *executable_, 0));
  Tensor output = value_of(allocateOutputTensor(device_, *executable_, 0));
  ASSERT_TRUE(wait(toLayout(input, host_tensor(counting(1)))).ok());
  const Event first = submit(device_, executable_, "scale", {input}, {output}, {gate});
  const Event overwritten = toLayout(input, host_tensor(counting(50)));
  const Event second = submit(device_, executable_, "scale", {input}, {output});
  EXPECT_FALSE(query(overwritten));
  gate.signal();
  ASSERT_TRUE(wait({first, overwritten, second}).ok());
  EXPECT_EQ(words_of(output), scaled(counting(50), 3, counting(1000)));
}

// Work that only comes behind failed work, and needs nothing of it, is done.
TEST_F(SubmitTest, WorkThatOverwritesWhatFailedWorkWroteIsDone) {
  Tensor output = value_of(allocateOutputTensor(device_, *executable_, 0));
  Tensor missing = host_tensor(counting(0));
  refuse({missing}, absl::DataLossError("it is lost"));
  const Event failed = submit(device_, executable_, "scale", {missing}, {output});
  EXPECT_TRUE(absl::IsDataLoss(wait(failed)));
  EXPECT_TRUE(absl::IsDataLoss(toHost(output).status()));
  ASSERT_TRUE(wait(toLayout(output, host_tensor(counting(2)))).ok());
  EXPECT_EQ(words_of(output), counting(2));
}

// ---- Several devices ----

// A mesh buffer that is bound has a name for each of its parts.
FilePointer captured_mesh() {
  namespace mesh = tm::distributed;
  tm::LightMetalBeginCapture({.read_goldens = true});
  {
    const auto device = mesh::MeshDevice::create(mesh::MeshDeviceConfig(mesh::MeshShape(1, 2)));
    const auto buffer = mesh::MeshBuffer::create(
        mesh::ReplicatedBufferConfig{.size = kWords * 4},
        mesh::DeviceLocalBufferConfig{.page_size = 64, .buffer_type = tm::BufferType::DRAM},
        device.get());
    tm::LightMetalBindInOut("x", buffer, {kShape, TensorType::UInt32});
    tm::LightMetalEntryBegin("keep");
    Words words = counting(0);
    mesh::EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, words, true);
    tm::LightMetalEntryEnd();
  }
  return open_file(tm::LightMetalEndCapture());
}

// Such as weights, which a service gives to each run.
TEST_F(SubmitTest, RunsThatHaveEndedTakeNoMemoryOfTheTensorsThatTheyRead) {
  const Tensor output = host_tensor(counting(0));
  const auto run_often = [&] {
    for (int i = 0; i < 500; ++i)
      EXPECT_TRUE(wait(submit(device_, executable_, "scale", {right_}, {output})).ok());
  };
  run_often();
  const size_t before = ::mallinfo2().uordblks;
  run_often();
  EXPECT_LT(::mallinfo2().uordblks, before + (16 << 10));
}

TEST(MeshSubmitTest, EachPartGoesToItsDevice) {
  const FilePointer file = captured_mesh();
  const Device device = value_of(Device::open(*file));
  const std::shared_ptr<Executable> executable = value_of(device.load(file));
  ASSERT_EQ(executable->tensors().size(), 2u);
  EXPECT_EQ(executable->tensors()[1].name, "x[1]");
  const Tensor x = value_of(createMultiDeviceHostTensor(
      std::vector<Tensor>{host_tensor(counting(10)), host_tensor(counting(20))},
      {.divided_dimension = 0, .mesh_shape = {1, 2}}));
  const Tensor y = value_of(createMultiDeviceHostTensor(
      std::vector<Tensor>{host_tensor(counting(0)), host_tensor(counting(0))},
      {.divided_dimension = 0, .mesh_shape = {1, 2}}));
  const absl::Status status = wait(submit(device, executable, "keep", {x}, {y}));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(words_of(getDeviceTensors(y)[0]), counting(10));
  EXPECT_EQ(words_of(getDeviceTensors(y)[1]), counting(20));
}

TEST(LaneTest, WorkThatWasGivenIsDoneBeforeTheLaneEnds) {
  int done = 0;
  {
    Lane lane;
    for (int i = 0; i < 1000; ++i) {
      lane.push({}, [&done] {
        ++done;
        return absl::OkStatus();
      });
    }
  }
  EXPECT_EQ(done, 1000);
}

TEST(LaneTest, WorkThatThrowsHasFailed) {
  Lane lane;
  const absl::Status status = wait(lane.push({}, []() -> absl::Status { throw std::bad_alloc(); }));
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(wait(lane.push({}, [] { return absl::OkStatus(); })).ok());
}

}  // namespace
}  // namespace lightmetal::runtime::submitted
