// Meshes of several devices: devices and submeshes, buffers, transfers, workloads, events, traces.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <tt-metalium/system_mesh.hpp>
#include <tuple>

#include "absl/synchronization/barrier.h"
#include "tests/support/api_test_kit.h"
#include "tests/support/process.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;
using mesh::MeshCoordinate;
using mesh::MeshCoordinateRange;
using mesh::MeshShape;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr CoreCoord kWorker{0, 0};

class MeshOfDevicesTest : public WatchedTest {
 protected:
  // 2x4 devices with two queues each.
  mesh::MeshDevice& all() {
    if (mesh_ == nullptr) {
      mesh_ = mesh::MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(2, 4)), 0, 0, 2);
    }
    return *mesh_;
  }
  mesh::MeshCommandQueue& queue(uint8_t id = 0) { return all().mesh_command_queue(id); }

  std::shared_ptr<mesh::MeshBuffer> buffer(
      const mesh::MeshBufferConfig& config = mesh::ReplicatedBufferConfig{.size = 64},
      DeviceAddr page_size = 64) {
    return mesh::MeshBuffer::create(config, {.page_size = page_size}, &all());
  }
  std::vector<uint32_t> shard(const std::shared_ptr<mesh::MeshBuffer>& from,
                              const MeshCoordinate& coord) {
    std::vector<uint32_t> words;
    mesh::ReadShard(queue(), words, from, coord);
    return words;
  }

  // A program that has `argument` on its only core.
  Program program(uint32_t argument) {
    Program made = CreateProgram();
    kernel_ = add_kernel(made, kWorker);
    SetRuntimeArgs(made, kernel_, kWorker, {argument});
    return made;
  }
  mesh::MeshWorkload workload(uint32_t argument) {
    mesh::MeshWorkload made;
    made.add_program(MeshCoordinateRange(all().shape()), program(argument));
    return made;
  }
  // The argument with which each chip has launched, by chip.
  std::multimap<int, uint32_t> launched() {
    std::multimap<int, uint32_t> arguments;
    const auto launches = watched().launches();
    for (size_t i = 0; i < launches.size(); ++i) {
      arguments.emplace(launches[i].chip, watched().args(i).at(0));
    }
    return arguments;
  }

  std::shared_ptr<mesh::MeshDevice> mesh_;
  KernelHandle kernel_ = 0;
};

std::vector<int> ids_of(const std::vector<IDevice*>& devices) {
  std::vector<int> ids;
  for (const IDevice* device : devices) ids.push_back(device->id());
  return ids;
}

// ---- Devices ----

TEST_F(MeshOfDevicesTest, DevicesLieInRowMajorOrder) {
  EXPECT_EQ(all().shape(), MeshShape(2, 4));
  EXPECT_EQ(all().num_devices(), 8u);
  EXPECT_EQ(all().num_rows(), 2u);
  EXPECT_EQ(all().num_cols(), 4u);
  EXPECT_THAT(all().get_device_ids(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(all().get_device(MeshCoordinate(1, 2))->id(), 6);
  EXPECT_EQ(all().get_device(0, 3)->id(), 3);
  EXPECT_EQ(all().get_device(5)->id(), 5);
  EXPECT_TRUE(all().is_parent_mesh());
  EXPECT_EQ(all().get_parent_mesh(), nullptr);
  EXPECT_EQ(all().num_hw_cqs(), 2);
  EXPECT_EQ(all().to_string(), "MeshDevice(MeshShape(2, 4), devices 0, 1, 2, 3, 4, 5, 6, 7)");
  EXPECT_GE(all().id(), 8) << "no device has that id";
  EXPECT_EQ(all().compute_with_storage_grid_size(),
            all().get_device(0, 0)->compute_with_storage_grid_size());
  expect_throws([&] { all().get_device(MeshCoordinate(2, 0)); }, "outside of a mesh");
  EXPECT_EQ(all().get_view().get_device(MeshCoordinate(1, 2))->id(), 6);
  EXPECT_EQ(all().get_view().get_device(MeshCoordinate(2, 0)), nullptr);
  EXPECT_EQ(all().get_view().get_device(MeshCoordinate(1, 2, 0)), nullptr);
  expect_throws([&] { all().get_device(8); }, "Device 8 is not in the mesh");
}

TEST_F(MeshOfDevicesTest, AMeshAnswersForItsDevices) {
  IDevice& device = all();
  EXPECT_EQ(device.get_mesh_device(), mesh_);
  EXPECT_EQ(all().get_device(5)->get_mesh_device().get(), all().get_device(5));
  const auto workers = all().get_device(5)->get_optimal_dram_bank_to_logical_worker_assignment();
  EXPECT_EQ(all().get_optimal_dram_bank_to_logical_worker_assignment(NOC::NOC_1), workers);
  EXPECT_EQ(
      all().get_optimal_dram_bank_to_logical_worker_assignment(NOC::NOC_0, MeshCoordinate(1, 1)),
      workers);
  expect_throws(
      [&] {
        all().get_optimal_dram_bank_to_logical_worker_assignment(NOC::NOC_0, MeshCoordinate(2, 0));
      },
      "outside of a mesh");
  const CoreCoord core(1, 1);
  EXPECT_EQ(all().logical_core_from_worker_core(all().worker_core_from_logical_core(core)), core);
}

TEST_F(MeshOfDevicesTest, AViewKnowsTheNamesOfDevicesInTheFabric) {
  using tt_fabric::FabricNodeId;
  const mesh::MeshDeviceView view = all().get_view();
  const auto node = [&](uint32_t chip) { return FabricNodeId(view.mesh_id(), chip); };
  EXPECT_EQ(view.get_fabric_node_id(MeshCoordinate(1, 2)), node(6));
  EXPECT_THAT(view.get_fabric_node_ids(), SizeIs(8));
  EXPECT_THAT(view.get_fabric_node_ids_on_column(2), ElementsAre(node(2), node(6)));
  EXPECT_EQ(mesh::SystemMesh::instance().get_mapped_devices(MeshShape(2, 4)).fabric_node_ids,
            view.get_fabric_node_ids());
  const mesh::MeshDeviceView line(MeshShape(8), view.get_devices(), view.get_fabric_node_ids());
  EXPECT_EQ(line.get_fabric_node_id(MeshCoordinate(7)), node(7));
  expect_throws([&] { (void)line.get_fabric_node_ids_on_row(0); }, "no rows and columns");
  expect_throws(
      [&] {
        mesh::MeshDeviceView(MeshShape(8), view.get_devices(), {8, node(0)});
      },
      "other names");
}

TEST_F(MeshOfDevicesTest, AViewFindsDevicesByRowsColumnsLinesAndRings) {
  const mesh::MeshDeviceView view = all().get_view();
  EXPECT_THAT(ids_of(view.get_devices_on_row(1)), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(ids_of(view.get_devices_on_column(2)), ElementsAre(2, 6));
  std::vector<IDevice*> devices;
  for (const auto device : view) devices.push_back(*device);
  EXPECT_EQ(devices, view.get_devices());
  EXPECT_THAT(view.get_row_views(), SizeIs(2));
  EXPECT_THAT(view.get_column_views(), SizeIs(4));
  EXPECT_THAT(ids_of(view.get_devices({MeshCoordinate(0, 1), MeshCoordinate(1, 2)})),
              ElementsAre(1, 2, 5, 6));
  EXPECT_EQ(view.find_device(6), MeshCoordinate(1, 2));
  EXPECT_EQ(view.find_device_id(MeshCoordinate(1, 2)), 6);
  EXPECT_TRUE(view.contains(MeshCoordinate(1, 3)));
  EXPECT_FALSE(view.contains(MeshCoordinate(0, 4)));
  EXPECT_FALSE(view.contains(MeshCoordinate(0)));
  EXPECT_THAT(ids_of(view.get_line_devices()), ElementsAre(0, 1, 2, 3, 7, 6, 5, 4));
  EXPECT_THAT(ids_of(view.get_ring_devices()), ElementsAre(0, 1, 2, 3, 7, 6, 5, 4));
  EXPECT_THAT(mesh::MeshDeviceView::get_line_coordinates(4, {2, 4}, {0, 2}),
              ElementsAre(MeshCoordinate(0, 2), MeshCoordinate(0, 3), MeshCoordinate(1, 3),
                          MeshCoordinate(1, 2)));
  EXPECT_THAT(mesh::MeshDeviceView::get_ring_coordinates({3, 3}, {3, 4}), SizeIs(8));
  EXPECT_THAT(mesh::MeshDeviceView::get_ring_coordinates({1, 3}, {3, 4}), SizeIs(3));
  expect_throws([&] { std::ignore = view.get_devices_on_row(2); }, "outside of a mesh");
  expect_throws(
      [] {
        std::ignore = mesh::MeshDeviceView::get_line_coordinates(7, {2, 4}, {0, 2});
      },
      "A line of 7 devices does not fit a mesh of 2x4 from (0, 2) on");
  expect_throws(
      [] {
        std::ignore = mesh::MeshDeviceView::get_ring_coordinates({3, 3}, {2, 4});
      },
      "A ring of 3x3 devices does not fit");
}

TEST_F(MeshOfDevicesTest, PlacesBeyondTheMeshAreRefused) {
  expect_throws([&] { all().get_device(size_t{1} << 32, 1); }, "outside of a mesh");
  expect_throws(
      [] {
        std::ignore = mesh::MeshDeviceView::get_line_coordinates(2, {2, 4}, {0, 4});
      },
      "does not fit a mesh of 2x4 from (0, 4) on");
}

bool are_neighbours(const MeshCoordinate& a, const MeshCoordinate& b) {
  const auto distance = [&](int32_t dim) {
    return std::abs(static_cast<int32_t>(a[dim]) - static_cast<int32_t>(b[dim]));
  };
  return distance(0) + distance(1) == 1;
}

// The longest line from every device of a mesh of four rows.
TEST(MeshDeviceView, ALineGoesFromNeighbourToNeighbourAndMeetsNoDeviceTwice) {
  const Shape2D shape(4, 3);
  for (size_t first = 0; first < 12; ++first) {
    const Shape2D from(first / 3, first % 3);
    const size_t longest = 12 - first;
    const auto line = mesh::MeshDeviceView::get_line_coordinates(longest, shape, from);
    EXPECT_EQ(line.front(), MeshCoordinate(first / 3, first % 3));
    EXPECT_THAT(std::set(line.begin(), line.end()), SizeIs(longest)) << first;
    EXPECT_EQ(std::ranges::adjacent_find(line, std::not_fn(are_neighbours)), line.end()) << first;
    expect_throws(
        [&] { std::ignore = mesh::MeshDeviceView::get_line_coordinates(longest + 1, shape, from); },
        "does not fit a mesh of 4x3");
  }
}

TEST(MeshDeviceView, ARingGoesFromNeighbourToNeighbourAndEndsBesideItsBeginning) {
  for (size_t rows = 2; rows <= 4; ++rows) {
    for (size_t columns = 2; columns <= 4; ++columns) {
      auto ring = mesh::MeshDeviceView::get_ring_coordinates({rows, columns}, {4, 4});
      EXPECT_THAT(ring, SizeIs(2 * (rows + columns) - 4));
      EXPECT_EQ(ring.front(), MeshCoordinate(0, 0));
      EXPECT_THAT(std::set(ring.begin(), ring.end()), SizeIs(ring.size()));
      ring.push_back(ring.front());
      EXPECT_EQ(std::ranges::adjacent_find(ring, std::not_fn(are_neighbours)), ring.end())
          << rows << "x" << columns;
    }
  }
}

// Run by the test below, in a process for each number of devices.
TEST(SystemMeshChild, DISABLED_PrintsItsShape) {
  std::cout << mesh::SystemMesh::instance().shape() << std::endl;
}

TEST(SystemMesh, HasAsManyColumnsAsRowsOrAsFewMoreAsPossible) {
  const std::map<std::string, std::string> shapes = {
      {"1", "(1, 1)"}, {"2", "(1, 2)"}, {"4", "(2, 2)"}, {"6", "(2, 3)"}, {"7", "(1, 7)"}};
  for (const auto& [devices, shape] : shapes) {
    const auto child = lightmetal::testing::run_process(
        {"/proc/self/exe", "--gtest_filter=SystemMeshChild.*", "--gtest_also_run_disabled_tests"},
        {.environment = {{"LIGHTMETAL_NUM_DEVICES", devices}}});
    EXPECT_THAT(child.output, ::testing::HasSubstr("MeshShape" + shape)) << devices;
  }
}

TEST_F(MeshOfDevicesTest, AConfigurationChoosesTheDevices) {
  const auto ids = [](const mesh::MeshDeviceConfig& config) {
    return mesh::MeshDevice::create(config)->get_device_ids();
  };
  EXPECT_EQ(mesh::SystemMesh::instance().shape(), MeshShape(2, 4));
  EXPECT_THAT(ids({MeshShape(2, 2), MeshCoordinate(0, 2)}), ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(ids({MeshShape(1, 4), MeshCoordinate(1, 0)}), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(ids({std::nullopt}), SizeIs(8));
  EXPECT_THAT(ids({MeshShape(8, 1)}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << "neighbours or not";
  EXPECT_THAT(ids({MeshShape(1, 3), std::nullopt, {5, 1, 7}}), ElementsAre(5, 1, 7));
  EXPECT_THAT(ids({std::nullopt, std::nullopt, {2, 3}}), ElementsAre(2, 3));
  expect_throws([&] { ids({MeshShape(3, 3)}); }, "does not fit the devices that there are");
  expect_throws([&] { ids({MeshShape(2, 2), MeshCoordinate(0, 3)}); }, "does not fit");
  expect_throws([&] { ids({MeshShape(2, 2), std::nullopt, {0, 1}}); }, "4 devices", "2 ids");
  expect_throws([&] { ids({MeshShape(1, 2), std::nullopt, {1, 1}}); }, "a device id twice");
  EXPECT_EQ(watched().living_devices, 0);
}

TEST_F(MeshOfDevicesTest, AllDevicesAreOpenedOrNone) {
  const auto taken = mesh::MeshDevice::create_unit_mesh(5, 0, 0, 2);
  expect_throws([] { mesh::MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(2, 4))); },
                "Device 5 is open already");
  EXPECT_EQ(watched().living_devices, 1);
}

TEST_F(MeshOfDevicesTest, TheLastOwnerClosesAllDevices) {
  all();
  EXPECT_EQ(watched().living_devices, 8);
  const auto of_one = mesh::MeshDevice::create_unit_mesh(2, 0, 0, 2);
  EXPECT_EQ(of_one.get(), all().get_device(2)) << "owners of one device share it";
  mesh_.reset();
  EXPECT_EQ(watched().living_devices, 1);
  EXPECT_TRUE(of_one->is_initialized());
}

TEST_F(MeshOfDevicesTest, AClosedMeshRefusesCalls) {
  EXPECT_TRUE(all().close());
  EXPECT_FALSE(all().close());
  EXPECT_FALSE(all().is_initialized());
  EXPECT_EQ(watched().living_devices, 0);
  expect_throws([&] { all().mesh_command_queue(); }, "has been closed");
  expect_throws([&] { buffer(); }, "has been closed");
}

TEST_F(MeshOfDevicesTest, AMeshOfSeveralDevicesIsNoDevice) {
  const std::string which = "is no single device, which this call takes: get_device(coordinate)";
  expect_throws(
      [&] {
        CreateBuffer(InterleavedBufferConfig{
            .device = &all(), .size = 64, .page_size = 64, .buffer_type = BufferType::DRAM});
      },
      which);
  expect_throws([&] { all().command_queue(); }, which);
  expect_throws([&] { Synchronize(static_cast<IDevice*>(mesh_.get())); }, which);
  expect_throws([&] { queue().device_queue(); }, which);
  EXPECT_EQ(watched().living_devices, 8);
}

// ---- Submeshes ----

TEST_F(MeshOfDevicesTest, ASubmeshHasDevicesOfItsParent) {
  const auto right = all().create_submesh(MeshShape(2, 2), MeshCoordinate(0, 2));
  EXPECT_THAT(right->get_device_ids(), ElementsAre(2, 3, 6, 7));
  EXPECT_EQ(right->get_parent_mesh(), mesh_);
  EXPECT_FALSE(right->is_parent_mesh());
  EXPECT_THAT(all().create_submesh(MeshShape(1, 2))->get_device_ids(), ElementsAre(0, 1));
  EXPECT_THAT(all().get_submeshes(), ElementsAre(right)) << "the other one is gone";
  const auto rows = all().create_submeshes(MeshShape(1, 4));
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[1]->get_device_ids(), ElementsAre(4, 5, 6, 7));
  expect_throws([&] { all().create_submesh(MeshShape(2, 2), MeshCoordinate(0, 3)); }, "outside");
  expect_throws([&] { all().create_submesh(MeshShape(2)); }, "other dimensions");
  expect_throws([&] { all().create_submeshes(MeshShape(2, 3)); }, "do not divide");
}

TEST_F(MeshOfDevicesTest, ASubmeshKeepsItsParentOpen) {
  auto submesh = all().create_submesh(MeshShape(1, 2));
  mesh_.reset();
  EXPECT_EQ(watched().living_devices, 8);
  EXPECT_TRUE(submesh->close());
  EXPECT_FALSE(submesh->is_initialized());
  expect_throws([&] { submesh->mesh_command_queue(); }, "has been closed");
  EXPECT_EQ(watched().living_devices, 8) << "its devices are the parent's";
  submesh.reset();
  EXPECT_EQ(watched().living_devices, 0);
}

TEST_F(MeshOfDevicesTest, AMeshAndItsSubmeshUseTheSameQueuesAndMemory) {
  const auto row = all().create_submesh(MeshShape(1, 4), MeshCoordinate(1, 0));
  auto of_row = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                         {.page_size = 64}, row.get());
  auto of_all = buffer();
  EXPECT_NE(of_row->address(), of_all->address());
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(all().get_device(1, 0)->command_queue(), gate);
  mesh::EnqueueWriteMeshBuffer(queue(), of_all, counting(16, 1));
  mesh::EnqueueWriteMeshBuffer(row->mesh_command_queue(), of_row, counting(16, 2));
  EnqueueRecordEvent(all().get_device(0, 0)->command_queue(1), gate);
  all().quiesce_devices();
  EXPECT_EQ(shard(of_all, MeshCoordinate(1, 0)), counting(16, 1));
  std::vector<uint32_t> read;
  mesh::ReadShard(row->mesh_command_queue(), read, of_row, MeshCoordinate(0, 0));
  EXPECT_EQ(read, counting(16, 2));
  expect_throws(
      [&] { mesh::ReadShard(row->mesh_command_queue(), read, of_all, MeshCoordinate(0, 1)); },
      "A buffer on device 1 is used in a queue of MeshDevice(MeshShape(1, 4)");
}

TEST_F(MeshOfDevicesTest, ASubmeshOfOneDeviceIsThatDevice) {
  const auto one = all().create_submesh(MeshShape(1, 1), MeshCoordinate(1, 1));
  IDevice* const device = all().get_device(5);
  const auto classic = CreateBuffer(InterleavedBufferConfig{
      .device = one.get(), .size = 64, .page_size = 64, .buffer_type = BufferType::DRAM});
  EXPECT_EQ(classic->device(), device);
  EXPECT_EQ(&one->command_queue(), &device->command_queue());
  std::vector<uint32_t> read;
  EnqueueWriteBuffer(one->command_queue(), classic, counting(16, 3), false);
  EnqueueReadBuffer(one->command_queue(), classic, read, true);
  EXPECT_EQ(read, counting(16, 3));
}

TEST_F(MeshOfDevicesTest, AReshapedMeshHasTheSameDevicesInTheSameOrder) {
  const auto before = buffer();
  all().reshape(MeshShape(4, 2));
  EXPECT_EQ(all().num_cols(), 2u);
  EXPECT_EQ(all().get_device(MeshCoordinate(2, 1))->id(), 5);
  all().reshape(MeshShape(8));
  EXPECT_EQ(all().get_device(MeshCoordinate(7))->id(), 7);
  EXPECT_EQ(before->get_device_buffer(MeshCoordinate(1, 3))->device()->id(), 7);
  expect_throws([&] { all().num_rows(); }, "no rows and columns");
  expect_throws([&] { all().reshape(MeshShape(2, 2)); }, "8 devices are not 4");
}

// ---- Buffers ----

TEST_F(MeshOfDevicesTest, ABufferLiesAtOneAddressOfAllDevices) {
  auto made = buffer();
  std::set<IDevice*> devices;
  for (const MeshCoordinate& coord : MeshCoordinateRange(all().shape())) {
    Buffer* part = made->get_device_buffer(coord);
    EXPECT_EQ(part->address(), made->address());
    EXPECT_EQ(part->device(), all().get_device(coord));
    devices.insert(part->device());
  }
  EXPECT_THAT(devices, SizeIs(8));
  EXPECT_EQ(made->size(), 64u);
  EXPECT_EQ(made->get_backing_buffer(), made->get_reference_buffer());
  expect_throws([&] { made->get_device_buffer(MeshCoordinate(2, 0)); }, "outside of a mesh");
  const DeviceAddr address = made->address();
  made->deallocate();
  EXPECT_FALSE(made->is_allocated());
  EXPECT_FALSE(made->get_device_buffer(MeshCoordinate(1, 3))->is_allocated());
  EXPECT_EQ(buffer()->address(), address);
}

// In memory of each kind, from either end and from the end that is chosen for it.
TEST_F(MeshOfDevicesTest, ABufferIsWhereOneDeviceAloneWouldHaveIt) {
  mesh_ = mesh::MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(1, 2)), 4096, 4096);
  for (const BufferType type :
       {BufferType::DRAM, BufferType::L1, BufferType::L1_SMALL, BufferType::TRACE}) {
    for (const std::optional<bool> bottom_up : {std::optional<bool>(), {true}, {false}}) {
      const DeviceAddr alone =
          Buffer::create(all().get_device(0, 0), 64, 64, type, TensorMemoryLayout::INTERLEAVED,
                         std::nullopt, bottom_up)
              ->address();
      const auto made = mesh::MeshBuffer::create(
          mesh::ReplicatedBufferConfig{.size = 64},
          {.page_size = 64, .buffer_type = type, .bottom_up = bottom_up}, &all());
      EXPECT_EQ(made->address(), alone) << static_cast<int>(type);
    }
  }
}

TEST_F(MeshOfDevicesTest, AnAddressThatOneDeviceHasGivenIsGivenToNoMesh) {
  std::vector<std::shared_ptr<Buffer>> taken;
  const auto take = [&](int id) {
    taken.push_back(CreateBuffer(InterleavedBufferConfig{.device = all().get_device(id),
                                                         .size = 64,
                                                         .page_size = 64,
                                                         .buffer_type = BufferType::DRAM}));
    return taken.back()->address();
  };
  const DeviceAddr first = take(5);
  const auto made = buffer();
  EXPECT_GT(made->address(), first);
  take(2);
  EXPECT_EQ(taken.back()->address(), first) << "device 2 still has that address";
  const auto next = buffer();
  for (const auto& other : taken) EXPECT_NE(other->address(), next->address());
  EXPECT_NE(made->address(), next->address());
  // Fragments that differ from device to device.
  const DeviceAddr third = take(7);
  taken.erase(taken.begin());
  EXPECT_NE(buffer()->address(), third);
}

// The first of the units of 64 bytes where so many are free, by the buffers of all devices.
DeviceAddr first_free(const std::vector<std::shared_ptr<Buffer>>& buffers, DeviceAddr units,
                      DeviceAddr base) {
  std::set<DeviceAddr> taken;
  for (const auto& buffer : buffers) {
    for (DeviceAddr i = 0; i < buffer->size(); i += 64) taken.insert(buffer->address() + i);
  }
  DeviceAddr first = base;
  for (DeviceAddr unit = base; unit < first + units * 64; unit += 64) {
    if (taken.contains(unit)) first = unit + 64;
  }
  return first;
}

TEST_F(MeshOfDevicesTest, ABufferLiesAtTheFirstAddressThatIsFreeOnAllDevices) {
  mesh_ = mesh::MeshDevice::create(mesh::MeshDeviceConfig(MeshShape(1, 3)));
  const DeviceAddr base = all().allocator()->get_base_allocator_addr(HalMemType::DRAM);
  std::mt19937 random(1);
  std::vector<std::shared_ptr<Buffer>> living;
  for (int round = 0; round < 200; ++round) {
    const DeviceAddr units = 1 + random() % 4;
    living.push_back(CreateBuffer(
        InterleavedBufferConfig{.device = all().get_device(static_cast<int>(random() % 3)),
                                .size = units * 64,
                                .page_size = units * 64,
                                .buffer_type = BufferType::DRAM}));
    if (random() % 3 != 0) living.erase(living.begin() + random() % living.size());
    const auto made = buffer(mesh::ReplicatedBufferConfig{.size = units * 64}, units * 64);
    ASSERT_EQ(made->address(), first_free(living, units, base)) << "round " << round;
  }
}

TEST_F(MeshOfDevicesTest, ABufferThatDoesNotFitLeavesNothing) {
  const DeviceAddr bank = all().allocator()->get_bank_size(BufferType::DRAM);
  const auto most = CreateBuffer(InterleavedBufferConfig{
      .device = all().get_device(6),
      .size = (bank - 64) * all().allocator()->get_num_banks(BufferType::DRAM),
      .page_size = 64,
      .buffer_type = BufferType::DRAM});
  expect_throws([&] { buffer(mesh::ReplicatedBufferConfig{.size = 1 << 20}); }, "Out of Memory",
                "one address of 8 devices");
  EXPECT_EQ(all().allocator()->get_statistics(BufferType::DRAM).total_allocated_bytes, 0u);
}

TEST_F(MeshOfDevicesTest, ABufferAtAnAddressIsAView) {
  const auto owner = buffer();
  {
    const auto view = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                               {.page_size = 64}, &all(), owner->address());
    EXPECT_EQ(view->address(), owner->address());
    EXPECT_EQ(view->get_backing_buffer(), nullptr);
    mesh::WriteShard(queue(), view, counting(16, 9), MeshCoordinate(1, 1));
  }
  EXPECT_EQ(shard(owner, MeshCoordinate(1, 1)), counting(16, 9));
}

TEST_F(MeshOfDevicesTest, ABufferMoves) {
  auto made = buffer();
  const DeviceAddr address = made->address();
  mesh::MeshBuffer moved = std::move(*made);
  made.reset();
  EXPECT_TRUE(moved.is_allocated());
  EXPECT_EQ(moved.address(), address);
  moved = std::move(*buffer());
  EXPECT_EQ(buffer()->address(), address) << "the first memory is free";
}

TEST_F(MeshOfDevicesTest, AGlobalSemaphoreIsOneWordOnAllDevices) {
  const CoreRangeSet cores(CoreRange(kWorker, kWorker));
  const auto values = [&](DeviceAddr address) {
    std::vector<uint32_t> words;
    for (IDevice* device : all().get_devices()) {
      Finish(device->command_queue());
      std::vector<uint32_t> word;
      detail::ReadFromDeviceL1(device, kWorker, static_cast<uint32_t>(address), 4, word);
      words.push_back(word.at(0));
    }
    return words;
  };
  const auto taken = CreateGlobalSemaphore(all().get_device(3), cores, 1);
  auto semaphore = std::make_unique<GlobalSemaphore>(CreateGlobalSemaphore(all(), cores, 7));
  const DeviceAddr address = semaphore->address();
  EXPECT_NE(address, taken.address());
  EXPECT_THAT(values(address), Each(7u));
  semaphore->reset_semaphore_value(8);
  EXPECT_THAT(values(address), Each(8u));
  semaphore.reset();
  EXPECT_EQ(CreateGlobalSemaphore(all(), cores, 0).address(), address);
}

// ---- Transfers ----

TEST_F(MeshOfDevicesTest, AReplicatedBufferIsWrittenToAllDevices) {
  auto made = buffer();
  mesh::EnqueueWriteMeshBuffer(queue(), made, counting(16, 5), true);
  for (const MeshCoordinate& coord : MeshCoordinateRange(all().shape())) {
    EXPECT_EQ(shard(made, coord), counting(16, 5)) << coord;
  }
  std::vector<uint32_t> read;
  expect_throws([&] { mesh::EnqueueReadMeshBuffer(queue(), read, made); }, "ReadShard reads one");
}

// 4x16 words; the word in row r and column c is 100 * r + c.
std::vector<uint32_t> matrix() {
  std::vector<uint32_t> words;
  for (uint32_t row = 0; row < 4; ++row) {
    for (uint32_t column = 0; column < 16; ++column) words.push_back(100 * row + column);
  }
  return words;
}
mesh::ShardedBufferConfig matrix_in(const Shape2D& shard) {
  return {.global_size = 256, .global_buffer_shape = {4, 16}, .shard_shape = shard};
}

TEST_F(MeshOfDevicesTest, AMatrixIsDividedOverTheDevicesAndPutTogetherAgain) {
  auto made = buffer(matrix_in({2, 4}), 16);
  EXPECT_EQ(made->size(), 256u);
  EXPECT_EQ(made->device_local_size(), 32u);
  mesh::EnqueueWriteMeshBuffer(queue(), made, matrix());
  EXPECT_THAT(shard(made, MeshCoordinate(0, 0)), ElementsAre(0, 1, 2, 3, 100, 101, 102, 103));
  EXPECT_THAT(shard(made, MeshCoordinate(1, 2)),
              ElementsAre(208, 209, 210, 211, 308, 309, 310, 311));
  std::vector<uint32_t> read;
  mesh::EnqueueReadMeshBuffer(queue(), read, made);
  EXPECT_EQ(read, matrix());
  std::vector<uint32_t> raw(64);
  queue().enqueue_read_mesh_buffer(raw.data(), made, true);
  EXPECT_EQ(raw, matrix());
}

TEST_F(MeshOfDevicesTest, ShardsGoAlongTheColumnsOfTheMeshWhenTheyAreAsked) {
  mesh::ShardedBufferConfig config = matrix_in({2, 4});
  config.shard_orientation = ShardOrientation::COL_MAJOR;
  auto made = buffer(config, 16);
  mesh::EnqueueWriteMeshBuffer(queue(), made, matrix());
  // The shard with number 1 lies on the second device of the first column.
  EXPECT_THAT(shard(made, MeshCoordinate(1, 0)), ElementsAre(4, 5, 6, 7, 104, 105, 106, 107));
  EXPECT_THAT(shard(made, MeshCoordinate(0, 1)), ElementsAre(8, 9, 10, 11, 108, 109, 110, 111));
  std::vector<uint32_t> read;
  mesh::EnqueueReadMeshBuffer(queue(), read, made);
  EXPECT_EQ(read, matrix());
}

TEST_F(MeshOfDevicesTest, ADimensionIsReplicated) {
  auto columns = buffer(matrix_in({0, 4}), 16), rows = buffer(matrix_in({2, 0}), 64);
  auto whole = buffer(matrix_in({0, 0}), 64);
  for (auto* made : {&columns, &rows, &whole}) {
    mesh::EnqueueWriteMeshBuffer(queue(), *made, matrix());
  }
  EXPECT_EQ(columns->device_local_size(), 64u);
  EXPECT_EQ(rows->device_local_size(), 128u);
  for (uint32_t row = 0; row < 2; ++row) {
    for (uint32_t column = 0; column < 4; ++column) {
      const MeshCoordinate coord(row, column);
      EXPECT_EQ(shard(columns, coord).at(4), 100 + column * 4) << coord;
      EXPECT_EQ(shard(rows, coord).at(16), 100 + row * 200) << coord;
      EXPECT_EQ(shard(whole, coord), matrix()) << coord;
    }
  }
  std::vector<uint32_t> read;
  expect_throws([&] { mesh::EnqueueReadMeshBuffer(queue(), read, columns); }, "hold copies");
}

// Rows go to the rows of the mesh and columns to its columns, whatever the order of the shards.
TEST_F(MeshOfDevicesTest, AReplicatedDimensionKeepsItsPlaceInTheMeshForBothOrders) {
  mesh::ShardedBufferConfig of_rows = matrix_in({2, 0}), of_columns = matrix_in({0, 4});
  of_rows.shard_orientation = of_columns.shard_orientation = ShardOrientation::COL_MAJOR;
  auto rows = buffer(of_rows, 64), columns = buffer(of_columns, 16);
  mesh::EnqueueWriteMeshBuffer(queue(), rows, matrix());
  mesh::EnqueueWriteMeshBuffer(queue(), columns, matrix());
  for (const MeshCoordinate& coord : MeshCoordinateRange(all().shape())) {
    EXPECT_EQ(shard(rows, coord).at(16), 100 + coord[0] * 200) << coord;
    EXPECT_EQ(shard(columns, coord).at(4), 100 + coord[1] * 4) << coord;
  }
}

TEST_F(MeshOfDevicesTest, AMatrixWithMoreElementsThanCanBeCountedIsRefused) {
  EXPECT_THROW(buffer(mesh::ShardedBufferConfig{.global_size = 4,
                                                .global_buffer_shape = {(size_t{1} << 63) + 1, 2},
                                                .shard_shape = {0, 0}}),
               std::runtime_error);
  const mesh::ShardedBufferConfig huge{.global_size = 4,
                                       .global_buffer_shape = {(size_t{1} << 63) + 1, 2}};
  expect_throws([&] { huge.compute_datum_size_bytes(); }, "cannot hold");
}

TEST_F(MeshOfDevicesTest, AMatrixThatDoesNotFitTheMeshIsRefused) {
  expect_throws([&] { buffer(matrix_in({1, 4}), 16); }, "has more shards than a mesh of");
  expect_throws([&] { buffer(matrix_in({3, 4}), 16); }, "Shards of 3x4 do not divide");
  expect_throws([&] { buffer(matrix_in({0, 2}), 16); }, "has more shards than a mesh of");
  EXPECT_NO_THROW(buffer(matrix_in({4, 8}), 16)) << "six devices have no shard";
}

TEST_F(MeshOfDevicesTest, ShardsAndRegionsAreWrittenAndReadOneByOne) {
  auto made = buffer(mesh::ReplicatedBufferConfig{.size = 128});
  const MeshCoordinate here(0, 1), there(1, 3);
  std::vector<uint32_t> ones(32, 1), twos(16, 2), read(32), part(16);
  queue().enqueue_write_shards(made,
                               {mesh::ShardDataTransfer(here).host_data(ones.data()),
                                mesh::ShardDataTransfer(there).host_data(ones.data())},
                               false);
  queue().enqueue_write_shards(
      made, {mesh::ShardDataTransfer(there).host_data(twos.data()).region(BufferRegion(64, 64))},
      true);
  queue().enqueue_read_shards(
      {mesh::ShardDataTransfer(here).host_data(read.data()),
       mesh::ShardDataTransfer(there).host_data(part.data()).region(BufferRegion(64, 64))},
      made, false);
  mesh::Finish(queue());
  EXPECT_THAT(read, Each(1u));
  EXPECT_THAT(part, Each(2u));
  queue().enqueue_write_shard_to_sub_grid(
      *made, twos.data(), MeshCoordinateRange(MeshCoordinate(0, 2), MeshCoordinate(1, 3)), false,
      BufferRegion(0, 64));
  EXPECT_EQ(shard(made, MeshCoordinate(1, 2)).front(), 2u);
  EXPECT_EQ(shard(made, here).front(), 1u);
}

TEST_F(MeshOfDevicesTest, ACallMayNameADeviceTwice) {
  auto made = buffer(mesh::ReplicatedBufferConfig{.size = 128});
  const MeshCoordinate here(0, 1), there(1, 3);
  std::vector<uint32_t> ones = counting(16, 1), hundreds = counting(16, 101);
  const auto page = [](const MeshCoordinate& coord, std::vector<uint32_t>& words, size_t number) {
    mesh::ShardDataTransfer transfer(coord);
    return transfer.host_data(words.data()).region(BufferRegion(number * 64, 64));
  };
  queue().enqueue_write_shards(
      made, {page(here, ones, 0), page(there, ones, 0), page(here, hundreds, 1)}, true);
  std::vector<uint32_t> expected = ones;
  expected.insert(expected.end(), hundreds.begin(), hundreds.end());
  EXPECT_EQ(shard(made, here), expected);
}

// ---- Workloads ----

TEST_F(MeshOfDevicesTest, OneProgramRunsOnEveryDeviceOfItsRange) {
  auto launched_on_all = workload(7);
  mesh::EnqueueMeshWorkload(queue(), launched_on_all, true);
  EXPECT_THAT(launched(), SizeIs(8));
  EXPECT_EQ(watched().compiled, 1) << "one program is compiled once";
  SetRuntimeArgs(launched_on_all.get_programs().begin()->second, kernel_, kWorker, {8});
  watched().forget_launches();
  mesh::EnqueueMeshWorkload(queue(), launched_on_all, true);
  for (int chip = 0; chip < 8; ++chip) {
    EXPECT_EQ(launched().count(chip), 1u) << chip;
    EXPECT_EQ(launched().find(chip)->second, 8u);
  }
}

TEST_F(MeshOfDevicesTest, RangesHaveProgramsOfTheirOwn) {
  mesh::MeshWorkload two;
  two.add_program(MeshCoordinateRange(MeshCoordinate(0, 0), MeshCoordinate(0, 1)), program(1));
  two.add_program(MeshCoordinateRange(MeshCoordinate(1, 0), MeshCoordinate(1, 3)), program(2));
  mesh::EnqueueMeshWorkload(queue(), two, true);
  EXPECT_EQ(launched(),
            (std::multimap<int, uint32_t>{{0, 1}, {1, 1}, {4, 2}, {5, 2}, {6, 2}, {7, 2}}));
  two.add_program(MeshCoordinateRange(MeshCoordinate(0, 4)), program(3));
  watched().forget_launches();
  expect_throws([&] { mesh::EnqueueMeshWorkload(queue(), two, true); }, "does not fit a mesh of");
  EXPECT_THAT(launched(), IsEmpty());
}

// Each launch waits until all eight have begun.
TEST_F(MeshOfDevicesTest, DevicesRunAtTheSameTimeEvenIfTheCallBlocks) {
  auto waiting = workload(7);
  for (int round = 0; round < 2; ++round) {
    auto* barrier = new absl::Barrier(8);
    watched().on_launch([barrier](const device::Launch&) {
      if (barrier->Block()) delete barrier;
      return absl::OkStatus();
    });
    if (round == 0) {
      mesh::EnqueueMeshWorkload(queue(), waiting, true);
    } else {
      LaunchProgram(all(), program(1));
    }
    watched().on_launch(nullptr);
  }
  EXPECT_THAT(launched(), SizeIs(16));
}

TEST_F(MeshOfDevicesTest, AnErrorOfOneDeviceIsThrownWhenAllAreDone) {
  auto failing = workload(7);
  std::atomic<int> ended = 0;
  watched().on_launch([&](const device::Launch&) {
    return ++ended == 1 ? absl::InternalError("one of eight") : absl::OkStatus();
  });
  mesh::EnqueueMeshWorkload(queue(), failing, false);
  expect_throws([&] { mesh::Finish(queue()); }, "one of eight");
  EXPECT_EQ(ended, 8);
  EXPECT_NO_THROW(mesh::Finish(queue()));
}

TEST_F(MeshOfDevicesTest, ProgramsAreLaunchedBesideTheQueues) {
  LaunchProgram(all(), program(4));
  EXPECT_THAT(launched(), SizeIs(8));
  LaunchProgramAsync(all(), program(5));
  all().close();
  EXPECT_THAT(launched(), SizeIs(16));
}

// ---- Events, queues, traces, sub-devices ----

TEST_F(MeshOfDevicesTest, AnEventIsReachedWhenAllItsDevicesHaveReachedIt) {
  auto made = buffer();
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(all().get_device(6)->command_queue(), gate);
  mesh::EnqueueWriteMeshBuffer(queue(), made, counting(16, 1));
  const mesh::MeshEvent left = queue().enqueue_record_event(
      {}, MeshCoordinateRange(MeshCoordinate(0, 0), MeshCoordinate(1, 1)));
  const mesh::MeshEvent whole = queue().enqueue_record_event_to_host();
  EXPECT_GT(whole.id(), left.id());
  EXPECT_EQ(left.device_range().shape(), MeshShape(2, 2));
  EXPECT_EQ(whole.device_range_set().coords().size(), 8u);
  mesh::EventSynchronize(left);
  EXPECT_TRUE(mesh::EventQuery(left));
  EXPECT_FALSE(mesh::EventQuery(whole)) << "device 6 still waits";
  queue(1).enqueue_wait_for_event(whole);
  mesh::EnqueueWriteMeshBuffer(queue(1), made, counting(16, 2));
  EnqueueRecordEvent(all().get_device(0)->command_queue(1), gate);
  mesh::EventSynchronize(whole);
  mesh::Synchronize(all());
  for (const MeshCoordinate& coord : MeshCoordinateRange(all().shape())) {
    EXPECT_EQ(shard(made, coord), counting(16, 2)) << coord;
  }
}

TEST_F(MeshOfDevicesTest, AWaitForAnEventWaitsForAllDevicesWhereTheFirstOneFails) {
  watched().on_launch([](const device::Launch&) { return absl::InternalError("it broke"); });
  mesh::MeshWorkload fails;
  fails.add_program(MeshCoordinateRange(MeshCoordinate(0, 0)), program(1));
  mesh::EnqueueMeshWorkload(queue(), fails, false);
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(all().get_device(7)->command_queue(), gate);
  const mesh::MeshEvent event = queue().enqueue_record_event();
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EnqueueRecordEvent(all().get_device(0)->command_queue(1), gate);
  });
  expect_throws([&] { mesh::EventSynchronize(event); }, "it broke");
  EXPECT_EQ(event.events().back()->device, all().get_device(7));
  EXPECT_TRUE(EventQuery(event.events().back())) << "device 7 has reached it";
  opens.join();
}

TEST_F(MeshOfDevicesTest, AMeshWaitsForAnEventOfOtherDevices) {
  const auto rows = all().create_submeshes(MeshShape(1, 4));
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(all().get_device(1)->command_queue(), gate);
  const mesh::MeshEvent above = rows[0]->mesh_command_queue().enqueue_record_event();
  rows[1]->mesh_command_queue().enqueue_wait_for_event(above);
  const mesh::MeshEvent below = rows[1]->mesh_command_queue().enqueue_record_event();
  EXPECT_FALSE(mesh::EventQuery(below));
  EnqueueRecordEvent(all().get_device(0)->command_queue(1), gate);
  mesh::EventSynchronize(below);
  EXPECT_TRUE(mesh::EventQuery(above));
}

TEST_F(MeshOfDevicesTest, TheThreadsQueueIsUsedWhenNoneIsNamed) {
  EXPECT_EQ(GetCurrentCommandQueueIdForThread(), 0);
  PushCurrentCommandQueueIdForThread(1);
  EXPECT_EQ(&all().mesh_command_queue(), &queue(1));
  EXPECT_EQ(PopCurrentCommandQueueIdForThread(), 1);
  EXPECT_EQ(&all().mesh_command_queue(), &queue(0));
  expect_throws([] { PopCurrentCommandQueueIdForThread(); }, "No command queue was pushed");
}

TEST_F(MeshOfDevicesTest, WaitsNameSubDevicesAndQueuesThatAreThere) {
  const std::array second = {SubDeviceId{1}};
  const std::vector<std::function<void()>> waits = {
      [&] { mesh::Finish(queue(), second); },
      [&] { mesh::Synchronize(&all(), std::nullopt, second); },
      [&] { mesh::Synchronize(all(), queue(), second); },
      [&] { std::ignore = mesh::EnqueueRecordEvent(queue(), second); },
      [&] { std::ignore = mesh::EnqueueRecordEventToHost(queue(), second); }};
  for (const auto& wait : waits) expect_throws(wait, "no sub-device 1");
  const auto one = all().create_submesh(MeshShape(1, 1));
  expect_throws([&] { mesh::Synchronize(all(), one->mesh_command_queue()); },
                "was given a queue of MeshDevice(MeshShape(1, 1), device 0)");
}

TEST_F(MeshOfDevicesTest, ATraceHasTheLaunchesOfAllDevices) {
  mesh::MeshWorkload some;
  some.add_program(MeshCoordinateRange(MeshCoordinate(0, 0), MeshCoordinate(0, 2)), program(1));
  mesh::EnqueueMeshWorkload(queue(), some, true);
  watched().forget_launches();
  const mesh::MeshTraceId id = all().begin_mesh_trace(queue());
  EXPECT_EQ(queue().trace_id(), id);
  mesh::EnqueueMeshWorkload(queue(), some, false);
  all().end_mesh_trace(queue(), id);
  EXPECT_THAT(launched(), IsEmpty());
  SetRuntimeArgs(some.get_programs().begin()->second, kernel_, kWorker, {99});
  all().replay_mesh_trace(queue(), id, true);
  EXPECT_EQ(launched(), (std::multimap<int, uint32_t>{{0, 1}, {1, 1}, {2, 1}}));
  queue().enqueue_trace(id, true);
  EXPECT_THAT(launched(), SizeIs(6));
  all().release_mesh_trace(id);
  expect_throws([&] { all().replay_mesh_trace(0, id, true); }, "race");
  const auto other = all().create_submesh(MeshShape(1, 1));
  expect_throws([&] { all().begin_mesh_trace(other->mesh_command_queue()); },
                "was given a queue of");
}

TEST_F(MeshOfDevicesTest, ATraceIsBegunOnAllDevicesOrNone) {
  const uint32_t alone = BeginTraceCapture(all().get_device(6), 0);
  expect_throws([&] { all().begin_mesh_trace(0); }, "race");
  EXPECT_EQ(queue().trace_id(), std::nullopt);
  EndTraceCapture(all().get_device(6), 0, alone);
  const mesh::MeshTraceId id = all().begin_mesh_trace(0);
  all().end_mesh_trace(0, id);
}

TEST_F(MeshOfDevicesTest, SubDevicesAreThoseOfAllDevices) {
  const SubDevice left(std::array{CoreRangeSet(CoreRange({0, 0}, {0, 0}))});
  const SubDevice right(std::array{CoreRangeSet(CoreRange({1, 0}, {1, 0}))});
  // One device has a manager more, so the ids of the managers differ.
  all().get_device(3)->create_sub_device_manager({left}, 0);
  const SubDeviceManagerId both = all().create_sub_device_manager({left, right}, 0);
  all().load_sub_device_manager(both);
  for (IDevice* device : all().get_devices()) EXPECT_EQ(device->num_sub_devices(), 2u);
  EXPECT_EQ(all().get_active_sub_device_manager_id(), both);
  all().set_sub_device_stall_group({SubDeviceId(1)});
  EXPECT_THAT(all().get_device(7)->get_sub_device_stall_group(), ElementsAre(SubDeviceId(1)));
  all().reset_sub_device_stall_group();
  EXPECT_THAT(all().get_device(7)->get_sub_device_stall_group(), SizeIs(2));
  all().load_sub_device_manager(all().get_default_sub_device_manager_id());
  EXPECT_EQ(all().get_device(7)->num_sub_devices(), 1u);
  all().remove_sub_device_manager(both);
  expect_throws([&] { all().load_sub_device_manager(both); }, "has no sub-device manager");
}

TEST_F(MeshOfDevicesTest, AManagerIsLoadedOnAllDevicesOrNone) {
  const SubDevice left(std::array{CoreRangeSet(CoreRange({0, 0}, {0, 0}))});
  const SubDevice right(std::array{CoreRangeSet(CoreRange({1, 0}, {1, 0}))});
  const SubDeviceManagerId both = all().create_sub_device_manager({left, right}, 1 << 10);
  const auto sub_devices = [&] {
    std::set<uint32_t> counts;
    for (IDevice* device : all().get_devices()) counts.insert(device->num_sub_devices());
    return counts;
  };
  // A device that captures a trace keeps its managers.
  const uint32_t trace = BeginTraceCapture(all().get_device(3), 0);
  expect_throws([&] { all().load_sub_device_manager(both); }, "trace");
  EXPECT_THAT(sub_devices(), ElementsAre(1u));
  EndTraceCapture(all().get_device(3), 0, trace);
  all().load_sub_device_manager(both);
  // So does one whose sub-device has a buffer.
  auto local = CreateBuffer(ShardedBufferConfig{.device = all().get_device(5),
                                                .size = 64,
                                                .page_size = 64,
                                                .buffer_type = BufferType::L1,
                                                .buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED,
                                                .shard_parameters = ShardSpecBuffer(
                                                    CoreRangeSet(CoreRange({0, 0}, {0, 0})), {1, 1},
                                                    ShardOrientation::ROW_MAJOR, {1, 1}, {1, 1})},
                            SubDeviceId{0});
  expect_throws([&] { all().clear_loaded_sub_device_manager(); }, "buffer");
  EXPECT_THAT(sub_devices(), ElementsAre(2u));
  local.reset();
  all().clear_loaded_sub_device_manager();
  // A buffer in the way of the sub-devices' memory shows only when the manager is being loaded.
  const size_t bank = all().allocator()->get_bank_size(BufferType::L1);
  const auto most = CreateBuffer(InterleavedBufferConfig{
      .device = all().get_device(6),
      .size = (bank - 64) * all().allocator()->get_num_banks(BufferType::L1),
      .page_size = 64,
      .buffer_type = BufferType::L1});
  EXPECT_THROW(all().load_sub_device_manager(both), std::runtime_error);
  EXPECT_THAT(sub_devices(), ElementsAre(1u));
}

TEST_F(MeshOfDevicesTest, AManagerIsRemovedFromAllDevicesOrNone) {
  const SubDevice left(std::array{CoreRangeSet(CoreRange({0, 0}, {0, 0}))});
  const SubDevice right(std::array{CoreRangeSet(CoreRange({1, 0}, {1, 0}))});
  const SubDeviceManagerId both = all().create_sub_device_manager({left, right}, 0);
  all().load_sub_device_manager(both);
  for (int id = 0; id < 7; ++id) all().get_device(id)->clear_loaded_sub_device_manager();
  EXPECT_THROW(all().remove_sub_device_manager(both), std::runtime_error);
  EXPECT_NO_THROW(all().load_sub_device_manager(both)) << "all devices still have it";
}

TEST(Fabric, ItCanBeLeftOffAndNotBeSwitchedOn) {
  EXPECT_NO_THROW(tt_fabric::SetFabricConfig(tt_fabric::FabricConfig::DISABLED));
  EXPECT_EQ(tt_fabric::GetFabricConfig(), tt_fabric::FabricConfig::DISABLED);
  expect_throws([] { tt_fabric::SetFabricConfig(tt_fabric::FabricConfig::FABRIC_1D); },
                "The fabric (configuration 2) cannot be switched on",
                "programs whose kernels send to other chips by the fabric do not run");
  EXPECT_EQ(tt_fabric::GetFabricConfig(), tt_fabric::FabricConfig::DISABLED);
}

}  // namespace
}  // namespace tt::tt_metal::testing
