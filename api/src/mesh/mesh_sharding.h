#pragma once

#include <cstddef>
#include <span>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <vector>

// How a matrix is divided over the devices of a mesh. A mesh with other than two dimensions counts
// as one row. Errors are std::runtime_error.
namespace tt::tt_metal::distributed {

// One shard of a matrix: its first row, and where its rows lie in the bytes of the matrix.
struct ShardOfMatrix {
  size_t row = 0;
  size_t column = 0;                   // both in elements
  std::vector<MeshCoordinate> copies;  // on the devices that hold it, in row-major order
};

// The shards in row-major order. Shards are numbered in row-major order, and devices along the rows
// of the mesh (ROW_MAJOR) or along its columns (COL_MAJOR): each shard lies on the device of its
// number. In a dimension that is replicated, all rows of devices have the same, or all columns: the
// shards in row r of the matrix lie in row r of the mesh then, for both orders. Throws when the
// shards do not divide the matrix, or when there are more of them than devices.
std::vector<ShardOfMatrix> shards_of(const ShardedBufferConfig& config, const MeshShape& mesh);

// Bytes from the beginning of the matrix to the shard's first element.
size_t first_byte_of(const ShardedBufferConfig& config, const ShardOfMatrix& shard);

// Copies a shard out of the bytes of the matrix, or into them. REQUIRES: both are as large as the
// configuration says.
void copy_from_matrix(const ShardedBufferConfig& config, const ShardOfMatrix& shard,
                      const std::byte* matrix, std::span<std::byte> bytes);
void copy_to_matrix(const ShardedBufferConfig& config, const ShardOfMatrix& shard,
                    std::span<const std::byte> bytes, std::byte* matrix);

}  // namespace tt::tt_metal::distributed
