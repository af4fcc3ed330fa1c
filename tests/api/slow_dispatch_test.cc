// TT_METAL_SLOW_DISPATCH_MODE: the work of a call has ended when the call returns.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <memory>
#include <string>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>
#include <vector>

#include "tests/support/captured_file.h"

namespace tt::tt_metal {
namespace {

using distributed::MeshCoordinateRange;
using distributed::MeshDevice;
using distributed::MeshWorkload;

constexpr CoreCoord kCore{0, 0};
constexpr uint32_t kWord = 512 << 10;  // the address in L1 where the program writes
constexpr uint32_t kSize = 4096;

// Takes long, and then writes its argument to L1.
constexpr char kSlow[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  volatile uint32_t sum = 0;
  for (uint32_t i = 0; i < 30'000'000; ++i) sum = sum + i;
  *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(512 << 10) = get_arg_val<uint32_t>(0);
}
)";

Program slow_program(uint32_t word) {
  Program program = CreateProgram();
  const KernelHandle kernel = CreateKernelFromString(program, kSlow, kCore, DataMovementConfig{});
  SetRuntimeArgs(program, kernel, kCore, {word});
  return program;
}

MeshWorkload slow_workload(const MeshDevice& mesh, uint32_t word) {
  MeshWorkload workload;
  workload.add_program(MeshCoordinateRange(mesh.shape()), slow_program(word));
  return workload;
}

// The words that the program has written, one for each device, read beside the queues.
std::vector<uint32_t> written(const MeshDevice& mesh) {
  std::vector<uint32_t> words;
  for (IDevice* device : mesh.get_devices()) {
    std::vector<uint32_t> word;
    detail::ReadFromDeviceL1(device, kCore, kWord, sizeof(uint32_t), word);
    words.push_back(word.at(0));
  }
  return words;
}

class SlowDispatchTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  SlowDispatchTest() {
    setenv("TT_METAL_SLOW_DISPATCH_MODE", "1", 1);
    LightMetalBeginCapture({.read_goldens = true});
    mesh_ = MeshDevice::create(distributed::MeshDeviceConfig(distributed::MeshShape(1, GetParam())),
                               0, 1 << 20);
    unsetenv("TT_METAL_SLOW_DISPATCH_MODE");  // what counts is when the device was opened
  }

  distributed::MeshCommandQueue& queue() { return mesh_->mesh_command_queue(); }
  IDevice* first() { return mesh_->get_devices().front(); }
  CommandQueue& first_queue() { return first()->command_queue(); }

  void expect_all(uint32_t word) {
    EXPECT_EQ(written(*mesh_), std::vector<uint32_t>(mesh_->num_devices(), word));
  }

  // Ends the capture. Its file replays, in fast dispatch, and reads the same.
  void expect_replays() {
    mesh_->close();
    mesh_.reset();
    const LightMetalBinary binary = LightMetalEndCapture();
    const auto replay = lightmetal::Replay::load_bytes(binary.get_data());
    ASSERT_TRUE(replay.ok()) << replay.status();
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_GT(result->goldens_checked, 0);
    EXPECT_TRUE(result->matches());
  }

  std::shared_ptr<MeshDevice> mesh_;
};

TEST_P(SlowDispatchTest, AProgramHasEnded) {
  Program program = slow_program(5);
  EnqueueProgram(first_queue(), program, /*blocking=*/false);
  EXPECT_EQ(written(*mesh_).front(), 5);
  expect_replays();
}

TEST_P(SlowDispatchTest, AWorkloadHasEndedOnAllDevices) {
  MeshWorkload workload = slow_workload(*mesh_, 6);
  distributed::EnqueueMeshWorkload(queue(), workload, /*blocking=*/false);
  expect_all(6);
  workload = slow_workload(*mesh_, 7);
  distributed::EnqueueMeshWorkload(queue(), workload, /*blocking=*/false);
  expect_all(7);
  workload = {};
  expect_replays();
}

TEST_P(SlowDispatchTest, ATraceHasEnded) {
  Program program = slow_program(8);
  EnqueueProgram(first_queue(), program, /*blocking=*/false);
  const uint32_t trace = BeginTraceCapture(first(), 0);
  EnqueueProgram(first_queue(), program, /*blocking=*/false);
  EndTraceCapture(first(), 0, trace);
  std::vector<uint32_t> zero(1, 0);
  for (const bool by_queue : {false, true}) {
    detail::WriteToDeviceL1(first(), kCore, kWord, zero);
    if (by_queue) {
      EnqueueTrace(first_queue(), trace, /*blocking=*/false);
    } else {
      ReplayTrace(first(), 0, trace, /*blocking=*/false);
    }
    EXPECT_EQ(written(*mesh_).front(), 8);
  }
  ReleaseTrace(first(), trace);
  program = {};
  expect_replays();
}

TEST_P(SlowDispatchTest, ATraceOfAMeshHasEndedOnAllDevices) {
  MeshWorkload workload = slow_workload(*mesh_, 9);
  distributed::EnqueueMeshWorkload(queue(), workload, /*blocking=*/false);
  const auto trace = distributed::BeginTraceCapture(mesh_.get(), 0);
  distributed::EnqueueMeshWorkload(queue(), workload, /*blocking=*/false);
  distributed::EndTraceCapture(mesh_.get(), 0, trace);
  std::vector<uint32_t> zero(1, 0);
  for (const bool by_queue : {false, true}) {
    for (IDevice* device : mesh_->get_devices()) {
      detail::WriteToDeviceL1(device, kCore, kWord, zero);
    }
    if (by_queue) {
      queue().enqueue_trace(trace, /*blocking=*/false);
    } else {
      distributed::ReplayTrace(mesh_.get(), 0, trace, /*blocking=*/false);
    }
    expect_all(9);
  }
  distributed::ReleaseTrace(mesh_.get(), trace);
  workload = {};
  expect_replays();
}

TEST_P(SlowDispatchTest, AWriteIsThereAndAReadHasItsData) {
  const std::vector<uint32_t> data(kSize / sizeof(uint32_t), 3);
  auto buffer =
      CreateBuffer(InterleavedBufferConfig{.device = first(), .size = kSize, .page_size = kSize});
  std::vector<uint32_t> back(data.size(), 0), half(data.size() / 2, 0), found;
  EnqueueWriteBuffer(first_queue(), buffer, data.data(), /*blocking=*/false);
  detail::ReadFromBuffer(*buffer, found);
  EXPECT_EQ(found, data);
  EnqueueReadBuffer(first_queue(), buffer, back.data(), /*blocking=*/false);
  EXPECT_EQ(back, data);
  buffer.reset();
  expect_replays();
}

TEST_P(SlowDispatchTest, AWriteOfAMeshIsThereOnAllDevices) {
  const std::vector<uint32_t> data(kSize / sizeof(uint32_t), 4);
  auto buffer = distributed::MeshBuffer::create(
      distributed::ReplicatedBufferConfig{.size = kSize},
      {.page_size = kSize, .buffer_type = BufferType::DRAM}, mesh_.get());
  distributed::EnqueueWriteMeshBuffer(queue(), buffer, data, /*blocking=*/false);
  for (const auto& coord : MeshCoordinateRange(mesh_->shape())) {
    std::vector<uint32_t> found, back(data.size(), 0);
    detail::ReadFromBuffer(*buffer->get_device_buffer(coord), found);
    EXPECT_EQ(found, data);
    queue().enqueue_read_shards({distributed::ShardDataTransfer(coord).host_data(back.data())},
                                buffer,
                                /*blocking=*/false);
    EXPECT_EQ(back, data);
  }
  buffer.reset();
  expect_replays();
}

INSTANTIATE_TEST_SUITE_P(Devices, SlowDispatchTest, ::testing::Values(1, 2),
                         [](const auto& info) { return std::to_string(info.param) + "Devices"; });

}  // namespace
}  // namespace tt::tt_metal
