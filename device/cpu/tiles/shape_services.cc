#include <algorithm>
#include <cstring>
#include <limits>

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/integer_operands.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/packing.h"
#include "device/cpu/tiles/service_parts.h"
#include "device/cpu/tiles/shapes.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::BinaryOp;
using kernel_abi::Broadcast;
using kernel_abi::CircularBuffer;
using kernel_abi::Context;
using kernel_abi::ReduceDim;
using kernel_abi::ReduceOp;
using kernel_abi::RowShape;

struct TileName {
  uint32_t cb;
  uint32_t tile;
};

// The first operand must have the rows, or the columns, that the part of the second one has.
void require_part(Context* context, Broadcast broadcast, uint32_t cb_a, uint32_t cb_b,
                  uint32_t row) {
  const RowShape a = shape_of(circular_buffer(context, cb_a));
  const RowShape b = shape_of(circular_buffer(context, cb_b));
  const bool takes_columns = broadcast == Broadcast::kRow || broadcast == Broadcast::kNone;
  const bool takes_rows = broadcast == Broadcast::kColumn || broadcast == Broadcast::kNone;
  if (row >= b.rows) fail_kernel(context, "a tile has no row %u to broadcast", row);
  if ((!takes_rows || a.rows == b.rows) && (!takes_columns || a.columns == b.columns)) return;
  fail_kernel(context,
              "circular buffers %u and %u: a part of a tile of %ux%u is not broadcast over one of "
              "%ux%u",
              cb_a, cb_b, b.rows, b.columns, a.rows, a.columns);
}

void broadcast_integers(Context* context, BinaryOp op, Broadcast broadcast, TileName left,
                        TileName right, uint32_t dst, uint32_t row) {
  alignas(64) uint32_t a[kTileElements];
  alignas(64) uint32_t b[kTileElements];
  alignas(64) uint32_t whole[kTileElements];
  integer_operand(context, left.cb, left.tile, a);
  integer_operand(context, right.cb, right.tile, b);
  broadcast_tile(broadcast, row, reinterpret_cast<float*>(b), reinterpret_cast<float*>(whole));
  binary_integers(op, a, whole, false, dst_integers_to_fill(context, dst));
}

void binary_tiles_broadcast(Context* context, BinaryOp op, Broadcast broadcast, uint32_t cb_a,
                            uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t dst,
                            uint32_t row) {
  require_part(context, broadcast, cb_a, cb_b, row);
  if (hold_integers(context, cb_a, cb_b)) {
    return broadcast_integers(context, op, broadcast, {cb_a, tile_a}, {cb_b, tile_b}, dst, row);
  }
  alignas(64) float a[kTileElements];
  alignas(64) float b[kTileElements];
  alignas(64) float whole[kTileElements];
  operand(context, cb_a, tile_a, a);
  operand(context, cb_b, tile_b, b);
  broadcast_tile(broadcast, row, b, whole);
  binary_floats(op, a, whole, false, dst_to_fill(context, dst, false));
}

void copy_tile_broadcast(Context* context, Broadcast broadcast, uint32_t index, uint32_t tile,
                         uint32_t dst) {
  const CircularBuffer& cb = circular_buffer(context, index);
  alignas(64) float source[kTileElements];
  const bool integers = load_tile(cb, tile_at(context, index, cb, cb.read_ptr, tile), source);
  broadcast_tile(broadcast, 0, source, dst_to_fill(context, dst, integers));
}

void reduce_to_dst(Context* context, ReduceOp op, ReduceDim dim, RowShape shape,
                   const float* values, const float* scaler, uint32_t dst) {
  const Reduced result = reduce_floats(op, dim, shape, values, scaler);
  const bool combine = dst_is_written(context, dst);
  float* target = combine ? dst_floats(context, dst) : dst_to_fill(context, dst, false);
  store_reduced(op, dim, result, combine, target);
}

// Each face has the scalers of the one at its place.
void require_scalers(Context* context, uint32_t cb, RowShape shape, uint32_t cb_scaler) {
  const RowShape scaler = shape_of(circular_buffer(context, cb_scaler));
  if (shape.columns <= scaler.columns && (shape.rows <= 16 || scaler.rows > 16)) return;
  fail_kernel(context,
              "circular buffers %u and %u: a scaler of %ux%u has not all faces of a tile of %ux%u",
              cb, cb_scaler, scaler.rows, scaler.columns, shape.rows, shape.columns);
}

// Makes neutral elements of the operation of those outside `shape`.
void leave_out(ReduceOp op, RowShape shape, float* values) {
  const float neutral = op == ReduceOp::kMax ? -std::numeric_limits<float>::infinity() : 0.0f;
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const uint32_t face = i / kFaceElements;
    const uint32_t row = face / 2 * 16 + i % kFaceElements / 16;
    const uint32_t column = face % 2 * 16 + i % 16;
    if (row >= shape.rows || column >= shape.columns) values[i] = neutral;
  }
}

void reduce_tile(Context* context, ReduceOp op, ReduceDim dim, uint32_t cb, uint32_t cb_scaler,
                 uint32_t tile, uint32_t tile_scaler, uint32_t dst) {
  alignas(64) float values[kTileElements];
  alignas(64) float scaler[kTileElements];
  const RowShape shape = shape_of(circular_buffer(context, cb));
  require_scalers(context, cb, shape, cb_scaler);
  operand(context, cb, tile, values);
  operand(context, cb_scaler, tile_scaler, scaler);
  if (!is_whole(circular_buffer(context, cb))) leave_out(op, shape, values);
  reduce_to_dst(context, op, dim, shape, values, scaler, dst);
}

void reduce_rows(Context* context, ReduceOp op, ReduceDim dim, uint32_t index, uint32_t cb_scaler,
                 uint32_t tiles, uint32_t tile, uint32_t tile_scaler, uint32_t dst,
                 RowShape shape) {
  const CircularBuffer& cb = circular_buffer(context, index);
  const RowBlock rows = row_block(context, index, cb, tiles, shape);
  require_scalers(context, index, shape, cb_scaler);
  if (tile >= tiles)
    fail_kernel(context, "circular buffer %u: rows of %u tiles have no tile %u", index, tiles,
                tile);
  const char* begin = place_in(context, index, cb, cb.read_ptr, rows.bytes(), "block of rows", 0);
  alignas(64) char bytes[kTileElements * sizeof(float)] = {};
  gather_tile(begin + rows.part(tile), rows.row_elements(), rows.element_bytes, shape, bytes);
  alignas(64) float values[kTileElements];
  alignas(64) float scaler[kTileElements];
  load_floats(context, index, with_whole_tiles(cb), bytes, values);
  operand(context, cb_scaler, tile_scaler, scaler);
  leave_out(op, shape, values);
  reduce_to_dst(context, op, dim, shape, values, scaler, dst);
}

void transpose_tile(Context* context, uint32_t index, uint32_t tile, uint32_t dst) {
  const CircularBuffer& cb = circular_buffer(context, index);
  if (shape_of(cb).rows < 16)
    fail_kernel(context, "circular buffer %u: a tile of %ux%u has no transpose", index,
                shape_of(cb).rows, shape_of(cb).columns);
  alignas(64) float source[kTileElements];
  const bool integers = load_tile(cb, tile_at(context, index, cb, cb.read_ptr, tile), source);
  transpose_elements(source, dst_to_fill(context, dst, integers));
}

// By a copy, since source and target of transpose_elements() must be different tiles.
void transpose_dst(Context* context, uint32_t dst) {
  float* tile = dst_tile(context, dst);
  alignas(64) float source[kTileElements];
  std::memcpy(source, tile, sizeof(source));
  transpose_elements(source, tile);
}

}  // namespace

void fill_shape_services(kernel_abi::TileServices& services) {
  services.binary_tiles_broadcast = binary_tiles_broadcast;
  services.copy_tile_broadcast = copy_tile_broadcast;
  services.reduce_tile = reduce_tile;
  services.reduce_rows = reduce_rows;
  services.transpose_tile = transpose_tile;
  services.transpose_dst = transpose_dst;
}

}  // namespace lightmetal::device::cpu
