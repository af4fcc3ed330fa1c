#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// e^x. The fast approximating variant gives e^(scale x) with the scale of the initialiser, 1 unless
// given; the others e^(scale x) with scale_en, where the scale is the argument, a bfloat16.
namespace lightmetal::kernel {

inline uint32_t exp_scale = 0x3F800000;  // set by the initialiser; a float's bits

}  // namespace lightmetal::kernel

namespace ckernel {

// As of 2026: whether the fast variant takes numbers far below zero. All do here.
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

}  // namespace ckernel

namespace lightmetal::kernel {

// Template arguments of exp_tile behind `approx`. Until 2026: fast_and_approx, scale_en,
// skip_positive_check, iterations. Since: scale_en, input_clamping, iterations.
struct ExpModes {
  bool fast = true;
  bool scale_en = false;
  int iterations = 8;
};
template <bool scaled_if_alone, bool second, typename... Rest>
constexpr ExpModes exp_modes(Rest... rest) {
  ExpModes modes;
  int place = 0;
  bool until_2026 = false;
  const auto read = [&](auto value) {
    if constexpr (std::is_same_v<decltype(value), bool>) {
      if (place == 0) {
        until_2026 = true;
        modes.scale_en = value;
      }
    } else if constexpr (std::is_same_v<decltype(value), int>) {
      modes.iterations = value;
    }
    ++place;
  };
  (read(rest), ...);
  if (until_2026) {
    modes.fast = second;
  } else if (sizeof...(Rest) > 0 || scaled_if_alone) {
    modes.scale_en = second;
  } else {
    modes.fast = second;
  }
  return modes;
}

template <bool approx, ExpModes modes>
FORCE_INLINE void exp_of_tile(uint32_t idst, int vector_mode, uint16_t scale) {
  const uint32_t vectors = vectors_of(vector_mode, modes.iterations);
  if constexpr (approx && modes.fast) {
    sfpu_unary(UnaryOp::kScaledExp, idst, exp_scale, 0, 0, vectors);
  } else if constexpr (modes.scale_en) {
    sfpu_unary(UnaryOp::kScaledExp, idst, static_cast<uint32_t>(scale) << 16, 0, 0, vectors);
  } else {
    sfpu_unary(UnaryOp::kExp, idst, 0, 0, 0, vectors);
  }
}

}  // namespace lightmetal::kernel

namespace ckernel {

// Until 2026: fast_and_approx, then the scale. Since: the scale alone.
template <bool approx = false, auto fast_or_scale = true, auto... rest>
ALWI void exp_tile_init() {
  uint32_t scale = 0x3F800000;
  if constexpr (!std::is_same_v<decltype(fast_or_scale), bool>) {
    scale = static_cast<uint32_t>(fast_or_scale);
  } else if constexpr (sizeof...(rest) > 0) {
    const uint32_t given[] = {static_cast<uint32_t>(rest)...};
    scale = given[0];
  }
  lightmetal::kernel::exp_scale = scale;
}

// A call with a scale and two template arguments is one of 2026, whose second says that it counts.
template <bool approx = false, bool second = true, auto... rest>
ALWI void exp_tile(uint32_t idst, int vector_mode = VectorMode::RC) {
  constexpr auto kModes = lightmetal::kernel::exp_modes<false, second>(rest...);
  lightmetal::kernel::exp_of_tile<approx, kModes>(idst, vector_mode, 0x3F80);
}
template <bool approx = false, bool second = true, auto... rest>
ALWI void exp_tile(uint32_t idst, int vector_mode, uint16_t scale) {
  constexpr auto kModes = lightmetal::kernel::exp_modes<true, second>(rest...);
  lightmetal::kernel::exp_of_tile<approx, kModes>(idst, vector_mode, scale);
}

// The variant that a device runs on its packing processor.
template <auto... modes>
ALWI void exp_packthread_tile_init() {
  exp_tile_init<modes...>();
}
template <auto... modes>
ALWI void exp_packthread_tile(auto... arguments) {
  exp_tile<modes...>(arguments...);
}

}  // namespace ckernel
