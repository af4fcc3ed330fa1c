#pragma once

#include "lightmetal/sfpi_calls.h"

// How kernels of 2026 apply a function of ckernel::sfpu to a tile of DST: with its template
// arguments in parentheses, and its own arguments last.
#define LIGHTMETAL_ARGUMENTS(...) __VA_ARGS__
#define SFPU_UNARY_CALL(DST_SYNC, DST_ACCUM, FN, TEMPLATES, DST_IDX, VECTOR_MODE, ...) \
  ::ckernel::_llk_math_eltwise_unary_sfpu_params_(                                     \
      [](auto... arguments) {                                                          \
        ::ckernel::sfpu::FN<LIGHTMETAL_ARGUMENTS TEMPLATES>(arguments...);             \
      },                                                                               \
      DST_IDX, VECTOR_MODE __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC, DST_ACCUM, FN, DST_IDX, VECTOR_MODE, ...) \
  ::ckernel::_llk_math_eltwise_unary_sfpu_params_(                                           \
      [](auto... arguments) { ::ckernel::sfpu::FN(arguments...); }, DST_IDX,                 \
      VECTOR_MODE __VA_OPT__(, ) __VA_ARGS__)
#define SFPU_UNARY_INIT_FN(OP, INIT_FN, TEMPLATES)                          \
  ::ckernel::llk_math_eltwise_unary_sfpu_init<::ckernel::SfpuType::unused>( \
      INIT_FN<LIGHTMETAL_ARGUMENTS TEMPLATES>)
