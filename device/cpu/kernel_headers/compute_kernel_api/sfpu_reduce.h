#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/refused_reductions.h"
#include "lightmetal/sfpu.h"

// Sums, averages, and greatest and smallest values of tiles of DST, as of 2026: of each column into
// the first row (REDUCE_COL), or of each row into the first column (REDUCE_ROW), there of ct_dim
// tiles side by side into the first of them. Other elements keep what they hold. Sums of whole
// numbers wrap.
namespace lightmetal::kernel {

template <ckernel::PoolType type, typename Value>
FORCE_INLINE Value pooled(Value a, Value b) {
  if constexpr (type == ckernel::PoolType::MAX) return a > b ? a : b;
  if constexpr (type == ckernel::PoolType::MIN) return a < b ? a : b;
  return a + b;
}

template <ckernel::PoolType type, typename Value>
FORCE_INLINE void reduce_dst(uint32_t dst, uint32_t tiles, bool rows, bool integers) {
  for (uint32_t i = 0; i < 32; ++i) {
    Value result{};
    for (uint32_t k = 0; k < 32 * tiles; ++k) {
      const auto* values = static_cast<const Value*>(dst_operand(dst + k / 32, integers));
      const Value value = values[rows ? place_in_tile(i, k % 32) : place_in_tile(k % 32, i)];
      result = k == 0 ? value : pooled<type>(result, value);
    }
    if constexpr (type == ckernel::PoolType::AVG) result = result / 32;
    auto* target = static_cast<Value*>(dst_operand(dst, integers));
    target[rows ? place_in_tile(i, 0) : place_in_tile(0, i)] = result;
  }
}

}  // namespace lightmetal::kernel

namespace ckernel {

template <PoolType pool_type, DataFormat format, auto... modes>
ALWI void sfpu_reduce_init() {}

template <PoolType pool_type, DataFormat format, ReduceDim reduce_dim = ReduceDim::REDUCE_COL,
          auto... modes>
ALWI void sfpu_reduce(uint32_t idst, uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
  constexpr bool kRows = reduce_dim == ReduceDim::REDUCE_ROW;
  constexpr bool kIntegers = lightmetal::kernel::is_integer(format);
  static_assert(kRows || reduce_dim == ReduceDim::REDUCE_COL,
                "refused: sfpu_reduce reduces rows or columns");
  static_assert(pool_type != PoolType::AVG || (!kRows && !kIntegers),
                "refused: sfpu_reduce averages columns of floats only");
  if (rt_dim != 1 || ct_dim == 0 || (!kRows && ct_dim != 1))
    lightmetal::kernel::fail("sfpu_reduce takes one row of tiles, and columns of one tile");
  using Whole = std::conditional_t<format == DataFormat::Int32, int32_t, uint32_t>;
  using Value = std::conditional_t<kIntegers, Whole, float>;
  lightmetal::kernel::reduce_dst<pool_type, Value>(idst, ct_dim, kRows, kIntegers);
}

}  // namespace ckernel
