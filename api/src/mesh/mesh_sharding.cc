#include "api/src/mesh/mesh_sharding.h"

#include <cstring>
#include <tt-metalium/assert.hpp>

namespace tt::tt_metal::distributed {
namespace {

// Where the devices of a mesh lie, as rows and columns that the shards are counted along: those of
// the mesh, exchanged for COL_MAJOR. With a replicated dimension nothing is counted: the rows of
// the matrix are those of the mesh, whatever the order. (The tests of upstream have row r of shards
// of a COL_MAJOR matrix with replicated width on all devices of row r of the mesh.)
class DeviceGrid {
 public:
  DeviceGrid(const MeshShape& mesh, ShardOrientation orientation, std::pair<bool, bool> replicated)
      : mesh_(mesh),
        exchanged_(orientation == ShardOrientation::COL_MAJOR && !replicated.first &&
                   !replicated.second) {}

  size_t rows() const { return exchanged_ ? mesh_columns() : mesh_rows(); }
  size_t columns() const { return exchanged_ ? mesh_rows() : mesh_columns(); }
  MeshCoordinate at(size_t row, size_t column) const {
    return exchanged_ ? coordinate(column, row) : coordinate(row, column);
  }

 private:
  bool is_2d() const { return mesh_.dims() == 2; }
  size_t mesh_rows() const { return is_2d() ? mesh_[0] : 1; }
  size_t mesh_columns() const { return is_2d() ? mesh_[1] : mesh_.mesh_size(); }
  MeshCoordinate coordinate(size_t row, size_t column) const {
    if (is_2d()) return {static_cast<uint32_t>(row), static_cast<uint32_t>(column)};
    MeshCoordinate coord = MeshCoordinate::zero_coordinate(mesh_.dims());
    size_t index = column;
    for (int32_t dim = 0; dim < static_cast<int32_t>(mesh_.dims()); ++dim) {
      const size_t stride = mesh_.get_stride(static_cast<size_t>(dim));
      coord[dim] = static_cast<uint32_t>(index / stride);
      index %= stride;
    }
    return coord;
  }

  const MeshShape& mesh_;
  const bool exchanged_;
};

// The devices that hold the shard in that row and column of shards.
std::vector<MeshCoordinate> copies_of(const DeviceGrid& grid, std::pair<bool, bool> replicated,
                                      size_t row, size_t column, size_t shard_columns) {
  const auto [height_is_replicated, width_is_replicated] = replicated;
  if (!height_is_replicated && !width_is_replicated) {
    const size_t number = row * shard_columns + column;
    return {grid.at(number / grid.columns(), number % grid.columns())};
  }
  std::vector<MeshCoordinate> copies;
  const size_t rows = height_is_replicated ? grid.rows() : 1;
  const size_t columns = width_is_replicated ? grid.columns() : 1;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) copies.push_back(grid.at(row + r, column + c));
  }
  return copies;
}

// Bytes from the beginning of the matrix to that row of the shard.
size_t offset_of(const ShardedBufferConfig& config, const ShardOfMatrix& shard, size_t row) {
  const size_t element = config.compute_datum_size_bytes();
  return ((shard.row + row) * config.global_buffer_shape.width() + shard.column) * element;
}

}  // namespace

std::vector<ShardOfMatrix> shards_of(const ShardedBufferConfig& config, const MeshShape& mesh) {
  const Shape2D matrix = config.global_buffer_shape, shard = config.physical_shard_shape();
  const size_t rows = shard.height() == 0 ? 0 : matrix.height() / shard.height();
  const size_t columns = shard.width() == 0 ? 0 : matrix.width() / shard.width();
  TT_FATAL(rows * shard.height() == matrix.height() && columns * shard.width() == matrix.width() &&
               rows * columns != 0,
           "Shards of {}x{} do not divide a matrix of {}x{}", shard.height(), shard.width(),
           matrix.height(), matrix.width());
  const std::pair<bool, bool> replicated = config.replicated_dims();
  const DeviceGrid grid(mesh, config.shard_orientation, replicated);
  const bool fits = replicated.first    ? columns <= grid.columns()
                    : replicated.second ? rows <= grid.rows()
                                        : rows * columns <= mesh.mesh_size();
  TT_FATAL(fits,
           "A matrix of {}x{} in shards of {}x{} has more shards than a mesh of {} has devices for "
           "them",
           matrix.height(), matrix.width(), shard.height(), shard.width(), mesh);
  std::vector<ShardOfMatrix> shards;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      shards.push_back({row * shard.height(), column * shard.width(),
                        copies_of(grid, replicated, row, column, columns)});
    }
  }
  return shards;
}

size_t first_byte_of(const ShardedBufferConfig& config, const ShardOfMatrix& shard) {
  return offset_of(config, shard, 0);
}

void copy_from_matrix(const ShardedBufferConfig& config, const ShardOfMatrix& shard,
                      const std::byte* matrix, std::span<std::byte> bytes) {
  const Shape2D shape = config.physical_shard_shape();
  const size_t row_bytes = shape.width() * config.compute_datum_size_bytes();
  for (size_t row = 0; row < shape.height(); ++row) {
    std::memcpy(bytes.data() + row * row_bytes, matrix + offset_of(config, shard, row), row_bytes);
  }
}

void copy_to_matrix(const ShardedBufferConfig& config, const ShardOfMatrix& shard,
                    std::span<const std::byte> bytes, std::byte* matrix) {
  const Shape2D shape = config.physical_shard_shape();
  const size_t row_bytes = shape.width() * config.compute_datum_size_bytes();
  for (size_t row = 0; row < shape.height(); ++row) {
    std::memcpy(matrix + offset_of(config, shard, row), bytes.data() + row * row_bytes, row_bytes);
  }
}

}  // namespace tt::tt_metal::distributed
