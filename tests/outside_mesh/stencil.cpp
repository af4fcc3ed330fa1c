// Diffusion on a field that is divided over the L1 of a grid of cores: each core holds a block and
// reads its neighbours' blocks from their L1.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <tt-metalium/device.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <utility>
#include <vector>

using namespace tt;
using namespace tt::tt_metal;

namespace {

constexpr uint32_t kSide = 16;  // cells of a block's row and column
constexpr uint32_t kSteps = 6;  // of one launch; an even number ends in the first buffer
constexpr uint32_t kLaunches = 2;
constexpr uint32_t kBlockBytes = kSide * kSide * sizeof(uint32_t);
constexpr uint32_t kNone = 0xffffffff;

// Blocks one after the other, row by row of the grid; each block row by row.
struct Field {
  CoreCoord grid;
  std::vector<uint32_t> cells;

  uint32_t width() const { return grid.x * kSide; }
  uint32_t height() const { return grid.y * kSide; }
  uint32_t& at(uint32_t x, uint32_t y) {
    const uint32_t block = y / kSide * grid.x + x / kSide;
    return cells[(block * kSide + y % kSide) * kSide + x % kSide];
  }
  // 0 outside of the field.
  uint32_t get(int64_t x, int64_t y) {
    const bool inside = x >= 0 && y >= 0 && x < width() && y < height();
    return inside ? at(static_cast<uint32_t>(x), static_cast<uint32_t>(y)) : 0;
  }
};

Field make_field(const CoreCoord& grid) {
  Field field{grid, std::vector<uint32_t>(grid.x * grid.y * kSide * kSide)};
  for (uint32_t y = 0; y < field.height(); ++y) {
    for (uint32_t x = 0; x < field.width(); ++x) field.at(x, y) = (x * 7 + y * 13) % 50 * 1000;
  }
  return field;
}

Field step(Field field) {
  Field next = field;
  for (int64_t y = 0; y < field.height(); ++y) {
    for (int64_t x = 0; x < field.width(); ++x) {
      next.at(x, y) = (4 * field.get(x, y) + field.get(x, y - 1) + field.get(x, y + 1) +
                       field.get(x - 1, y) + field.get(x + 1, y)) /
                      8;
    }
  }
  return next;
}

// One block on each core; a page is a row of a block.
std::shared_ptr<distributed::MeshBuffer> make_buffer(distributed::MeshDevice& mesh_device,
                                                     const CoreCoord& grid) {
  const CoreRangeSet cores(CoreRange({0, 0}, {grid.x - 1, grid.y - 1}));
  const uint32_t rows = cores.num_cores() * kSide;
  const ShardSpecBuffer shards(cores, {kSide, kSide}, ShardOrientation::ROW_MAJOR, {1, kSide},
                               {rows, 1});
  return distributed::MeshBuffer::create(
      distributed::ReplicatedBufferConfig{.size = cores.num_cores() * kBlockBytes},
      distributed::DeviceLocalBufferConfig{
          .page_size = kSide * sizeof(uint32_t),
          .buffer_type = BufferType::L1,
          .sharding_args = BufferShardingArgs(shards, TensorMemoryLayout::HEIGHT_SHARDED)},
      &mesh_device);
}

}  // namespace

int main() {
  auto mesh_device = distributed::MeshDevice::create_unit_mesh(/*device_id=*/0);
  auto& cq = mesh_device->mesh_command_queue();
  const CoreCoord grid = mesh_device->compute_with_storage_grid_size();
  const CoreRange cores({0, 0}, {grid.x - 1, grid.y - 1});

  auto even = make_buffer(*mesh_device, grid), odd = make_buffer(*mesh_device, grid);
  Program program = CreateProgram();
  std::array<uint32_t, 4> semaphores;  // one for each side
  for (uint32_t& semaphore : semaphores) semaphore = CreateSemaphore(program, cores, 0);
  CreateCircularBuffer(program, cores,
                       CircularBufferConfig(4 * kBlockBytes, {{CBIndex::c_0, DataFormat::UInt32}})
                           .set_page_size(CBIndex::c_0, kBlockBytes));
  std::vector<uint32_t> compile_args = {kSide, kSteps};
  TensorAccessorArgs(*even).append_to(compile_args);
  TensorAccessorArgs(*odd).append_to(compile_args);
  const KernelHandle kernel =
      CreateKernel(program, "kernels/diffuse.cpp", cores,
                   DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                      .noc = NOC::RISCV_0_default,
                                      .compile_args = compile_args});
  constexpr std::array<std::pair<int, int>, 4> kSides = {{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}};
  for (const CoreCoord& core : cores) {
    std::vector<uint32_t> args = {static_cast<uint32_t>(even->address()),
                                  static_cast<uint32_t>(odd->address())};
    for (size_t side = 0; side < kSides.size(); ++side) {
      const auto [dx, dy] = kSides[side];
      const int x = static_cast<int>(core.x) + dx, y = static_cast<int>(core.y) + dy;
      args.push_back(semaphores[side]);
      if (x < 0 || y < 0 || x >= static_cast<int>(grid.x) || y >= static_cast<int>(grid.y)) {
        args.insert(args.end(), {kNone, 0, 0});
        continue;
      }
      const CoreCoord place = mesh_device->worker_core_from_logical_core(CoreCoord(x, y));
      args.push_back(static_cast<uint32_t>(y * grid.x + x));
      args.push_back(static_cast<uint32_t>(place.x));
      args.push_back(static_cast<uint32_t>(place.y));
    }
    SetRuntimeArgs(program, kernel, core, args);
  }

  Field field = make_field(grid);
  distributed::WriteShard(cq, even, field.cells, distributed::MeshCoordinate(0, 0));
  distributed::MeshWorkload workload;
  workload.add_program(distributed::MeshCoordinateRange(mesh_device->shape()), std::move(program));
  for (uint32_t launch = 0; launch < kLaunches; ++launch) {
    distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  }
  std::vector<uint32_t> cells;
  distributed::ReadShard(cq, cells, even, distributed::MeshCoordinate(0, 0));
  mesh_device->close();

  for (uint32_t i = 0; i < kLaunches * kSteps; ++i) field = step(field);
  const bool right = cells == field.cells;
  std::cout << field.width() << "x" << field.height() << " cells, " << kLaunches * kSteps
            << " steps: " << (right ? "right" : "wrong") << "\n";
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
