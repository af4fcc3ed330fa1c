#include "device/cpu/diagnosis/tile_checks.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/memory/initialised_memory.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/services.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::BinaryOp;
using kernel_abi::Broadcast;
using kernel_abi::CircularBuffer;
using kernel_abi::Context;
using kernel_abi::DestReuse;
using kernel_abi::ReduceDim;
using kernel_abi::ReduceOp;
using kernel_abi::RowShape;
using kernel_abi::Services;
using kernel_abi::TileServices;

// The services that do the work, to which the checked ones hand their calls on.
const Services& plain() {
  static const Services services = [] {
    Services filled{};
    fill_tile_services(filled);
    return filled;
  }();
  return services;
}

// A tile, or rows, of a circular buffer. The services themselves refuse what leaves L1.
struct Part {
  uint64_t address = 0;
  uint64_t size = 0;
};

Part part_of(const CircularBuffer& cb, uint64_t pointer, uint64_t page, uint64_t size) {
  return {pointer + page * cb.page_size, size};
}

// The marks of the core's L1; null when `part` leaves L1, or when L1 has no marks. A part may have
// any numbers, since a kernel's are looked at before the service does.
std::byte* marks_for(const KernelRun& run, const Part& part) {
  const uint64_t l1_size = run.core->l1_size;
  const bool fits = part.address <= l1_size && part.size <= l1_size - part.address;
  return fits ? run.core->initialised : nullptr;
}

void check_read(Context* context, uint32_t index, const Part& part) {
  KernelRun& run = run_of(context);
  const std::byte* marks = marks_for(run, part);
  if (marks == nullptr) return;
  const auto found = find_uninitialised(marks, part.address, part.size);
  if (!found.has_value()) [[likely]]
    return;
  run.fail(absl::FailedPreconditionError(absl::StrFormat(
      "circular buffer %d: computes with the %d bytes at L1 0x%x, where nothing has been written "
      "at 0x%x",
      index, part.size, part.address, *found)));
  run.stop();
}

// Tiles lie a page apart, and a page may be larger than its tile: only the tiles must be written.
void reads_tiles(Context* context, uint32_t index, uint32_t tile, uint32_t tiles = 1) {
  require_stack(run_of(context));
  if (index >= kernel_abi::kMaxCircularBuffers) return;
  const CircularBuffer& cb = kernel_abi::circular_buffer_at(*context, index);
  for (uint32_t i = 0; i < tiles; ++i)
    check_read(context, index, part_of(cb, cb.read_ptr, uint64_t{tile} + i, cb.tile_bytes));
}

// Rows are as many as the tiles have that are made of them, or become them.
uint64_t row_bytes(const CircularBuffer& rows, const CircularBuffer& tiles, uint32_t count) {
  return RowBlock{count, shape_of(tiles), element_bytes(format_of(rows))}.bytes();
}

void reads_rows(Context* context, uint32_t index, uint32_t tile, uint32_t tiles, uint32_t target) {
  require_stack(run_of(context));
  if (std::max(index, target) >= kernel_abi::kMaxCircularBuffers) return;
  const CircularBuffer& cb = kernel_abi::circular_buffer_at(*context, index);
  const CircularBuffer& out = kernel_abi::circular_buffer_at(*context, target);
  check_read(context, index, part_of(cb, cb.read_ptr, tile, row_bytes(cb, out, tiles)));
}

// Of tile `tile` in rows at the read pointer. No service reads more rows than a tile has.
void reads_tile_of_rows(Context* context, uint32_t index, uint32_t tiles, uint32_t tile,
                        RowShape shape) {
  require_stack(run_of(context));
  if (index >= kernel_abi::kMaxCircularBuffers) return;
  const CircularBuffer& cb = kernel_abi::circular_buffer_at(*context, index);
  const RowBlock rows{tiles, shape, element_bytes(format_of(cb))};
  const uint64_t row_bytes = rows.row_elements() * rows.element_bytes;
  for (uint32_t row = 0; row < std::min(shape.rows, 32u); ++row)
    check_read(context, index, {cb.read_ptr + row * row_bytes + rows.part(tile), rows.part(1)});
}

void writes(Context* context, const Part& part) {
  std::byte* marks = marks_for(run_of(context), part);
  if (marks != nullptr) mark_initialised(marks, part.address, part.size);
}

// To be called after the service, which has checked the index.
void writes_tiles(Context* context, uint32_t index, uint32_t tile, uint32_t tiles = 1) {
  const CircularBuffer& cb = kernel_abi::circular_buffer_at(*context, index);
  for (uint32_t i = 0; i < tiles; ++i)
    writes(context, part_of(cb, cb.write_ptr, uint64_t{tile} + i, cb.tile_bytes));
}

// The services of these names, with checks.
namespace checked {

void copy_tile(Context* context, uint32_t cb, uint32_t tile, uint32_t dst) {
  reads_tiles(context, cb, tile);
  plain().copy_tile(context, cb, tile, dst);
}

void pack_tile(Context* context, uint32_t dst, uint32_t cb, uint32_t tile) {
  plain().pack_tile(context, dst, cb, tile);
  writes_tiles(context, cb, tile);
}

void binary_tiles(Context* context, BinaryOp op, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                  uint32_t tile_b, uint32_t dst, uint32_t accumulate) {
  reads_tiles(context, cb_a, tile_a);
  reads_tiles(context, cb_b, tile_b);
  plain().binary_tiles(context, op, cb_a, cb_b, tile_a, tile_b, dst, accumulate);
}

void binary_dest_reuse(Context* context, BinaryOp op, DestReuse reuse, uint32_t cb, uint32_t tile,
                       uint32_t dst) {
  reads_tiles(context, cb, tile);
  plain().binary_dest_reuse(context, op, reuse, cb, tile, dst);
}

void matmul_tiles(Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                  uint32_t dst, uint32_t transpose_b) {
  reads_tiles(context, cb_a, tile_a);
  reads_tiles(context, cb_b, tile_b);
  plain().matmul_tiles(context, cb_a, cb_b, tile_a, tile_b, dst, transpose_b);
}

void binary_tiles_broadcast(Context* context, BinaryOp op, Broadcast broadcast, uint32_t cb_a,
                            uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t dst,
                            uint32_t row) {
  reads_tiles(context, cb_a, tile_a);
  tile_services().binary_tiles_broadcast(context, op, broadcast, cb_a, cb_b, tile_a, tile_b, dst,
                                         row);
}

void reduce_tile(Context* context, ReduceOp op, ReduceDim dim, uint32_t cb, uint32_t cb_scaler,
                 uint32_t tile, uint32_t tile_scaler, uint32_t dst) {
  reads_tiles(context, cb, tile);
  tile_services().reduce_tile(context, op, dim, cb, cb_scaler, tile, tile_scaler, dst);
}

void reduce_rows(Context* context, ReduceOp op, ReduceDim dim, uint32_t cb, uint32_t cb_scaler,
                 uint32_t tiles, uint32_t tile, uint32_t tile_scaler, uint32_t dst,
                 RowShape shape) {
  reads_tile_of_rows(context, cb, tiles, tile, shape);
  tile_services().reduce_rows(context, op, dim, cb, cb_scaler, tiles, tile, tile_scaler, dst,
                              shape);
}

void transpose_tile(Context* context, uint32_t cb, uint32_t tile, uint32_t dst) {
  reads_tiles(context, cb, tile);
  tile_services().transpose_tile(context, cb, tile, dst);
}

void matmul_block(Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                  uint32_t dst, uint32_t transpose_b, uint32_t columns, uint32_t rows,
                  uint32_t inner) {
  for (uint32_t row = 0; row < rows; ++row) reads_tiles(context, cb_a, tile_a + row * inner);
  reads_tiles(context, cb_b, tile_b, columns);
  tile_services().matmul_block(context, cb_a, cb_b, tile_a, tile_b, dst, transpose_b, columns, rows,
                               inner);
}

void tilize(Context* context, uint32_t cb_in, uint32_t tiles, uint32_t cb_out, uint32_t tile_in,
            uint32_t tile_out) {
  reads_rows(context, cb_in, tile_in, tiles, cb_out);
  tile_services().tilize(context, cb_in, tiles, cb_out, tile_in, tile_out);
  writes_tiles(context, cb_out, tile_out, tiles);
}

void untilize(Context* context, uint32_t cb_in, uint32_t tiles, uint32_t cb_out, uint32_t tile_in,
              uint32_t tile_out) {
  reads_tiles(context, cb_in, tile_in, tiles);
  tile_services().untilize(context, cb_in, tiles, cb_out, tile_in, tile_out);
  const CircularBuffer& in = kernel_abi::circular_buffer_at(*context, cb_in);
  const CircularBuffer& out = kernel_abi::circular_buffer_at(*context, cb_out);
  writes(context, part_of(out, out.write_ptr, tile_out, row_bytes(out, in, tiles)));
}

// All rows of the block count as written, although the call may write only a part of each. The
// service has placed them in L1, so nothing here wraps.
void pack_untilize(Context* context, uint32_t dst, uint32_t tiles, uint32_t row_tiles,
                   uint32_t first, uint32_t block, uint32_t cb, RowShape shape) {
  tile_services().pack_untilize(context, dst, tiles, row_tiles, first, block, cb, shape);
  const CircularBuffer& out = kernel_abi::circular_buffer_at(*context, cb);
  const RowBlock rows{row_tiles, shape, element_bytes(format_of(out))};
  writes(context, {out.write_ptr + block * rows.bytes(), rows.bytes()});
}

}  // namespace checked
}  // namespace

void check_tile_services(Services& services, TileServices& tiles) {
  services.copy_tile = checked::copy_tile;
  services.pack_tile = checked::pack_tile;
  services.binary_tiles = checked::binary_tiles;
  services.binary_dest_reuse = checked::binary_dest_reuse;
  services.matmul_tiles = checked::matmul_tiles;
  tiles = tile_services();
  tiles.binary_tiles_broadcast = checked::binary_tiles_broadcast;
  tiles.reduce_tile = checked::reduce_tile;
  tiles.reduce_rows = checked::reduce_rows;
  tiles.transpose_tile = checked::transpose_tile;
  tiles.matmul_block = checked::matmul_block;
  tiles.tilize = checked::tilize;
  tiles.untilize = checked::untilize;
  tiles.pack_untilize = checked::pack_untilize;
  services.tiles = &tiles;
}

}  // namespace lightmetal::device::cpu
