// The unit mesh: devices, buffers, workloads, queues, events, traces.
#include <algorithm>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;
using mesh::MeshCoordinate;
using mesh::MeshCoordinateRange;
using mesh::MeshShape;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr CoreCoord kCore{0, 0};

// ---- Meshes ----

class MeshApiTest : public WatchedTest {
 protected:
  // One mesh with two queues.
  mesh::MeshDevice& unit() {
    if (mesh_ == nullptr) mesh_ = mesh::MeshDevice::create_unit_mesh(0, 0, 0, 2);
    return *mesh_;
  }
  mesh::MeshCommandQueue& queue(uint8_t id = 0) { return unit().mesh_command_queue(id); }

  std::shared_ptr<mesh::MeshBuffer> buffer(DeviceAddr size = 256,
                                           mesh::DeviceLocalBufferConfig local = {
                                               .page_size = 64}) {
    return mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = size}, local, &unit());
  }

  // A workload with one program, and that program's kernel.
  mesh::MeshWorkload workload() {
    Program program = CreateProgram();
    kernel_ = add_kernel(program, kCore);
    SetRuntimeArgs(program, kernel_, kCore, {7});
    mesh::MeshWorkload workload;
    workload.add_program(MeshCoordinateRange(unit().shape()), std::move(program));
    return workload;
  }

  std::shared_ptr<mesh::MeshDevice> mesh_;
  KernelHandle kernel_ = 0;
};

TEST_F(MeshApiTest, AUnitMeshIsADevice) {
  EXPECT_EQ(unit().shape(), MeshShape(1, 1));
  EXPECT_EQ(unit().num_devices(), 1u);
  EXPECT_EQ(unit().num_rows(), 1u);
  EXPECT_EQ(unit().num_cols(), 1u);
  EXPECT_EQ(unit().id(), 0);
  EXPECT_EQ(unit().num_hw_cqs(), 2);
  EXPECT_THAT(unit().get_device_ids(), ElementsAre(0));
  IDevice* device = unit().get_device(MeshCoordinate(0, 0));
  EXPECT_THAT(unit().get_devices(), ElementsAre(device));
  EXPECT_EQ(unit().get_device(0), device);
  EXPECT_EQ(unit().get_device(0, 0), device);
  EXPECT_TRUE(unit().is_local(MeshCoordinate(0, 0)));
  EXPECT_EQ(unit().compute_with_storage_grid_size(), device->compute_with_storage_grid_size());
  EXPECT_EQ(unit().to_string(), "MeshDevice(MeshShape(1, 1), device 0)");
  expect_throws([&] { unit().get_device(MeshCoordinate(0, 1)); }, "outside of a mesh");
  expect_throws([&] { unit().get_device(1); }, "Device 1 is not in the mesh");
  expect_throws([&] { unit().is_local(MeshCoordinate(1, 0)); }, "outside of a mesh");
}

TEST_F(MeshApiTest, ClassicCallsTakeAUnitMesh) {
  IDevice* device = &unit();
  const auto classic = CreateBuffer(InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = BufferType::DRAM});
  EXPECT_EQ(classic->device(), device);
  std::vector<uint32_t> values = counting(16), read;
  detail::WriteToBuffer(classic, values);
  EnqueueReadBuffer(device->command_queue(), classic, read, true);
  EXPECT_EQ(read, values);
  const CoreRangeSet cores(CoreRange(kCore, kCore));
  EXPECT_EQ(CreateGlobalSemaphore(mesh_.get(), cores, 3).device(), device);
  EXPECT_EQ(CreateGlobalSemaphore(unit(), cores, 3).device(), device);
}

TEST_F(MeshApiTest, OneDeviceIsNamedByIdOffsetOrAlone) {
  const MeshShape one(1, 1);
  EXPECT_EQ(mesh::MeshDevice::create(mesh::MeshDeviceConfig(one))->id(), 0);
  EXPECT_EQ(mesh::MeshDevice::create(mesh::MeshDeviceConfig(one, MeshCoordinate(0, 3)))->id(), 3);
  EXPECT_EQ(mesh::MeshDevice::create(mesh::MeshDeviceConfig(one, std::nullopt, {5}))->id(), 5);
  EXPECT_EQ(mesh::MeshDevice::create_unit_mesh(2)->id(), 2);
  const auto meshes = mesh::MeshDevice::create_unit_meshes({1, 4});
  ASSERT_THAT(meshes, SizeIs(2));
  EXPECT_EQ(meshes.at(4)->id(), 4);
  expect_throws([] { mesh::MeshDevice::create_unit_mesh(8); }, "no device 8");
  EXPECT_EQ(mesh::MeshDevice::create({one, MeshCoordinate(1, 0)})->id(), 4);
  expect_throws(
      [&] {
        mesh::MeshDevice::create({one, MeshCoordinate(2, 0)});
      },
      "A mesh of MeshShape(1, 1) from MeshCoordinate(2, 0) on does not fit");
  expect_throws([&] { mesh::MeshDevice::create_unit_mesh(0, 0, 0, 257); }, "257 command queues");
}

TEST_F(MeshApiTest, UnitMeshesAreMadeAllOrNone) {
  const auto taken = mesh::MeshDevice::create_unit_mesh(3, 0, 0, 2);
  IDevice* const before = CreateDevice(1);
  expect_throws(
      [] {
        mesh::MeshDevice::create_unit_meshes({1, 2, 3});
      },
      "Device 3 is open already");
  EXPECT_TRUE(before->is_initialized());
  EXPECT_EQ(watched().living_devices, 2);
  CloseDevice(before);
}

TEST_F(MeshApiTest, ThreadsThatMakeTheMeshOfOneDeviceShareIt) {
  for (int i = 0; i < 200; ++i) {
    std::shared_ptr<mesh::MeshDevice> other;
    std::thread thread([&] { other = mesh::MeshDevice::create_unit_mesh(4); });
    auto mine = mesh::MeshDevice::create_unit_mesh(4);
    thread.join();
    EXPECT_EQ(mine, other);
    mine.reset();
    ASSERT_TRUE(other->is_initialized());
  }
}

TEST_F(MeshApiTest, AMeshThatIsMadeWhileItsLastOwnerGoesIsOpen) {
  for (int i = 0; i < 200; ++i) {
    auto first = mesh::MeshDevice::create_unit_mesh(4);
    std::thread thread([&] { first.reset(); });
    const auto second = mesh::MeshDevice::create_unit_mesh(4);
    thread.join();
    ASSERT_TRUE(second->is_initialized());
  }
}

TEST_F(MeshApiTest, TheLastOwnerClosesTheMesh) {
  unit();
  auto another_owner = mesh_;
  mesh_.reset();
  EXPECT_EQ(watched().living_devices, 1);
  another_owner.reset();
  EXPECT_EQ(watched().living_devices, 0);
  EXPECT_TRUE(unit().is_initialized()) << "the device can be opened again";
}

TEST_F(MeshApiTest, AClosedMeshRefusesCalls) {
  mesh::MeshCommandQueue& kept = queue();
  EXPECT_TRUE(unit().close());
  EXPECT_FALSE(unit().close());
  EXPECT_EQ(watched().living_devices, 0);
  const std::string closed = "Device 0 has been closed";
  expect_throws([&] { mesh_->mesh_command_queue(); }, closed);
  expect_throws([&] { mesh::Finish(kept); }, closed);
  expect_throws([&] { buffer(); }, closed);
}

TEST_F(MeshApiTest, AnErrorThatNobodySawDoesNotEscapeFromTheLastOwner) {
  watched().on_launch([](const device::Launch&) { return absl::InternalError("as asked"); });
  auto failing = workload();
  mesh::EnqueueMeshWorkload(queue(), failing, false);
  EXPECT_NO_THROW(mesh_.reset());
  watched().forget_launches();
  EXPECT_EQ(watched().living_devices, 0);
}

TEST_F(MeshApiTest, QueuesAreThoseOfTheDevice) {
  EXPECT_EQ(&unit().mesh_command_queue(), &unit().mesh_command_queue(0));
  EXPECT_EQ(queue(1).id(), 1u);
  EXPECT_EQ(queue(1).device(), mesh_.get());
  EXPECT_EQ(&queue(1).device_queue(), &unit().command_queue(1));
  expect_throws([&] { queue(2); }, "no queue 2");
}

// ---- Buffers ----

TEST_F(MeshApiTest, AReplicatedBufferIsABufferOfTheDevice) {
  const auto made = buffer(256, {.page_size = 64, .buffer_type = BufferType::L1});
  EXPECT_TRUE(made->is_allocated());
  EXPECT_EQ(made->device(), mesh_.get());
  EXPECT_EQ(made->size(), 256u);
  EXPECT_EQ(made->device_local_size(), 256u);
  EXPECT_EQ(made->page_size(), 64u);
  EXPECT_EQ(made->num_pages(), 4u);
  EXPECT_EQ(made->global_layout(), mesh::MeshBufferLayout::REPLICATED);
  EXPECT_EQ(made->device_local_config().buffer_type, BufferType::L1);
  Buffer* part = made->get_device_buffer(MeshCoordinate(0, 0));
  EXPECT_EQ(part->address(), made->address());
  EXPECT_TRUE(part->is_l1());
  EXPECT_EQ(part, made->get_reference_buffer());
  EXPECT_EQ(part, made->get_backing_buffer());
  expect_throws([&] { made->get_device_buffer(MeshCoordinate(1, 0)); }, "outside of a mesh");
  expect_throws([&] { made->global_shard_spec(); }, "it has no shards");
  expect_throws([&] { mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{}, {}, nullptr); },
                "null pointer");
}

TEST_F(MeshApiTest, ABufferFreesItsMemoryOnce) {
  auto first = buffer();
  const DeviceAddr address = first->address();
  first.reset();
  auto second = buffer();
  EXPECT_EQ(second->address(), address);
  second->deallocate();
  second->deallocate();
  EXPECT_FALSE(second->is_allocated());
  EXPECT_EQ(second->address(), address);
  EXPECT_EQ(second->get_backing_buffer(), nullptr);
  EXPECT_EQ(buffer()->address(), address);
  expect_throws([&] { mesh::EnqueueWriteMeshBuffer(queue(), second, counting(64)); },
                "has been deallocated");
}

TEST_F(MeshApiTest, ABufferAtAnAddressIsAView) {
  const auto owner = buffer();
  {
    const auto view = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 128},
                                               {.page_size = 64}, &unit(), owner->address() + 64);
    EXPECT_EQ(view->address(), owner->address() + 64);
    EXPECT_TRUE(view->is_allocated());
    EXPECT_EQ(view->get_backing_buffer(), nullptr);
    EXPECT_NE(view->get_reference_buffer(), nullptr);
  }
  EXPECT_TRUE(owner->is_allocated());
}

TEST_F(MeshApiTest, ABufferMayOutliveItsMesh) {
  auto kept = buffer();
  const DeviceAddr address = kept->address();
  mesh_.reset();
  expect_throws([&] { kept->device(); }, "is gone");
  EXPECT_EQ(kept->address(), address);
  EXPECT_FALSE(kept->is_allocated());
  unit();
  const auto later = buffer();
  kept.reset();
  EXPECT_TRUE(later->is_allocated()) << "its memory belongs to the mesh that was opened since";
}

// Two shards of one page each.
const ShardSpecBuffer& two_shards() {
  static const ShardSpecBuffer shards(CoreRangeSet(CoreRange({0, 0}, {1, 0})), {1, 16},
                                      ShardOrientation::ROW_MAJOR, {1, 16}, {2, 1});
  return shards;
}

TEST_F(MeshApiTest, BothGenerationsOfNamesShardABufferOverCores) {
  const auto newer = buffer(
      128, {.page_size = 64,
            .buffer_type = BufferType::L1,
            .sharding_args = BufferShardingArgs(two_shards(), TensorMemoryLayout::HEIGHT_SHARDED)});
  const auto older = buffer(128, {.page_size = 64,
                                  .buffer_type = BufferType::L1,
                                  .buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED,
                                  .shard_parameters = two_shards(),
                                  .bottom_up = true});
  for (const auto& made : {newer, older}) {
    EXPECT_EQ(made->get_reference_buffer()->buffer_layout(), TensorMemoryLayout::HEIGHT_SHARDED);
    EXPECT_EQ(made->get_reference_buffer()->shard_spec(), two_shards());
    EXPECT_EQ(made->get_reference_buffer()->num_cores(), 2u);
  }
  EXPECT_TRUE(older->get_reference_buffer()->bottom_up());
  expect_throws(
      [&] {
        buffer(128, {.page_size = 64,
                     .buffer_type = BufferType::L1,
                     .sharding_args = {two_shards(), TensorMemoryLayout::HEIGHT_SHARDED},
                     .buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED});
      },
      "but not both");
  expect_throws(
      [&] {
        buffer(128, {.page_size = 64,
                     .buffer_type = BufferType::L1,
                     .buffer_layout = TensorMemoryLayout::WIDTH_SHARDED});
      },
      "shard");
}

TEST_F(MeshApiTest, AMatrixLiesOnTheOnlyDeviceAsOneShard) {
  mesh::ShardedBufferConfig config{
      .global_size = 512, .global_buffer_shape = {8, 16}, .shard_shape = {8, 16}};
  const auto whole = mesh::MeshBuffer::create(config, {.page_size = 64}, &unit());
  EXPECT_EQ(whole->global_layout(), mesh::MeshBufferLayout::SHARDED);
  EXPECT_EQ(whole->size(), 512u);
  EXPECT_EQ(whole->device_local_size(), 512u);
  EXPECT_EQ(whole->datum_size_bytes(), 4u);
  EXPECT_EQ(whole->global_shard_spec().global_size, 512u);
  config.shard_shape = {0, 16};
  const auto replicated = mesh::MeshBuffer::create(config, {.page_size = 64}, &unit());
  EXPECT_EQ(replicated->replicated_dims(), std::pair(true, false));
  EXPECT_EQ(replicated->physical_shard_shape(), Shape2D(8, 16));
  config.shard_shape = {4, 16};
  expect_throws([&] { mesh::MeshBuffer::create(config, {.page_size = 64}, &unit()); },
                "A matrix of 8x16 in shards of 4x16 has more shards than");
  config = {.global_size = 500, .global_buffer_shape = {8, 16}, .shard_shape = {8, 16}};
  expect_throws([&] { mesh::MeshBuffer::create(config, {.page_size = 4}, &unit()); },
                "500 B cannot hold 8x16 elements");
}

TEST_F(MeshApiTest, AnAccessorFindsThePageOfASingleBankWhereAnInterleavedOneLies) {
  const auto page_in = [&](TensorMemoryLayout layout) {
    return Buffer::create(&unit(), 64, 64, BufferType::DRAM, layout);
  };
  EXPECT_EQ(TensorAccessorArgs(page_in(TensorMemoryLayout::SINGLE_BANK)).get_compile_time_args(),
            TensorAccessorArgs(page_in(TensorMemoryLayout::INTERLEAVED)).get_compile_time_args());
}

TEST_F(MeshApiTest, AnAccessorsArgumentsAreThoseOfTheDevicesBuffer) {
  const auto made = buffer();
  const auto words = TensorAccessorArgs(*made->get_reference_buffer()).get_compile_time_args();
  EXPECT_EQ(TensorAccessorArgs(*made).get_compile_time_args(), words);
  EXPECT_EQ(TensorAccessorArgs(made).get_compile_time_args(), words);
  EXPECT_EQ(TensorAccessorArgs(made.get()).get_compile_time_args(), words);
  expect_throws([] { TensorAccessorArgs(std::shared_ptr<mesh::MeshBuffer>()); }, "null");
}

// ---- Transfers ----

TEST_F(MeshApiTest, WholeBuffersAreWrittenAndRead) {
  auto made = buffer();
  const std::vector<uint32_t> values = counting(64);
  mesh::EnqueueWriteMeshBuffer(queue(), made, values);
  std::vector<uint32_t> read;
  mesh::EnqueueReadMeshBuffer(queue(), read, made);
  EXPECT_EQ(read, values);
  std::vector<uint16_t> halves(1000);
  mesh::EnqueueReadMeshBuffer(queue(), halves, made, true);
  EXPECT_THAT(halves, SizeIs(128)) << "a vector becomes as large as the buffer";

  std::vector<uint32_t> doubled = values;
  for (uint32_t& value : doubled) value *= 2;
  queue().enqueue_write_mesh_buffer(made, doubled.data(), false);
  queue().enqueue_read_mesh_buffer(read.data(), made, true);
  EXPECT_EQ(read, doubled);
}

TEST_F(MeshApiTest, AWholeReadThatDoesNotBlockIsRefused) {
  auto made = buffer();
  std::vector<uint32_t> read;
  expect_throws([&] { mesh::EnqueueReadMeshBuffer(queue(), read, made, false); },
                "enqueue_read_shards");
  EXPECT_THAT(read, IsEmpty());
  expect_throws([&] { queue().enqueue_read_mesh_buffer(nullptr, made, false); },
                "enqueue_read_shards");
}

TEST_F(MeshApiTest, ShardsAreWrittenAndRead) {
  const auto made = buffer();
  const std::vector<uint32_t> values = counting(64);
  mesh::WriteShard(queue(), made, values, MeshCoordinate(0, 0));
  std::vector<uint32_t> read;
  mesh::ReadShard(queue(), read, made, MeshCoordinate(0, 0));
  EXPECT_EQ(read, values);
  expect_throws([&] { mesh::WriteShard(queue(), made, values, MeshCoordinate(0, 1)); },
                "outside of a mesh");
  expect_throws([&] { mesh::ReadShard(queue(), read, made, MeshCoordinate(0, 1)); },
                "outside of a mesh");
  const std::shared_ptr<mesh::MeshBuffer> none;
  expect_throws([&] { mesh::WriteShard(queue(), none, values, MeshCoordinate(0, 0)); },
                "The mesh buffer is a null pointer");
}

TEST_F(MeshApiTest, RegionsOfShardsAreWrittenAndRead) {
  const auto made = buffer();
  const MeshCoordinate only(0, 0);
  std::vector<uint32_t> zeros(64), page = counting(16, 100), read(32, 1);
  queue().enqueue_write_shards(made, {{.shard_coord = only, .host_data = zeros.data()}}, false);
  queue().enqueue_write_shards(
      made, {{.shard_coord = only, .host_data = page.data(), .region = BufferRegion(64, 64)}},
      false);
  queue().enqueue_read_shards(
      {{.shard_coord = only, .host_data = read.data(), .region = BufferRegion(0, 128)}}, made,
      true);
  std::vector<uint32_t> expected(16);
  expected.insert(expected.end(), page.begin(), page.end());
  EXPECT_EQ(read, expected);

  queue().enqueue_write_shard_to_sub_grid(*made, page.data(), MeshCoordinateRange(only), true,
                                          BufferRegion(0, 64));
  queue().enqueue_read_shards(
      {{.shard_coord = only, .host_data = read.data(), .region = BufferRegion(0, 64)}}, made, true);
  EXPECT_EQ(read.front(), 100u);
  expect_throws(
      [&] {
        queue().enqueue_write_shard_to_sub_grid(*made, page.data(),
                                                MeshCoordinateRange(MeshShape(1, 2)), true);
      },
      "does not fit a mesh of MeshShape(1, 1)");
}

// Whether calls wait when they are not told: writes do not, reads do.
TEST_F(MeshApiTest, WritesDoNotBlockUnlessTheyAreTold) {
  auto made = buffer();
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(queue(0).device_queue(), gate);
  mesh::EnqueueWriteMeshBuffer(queue(), made, counting(64));
  mesh::WriteShard(queue(), made, counting(64, 5), MeshCoordinate(0, 0));
  EnqueueRecordEvent(queue(1).device_queue(), gate);
  std::vector<uint32_t> read;
  mesh::ReadShard(queue(), read, made, MeshCoordinate(0, 0));
  EXPECT_EQ(read, counting(64, 5));
}

// ---- Workloads ----

TEST_F(MeshApiTest, AWorkloadTakesTheProgramAndLaunchesIt) {
  auto launched = workload();
  EXPECT_THAT(launched.get_programs(), SizeIs(1));
  mesh::EnqueueMeshWorkload(queue(), launched, false);
  mesh::Finish(queue());
  EXPECT_THAT(watched().args(), ElementsAre(7));
}

TEST_F(MeshApiTest, ArgumentsChangeBetweenLaunches) {
  auto launched = workload();
  mesh::EnqueueMeshWorkload(queue(), launched, false);
  for (auto& [range, program] : launched.get_programs()) {
    SetRuntimeArgs(program, kernel_, kCore, {8});
  }
  mesh::EnqueueMeshWorkload(queue(), launched, false);
  Program& program = launched.get_programs().begin()->second;
  GetRuntimeArgs(program, kernel_, kCore)[0] = 9;
  mesh::EnqueueMeshWorkload(queue(), launched, true);
  ASSERT_THAT(watched().launches(), SizeIs(3));
  EXPECT_THAT(watched().args(0), ElementsAre(7));
  EXPECT_THAT(watched().args(1), ElementsAre(8));
  EXPECT_THAT(watched().args(2), ElementsAre(9));
}

TEST_F(MeshApiTest, TheNamesOf2025MakeTheSameWorkload) {
  mesh::MeshWorkload launched = mesh::CreateMeshWorkload();
  Program program = CreateProgram();
  add_kernel(program, kCore);
  mesh::AddProgramToMeshWorkload(launched, std::move(program), MeshCoordinateRange(unit().shape()));
  mesh::EnqueueMeshWorkload(queue(), launched, true);
  EXPECT_THAT(watched().launches(), SizeIs(1));
}

TEST_F(MeshApiTest, AWorkloadMayGoWhileItIsInAQueue) {
  {
    auto launched = workload();
    mesh::EnqueueMeshWorkload(queue(), launched, false);
  }
  mesh::Synchronize(mesh_.get(), std::nullopt);
  EXPECT_THAT(watched().args(), ElementsAre(7));
}

TEST_F(MeshApiTest, WorkloadsThatDoNotFitAreRefused) {
  mesh::MeshWorkload empty;
  expect_throws([&] { mesh::EnqueueMeshWorkload(queue(), empty, false); }, "without programs");
  auto full = workload();
  expect_throws([&] { full.add_program(MeshCoordinateRange(MeshShape(1, 2)), Program()); },
                "cannot be added");
  EXPECT_THAT(full.get_programs(), SizeIs(1));
  full.add_program(MeshCoordinateRange(MeshCoordinate(0, 1)), Program());
  expect_throws([&] { mesh::EnqueueMeshWorkload(queue(), full, false); },
                "A program for MeshCoordinateRange(MeshCoordinate(0, 1), MeshCoordinate(0, 1)) "
                "does not fit a mesh of MeshShape(1, 1)");
  EXPECT_THAT(watched().launches(), IsEmpty());
}

// ---- Events, traces, threads ----

TEST_F(MeshApiTest, AnEventHoldsBackAnotherQueue) {
  auto made = buffer();
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(queue(0).device_queue(), gate);
  mesh::EnqueueWriteMeshBuffer(queue(0), made, counting(64, 1));
  const mesh::MeshEvent written = mesh::EnqueueRecordEvent(queue(0));
  EXPECT_EQ(written.device(), mesh_.get());
  EXPECT_EQ(written.mesh_cq_id(), 0u);
  EXPECT_EQ(written.device_range(), MeshCoordinateRange(MeshShape(1, 1)));
  mesh::EnqueueWaitForEvent(queue(1), written);
  mesh::EnqueueWriteMeshBuffer(queue(1), made, counting(64, 2));
  const mesh::MeshEvent last = mesh::EnqueueRecordEventToHost(queue(1));
  EXPECT_FALSE(mesh::EventQuery(written));
  EXPECT_FALSE(mesh::EventQuery(last));
  const auto other = mesh::MeshDevice::create_unit_mesh(1);
  EnqueueRecordEvent(other->command_queue(), gate);
  mesh::EventSynchronize(last);
  EXPECT_TRUE(mesh::EventQuery(written));
  std::vector<uint32_t> read;
  mesh::EnqueueReadMeshBuffer(queue(0), read, made);
  EXPECT_EQ(read, counting(64, 2));
  expect_throws(
      [&] { mesh::EnqueueRecordEvent(queue(), {}, MeshCoordinateRange(MeshShape(2, 1))); },
      "An event", "does not fit");
}

TEST_F(MeshApiTest, ATraceKeepsTheArgumentsOfItsCapture) {
  auto launched = workload();
  mesh::EnqueueMeshWorkload(queue(), launched, true);
  watched().forget_launches();
  const mesh::MeshTraceId id = mesh::BeginTraceCapture(mesh_.get(), 0);
  EXPECT_EQ(queue().trace_id(), id);
  mesh::EnqueueMeshWorkload(queue(), launched, false);
  unit().end_mesh_trace(0, id);
  EXPECT_EQ(queue().trace_id(), std::nullopt);
  SetRuntimeArgs(launched.get_programs().begin()->second, kernel_, kCore, {99});
  unit().replay_mesh_trace(0, id, false);
  mesh::ReplayTrace(mesh_.get(), 0, id, false);
  queue().enqueue_trace(id, true);
  ASSERT_THAT(watched().launches(), SizeIs(3));
  EXPECT_THAT(watched().args(2), ElementsAre(7));
  unit().release_mesh_trace(id);
  expect_throws([&] { unit().replay_mesh_trace(0, id, true); }, "Trace");
}

TEST_F(MeshApiTest, ATraceMayHaveAnIdOfTheProgramsOwn) {
  auto launched = workload();
  const mesh::MeshTraceId id(4711);
  unit().begin_mesh_trace(0, id);
  mesh::EnqueueMeshWorkload(queue(), launched, false);
  mesh::EndTraceCapture(mesh_.get(), 0, id);
  unit().replay_mesh_trace(0, id, true);
  EXPECT_THAT(watched().launches(), SizeIs(1));
  mesh::ReleaseTrace(mesh_.get(), id);
}

TEST_F(MeshApiTest, ThreadsShareAQueue) {
  mesh::MeshCommandQueue& shared = queue();
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, mine = buffer(), first = i * 1000] {
      for (uint32_t round = 0; round < 20; ++round) {
        std::vector<uint32_t> read;
        mesh::EnqueueWriteMeshBuffer(shared, mine, counting(64, first + round));
        mesh::EnqueueReadMeshBuffer(shared, read, mine);
        EXPECT_EQ(read, counting(64, first + round));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(mesh::UsingDistributedEnvironment());
}

}  // namespace
}  // namespace tt::tt_metal::testing
