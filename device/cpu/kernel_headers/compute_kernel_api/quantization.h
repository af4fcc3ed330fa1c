#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Affine quantisation: the first tile becomes first x second + zero point. The second holds floats:
// of quant_tile and requant_tile the reciprocal of the scale, of dequant_tile the scale itself.
// Quantised values are rounded to the nearest whole number, halves away from zero, and kept within
// 127 on both sides. An initialiser's zero point is the bits of a float; that of dequant_tile has
// its sign changed and is added before the product is taken.
namespace lightmetal::kernel {

inline float zero_point = 0;

FORCE_INLINE int32_t quantised(float value) {
  const bool negative = value < 0;
  const float size = negative ? -value : value;
  if (!(size < 127)) return negative ? -127 : 127;
  const auto whole = static_cast<int32_t>(size);
  const int32_t nearest = size - static_cast<float>(whole) < 0.5f ? whole : whole + 1;
  return negative ? -nearest : nearest;
}

template <typename From>
FORCE_INLINE void quantise(uint32_t tile, uint32_t scale, uint32_t result, bool integers) {
  const auto* from = static_cast<const From*>(dst_operand(tile, integers));
  const auto* scales = static_cast<const float*>(dst_operand(scale, false));
  int32_t results[1024];
  for (uint32_t i = 0; i < 1024; ++i)
    results[i] = quantised(static_cast<float>(from[i]) * scales[i] + zero_point);
  __builtin_memcpy(sfpu().dst_values(context(), result, kernel_abi::DstUse::kWriteIntegers),
                   results, sizeof(results));
}

}  // namespace lightmetal::kernel

namespace ckernel {

ALWI void quant_tile_init(const uint32_t zero_point) {
  lightmetal::kernel::zero_point = lightmetal::kernel::float_of(zero_point);
}
ALWI void quant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::quantise<float>(idst0, idst1, odst, false);
}
ALWI void quant_tile(uint32_t idst0, uint32_t idst1) { quant_tile(idst0, idst1, idst0); }

ALWI void requant_tile_init(const uint32_t zero_point) { quant_tile_init(zero_point); }
ALWI void requant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::quantise<int32_t>(idst0, idst1, odst, true);
}
ALWI void requant_tile(uint32_t idst0, uint32_t idst1) { requant_tile(idst0, idst1, idst0); }

ALWI void dequant_tile_init(const uint32_t zero_point) { quant_tile_init(zero_point); }
ALWI void dequant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  using namespace lightmetal;
  const auto* from = static_cast<const int32_t*>(kernel::dst_operand(idst0, true));
  const auto* scales = static_cast<const float*>(kernel::dst_operand(idst1, false));
  float results[1024];
  for (uint32_t i = 0; i < 1024; ++i)
    results[i] = (static_cast<float>(from[i]) + kernel::zero_point) * scales[i];
  __builtin_memcpy(
      kernel::sfpu().dst_values(kernel::context(), odst, kernel_abi::DstUse::kWriteFloats), results,
      sizeof(results));
}
ALWI void dequant_tile(uint32_t idst0, uint32_t idst1) { dequant_tile(idst0, idst1, idst0); }

}  // namespace ckernel
