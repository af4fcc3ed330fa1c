// What holds for transfers of meshes where something is in the way: a device that refuses, a buffer
// of another mesh, a mesh that was reshaped. And what a blocking workload waits for.
#include <chrono>
#include <future>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor/tensor_apis.hpp>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;
using mesh::MeshCoordinate;
using mesh::MeshCoordinateRange;
using mesh::MeshShape;
using ::testing::Each;

constexpr CoreCoord kOnlyCore{0, 0};

class MeshTransfersTest : public WatchedTest {
 protected:
  // 1x2 devices with two queues each.
  mesh::MeshDevice& pair() {
    if (mesh_ == nullptr) {
      mesh_ = mesh::MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(1, 2)), 0, 0, 2);
    }
    return *mesh_;
  }
  mesh::MeshCommandQueue& queue() { return pair().mesh_command_queue(0); }

  std::shared_ptr<mesh::MeshBuffer> replicated() {
    return mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64}, {.page_size = 64},
                                    &pair());
  }
  // 2x16 words; each device has a column of 8 words.
  std::shared_ptr<mesh::MeshBuffer> divided() {
    return mesh::MeshBuffer::create(
        mesh::ShardedBufferConfig{
            .global_size = 128, .global_buffer_shape = {2, 16}, .shard_shape = {2, 8}},
        {.page_size = 32}, &pair());
  }
  std::vector<uint32_t> part(const std::shared_ptr<mesh::MeshBuffer>& buffer, uint32_t device) {
    std::vector<uint32_t> words;
    Buffer& read = *buffer->get_device_buffer(MeshCoordinate(0, device));
    EnqueueReadBuffer(read.device()->command_queue(0), read, words, true);
    return words;
  }

  static TensorSpec spec() {
    return TensorSpec(Shape({32, 32}),
                      TensorLayout(DataType::UINT32, Layout::ROW_MAJOR, MemoryConfig()));
  }
  static HostTensor tensor(uint32_t first) {
    return HostTensor::from_vector(counting(32 * 32, first), spec());
  }
  static std::vector<uint32_t> shard(const HostTensor& tensor, const MeshCoordinate& coord) {
    const HostBuffer buffer = tensor.buffer().get_shard(coord).value();
    const auto words = buffer.view_as<uint32_t>();
    return {words.begin(), words.end()};
  }

  Program program() {
    Program made = CreateProgram();
    add_kernel(made, kOnlyCore);
    return made;
  }
  // Gives device 0 work that takes a while, lets device 1 capture a trace, so that it refuses
  // reads, and expects that `read` throws and that device 0 is done then.
  void expect_done_when_thrown(const std::function<void()>& read) {
    std::atomic<bool> done = false;
    watched().on_launch([&](const device::Launch&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      done = true;
      return absl::OkStatus();
    });
    Program slow = program();
    IDevice* const refusing = pair().get_device(1);
    const uint32_t trace = BeginTraceCapture(refusing, 0);
    EnqueueProgram(pair().get_device(0)->command_queue(0), slow, false);
    expect_throws(read, "not supported during trace capture");
    EXPECT_TRUE(done);
    EndTraceCapture(refusing, 0, trace);
    Finish(pair().get_device(0)->command_queue(0));
    watched().on_launch(nullptr);
  }

  std::shared_ptr<mesh::MeshDevice> mesh_;
};

// ---- Reads that do not block ----

TEST_F(MeshTransfersTest, AReadThatThrowsLeavesNoReadBehind) {
  const MeshTensor on_device = queue().enqueue_write_tensor(tensor(1));
  const auto buffer = replicated();
  mesh::Finish(queue());
  expect_done_when_thrown([&] { queue().enqueue_read_tensor(on_device, /*blocking=*/false); });
  std::vector<uint32_t> words(16);
  expect_done_when_thrown([&] {
    queue().enqueue_read_shards(
        {mesh::ShardDataTransfer(MeshCoordinate(0, 0)).host_data(words.data()),
         mesh::ShardDataTransfer(MeshCoordinate(0, 1)).host_data(words.data())},
        buffer, false);
  });
  auto host = DistributedHostBuffer::create(pair().shape());
  for (const MeshCoordinate& coord : MeshCoordinateRange(pair().shape())) {
    host.emplace_shard(coord, [] { return HostBuffer(std::vector<uint32_t>(16)); });
  }
  expect_done_when_thrown([&] { queue().enqueue_read(buffer, host, std::nullopt, false); });
}

// ---- Buffers of other meshes ----

TEST_F(MeshTransfersTest, AQueueOfASubmeshRefusesBuffersOfTheWholeMesh) {
  const auto one = pair().create_submesh(MeshShape(1, 1));
  mesh::MeshCommandQueue& of_one = one->mesh_command_queue(0);
  for (const auto& whole : {replicated(), divided()}) {
    mesh::EnqueueWriteMeshBuffer(queue(), whole, counting(32, 1), true);
    const auto before = part(whole, 0);
    expect_throws([&] { mesh::EnqueueWriteMeshBuffer(of_one, whole, counting(32, 70), true); },
                  "A buffer on device 1 is used in a queue of MeshDevice(MeshShape(1, 1)");
    EXPECT_EQ(part(whole, 0), before) << "nothing was written";
  }
  std::vector<uint32_t> read;
  expect_throws([&] { mesh::EnqueueReadMeshBuffer(of_one, read, divided()); },
                "A buffer on device 1 is used in a queue of");
}

TEST_F(MeshTransfersTest, AQueueOfTheWholeMeshTakesBuffersOfASubmesh) {
  const auto one = pair().create_submesh(MeshShape(1, 1), MeshCoordinate(0, 1));
  const auto buffer = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                               {.page_size = 64}, one.get());
  mesh::EnqueueWriteMeshBuffer(queue(), buffer, counting(16, 5), true);
  EXPECT_EQ(part(buffer, 0), counting(16, 5));
}

TEST_F(MeshTransfersTest, AQueueOfASubmeshRefusesTensorsOfTheWholeMesh) {
  const auto one = pair().create_submesh(MeshShape(1, 1));
  MeshTensor whole = queue().enqueue_write_tensor(tensor(1));
  expect_throws([&] { one->mesh_command_queue(0).enqueue_write_tensor(tensor(70), whole); },
                "A buffer on device 1 is used in a queue of");
  expect_throws([&] { one->mesh_command_queue(0).enqueue_read_tensor(whole); },
                "A buffer on device 1 is used in a queue of");
  const HostTensor read = queue().enqueue_read_tensor(whole);
  EXPECT_EQ(shard(read, MeshCoordinate(0, 0)), counting(32 * 32, 1)) << "nothing was written";
}

// ---- Meshes that were reshaped ----

TEST_F(MeshTransfersTest, BuffersAreUsedAfterAReshapeWithTheCoordinatesThatTheyHave) {
  const auto buffer = replicated();
  pair().reshape(MeshShape(2, 1));
  std::vector<uint32_t> twos(16, 2);
  queue().enqueue_write_shard_to_sub_grid(*buffer, twos.data(),
                                          MeshCoordinateRange(MeshCoordinate(0, 1)), true);
  EXPECT_EQ(part(buffer, 1), twos);
  mesh::WriteShard(queue(), buffer, counting(16, 3), MeshCoordinate(0, 1), true);
  EXPECT_EQ(part(buffer, 1), counting(16, 3));
  auto host = DistributedHostBuffer::create(MeshShape(1, 2));
  host.emplace_shard(MeshCoordinate(0, 1), [] { return HostBuffer(counting(16, 4)); });
  queue().enqueue_write(buffer, host, true);
  EXPECT_EQ(part(buffer, 1), counting(16, 4));
  host.emplace_shard(MeshCoordinate(0, 1), [] { return HostBuffer(counting(16)); });
  queue().enqueue_read(buffer, host, std::nullopt, true);
  const HostBuffer read = host.get_shard(MeshCoordinate(0, 1)).value();
  EXPECT_EQ(read.view_as<uint32_t>()[0], 4u);
  expect_throws(
      [&] {
        queue().enqueue_write_shard_to_sub_grid(*buffer, twos.data(),
                                                MeshCoordinateRange(MeshCoordinate(1, 0)), true);
      },
      "A write", "does not fit a mesh of");
}

TEST_F(MeshTransfersTest, TensorsAreUsedAfterAReshapeWithTheCoordinatesThatTheyHave) {
  MeshTensor on_device = queue().enqueue_write_tensor(tensor(1));
  pair().reshape(MeshShape(2, 1));
  queue().enqueue_write_tensor(tensor(2), on_device);
  HostTensor read = queue().enqueue_read_tensor(on_device);
  EXPECT_EQ(read.buffer().shape(), MeshShape(1, 2));
  EXPECT_EQ(shard(read, MeshCoordinate(0, 1)), counting(32 * 32, 2));
  queue().enqueue_write_tensor(tensor(3), on_device);
  queue().enqueue_read_tensor(on_device, read);
  EXPECT_EQ(shard(read, MeshCoordinate(0, 1)), counting(32 * 32, 3));
}

// ---- Data that are too short ----

// A matrix of two rows, one on each device or both on one.
TEST_F(MeshTransfersTest, OfAShortMatrixTheShardsThatItReachesAreWritten) {
  const auto one = pair().create_submesh(MeshShape(1, 1));
  const auto matrix = [](uint32_t rows, mesh::MeshDevice& device) {
    const Shape2D shard(rows, 16);
    return mesh::MeshBuffer::create(
        mesh::ShardedBufferConfig{
            .global_size = 128, .global_buffer_shape = {2, 16}, .shard_shape = shard},
        {.page_size = 64}, &device);
  };
  const auto on_one = matrix(2, *one), on_two = matrix(1, pair());
  for (const size_t words : {0u, 1u, 15u, 16u, 17u, 31u}) {
    std::vector<uint32_t> expected(32, 7), read;
    std::ranges::copy(counting(words, 100), expected.begin());
    const size_t reached = (words + 15) / 16 * 16;  // words in pages, which are shards
    std::fill(expected.begin() + words, expected.begin() + reached, 0);
    for (const auto& [cq, buffer] :
         {std::pair(&one->mesh_command_queue(0), on_one), std::pair(&queue(), on_two)}) {
      mesh::EnqueueWriteMeshBuffer(*cq, buffer, std::vector<uint32_t>(32, 7), true);
      mesh::EnqueueWriteMeshBuffer(*cq, buffer, counting(words, 100), true);
      mesh::EnqueueReadMeshBuffer(*cq, read, buffer, true);
      EXPECT_EQ(read, expected) << words << " words";
    }
  }
}

TEST_F(MeshTransfersTest, UnderTheDeviceChecksAShortMatrixIsRefused) {
  setenv("LIGHTMETAL_CPU_DEVICE_CHECKS", "all", 1);
  expect_throws([&] { mesh::EnqueueWriteMeshBuffer(queue(), divided(), counting(31), true); },
                "A matrix of 128 B", "only 124 B were given");
  unsetenv("LIGHTMETAL_CPU_DEVICE_CHECKS");
}

TEST_F(MeshTransfersTest, AShortVectorIsFilledUpOnEveryDevice) {
  const auto buffer = replicated();
  mesh::EnqueueWriteMeshBuffer(queue(), buffer, counting(16, 1));
  mesh::EnqueueWriteMeshBuffer(queue(), buffer, std::vector<uint32_t>{7, 8}, true);
  std::vector<uint32_t> expected(16);
  expected[0] = 7;
  expected[1] = 8;
  EXPECT_EQ(part(buffer, 0), expected);
  EXPECT_EQ(part(buffer, 1), expected);
}

// ---- Workloads ----

TEST_F(MeshTransfersTest, ABlockingWorkloadWaitsForTheDevicesThatItUsesAlone) {
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(pair().get_device(1)->command_queue(0), gate);
  mesh::MeshWorkload workload;
  workload.add_program(MeshCoordinateRange(MeshCoordinate(0, 0)), program());
  auto enqueued =
      std::async(std::launch::async, [&] { mesh::EnqueueMeshWorkload(queue(), workload, true); });
  EXPECT_EQ(enqueued.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  EnqueueRecordEvent(pair().get_device(0)->command_queue(1), gate);
  enqueued.get();
}

// On the second device and in the second queue, where no other error hides a lost one.
TEST_F(MeshTransfersTest, EveryWaitForAQueueReportsWhatFailedInItOnAnyDevice) {
  mesh::MeshCommandQueue& second = pair().mesh_command_queue(1);
  mesh::MeshWorkload workload;
  workload.add_program(MeshCoordinateRange(MeshCoordinate(0, 1)), program());
  const mesh::MeshTraceId trace = pair().begin_mesh_trace(1);
  second.enqueue_mesh_workload(workload, false);
  pair().end_mesh_trace(1, trace);
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  const auto after_a_launch = [&](const std::function<void()>& wait) {
    return [&, wait] {
      second.enqueue_mesh_workload(workload, false);
      wait();
    };
  };
  const std::vector<std::function<void()>> calls = {
      [&] { second.enqueue_mesh_workload(workload, true); },
      [&] { pair().replay_mesh_trace(1, trace, true); },
      [&] { second.enqueue_trace(trace, true); },
      after_a_launch([&] { mesh::Finish(second); }),
      after_a_launch([&] { mesh::Synchronize(pair(), second); }),
      after_a_launch([&] { mesh::EventSynchronize(second.enqueue_record_event()); })};
  for (const auto& call : calls) {
    expect_throws(call, "it broke");
    EXPECT_NO_THROW(mesh::Finish(second)) << "it is thrown once";
  }
  second.enqueue_mesh_workload(workload, false);
  EXPECT_NO_THROW(mesh::Synchronize(pair(), queue())) << "the first queue alone";
  expect_throws([&] { mesh::Finish(second); }, "it broke");
}

// ---- Events ----

TEST_F(MeshTransfersTest, AnEventIsPrintedWhenItsMeshIsGone) {
  auto one = pair().create_submesh(MeshShape(1, 1));
  const std::string printed = "MeshEvent(id: 0, device: " + std::to_string(one->id()) +
                              ", queue: 1, MeshCoordinateRange(MeshCoordinate(0, 0), ";
  const mesh::MeshEvent event = one->mesh_command_queue(1).enqueue_record_event();
  mesh::EventSynchronize(event);
  one.reset();
  std::ostringstream out;
  out << event;
  EXPECT_THAT(out.str(), ::testing::StartsWith(printed));
}

}  // namespace
}  // namespace tt::tt_metal::testing
