// C = A * B on all cores of the grid, each core some tiles of C.
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
#include <tt-metalium/tilize_utils.hpp>
#include <tt-metalium/work_split.hpp>
#include <utility>
#include <vector>

using namespace tt;
using namespace tt::constants;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace {

constexpr uint32_t kTileBytes = sizeof(bfloat16) * TILE_HW;
constexpr uint32_t M = 320, N = 288, K = 160;
constexpr uint32_t Mt = M / TILE_HEIGHT, Nt = N / TILE_WIDTH, Kt = K / TILE_WIDTH;

// A row-major matrix of small numbers.
std::vector<bfloat16> make_matrix(uint32_t rows, uint32_t columns, uint32_t seed) {
  std::vector<bfloat16> matrix(rows * columns);
  uint32_t state = seed;
  for (bfloat16& value : matrix) {
    state = state * 1664525 + 1013904223;
    value = bfloat16(static_cast<float>(state >> 24) / 256.0f - 0.5f);
  }
  return matrix;
}

std::shared_ptr<MeshBuffer> make_buffer(MeshDevice& mesh_device, uint32_t tiles) {
  return MeshBuffer::create(
      ReplicatedBufferConfig{.size = tiles * kTileBytes},
      DeviceLocalBufferConfig{.page_size = kTileBytes, .buffer_type = BufferType::DRAM},
      &mesh_device);
}

void make_circular_buffer(Program& program, const CoreRangeSet& cores, CBIndex index) {
  CreateCircularBuffer(program, cores,
                       CircularBufferConfig(2 * kTileBytes, {{index, DataFormat::Float16_b}})
                           .set_page_size(index, kTileBytes));
}

// The largest difference from the product in single precision.
float largest_error(const std::vector<bfloat16>& a, const std::vector<bfloat16>& b,
                    const std::vector<bfloat16>& c) {
  float largest = 0;
  for (uint32_t row = 0; row < M; ++row) {
    for (uint32_t column = 0; column < N; ++column) {
      float sum = 0;
      for (uint32_t k = 0; k < K; ++k) {
        sum += static_cast<float>(a[row * K + k]) * static_cast<float>(b[k * N + column]);
      }
      largest = std::max(largest, std::abs(sum - static_cast<float>(c[row * N + column])));
    }
  }
  return largest;
}

}  // namespace

int main() {
  auto mesh_device = MeshDevice::create(MeshDeviceConfig(MeshShape(1, 1)));
  auto& cq = mesh_device->mesh_command_queue();

  const auto a = make_matrix(M, K, 1), b = make_matrix(K, N, 2);
  auto a_buffer = make_buffer(*mesh_device, Mt * Kt);
  auto b_buffer = make_buffer(*mesh_device, Kt * Nt);
  auto c_buffer = make_buffer(*mesh_device, Mt * Nt);

  Program program{};
  const auto [num_cores, all_cores, busier, others, tiles_busier, tiles_others] =
      split_work_to_cores(mesh_device->compute_with_storage_grid_size(), Mt * Nt);
  for (const CBIndex index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
    make_circular_buffer(program, all_cores, index);
  }

  std::vector<uint32_t> read_args = {Kt, Nt};
  TensorAccessorArgs(*a_buffer).append_to(read_args);
  TensorAccessorArgs(*b_buffer).append_to(read_args);
  std::vector<uint32_t> write_args;
  TensorAccessorArgs(*c_buffer).append_to(write_args);
  const auto reader = CreateKernel(program, "kernels/read_rows_and_columns.cpp", all_cores,
                                   DataMovementConfig{.processor = DataMovementProcessor::RISCV_1,
                                                      .noc = NOC::RISCV_1_default,
                                                      .compile_args = read_args});
  const auto writer = CreateKernel(program, "kernels/write_tiles.cpp", all_cores,
                                   DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                                      .noc = NOC::RISCV_0_default,
                                                      .compile_args = write_args});
  const auto compute =
      CreateKernel(program, "kernels/multiply.cpp", all_cores,
                   ComputeConfig{.math_fidelity = MathFidelity::HiFi4, .compile_args = {Kt}});

  uint32_t first = 0;
  for (const auto& [cores, count] :
       {std::pair(busier, tiles_busier), std::pair(others, tiles_others)}) {
    for (const CoreCoord& core : corerange_to_cores(cores)) {
      SetRuntimeArgs(program, reader, core,
                     {static_cast<uint32_t>(a_buffer->address()),
                      static_cast<uint32_t>(b_buffer->address()), first, count});
      SetRuntimeArgs(program, writer, core,
                     {static_cast<uint32_t>(c_buffer->address()), first, count});
      SetRuntimeArgs(program, compute, core, {count});
      first += count;
    }
  }

  EnqueueWriteMeshBuffer(cq, a_buffer, tilize_nfaces(a, M, K));
  EnqueueWriteMeshBuffer(cq, b_buffer, tilize_nfaces(b, K, N));
  MeshWorkload workload;
  workload.add_program(MeshCoordinateRange(mesh_device->shape()), std::move(program));
  EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  std::vector<bfloat16> c;
  EnqueueReadMeshBuffer(cq, c, c_buffer);
  mesh_device->close();

  const float error = largest_error(a, b, untilize_nfaces(c, M, N));
  std::cout << M << "x" << K << " by " << K << "x" << N << " on " << num_cores
            << " cores, largest error " << error << "\n";
  return error < 0.05f ? EXIT_SUCCESS : EXIT_FAILURE;
}
