#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/bfloat16_product.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/integer_operands.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/service_parts.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;
using kernel_abi::RowShape;

// The arguments of matmul_block.
struct Step {
  Context* context;
  uint32_t cb_a, cb_b;
  uint32_t tile_a, tile_b;
  uint32_t dst;
  bool transpose_b;
  uint32_t columns, rows, inner;

  float* sums(uint32_t row, uint32_t column) const {
    return dst_floats(context, dst + row * columns + column);
  }
};

// A tile of MxK by one of KxN leaves one of MxN in DST, whose other elements keep what they were. A
// tile of faces that are not whole has no transpose.
void require_inner(Context* context, const Step& step) {
  const RowShape a = shape_of(circular_buffer(context, step.cb_a));
  const RowShape b = shape_of(circular_buffer(context, step.cb_b));
  if (step.transpose_b && b.rows < 16)
    fail_kernel(context, "circular buffer %u: a tile of %ux%u has no transpose", step.cb_b, b.rows,
                b.columns);
  if (a.columns == (step.transpose_b ? b.columns : b.rows)) return;
  fail_kernel(context,
              "circular buffers %u and %u: a tile of %ux%u cannot be multiplied by one of "
              "%ux%u%s",
              step.cb_a, step.cb_b, a.rows, a.columns, b.rows, b.columns,
              step.transpose_b ? ", transposed" : "");
}

// The tiles of DST come first: when they exist, there are at most kMostTiles rows and columns, and
// the arrays have room for the operands.
void multiply_bfloat16(const Step& step) {
  TileBlock block;
  block.rows = step.rows;
  block.columns = step.columns;
  block.transpose_right = step.transpose_b;
  for (uint32_t row = 0; row < step.rows; ++row) {
    for (uint32_t column = 0; column < step.columns; ++column) {
      block.sums[row * step.columns + column] = step.sums(row, column);
      if (row == 0)
        block.right[column] = tile_to_read(step.context, step.cb_b, step.tile_b + column);
    }
    block.left[row] = tile_to_read(step.context, step.cb_a, step.tile_a + row * step.inner);
  }
  multiply_bfloat16(block);
}

void multiply_integers(const Step& step) {
  alignas(64) uint32_t a[kTileElements];
  alignas(64) uint32_t b[kTileElements];
  for (uint32_t column = 0; column < step.columns; ++column) {
    integer_operand(step.context, step.cb_b, step.tile_b + column, b);
    for (uint32_t row = 0; row < step.rows; ++row) {
      integer_operand(step.context, step.cb_a, step.tile_a + row * step.inner, a);
      matmul_integers(a, b, step.transpose_b,
                      dst_integers(step.context, step.dst + row * step.columns + column));
    }
  }
}

// Each tile of the right block is converted once, for all rows.
void multiply_floats(const Step& step) {
  alignas(64) float a[kTileElements];
  alignas(64) float b[kTileElements];
  for (uint32_t column = 0; column < step.columns; ++column) {
    const float* right = operand(step.context, step.cb_b, step.tile_b + column, b);
    for (uint32_t row = 0; row < step.rows; ++row) {
      const float* left = operand(step.context, step.cb_a, step.tile_a + row * step.inner, a);
      matmul_floats(left, right, step.transpose_b, step.sums(row, column));
    }
  }
}

}  // namespace

void matmul_block(Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                  uint32_t dst, uint32_t transpose_b, uint32_t columns, uint32_t rows,
                  uint32_t inner) {
  if (rows == 0 || columns == 0) return;
  const Step step{.context = context,
                  .cb_a = cb_a,
                  .cb_b = cb_b,
                  .tile_a = tile_a,
                  .tile_b = tile_b,
                  .dst = dst,
                  .transpose_b = transpose_b != 0,
                  .columns = columns,
                  .rows = rows,
                  .inner = inner};
  if (multiplies_bfloat16() && holds_whole_bfloat16(context, cb_a) &&
      holds_whole_bfloat16(context, cb_b))
    return multiply_bfloat16(step);
  require_inner(context, step);
  if (hold_integers(context, cb_a, cb_b)) return multiply_integers(step);
  multiply_floats(step);
}

void matmul_tiles(Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                  uint32_t dst, uint32_t transpose_b) {
  matmul_block(context, cb_a, cb_b, tile_a, tile_b, dst, transpose_b, 1, 1, 1);
}

}  // namespace lightmetal::device::cpu
