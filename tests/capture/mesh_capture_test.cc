// Programs in the style of the unit mesh, captured and replayed on the CPU device. A file knows
// nothing of meshes.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;
using mesh::MeshCoordinateRange;
using mesh::MeshDevice;

constexpr CoreCoord kCore{0, 0};

// Adds its second argument to the 16 words at its first.
constexpr const char* kAdd =
    "  auto* words = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));\n"
    "  for (uint32_t i = 0; i < 16; ++i) words[i] += get_arg_val<uint32_t>(1);\n";

// A program that adds to the words at `address`, and its kernel.
std::pair<Program, KernelHandle> adding_program(DeviceAddr address, uint32_t added) {
  Program program = CreateProgram();
  const KernelHandle kernel = add_data_movement(program, kAdd, kCore);
  SetRuntimeArgs(program, kernel, kCore, {static_cast<uint32_t>(address), added});
  return {std::move(program), kernel};
}

// The same program twice: with meshes, and with the calls that they stand for.
void run_on_a_mesh() {
  auto device = MeshDevice::create_unit_mesh(0, 0, 0, 2);
  mesh::MeshCommandQueue& queue = device->mesh_command_queue();
  auto words =
      mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                               {.page_size = 64, .buffer_type = BufferType::L1}, device.get());
  mesh::EnqueueWriteMeshBuffer(queue, words, std::vector<uint32_t>(16, 1), false);
  auto [program, kernel] = adding_program(words->address(), 5);
  mesh::MeshWorkload workload;
  workload.add_program(MeshCoordinateRange(device->shape()), std::move(program));
  mesh::EnqueueMeshWorkload(queue, workload, false);
  GetRuntimeArgs(workload.get_programs().begin()->second, kernel, kCore)[1] = 100;
  mesh::EnqueueMeshWorkload(queue, workload, true);
  {
    const mesh::MeshEvent event = queue.enqueue_record_event();
    device->mesh_command_queue(1).enqueue_wait_for_event(event);
    mesh::EventSynchronize(event);
  }
  const mesh::MeshTraceId trace = device->begin_mesh_trace(0);
  mesh::EnqueueMeshWorkload(queue, workload, false);
  device->end_mesh_trace(0, trace);
  device->replay_mesh_trace(0, trace, false);
  mesh::Finish(queue);
  device->release_mesh_trace(trace);
  std::vector<uint32_t> read;
  mesh::EnqueueReadMeshBuffer(queue, read, words);
  EXPECT_EQ(read, std::vector<uint32_t>(16, 206));
  mesh::Synchronize(device.get(), std::nullopt);
  device->close();
}

void run_on_a_device() {
  IDevice* device = CreateDevice(0, 2);
  CommandQueue& queue = device->command_queue();
  auto words = CreateBuffer(InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = BufferType::L1});
  EnqueueWriteBuffer(queue, words, std::vector<uint32_t>(16, 1), false);
  auto [program, kernel] = adding_program(words->address(), 5);
  EnqueueProgram(queue, program, false);
  GetRuntimeArgs(program, kernel, kCore)[1] = 100;
  EnqueueProgram(queue, program, true);
  {
    const auto event = std::make_shared<Event>();
    EnqueueRecordEvent(queue, event);
    EnqueueWaitForEvent(device->command_queue(1), event);
    EventSynchronize(event);
  }
  const uint32_t trace = BeginTraceCapture(device, 0);
  EnqueueProgram(queue, program, false);
  EndTraceCapture(device, 0, trace);
  ReplayTrace(device, 0, trace, false);
  Finish(queue);
  ReleaseTrace(device, trace);
  std::vector<uint32_t> read;
  EnqueueReadBuffer(queue, words, read, true);
  EXPECT_EQ(read, std::vector<uint32_t>(16, 206));
  Synchronize(device);
  CloseDevice(device);
}

std::vector<uint8_t> capture(const std::function<void()>& program) {
  LightMetalBeginCapture({.read_goldens = true, .record_origin = false});
  program();
  return LightMetalEndCapture().get_data();
}

class MeshCapture : public CpuApiTest {};

TEST_F(MeshCapture, AMeshIsRecordedAsTheCallsThatItStandsFor) {
  using lightmetal::testing::names_of;
  using lightmetal::testing::open_file;
  const auto on_mesh = capture(run_on_a_mesh), on_device = capture(run_on_a_device);
  EXPECT_EQ(names_of(*open_file(on_mesh)), names_of(*open_file(on_device)));
  EXPECT_TRUE(on_mesh == on_device) << "the two files differ";
}

TEST_F(MeshCapture, AMeshProgramReplaysAlikeAndGivesTheSameFileAgain) {
  expect_replays_alike(run_on_a_mesh);
}

// What its owner leaves is closed, and what outlives it is recorded behind that.
TEST_F(MeshCapture, AMeshThatItsOwnerClosesReplaysAlike) {
  expect_replays_alike([] {
    std::shared_ptr<mesh::MeshBuffer> outlives;
    {
      auto device = MeshDevice::create(mesh::MeshDeviceConfig(mesh::MeshShape(1, 1)));
      outlives = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                          {.page_size = 64}, device.get());
      std::vector<float> values(16, 2.5f), read;
      mesh::EnqueueWriteMeshBuffer(device->mesh_command_queue(), outlives, values);
      mesh::EnqueueReadMeshBuffer(device->mesh_command_queue(), read, outlives);
      EXPECT_EQ(read, values);
    }
    auto again = MeshDevice::create_unit_mesh(0);
  });
}

TEST_F(MeshCapture, ElementTypesReachTheFile) {
  const auto file = lightmetal::testing::open_file(capture([] {
    auto device = MeshDevice::create_unit_mesh(0);
    auto buffer = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                           {.page_size = 64}, device.get());
    std::vector<bfloat16> values(32, bfloat16(1.5f));
    mesh::EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, values);
    mesh::ReadShard(device->mesh_command_queue(), values, buffer, mesh::MeshCoordinate(0, 0));
  }));
  size_t typed = 0;
  for (const auto& command : lightmetal::testing::commands_of(*file)) {
    const auto* write = command.call.AsEnqueueWriteBuffer();
    const auto* read = command.call.AsEnqueueReadBuffer();
    if (write != nullptr && write->element_type == lightmetal::schema::ElementType::BFloat16)
      ++typed;
    if (read != nullptr && read->element_type == lightmetal::schema::ElementType::BFloat16) ++typed;
  }
  EXPECT_EQ(typed, 2u);
}

// A sharded operand that a circular buffer uses in place, a semaphore, a view.
TEST_F(MeshCapture, CircularBuffersOnMeshBuffersReplayAlike) {
  expect_replays_alike([] {
    auto device = MeshDevice::create_unit_mesh(0);
    const CoreRangeSet cores(CoreRange({0, 0}, {1, 0}));
    const ShardSpecBuffer shards(cores, {1, 16}, ShardOrientation::ROW_MAJOR, {1, 16}, {2, 1});
    auto words =
        mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 128},
                                 {.page_size = 64,
                                  .buffer_type = BufferType::L1,
                                  .sharding_args = {shards, TensorMemoryLayout::HEIGHT_SHARDED}},
                                 device.get());
    mesh::MeshCommandQueue& queue = device->mesh_command_queue();
    mesh::EnqueueWriteMeshBuffer(queue, words, std::vector<uint32_t>(32, 3));
    Program program = CreateProgram();
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(64, {{CBIndex::c_0, DataFormat::UInt32}})
                             .set_page_size(CBIndex::c_0, 64)
                             .set_globally_allocated_address(*words->get_backing_buffer()));
    CreateSemaphore(program, cores, 0);
    const GlobalSemaphore global = CreateGlobalSemaphore(*device, cores, 4);
    const KernelHandle kernel = add_data_movement(
        program,
        "auto* words = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));"
        "words[0] += *reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));",
        cores);
    SetRuntimeArgs(program, kernel, cores, {static_cast<uint32_t>(global.address())});
    mesh::MeshWorkload workload;
    workload.add_program(MeshCoordinateRange(device->shape()), std::move(program));
    mesh::EnqueueMeshWorkload(queue, workload, false);
    const auto second_shard =
        mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 128},
                                 {.page_size = 64,
                                  .buffer_type = BufferType::L1,
                                  .buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED,
                                  .shard_parameters = shards},
                                 device.get(), words->address());
    std::vector<uint32_t> read;
    mesh::ReadShard(queue, read, second_shard, mesh::MeshCoordinate(0, 0));
    EXPECT_EQ(read.at(0), 7u);
    EXPECT_EQ(read.at(1), 3u);
    EXPECT_EQ(read.at(16), 7u);
  });
}

}  // namespace
}  // namespace tt::tt_metal::testing
