#include "device/cpu/tiles/dst.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/cpu/tiles/arithmetic.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;
using kernel_abi::kDstTiles;

constexpr uint32_t integer_bit(uint32_t dst) { return uint32_t{1} << dst; }
constexpr uint32_t written_bit(uint32_t dst) { return uint32_t{1} << (kDstTiles + dst); }

float* dst_memory(Context* context, uint32_t dst) {
  const uint32_t tiles = context->dst_tiles == 0 ? kDstTiles : context->dst_tiles;
  if (dst >= tiles) {
    fail_kernel(context,
                "DST has no tile %u: with this kernel's fp32_dest_acc_en and dst_full_sync_en it "
                "holds %u tiles",
                dst, tiles);
  }
  return context->dst + size_t{dst} * kTileElements;
}

void clear_if_unwritten(Context* context, uint32_t dst, float* tile) {
  if (dst_is_written(context, dst)) return;
  std::memset(tile, 0, kTileElements * sizeof(float));
  context->dst_state |= written_bit(dst);
}

}  // namespace

// The messages are plain memory: a kernel that fails does not return, and nothing on its stack is
// destroyed.
void fail_kernel(Context* context, const char* format, ...) {
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  context->services->fail(context, "", 0, message);
  std::abort();
}

void tolerate(Context* context, kernel_abi::Misuse misuse, uint32_t cb, const char* format, ...) {
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  context->services->diagnosis->tolerate(context, misuse, cb, message);
}

bool dst_holds_integers(const Context* context, uint32_t dst) {
  return dst < kDstTiles && (context->dst_state & integer_bit(dst)) != 0;
}

bool dst_is_written(const Context* context, uint32_t dst) {
  return dst < kDstTiles && (context->dst_state & written_bit(dst)) != 0;
}

float* dst_to_fill(Context* context, uint32_t dst, bool integers) {
  float* tile = dst_memory(context, dst);
  context->dst_state &= ~integer_bit(dst);
  context->dst_state |= written_bit(dst) | (integers ? integer_bit(dst) : 0);
  return tile;
}

uint32_t* dst_integers_to_fill(Context* context, uint32_t dst) {
  return reinterpret_cast<uint32_t*>(dst_to_fill(context, dst, /*integers=*/true));
}

float* dst_tile(Context* context, uint32_t dst) {
  float* tile = dst_memory(context, dst);
  clear_if_unwritten(context, dst, tile);
  return tile;
}

float* dst_floats(Context* context, uint32_t dst) {
  float* tile = dst_tile(context, dst);
  if (dst_holds_integers(context, dst)) {
    fail_kernel(context, "DST tile %u holds integers; this operation is for floats", dst);
  }
  return tile;
}

uint32_t* dst_integers(Context* context, uint32_t dst) {
  float* tile = dst_memory(context, dst);
  if (!dst_is_written(context, dst)) context->dst_state |= integer_bit(dst);
  clear_if_unwritten(context, dst, tile);
  if (!dst_holds_integers(context, dst)) {
    fail_kernel(context, "DST tile %u holds floats; this operation is for integers", dst);
  }
  return reinterpret_cast<uint32_t*>(tile);
}

}  // namespace lightmetal::device::cpu
