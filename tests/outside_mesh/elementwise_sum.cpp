// a + b and a + c, tile by tile on all cores of the grid.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/work_split.hpp>
#include <utility>
#include <vector>

using namespace tt;
using namespace tt::tt_metal;

namespace {

constexpr uint32_t kTiles = 150;
constexpr uint32_t kTileBytes = sizeof(bfloat16) * constants::TILE_HW;

using Tiles = std::vector<bfloat16>;
using MeshBufferPtr = std::shared_ptr<distributed::MeshBuffer>;

Tiles make_tiles(float step) {
  Tiles tiles(kTiles * constants::TILE_HW);
  for (size_t i = 0; i < tiles.size(); ++i) {
    tiles[i] = bfloat16(step * static_cast<float>(i % 97) - 3.0f);
  }
  return tiles;
}

MeshBufferPtr make_buffer(distributed::MeshDevice& mesh_device) {
  const distributed::DeviceLocalBufferConfig local{.page_size = kTileBytes,
                                                   .buffer_type = BufferType::DRAM};
  const distributed::ReplicatedBufferConfig replicated{.size = kTiles * kTileBytes};
  return distributed::MeshBuffer::create(replicated, local, &mesh_device);
}

void make_circular_buffer(Program& program, const CoreRangeSet& cores, CBIndex index) {
  CreateCircularBuffer(program, cores,
                       CircularBufferConfig(2 * kTileBytes, {{index, DataFormat::Float16_b}})
                           .set_page_size(index, kTileBytes));
}

size_t count_wrong(const Tiles& a, const Tiles& b, const Tiles& sum) {
  size_t wrong = sum.size() == a.size() ? 0 : a.size();
  for (size_t i = 0; i < a.size() && wrong == 0; ++i) {
    const float expected = static_cast<float>(a[i]) + static_cast<float>(b[i]);
    wrong += std::abs(static_cast<float>(sum[i]) - expected) > 0.01f * (1 + std::abs(expected));
  }
  return wrong;
}

}  // namespace

int main() {
  std::shared_ptr<distributed::MeshDevice> mesh_device =
      distributed::MeshDevice::create_unit_mesh(0);
  distributed::MeshCommandQueue& cq = mesh_device->mesh_command_queue();

  const Tiles a = make_tiles(0.25f), b = make_tiles(0.5f), c = make_tiles(-1.5f);
  MeshBufferPtr a_buffer = make_buffer(*mesh_device), b_buffer = make_buffer(*mesh_device),
                c_buffer = make_buffer(*mesh_device), sum_buffer = make_buffer(*mesh_device);
  distributed::EnqueueWriteMeshBuffer(cq, a_buffer, a, /*blocking=*/false);
  distributed::EnqueueWriteMeshBuffer(cq, b_buffer, b, /*blocking=*/false);
  distributed::EnqueueWriteMeshBuffer(cq, c_buffer, c, /*blocking=*/false);

  Program program = CreateProgram();
  const CoreCoord grid = mesh_device->compute_with_storage_grid_size();
  const auto [num_cores, all_cores, busier, others, tiles_busier, tiles_others] =
      split_work_to_cores(grid, kTiles);
  for (const CBIndex index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
    make_circular_buffer(program, all_cores, index);
  }

  std::vector<uint32_t> read_args, write_args;
  TensorAccessorArgs(*a_buffer).append_to(read_args);
  TensorAccessorArgs(*b_buffer).append_to(read_args);
  TensorAccessorArgs(*sum_buffer).append_to(write_args);
  const KernelHandle reader =
      CreateKernel(program, "kernels/read_pairs.cpp", all_cores,
                   DataMovementConfig{.processor = DataMovementProcessor::RISCV_1,
                                      .noc = NOC::RISCV_1_default,
                                      .compile_args = read_args});
  const KernelHandle writer =
      CreateKernel(program, "kernels/write_tiles.cpp", all_cores,
                   DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                      .noc = NOC::RISCV_0_default,
                                      .compile_args = write_args});
  const KernelHandle compute = CreateKernel(program, "kernels/add_pairs.cpp", all_cores,
                                            ComputeConfig{.math_fidelity = MathFidelity::HiFi4});

  const auto cores = corerange_to_cores(all_cores, std::nullopt, /*row_wise=*/false);
  uint32_t first = 0;
  for (const CoreCoord& core : cores) {
    const uint32_t count = busier.contains(core) ? tiles_busier : tiles_others;
    SetRuntimeArgs(program, reader, core,
                   {static_cast<uint32_t>(a_buffer->address()),
                    static_cast<uint32_t>(b_buffer->address()), first, count});
    SetRuntimeArgs(program, writer, core,
                   {static_cast<uint32_t>(sum_buffer->address()), first, count});
    SetRuntimeArgs(program, compute, core, {count});
    first += count;
  }

  distributed::MeshWorkload workload;
  workload.add_program(distributed::MeshCoordinateRange(mesh_device->shape()), std::move(program));
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  Tiles a_and_b;
  distributed::EnqueueReadMeshBuffer(cq, a_and_b, sum_buffer, /*blocking=*/true);

  // The same workload with another operand.
  for (auto& [range, added] : workload.get_programs()) {
    for (const CoreCoord& core : cores) {
      GetRuntimeArgs(added, reader, core)[1] = static_cast<uint32_t>(c_buffer->address());
    }
  }
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  distributed::Finish(cq);
  Tiles a_and_c;
  distributed::EnqueueReadMeshBuffer(cq, a_and_c, sum_buffer, /*blocking=*/true);

  const size_t wrong = count_wrong(a, b, a_and_b) + count_wrong(a, c, a_and_c);
  std::cout << kTiles << " tiles on " << num_cores << " cores, " << wrong << " wrong values\n";
  return mesh_device->close() && wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
