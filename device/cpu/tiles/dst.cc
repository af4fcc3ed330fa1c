#include "device/cpu/tiles/dst.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "device/cpu/tiles/arithmetic.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;
using kernel_abi::DstCall;
using kernel_abi::kDstTiles;

constexpr uint32_t integer_bit(uint32_t place) { return uint32_t{1} << place; }
constexpr uint32_t written_bit(uint32_t place) { return uint32_t{1} << (kDstTiles + place); }

uint32_t section_tiles(const Context* context) {
  return context->dst_tiles == 0 ? kDstTiles : context->dst_tiles;
}

// Which tile of Context::dst is tile `dst` of the section that begins at `first`; nullopt: none.
std::optional<uint32_t> find_tile(const Context* context, uint32_t first, uint32_t dst) {
  if (dst >= section_tiles(context) || dst >= kDstTiles || first >= kDstTiles - dst)
    return std::nullopt;
  return first + dst;
}

uint32_t tile_place(Context* context, uint32_t first, uint32_t dst) {
  const std::optional<uint32_t> place = find_tile(context, first, dst);
  if (!place.has_value()) {
    fail_kernel(context,
                "DST has no tile %u: with this kernel's fp32_dest_acc_en and dst_full_sync_en it "
                "holds %u tiles",
                dst, section_tiles(context));
  }
  return *place;
}

bool is_written(const Context* context, uint32_t place) {
  return (context->dst_state & written_bit(place)) != 0;
}
bool holds_integers(const Context* context, uint32_t place) {
  return (context->dst_state & integer_bit(place)) != 0;
}

float* memory_at(Context* context, uint32_t place) {
  return context->dst + size_t{place} * kTileElements;
}

// The tile's values, which are cleared when nothing has written them.
float* values_at(Context* context, uint32_t place) {
  float* tile = memory_at(context, place);
  if (is_written(context, place)) return tile;
  std::memset(tile, 0, kTileElements * sizeof(float));
  context->dst_state |= written_bit(place);
  return tile;
}

// ---- Sections ----

bool has_two_halves(const Context* context) { return context->dst_halves == 2; }

uint32_t other_half(const Context* context, uint32_t first) {
  return first == 0 && has_two_halves(context) ? section_tiles(context) : 0;
}

// Nothing else would ever release a section: the kernel's own packing comes later.
void require_free_section(Context* context) {
  if (context->dst_committed < (has_two_halves(context) ? 2 : 1)) return;
  fail_kernel(context,
              "DST: the kernel acquires or commits a section while all of DST is committed, and "
              "releases what is packed only later; on hardware it would wait for its packer");
}

// What is computed goes to the half that is packed next but for the committed ones.
void compute_in_free_section(Context* context) {
  const uint32_t packed = context->dst_pack_first;
  context->dst_first = context->dst_committed % 2 == 0 ? packed : other_half(context, packed);
}

void commit(Context* context) {
  require_free_section(context);
  ++context->dst_committed;
  compute_in_free_section(context);
}

void zero_section(Context* context, uint32_t first) {
  for (uint32_t i = 0; i < section_tiles(context); ++i) {
    const std::optional<uint32_t> place = find_tile(context, first, i);
    if (place.has_value()) context->dst_state &= ~(written_bit(*place) | integer_bit(*place));
  }
}

void release(Context* context) {
  if (context->dst_committed == 0) commit(context);
  zero_section(context, context->dst_pack_first);
  --context->dst_committed;
  context->dst_pack_first = other_half(context, context->dst_pack_first);
  compute_in_free_section(context);
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
  const std::optional<uint32_t> place = find_tile(context, context->dst_first, dst);
  return place.has_value() && holds_integers(context, *place);
}

bool dst_is_written(const Context* context, uint32_t dst) {
  const std::optional<uint32_t> place = find_tile(context, context->dst_first, dst);
  return place.has_value() && is_written(context, *place);
}

float* dst_to_fill(Context* context, uint32_t dst, bool integers) {
  const uint32_t place = tile_place(context, context->dst_first, dst);
  context->dst_state &= ~integer_bit(place);
  context->dst_state |= written_bit(place) | (integers ? integer_bit(place) : 0);
  return memory_at(context, place);
}

uint32_t* dst_integers_to_fill(Context* context, uint32_t dst) {
  return reinterpret_cast<uint32_t*>(dst_to_fill(context, dst, /*integers=*/true));
}

float* dst_tile(Context* context, uint32_t dst) {
  return values_at(context, tile_place(context, context->dst_first, dst));
}

float* dst_floats(Context* context, uint32_t dst) {
  float* tile = dst_tile(context, dst);
  if (dst_holds_integers(context, dst)) {
    fail_kernel(context, "DST tile %u holds integers; this operation is for floats", dst);
  }
  return tile;
}

uint32_t* dst_integers(Context* context, uint32_t dst) {
  const uint32_t place = tile_place(context, context->dst_first, dst);
  if (!is_written(context, place)) context->dst_state |= integer_bit(place);
  float* tile = values_at(context, place);
  if (!holds_integers(context, place)) {
    fail_kernel(context, "DST tile %u holds floats; this operation is for integers", dst);
  }
  return reinterpret_cast<uint32_t*>(tile);
}

TileToPack tile_to_pack(Context* context, uint32_t dst, DataFormat format) {
  const uint32_t place = tile_place(context, context->dst_pack_first, dst);
  const bool zero = !is_written(context, place);
  return {values_at(context, place),
          holds_integers(context, place) || (zero && is_integer_format(format))};
}

void sync_dst(Context* context, DstCall call) {
  switch (call) {
    case DstCall::kAcquire:
      return require_free_section(context);
    case DstCall::kCommit:
      return commit(context);
    case DstCall::kRelease:
      return release(context);
    case DstCall::kWait:  // Only a part of a kernel waits, and has a service of its own.
      break;
  }
  fail_kernel(context, "DST call %u is not known to this device", static_cast<uint32_t>(call));
}

void clear_dst(Context* context) { context->dst_state = 0; }

}  // namespace lightmetal::device::cpu
