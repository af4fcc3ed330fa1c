#pragma once

#include "sfpi.h"

// How kernels apply a function of their own to tiles of DST: once for each face that the vector
// mode names, with dst_reg at the face.

namespace ckernel {

// Initialisers name their operation; those of a kernel's own are unused.
enum class SfpuType : uint8_t { unused, exponential };

}  // namespace ckernel

namespace lightmetal::kernel {

template <typename Body>
FORCE_INLINE void for_each_face(uint32_t first_vector, int vector_mode, Body body) {
  for (uint32_t face = 0; face < 4; ++face) {
    if (!goes_by_faces(vector_mode) ? face != 0 : !works_on_face(vector_mode, face)) continue;
    dst_vector = first_vector + face * 8;
    body();
  }
  dst_vector = 0;
}

// A function of the numbers of so many tiles, and further arguments.
template <int kTiles, typename Function, typename... Args>
concept TakesTiles = (kTiles == 1 && requires(Function && function, uint32_t tile,
                                              Args... args) { function(tile, args...); }) ||
                     (kTiles == 3 && requires(Function && function, uint32_t tile, Args... args) {
                       function(tile, tile, tile, args...);
                     });

}  // namespace lightmetal::kernel

namespace ckernel {

// The function's dst_reg[0] is the tile's face.
template <bool APPROXIMATE = false, typename Function, typename... Args>
ALWI void _llk_math_eltwise_unary_sfpu_params_(Function&& sfpu_func, uint32_t dst_index,
                                               int vector_mode = VectorMode::RC, Args... args) {
  lightmetal::kernel::for_each_face(dst_index * lightmetal::kernel_abi::kVectorsPerTile,
                                    vector_mode, [&] { sfpu_func(args...); });
}
template <bool APPROXIMATE = false, typename Function, typename... Args>
ALWI void llk_math_eltwise_unary_sfpu_params(Function&& sfpu_func, uint32_t dst_index,
                                             int vector_mode = VectorMode::RC, Args... args) {
  _llk_math_eltwise_unary_sfpu_params_<APPROXIMATE>(sfpu_func, dst_index, vector_mode, args...);
}

// The function gets the tiles' numbers, and its dst_reg[0] is the face of tile 0: tile i is 32
// vectors further than tile i - 1.
template <bool APPROXIMATE = false, typename Function, typename... Args>
requires lightmetal::kernel::TakesTiles<3, Function, Args...> ALWI void
_llk_math_eltwise_binary_sfpu_params_(Function&& sfpu_func, uint32_t dst_index_in0,
                                      uint32_t dst_index_in1, uint32_t dst_index_out,
                                      int vector_mode = VectorMode::RC, Args... args) {
  lightmetal::kernel::for_each_face(
      0, vector_mode, [&] { sfpu_func(dst_index_in0, dst_index_in1, dst_index_out, args...); });
}
// Until mid-2025 the function's dst_reg[0] is the face of the first of both tiles, and its argument
// says how many tiles further the other one is.
template <bool APPROXIMATE = false, typename Function, typename... Args>
requires(lightmetal::kernel::TakesTiles<1, Function, Args...> &&
         !lightmetal::kernel::TakesTiles<3, Function, Args...>) ALWI
    void _llk_math_eltwise_binary_sfpu_params_(Function&& sfpu_func, uint32_t dst_index_a,
                                               uint32_t dst_index_b,
                                               int vector_mode = VectorMode::RC, Args... args) {
  const bool ascending = dst_index_a <= dst_index_b;
  const uint32_t first = ascending ? dst_index_a : dst_index_b;
  const uint32_t offset = (ascending ? dst_index_b : dst_index_a) - first;
  lightmetal::kernel::for_each_face(first * lightmetal::kernel_abi::kVectorsPerTile, vector_mode,
                                    [&] { sfpu_func(offset, args...); });
}
template <bool APPROXIMATE = false, typename Function, typename... Args>
ALWI void _llk_math_eltwise_ternary_sfpu_params_(Function&& sfpu_func, uint32_t dst_index_in0,
                                                 uint32_t dst_index_in1, uint32_t dst_index_in2,
                                                 uint32_t dst_index_out,
                                                 int vector_mode = VectorMode::RC, Args... args) {
  lightmetal::kernel::for_each_face(0, vector_mode, [&] {
    sfpu_func(dst_index_in0, dst_index_in1, dst_index_in2, dst_index_out, args...);
  });
}

// There is nothing to set up; an initialiser that is given is called.
template <SfpuType sfpu_op, bool APPROXIMATE = false>
ALWI void llk_math_eltwise_unary_sfpu_init() {}
template <SfpuType sfpu_op, bool APPROXIMATE = false, typename Init, typename... Args>
ALWI void llk_math_eltwise_unary_sfpu_init(Init&& init_func, Args... args) {
  init_func(args...);
}
template <SfpuType sfpu_op, bool APPROXIMATE = false>
ALWI void llk_math_eltwise_binary_sfpu_init() {}
template <SfpuType sfpu_op, bool APPROXIMATE = false, typename Init, typename... Args>
ALWI void llk_math_eltwise_binary_sfpu_init(Init&& init_func, Args... args) {
  init_func(args...);
}
template <SfpuType sfpu_op>
ALWI void _llk_math_eltwise_unary_sfpu_init_() {}
template <SfpuType sfpu_op>
ALWI void _llk_math_eltwise_binary_sfpu_init_() {}

}  // namespace ckernel

// Kernels use SFPI's names without saying so.
using namespace sfpi;
