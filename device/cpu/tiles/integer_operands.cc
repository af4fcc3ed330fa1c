#include "device/cpu/tiles/integer_operands.h"

#include <cstddef>

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/packing.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::BinaryOp;
using kernel_abi::CircularBuffer;
using kernel_abi::Context;

// The place of an element in a tile of four faces.
constexpr uint32_t place_in_tile(uint32_t row, uint32_t column) {
  return (row / 16 * 2 + column / 16) * kFaceElements + row % 16 * 16 + column % 16;
}

uint32_t integer_result(BinaryOp op, uint32_t a, uint32_t b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
  }
  return 0;
}

}  // namespace

bool hold_integers(Context* context, uint32_t cb_a, uint32_t cb_b) {
  return is_integer_format(format_of(circular_buffer(context, cb_a))) &&
         is_integer_format(format_of(circular_buffer(context, cb_b)));
}

const uint32_t* integer_operand(Context* context, uint32_t index, uint32_t tile,
                                uint32_t* scratch) {
  const CircularBuffer& cb = circular_buffer(context, index);
  if (element_bytes(format_of(cb)) > 1) {
    tolerate(context, kernel_abi::Misuse::kIntegerArithmetic, index,
             "circular buffer %u: the matrix unit computes with integers of 8 bits, not with data "
             "format %u; the vector unit's add_int_tile and its like do",
             index, cb.format);
  }
  const char* source = tile_at(context, index, cb, cb.read_ptr, tile);
  load_tile(cb, source, reinterpret_cast<float*>(scratch));
  return scratch;
}

void binary_integers(BinaryOp op, const uint32_t* a, const uint32_t* b, bool accumulate,
                     uint32_t* target) {
  for (size_t i = 0; i < kTileElements; ++i) {
    const uint32_t result = integer_result(op, a[i], b[i]);
    target[i] = accumulate ? target[i] + result : result;
  }
}

void matmul_integers(const uint32_t* a, const uint32_t* b, bool transpose_b, uint32_t* target) {
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t inner = 0; inner < 32; ++inner) {
      const uint32_t left = a[place_in_tile(row, inner)];
      for (uint32_t column = 0; column < 32; ++column) {
        const uint32_t right =
            transpose_b ? place_in_tile(column, inner) : place_in_tile(inner, column);
        target[place_in_tile(row, column)] += left * b[right];
      }
    }
  }
}

}  // namespace lightmetal::device::cpu
