#include "device/cpu/tiles/services.h"

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/bfloat16_binary.h"
#include "device/cpu/tiles/bfloat16_product.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/integer_operands.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/packing.h"
#include "device/cpu/tiles/service_parts.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::BinaryOp;
using kernel_abi::CircularBuffer;
using kernel_abi::Context;
using kernel_abi::DestReuse;
using kernel_abi::kDstTiles;
using kernel_abi::RowShape;

void copy_tile(Context* context, uint32_t index, uint32_t tile, uint32_t dst) {
  const CircularBuffer& cb = circular_buffer(context, index);
  const char* source = tile_at(context, index, cb, cb.read_ptr, tile);
  load_tile(cb, source, dst_to_fill(context, dst, is_integer_format(format_of(cb))));
}

void pack_tile(Context* context, uint32_t dst, uint32_t index, uint32_t tile) {
  const CircularBuffer& cb = circular_buffer(context, index);
  const TileToPack source = tile_to_pack(context, dst, format_of(cb));
  store_tile(context, index, cb, source.values, source.integers,
             tile_at(context, index, cb, cb.write_ptr, tile));
}

// Elements meet at their places in DST, so both tiles must have the same ones.
void require_same_shape(Context* context, uint32_t cb_a, uint32_t cb_b) {
  const RowShape a = shape_of(circular_buffer(context, cb_a));
  const RowShape b = shape_of(circular_buffer(context, cb_b));
  if (a.rows == b.rows && a.columns == b.columns) [[likely]]
    return;
  fail_kernel(context,
              "circular buffers %u and %u: no operation takes a tile of %ux%u and one of %ux%u "
              "element by element",
              cb_a, cb_b, a.rows, a.columns, b.rows, b.columns);
}

void binary_integer_tiles(Context* context, BinaryOp op, uint32_t cb_a, uint32_t cb_b,
                          uint32_t tile_a, uint32_t tile_b, uint32_t dst, bool accumulate) {
  alignas(64) uint32_t a[kTileElements];
  alignas(64) uint32_t b[kTileElements];
  integer_operand(context, cb_a, tile_a, a);
  integer_operand(context, cb_b, tile_b, b);
  uint32_t* target = accumulate ? dst_integers(context, dst) : dst_integers_to_fill(context, dst);
  binary_integers(op, a, b, accumulate, target);
}

void binary_tiles(Context* context, BinaryOp op, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                  uint32_t tile_b, uint32_t dst, uint32_t accumulate) {
  if (holds_whole_bfloat16(context, cb_a) && holds_whole_bfloat16(context, cb_b)) {
    const void* left = tile_to_read(context, cb_a, tile_a);
    const void* right = tile_to_read(context, cb_b, tile_b);
    float* sum = accumulate != 0 ? dst_floats(context, dst) : dst_to_fill(context, dst, false);
    return binary_bfloat16(op, left, right, accumulate != 0, sum);
  }
  require_same_shape(context, cb_a, cb_b);
  if (hold_integers(context, cb_a, cb_b)) {
    return binary_integer_tiles(context, op, cb_a, cb_b, tile_a, tile_b, dst, accumulate != 0);
  }
  alignas(64) float a[kTileElements];
  alignas(64) float b[kTileElements];
  operand(context, cb_a, tile_a, a);
  operand(context, cb_b, tile_b, b);
  float* target = accumulate != 0 ? dst_floats(context, dst) : dst_to_fill(context, dst, false);
  binary_floats(op, a, b, accumulate != 0, target);
}

// A tile of DST takes the place of one operand, and of the result. Both operands are of one kind.
template <typename T, typename Compute>
void reuse_dest(DestReuse reuse, const T* other, T* target, Compute compute) {
  const bool is_left = reuse == DestReuse::kDestToSrcA;
  compute(is_left ? target : other, is_left ? other : target, target);
}

void binary_dest_reuse(Context* context, BinaryOp op, DestReuse reuse, uint32_t cb, uint32_t tile,
                       uint32_t dst) {
  if (hold_integers(context, cb, cb)) {
    alignas(64) uint32_t integers[kTileElements];
    integer_operand(context, cb, tile, integers);
    const auto compute = [op](const uint32_t* a, const uint32_t* b, uint32_t* target) {
      binary_integers(op, a, b, false, target);
    };
    return reuse_dest<uint32_t>(reuse, integers, dst_integers(context, dst), compute);
  }
  alignas(64) float other[kTileElements];
  operand(context, cb, tile, other);
  const auto compute = [op](const float* a, const float* b, float* target) {
    binary_floats(op, a, b, false, target);
  };
  reuse_dest<float>(reuse, other, dst_floats(context, dst), compute);
}

void pack_relu(Context* context, uint32_t config) {
  if ((config & 0xffff) > 3) fail_kernel(context, "pack relu has no mode %u", config & 0xffff);
  context->pack_relu = config;
}

}  // namespace

const kernel_abi::TileServices& tile_services() {
  static const kernel_abi::TileServices services = [] {
    kernel_abi::TileServices table{};
    fill_shape_services(table);
    fill_layout_services(table);
    table.matmul_block = matmul_block;
    table.dst_sync = sync_dst;
    // Asks here for the first time: the answer is found under a lock, and a service takes none.
    (void)multiplies_bfloat16();
    return table;
  }();
  return services;
}

void fill_tile_services(kernel_abi::Services& services) {
  services.dst_acquire = clear_dst;
  services.copy_tile = copy_tile;
  services.pack_tile = pack_tile;
  services.binary_tiles = binary_tiles;
  services.binary_dest_reuse = binary_dest_reuse;
  services.matmul_tiles = matmul_tiles;
  services.pack_relu = pack_relu;
  services.tiles = &tile_services();
}

}  // namespace lightmetal::device::cpu
