// Programs on meshes of several devices, captured and replayed on the CPU device. A file has the
// calls of the devices, and needs as many devices.
#include <barrier>
#include <map>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>

#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;
using lightmetal::testing::commands_of;
using lightmetal::testing::open_file;
using mesh::MeshCoordinate;
using mesh::MeshCoordinateRange;
using mesh::MeshDevice;
using mesh::MeshShape;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr CoreCoord kFirstCore{0, 0};

// Adds its second argument to the 16 words at its first.
constexpr const char* kAddToWords =
    "  auto* words = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));\n"
    "  for (uint32_t i = 0; i < 16; ++i) words[i] += get_arg_val<uint32_t>(1);\n";

std::vector<uint32_t> counted(uint32_t count) {
  std::vector<uint32_t> words(count);
  for (uint32_t i = 0; i < count; ++i) words[i] = i;
  return words;
}

// A matrix of 8x16 words over 2x4 devices, 4x4 words on each: the devices of the first row add 1 to
// theirs, the others 1000; once by a workload, once by a trace.
void run_on_eight_devices() {
  auto device = MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(2, 4)), 0, 1 << 20, 2);
  mesh::MeshCommandQueue& queue = device->mesh_command_queue();
  auto words = mesh::MeshBuffer::create(
      mesh::ShardedBufferConfig{
          .global_size = 512, .global_buffer_shape = {8, 16}, .shard_shape = {4, 4}},
      {.page_size = 64, .buffer_type = BufferType::L1}, device.get());
  auto copies = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 256},
                                         {.page_size = 64}, device.get());
  mesh::EnqueueWriteMeshBuffer(queue, copies, counted(64));
  mesh::EnqueueWriteMeshBuffer(queue, words, counted(128));
  mesh::MeshWorkload workload;
  for (uint32_t row = 0; row < 2; ++row) {
    Program program = CreateProgram();
    const KernelHandle kernel = add_data_movement(program, kAddToWords, kFirstCore);
    SetRuntimeArgs(program, kernel, kFirstCore,
                   {static_cast<uint32_t>(words->address()), row == 0 ? 1u : 1000u});
    workload.add_program(MeshCoordinateRange(MeshCoordinate(row, 0), MeshCoordinate(row, 3)),
                         std::move(program));
  }
  mesh::EnqueueMeshWorkload(queue, workload, true);
  const mesh::MeshTraceId trace = device->begin_mesh_trace(0);
  mesh::EnqueueMeshWorkload(queue, workload, false);
  device->end_mesh_trace(0, trace);
  device->replay_mesh_trace(0, trace, false);
  const mesh::MeshEvent event = queue.enqueue_record_event();
  device->mesh_command_queue(1).enqueue_wait_for_event(event);
  std::vector<uint32_t> read, expected = counted(128);
  mesh::EnqueueReadMeshBuffer(device->mesh_command_queue(1), read, words);
  for (uint32_t i = 0; i < 128; ++i) expected[i] += i < 64 ? 2 : 2000;
  EXPECT_EQ(read, expected);
  device->release_mesh_trace(trace);
  {
    // The lower row alone.
    const auto row = device->create_submesh(MeshShape(1, 4), MeshCoordinate(1, 0));
    const GlobalSemaphore semaphore =
        CreateGlobalSemaphore(*row, CoreRangeSet(CoreRange(kFirstCore, kFirstCore)), 5);
    semaphore.reset_semaphore_value(6);
    std::vector<uint32_t> copy;
    mesh::ReadShard(row->mesh_command_queue(), copy, copies, MeshCoordinate(1, 2));
    EXPECT_EQ(copy, counted(64));
  }
  mesh::Finish(queue);
  words->deallocate();
  device->close();
}

std::vector<uint8_t> captured(const std::function<void()>& program) {
  LightMetalBeginCapture({.read_goldens = true, .record_origin = false});
  program();
  return LightMetalEndCapture().get_data();
}

class MeshOfDevicesCapture : public CpuApiTest {};

TEST_F(MeshOfDevicesCapture, AProgramOnEightDevicesReplaysAlikeAndGivesTheSameFileAgain) {
  expect_replays_alike(run_on_eight_devices);
}

TEST_F(MeshOfDevicesCapture, TheSameProgramGivesTheSameFile) {
  EXPECT_TRUE(captured(run_on_eight_devices) == captured(run_on_eight_devices));
}

// Multiplies its 16 words by three and adds its second argument: the order of launches shows.
constexpr const char* kAddDigit =
    "  auto* words = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));\n"
    "  for (uint32_t i = 0; i < 16; ++i) words[i] = 3 * words[i] + get_arg_val<uint32_t>(1);\n";

// Four devices on which two threads launch, write and record at the same time.
void run_on_two_threads() {
  constexpr uint32_t kCalls = 100;
  auto device = MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(1, 4)), 0, 1 << 20, 1);
  mesh::MeshCommandQueue& queue = device->mesh_command_queue();
  const auto buffer = [&](BufferType type) {
    auto made = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                         {.page_size = 64, .buffer_type = type}, device.get());
    mesh::EnqueueWriteMeshBuffer(queue, made, std::vector<uint32_t>(16, 1), true);
    return made;
  };
  const auto launched = buffer(BufferType::L1), written = buffer(BufferType::DRAM);
  std::barrier together(2);
  const auto use = [&](uint32_t digit) {
    mesh::MeshWorkload workload;
    Program program = CreateProgram();
    const KernelHandle kernel = add_data_movement(program, kAddDigit, kFirstCore);
    SetRuntimeArgs(program, kernel, kFirstCore,
                   {static_cast<uint32_t>(launched->address()), digit});
    workload.add_program(MeshCoordinateRange(device->shape()), std::move(program));
    for (uint32_t i = 0; i < kCalls; ++i) {
      together.arrive_and_wait();
      mesh::EnqueueMeshWorkload(queue, workload, false);
      mesh::EnqueueWriteMeshBuffer(queue, written, std::vector<uint32_t>(16, digit * kCalls + i));
      (void)queue.enqueue_record_event();
    }
    together.arrive_and_wait();  // so that no program ends during a call of the other thread
  };
  std::thread other([&] { use(2); });
  use(1);
  other.join();
  for (const auto& made : {launched, written}) {
    std::vector<uint32_t> first, read;
    mesh::ReadShard(queue, first, made, MeshCoordinate(0, 0));
    for (uint32_t x = 1; x < 4; ++x) {
      mesh::ReadShard(queue, read, made, MeshCoordinate(0, x));
      EXPECT_EQ(read, first) << "device " << x;
    }
  }
  device->close();
}

TEST_F(MeshOfDevicesCapture, CallsOfTwoThreadsReachAllDevicesInOneOrderAndAreUnitsOfTheFile) {
  const auto file = open_file(captured(run_on_two_threads));
  std::string last;
  uint32_t in_a_row = 0, calls = 0;
  for (const std::string& name : lightmetal::testing::names_of(*file)) {
    // Each thread makes and drops its events when it wants to.
    if (name == "EventCreate" || name == "EventDestroy") continue;
    if (name == last) {
      ++in_a_row;
      continue;
    }
    const bool is_of_mesh = last == "EnqueueProgram" || last == "EnqueueRecordEvent";
    if (is_of_mesh) {
      EXPECT_EQ(in_a_row % 4, 0u) << last << " of " << in_a_row << " devices in a row";
      calls += in_a_row / 4;
    }
    last = name;
    in_a_row = 1;
  }
  EXPECT_EQ(calls, 400u);
}

TEST_F(MeshOfDevicesCapture, AFileHasEachDeviceItsBuffersAndLaunchesAndAKernelOnce) {
  const auto file = open_file(captured(run_on_eight_devices));
  std::map<std::string, size_t> counts;
  for (const std::string& name : lightmetal::testing::names_of(*file)) ++counts[name];
  EXPECT_EQ(counts["CreateDevice"], 8u);
  EXPECT_EQ(counts["CloseDevice"], 8u);
  EXPECT_EQ(counts["BufferCreate"], 16u);
  EXPECT_EQ(counts["BufferDeallocate"], 8u);
  EXPECT_EQ(counts["BufferDestroy"], 16u);
  EXPECT_EQ(counts["ProgramCreate"], 2u);
  EXPECT_EQ(counts["KernelBinary"], 2u);
  EXPECT_EQ(counts["EnqueueProgram"], 8u);
  EXPECT_EQ(counts["LoadTrace"], 8u);
  EXPECT_EQ(counts["ReplayTrace"], 8u);
  EXPECT_EQ(counts["EnqueueReadBuffer"], 9u);
}

// Memory that no address of all devices has is refused before the call of any device.
TEST_F(MeshOfDevicesCapture, MemoryThatAMeshDoesNotHaveIsRecordedAsAFailedCall) {
  const auto file = open_file(captured([] {
    auto device = MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(1, 2)));
    const DeviceAddr bank = device->allocator()->get_bank_size(BufferType::L1);
    const mesh::ReplicatedBufferConfig whole{
        .size = bank * device->allocator()->get_num_banks(BufferType::L1)};
    const mesh::DeviceLocalBufferConfig pages{.page_size = 64, .buffer_type = BufferType::L1};
    const auto fails = [](const auto& call) { EXPECT_THROW(call(), std::runtime_error); };
    const auto most = mesh::MeshBuffer::create(whole, pages, device.get());
    fails([&] {
      mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64}, pages, device.get());
    });
    fails([&] {
      CreateGlobalSemaphore(*device, CoreRangeSet(CoreRange(kFirstCore, kFirstCore)), 0);
    });
    device->close();
  }));
  std::vector<std::string> failed;
  for (const auto& command : commands_of(*file)) {
    const auto* call = command.call.AsCallFailed();
    if (call == nullptr) continue;
    EXPECT_THAT(call->error, HasSubstr("Out of Memory"));
    failed.push_back(call->function);
  }
  EXPECT_THAT(failed, ::testing::ElementsAre("Buffer::create", "CreateGlobalSemaphore"));
}

// One bit of one device's upload, after which that device reads something else.
TEST_F(MeshOfDevicesCapture, OneWrongBitOfOneDeviceIsFoundAndItsPlaceNamed) {
  const auto program = [](uint32_t wrong_device) {
    auto device = MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(2, 4)));
    mesh::MeshCommandQueue& queue = device->mesh_command_queue();
    auto words =
        mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                 {.page_size = 64, .buffer_type = BufferType::L1}, device.get());
    mesh::EnqueueWriteMeshBuffer(queue, words, std::vector<uint32_t>(16, 4));
    Program added = CreateProgram();
    const KernelHandle kernel = add_data_movement(added, kAddToWords, kFirstCore);
    SetRuntimeArgs(added, kernel, kFirstCore, {static_cast<uint32_t>(words->address()), 3});
    mesh::MeshWorkload workload;
    workload.add_program(MeshCoordinateRange(device->shape()), std::move(added));
    mesh::EnqueueMeshWorkload(queue, workload, false);
    for (const MeshCoordinate& coord : MeshCoordinateRange(device->shape())) {
      std::vector<uint32_t> read;
      mesh::ReadShard(queue, read, words, coord);
      EXPECT_EQ(read, std::vector<uint32_t>(16, 7));
      // What the program says that it has read, of one device with one bit wrong.
      if (device->get_device(coord)->id() == static_cast<int>(wrong_device)) read[5] ^= 1;
      LightMetalCompareToGolden(device->get_device(coord)->command_queue(),
                                *words->get_device_buffer(coord), read);
    }
    device->close();
  };
  const std::map<uint32_t, std::string> places = {{0, "(0, 0)"}, {6, "(1, 2)"}};
  for (const auto& [wrong, place] : places) {
    auto replay =
        lightmetal::Replay::load_bytes(captured([&, device = wrong] { program(device); }), {});
    ASSERT_TRUE(replay.ok()) << replay.status();
    const auto result = (*replay)->run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->goldens_checked, 16u);
    ASSERT_THAT(result->mismatches, SizeIs(1));
    EXPECT_THAT(result->mismatches[0].text(),
                HasSubstr("device " + std::to_string(wrong) + ", " + place + " of a 2x4 mesh)"));
    EXPECT_EQ(result->mismatches[0].different, 1u);
  }
}

// A tensor and a buffer on eight devices, of which nothing else is a golden.
std::vector<uint8_t> captured_comparisons() {
  LightMetalBeginCapture();
  {
    auto device = MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(2, 4)));
    mesh::MeshCommandQueue& queue = device->mesh_command_queue();
    const TensorSpec spec(Shape({32, 32}),
                          TensorLayout(DataType::BFLOAT16, Layout::TILE, MemoryConfig()));
    const MeshTensor tensor = queue.enqueue_write_tensor(
        HostTensor::from_vector(std::vector<float>(32 * 32, 1.5f), spec));
    LightMetalCompareToCapture(queue, tensor);
    const auto words = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                                {.page_size = 64}, device.get());
    mesh::EnqueueWriteMeshBuffer(queue, words, counted(16));
    LightMetalCompareToCapture(queue, words);

    const auto row = device->create_submesh(MeshShape(1, 4));
    expect_refused([&] { LightMetalCompareToCapture(row->mesh_command_queue(), tensor); },
                   "A buffer on device 4 is used in a queue of");
    expect_refused([&] { LightMetalCompareToCapture(queue, std::shared_ptr<mesh::MeshBuffer>()); },
                   "The mesh buffer is a null pointer");
  }
  return LightMetalEndCapture().get_data();
}

// The mismatches of a replay that compares sixteen goldens.
std::vector<lightmetal::GoldenResult> mismatches_of_sixteen(const std::vector<uint8_t>& file) {
  auto replay = lightmetal::Replay::load_bytes(file, {});
  EXPECT_TRUE(replay.ok()) << replay.status();
  if (!replay.ok()) return {};
  const auto result = (*replay)->run();
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return {};
  EXPECT_EQ(result->goldens_checked, 16u);
  return result->mismatches;
}

TEST_F(MeshOfDevicesCapture, WhatATensorHasIsComparedOnEveryDevice) {
  EXPECT_THAT(mismatches_of_sixteen(captured_comparisons()), IsEmpty());
}

TEST_F(MeshOfDevicesCapture, OneWrongBitOfATensorIsFoundAndItsPlaceNamed) {
  const auto mismatches = mismatches_of_sixteen(
      lightmetal::testing::with_changed_input(*open_file(captured_comparisons())));
  ASSERT_THAT(mismatches, SizeIs(1));
  EXPECT_EQ(mismatches[0].element_type, "BFloat16");
  EXPECT_EQ(mismatches[0].different, 1u);
  EXPECT_THAT(mismatches[0].source, HasSubstr("device 0, (0, 0) of a 2x4 mesh"));
}

TEST_F(MeshOfDevicesCapture, AFileSaysWhichDevicesItNeeds) {
  const auto file = open_file(captured(run_on_eight_devices));
  std::vector<uint32_t> chips;
  for (const auto& command : commands_of(*file)) {
    if (const auto* open = command.call.AsCreateDevice()) chips.push_back(open->chip_id);
  }
  EXPECT_EQ(chips, counted(8));
}

}  // namespace
}  // namespace tt::tt_metal::testing
