#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// x + sin²(alpha x) / beta of three tiles, as of late 2026. What a float drops of alpha x, where
// this is below a million, is taken into account by the sine's derivative.
namespace ckernel {

ALWI void snake_beta_tile_init() {}
template <DataFormat data_format, auto... modes>
ALWI void snake_beta_tile(uint32_t idst_x, uint32_t idst_alpha, uint32_t idst_beta,
                          uint32_t idst_out) {
  using namespace lightmetal::kernel;
  static_assert(!is_integer(data_format), "refused: snake_beta_tile takes floats");
  constexpr uint32_t kElements = 1024;
  float x[kElements], beta[kElements], angle[kElements], dropped[kElements], sine[kElements];
  __builtin_memcpy(x, dst_operand(idst_x, false), sizeof(x));
  __builtin_memcpy(beta, dst_operand(idst_beta, false), sizeof(beta));
  const auto* alpha = static_cast<const float*>(dst_operand(idst_alpha, false));
  for (uint32_t i = 0; i < kElements; ++i) {
    const double exact = double{alpha[i]} * x[i];
    angle[i] = static_cast<float>(exact);
    const bool small = exact > -1e6 && exact < 1e6;
    dropped[i] = small ? static_cast<float>(exact - angle[i]) : 0;
  }
  auto* out = static_cast<float*>(lightmetal::kernel::sfpu().dst_values(
      context(), idst_out, lightmetal::kernel_abi::DstUse::kWriteFloats));
  __builtin_memcpy(out, angle, sizeof(angle));
  sfpu_unary(UnaryOp::kSin, idst_out);
  __builtin_memcpy(sine, out, sizeof(sine));
  __builtin_memcpy(out, angle, sizeof(angle));
  sfpu_unary(UnaryOp::kCos, idst_out);
  for (uint32_t i = 0; i < kElements; ++i) {
    const float value = sine[i] + dropped[i] * out[i];
    out[i] = x[i] + value * value / beta[i];
  }
}

}  // namespace ckernel
