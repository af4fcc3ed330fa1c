#include "examples/image_filter/filter_program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/tilize_untilize.hpp>

#include "examples/common/example.h"
#include "examples/common/tiles.h"
#include "examples/common/work.h"

namespace example::image {

namespace {

constexpr uint32_t kTileSide = tt::constants::TILE_WIDTH;
constexpr uint32_t kLargestBlock = 8;  // tiles

void add_circular_buffers(Program& program, const CoreRangeSet& cores, const Tiling& tiling,
                          const Filter& filter) {
  const uint32_t source_tiles = tiling.block_tiles + 1;
  const uint32_t bands = 2 * filter.size() * static_cast<uint32_t>(filter.kernels.size());
  const auto add = [&](uint8_t index, uint32_t tiles, tt::DataFormat format) {
    add_circular_buffer(program, cores, index, tiles, format);
  };
  add(tt::CBIndex::c_0, 2 * source_tiles, tt::DataFormat::Float16_b);  // rows of the source
  add(tt::CBIndex::c_1, bands, tt::DataFormat::Float32);               // band matrices
  add(tt::CBIndex::c_24, filter.size() * source_tiles,
      tt::DataFormat::Float16_b);                                           // tiles of the source
  add(tt::CBIndex::c_25, tiling.block_tiles, tt::DataFormat::Float32);      // tiles of the result
  add(tt::CBIndex::c_16, 2 * tiling.block_tiles, tt::DataFormat::Float32);  // rows of the result
}

struct Kernels {
  KernelHandle reader = 0, compute = 0, writer = 0;
};

Kernels add_kernels(Program& program, const CoreRangeSet& cores, const Tiling& tiling,
                    const Filter& filter, uint32_t maximum) {
  const std::string folder = kernel_path("image_filter/kernels/");
  const auto num_kernels = static_cast<uint32_t>(filter.kernels.size());
  const auto limit = std::bit_cast<uint32_t>(static_cast<float>(maximum));
  const std::vector<uint32_t> sizes = {filter.size(), num_kernels, tiling.block_tiles};
  return {
      .reader =
          CreateKernel(program, folder + "read_rows.cpp", cores, ReaderDataMovementConfig(sizes)),
      .compute = CreateKernel(
          program, folder + "filter.cpp", cores,
          ComputeConfig{.fp32_dest_acc_en = true,
                        .compile_args = {filter.size(), num_kernels, tiling.block_tiles, limit}}),
      .writer = CreateKernel(program, folder + "write_rows.cpp", cores,
                             WriterDataMovementConfig({tiling.block_tiles})),
  };
}

// Rows of all channels, one channel after the other. Columns left and right of the picture are
// those at its border.
std::vector<bfloat16> to_rows(const Picture& picture, const Tiling& tiling, uint32_t radius) {
  std::vector<bfloat16> rows;
  rows.reserve(size_t{tiling.num_rows} * tiling.source_columns);
  for (uint32_t channel = 0; channel < picture.channels; ++channel) {
    for (uint32_t y = 0; y < picture.height; ++y) {
      for (uint32_t column = 0; column < tiling.source_columns; ++column) {
        const uint32_t x = std::min(std::max(column, radius) - radius, picture.width - 1);
        rows.push_back(bfloat16(static_cast<float>(picture.sample(x, y, channel))));
      }
    }
  }
  return rows;
}

Picture from_rows(const std::vector<float>& rows, const Picture& original, const Tiling& tiling) {
  Picture picture = original;
  const float* row = rows.data();
  for (uint32_t channel = 0; channel < picture.channels; ++channel) {
    for (uint32_t y = 0; y < picture.height; ++y, row += tiling.result_columns) {
      for (uint32_t x = 0; x < picture.width; ++x) {
        picture.sample(x, y, channel) = static_cast<uint8_t>(std::lround(row[x]));
      }
    }
  }
  return picture;
}

}  // namespace

Tiling::Tiling(const Picture& picture) {
  const uint32_t tiles_across = tt::div_up(picture.width, kTileSide);
  blocks_across = tt::div_up(tiles_across, kLargestBlock);
  block_tiles = tt::div_up(tiles_across, blocks_across);
  blocks_down = tt::div_up(picture.height, kTileSide);
  num_rows = picture.height * picture.channels;
  result_columns = blocks_across * block_tiles * kTileSide;
  source_columns = result_columns + kTileSide;
  num_blocks = blocks_across * blocks_down * picture.channels;
}

std::vector<float> band_tiles(const Filter& filter) {
  std::vector<float> tiles;
  const uint32_t size = filter.size();
  for (const Kernel& kernel : filter.kernels) {
    for (uint32_t row = 0; row < size; ++row) {
      std::vector<float> band(2 * tt::constants::TILE_HW);
      for (uint32_t column = 0; column < kTileSide; ++column) {
        for (uint32_t i = 0; i < size; ++i) {
          band[(column + i) * kTileSide + column] = kernel.weights[row * size + i];
        }
      }
      tilize(band, 2 * kTileSide, kTileSide);
      tiles.insert(tiles.end(), band.begin(), band.end());
    }
  }
  return tiles;
}

Program make_filter_program(CoreCoord grid, const Picture& picture, const Filter& filter,
                            const FilterBuffers& buffers) {
  Program program = CreateProgram();
  const Tiling tiling(picture);
  const Work work = split_work(grid, tiling.num_blocks);
  add_circular_buffers(program, work.cores, tiling, filter);
  const Kernels kernels = add_kernels(program, work.cores, tiling, filter, picture.maximum);
  for (const auto& [core, first, count] : work.parts) {
    SetRuntimeArgs(program, kernels.reader, core,
                   {buffers.source, buffers.bands, picture.height, tiling.blocks_across,
                    tiling.blocks_down, first, count});
    SetRuntimeArgs(program, kernels.compute, core, {count});
    SetRuntimeArgs(
        program, kernels.writer, core,
        {buffers.result, picture.height, tiling.blocks_across, tiling.blocks_down, first, count});
  }
  return program;
}

Picture filter_on_device(distributed::MeshDevice& mesh, const Picture& picture,
                         const Filter& filter) {
  distributed::MeshCommandQueue& cq = mesh.mesh_command_queue();
  const Tiling tiling(picture);
  const std::vector<bfloat16> rows = to_rows(picture, tiling, filter.radius());
  const std::vector<float> band_values = band_tiles(filter);
  auto source = make_pages(mesh, tiling.num_rows, tiling.source_columns * sizeof(bfloat16));
  auto result = make_pages(mesh, tiling.num_rows, tiling.result_columns * sizeof(float));
  const size_t tile_bytes = tt::constants::TILE_HW * sizeof(float);
  auto bands = make_pages(mesh, band_values.size() / tt::constants::TILE_HW, tile_bytes);

  auto workload =
      on_all(mesh, make_filter_program(mesh.compute_with_storage_grid_size(), picture, filter,
                                       {.source = address_of(*source),
                                        .bands = address_of(*bands),
                                        .result = address_of(*result)}));
  distributed::EnqueueWriteMeshBuffer(cq, source, rows, /*blocking=*/false);
  distributed::EnqueueWriteMeshBuffer(cq, bands, band_values, /*blocking=*/false);
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  std::vector<float> results;
  distributed::EnqueueReadMeshBuffer(cq, results, result, /*blocking=*/true);
  return from_rows(results, picture, tiling);
}

}  // namespace example::image
