#pragma once

#include "lightmetal/sfpu.h"

// What SFPI's types are made of: vectors of 32 lanes, and which lanes a v_if has left on.
namespace lightmetal::kernel {

using FloatLanes = float __attribute__((vector_size(128)));
using IntLanes = int32_t __attribute__((vector_size(128)));
using UIntLanes = uint32_t __attribute__((vector_size(128)));

// In memory, whose alignment is that of a tile of DST or of a kernel's variable.
using StoredLanes = int32_t __attribute__((vector_size(128), aligned(16)));

// All bits of a lane set: on.
inline constexpr IntLanes kAllLanes = IntLanes{} - 1;

// The lanes that assignments change: those in `words`, or all while no v_if or v_block is open.
struct LaneState {
  alignas(16) int32_t words[32];
  uint32_t depth = 0;

  FORCE_INLINE StoredLanes& stored() { return *reinterpret_cast<StoredLanes*>(words); }
  FORCE_INLINE IntLanes lanes() { return depth == 0 ? kAllLanes : stored(); }
};
inline LaneState lane_state;

template <typename Lanes>
FORCE_INLINE Lanes chosen(IntLanes condition, Lanes yes, Lanes no) {
  return reinterpret_cast<Lanes>((reinterpret_cast<IntLanes>(yes) & condition) |
                                 (reinterpret_cast<IntLanes>(no) & ~condition));
}

template <typename Lanes>
FORCE_INLINE void assign(Lanes& target, Lanes value) {
  target = lane_state.depth == 0 ? value : chosen(lane_state.lanes(), value, target);
}

// v_if ... v_endif and v_block ... v_endblock: turns lanes off, and on again at its end.
class LaneScope {
 public:
  FORCE_INLINE LaneScope() : before_(lane_state.lanes()), left_(before_) {
    lane_state.stored() = before_;
    ++lane_state.depth;
  }
  FORCE_INLINE ~LaneScope() {
    lane_state.stored() = before_;
    --lane_state.depth;
  }
  LaneScope(const LaneScope&) = delete;
  LaneScope& operator=(const LaneScope&) = delete;

  // Only lanes that have been on in no branch before.
  FORCE_INLINE void other_lanes() { lane_state.stored() = left_ &= ~lane_state.stored(); }
  FORCE_INLINE void narrow(IntLanes condition) { lane_state.stored() &= condition; }

 private:
  IntLanes before_;
  IntLanes left_;
};

// Where dst_reg[0] is: a vector of DST, counted from its begin.
inline uint32_t dst_vector = 0;

// The four rows of a face of which a vector of DST has elements. Beyond the last tile, the launch
// fails.
FORCE_INLINE StoredLanes* dst_rows(uint32_t vector, kernel_abi::DstUse use) {
  void* tile = sfpu().dst_values(context(), vector / kernel_abi::kVectorsPerTile, use);
  return static_cast<StoredLanes*>(tile) + vector % kernel_abi::kVectorsPerTile / 2 * 2;
}

// Of the 64 elements of these rows an even vector has the even ones, and the next vector the odd
// ones, as on the device.
FORCE_INLINE IntLanes lanes_of_rows(const StoredLanes* rows, bool odd) {
  const IntLanes first = rows[0], second = rows[1];
  if (!odd)
    return __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26,
                                   28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58,
                                   60, 62);
  return __builtin_shufflevector(first, second, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27,
                                 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61,
                                 63);
}
FORCE_INLINE IntLanes read_vector(uint32_t vector) {
  return lanes_of_rows(dst_rows(vector, kernel_abi::DstUse::kRead), vector % 2 != 0);
}
// Writes the lanes that are on.
FORCE_INLINE void write_vector(uint32_t vector, IntLanes value, kernel_abi::DstUse use) {
  StoredLanes* rows = dst_rows(vector, use);
  IntLanes lanes = lanes_of_rows(rows, vector % 2 != 0);
  assign(lanes, value);
  auto* words = reinterpret_cast<int32_t*>(rows) + vector % 2;
  for (uint32_t lane = 0; lane < 32; ++lane) words[2 * lane] = lanes[lane];
}

}  // namespace lightmetal::kernel
