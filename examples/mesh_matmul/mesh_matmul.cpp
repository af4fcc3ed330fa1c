// C = A x B on a mesh of 2x4 devices: each has half the rows of A and a quarter of the columns of
// the weights B, and computes their product, a block of C. No device needs what another one has.
// Checked against a host product in double precision. Usage: mesh_matmul [--capture FILE]
#include <cstdlib>
#include <iostream>
#include <memory>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <vector>

#include "examples/common/agreement.h"
#include "examples/common/example.h"
#include "examples/common/tiles.h"
#include "examples/matmul_multi_core/matmul_program.h"

using namespace tt::tt_metal;

namespace {

using namespace example;

constexpr MatmulShape kShape{.m = 256, .n = 512, .k = 384};
constexpr uint32_t kMeshRows = 2, kMeshColumns = 4;
constexpr MatmulShape kBlock{
    .m = kShape.m / kMeshRows, .n = kShape.n / kMeshColumns, .k = kShape.k};

// A matrix of rows x columns elements in tiles, cut into blocks of which each device gets one; 0
// says that all devices along a dimension get the same. To the mesh a tile is 1024 elements of one
// row.
std::shared_ptr<distributed::MeshBuffer> make_blocks(distributed::MeshDevice& mesh, uint32_t rows,
                                                     uint32_t columns, uint32_t block_rows,
                                                     uint32_t block_columns) {
  using namespace tt::constants;
  return distributed::MeshBuffer::create(
      distributed::ShardedBufferConfig{
          .global_size = uint64_t{rows} * columns * sizeof(bfloat16),
          .global_buffer_shape = {rows / TILE_HEIGHT, columns * TILE_HEIGHT},
          .shard_shape = {block_rows / TILE_HEIGHT, block_columns * TILE_HEIGHT},
          .shard_orientation =
              block_columns == 0 ? ShardOrientation::COL_MAJOR : ShardOrientation::ROW_MAJOR},
      distributed::DeviceLocalBufferConfig{.page_size = kTileBytes,
                                           .buffer_type = BufferType::DRAM},
      &mesh);
}

std::vector<bfloat16> run_on(distributed::MeshDevice& mesh, const MatmulInputs& tiles) {
  auto a = make_blocks(mesh, kShape.m, kShape.k, kBlock.m, 0);
  auto b = make_blocks(mesh, kShape.k, kShape.n, 0, kBlock.n);
  auto c = make_blocks(mesh, kShape.m, kShape.n, kBlock.m, kBlock.n);
  auto workload =
      on_all(mesh, make_matmul_program(mesh.compute_with_storage_grid_size(), kBlock,
                                       {address_of(*a), address_of(*b), address_of(*c)}));
  distributed::MeshCommandQueue& cq = mesh.mesh_command_queue();
  distributed::EnqueueWriteMeshBuffer(cq, a, tiles.a, /*blocking=*/false);
  distributed::EnqueueWriteMeshBuffer(cq, b, tiles.b, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  std::vector<bfloat16> result;
  distributed::EnqueueReadMeshBuffer(cq, result, c, /*blocking=*/true);
  return result;
}

int run() {
  const MatmulInputs inputs = make_matmul_inputs(kShape);
  auto mesh = distributed::MeshDevice::create(
      distributed::MeshDeviceConfig(distributed::MeshShape(kMeshRows, kMeshColumns)));
  std::vector<bfloat16> found = run_on(*mesh, tilized(inputs, kShape));
  mesh->close();
  untilize(found, kShape.m, kShape.n);
  const Agreement agreement = compare(multiply_on_host(inputs, kShape), doubles(found));
  std::cout << "mesh_matmul: " << kShape.m << "x" << kShape.n << "x" << kShape.k << " on "
            << kMeshRows << "x" << kMeshColumns << " devices, Pearson correlation "
            << agreement.pearson << ", max absolute error " << agreement.max_absolute_error << "\n";
  return agreement.pearson > 0.999 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
