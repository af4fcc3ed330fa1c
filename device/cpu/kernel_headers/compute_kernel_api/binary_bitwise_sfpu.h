#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Of whole numbers. With two operands, the result is in the first.
namespace ckernel {

ALWI void binary_bitwise_tile_init() {}

template <auto... modes>
ALWI void and_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kAnd, idst0, idst1, odst);
}
template <auto... modes>
ALWI void and_binary_tile(uint32_t idst0, uint32_t idst1) {
  and_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_and_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kAnd, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_and_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_and_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_and_int32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kAnd, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_and_int32_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_and_int32_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_and_uint32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kAnd, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_and_uint32_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_and_uint32_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_and_uint16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kAnd, idst0, idst1, odst,
                                    0xffff);
}
template <auto... modes>
ALWI void bitwise_and_uint16_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_and_uint16_binary_tile(idst0, idst1, idst0);
}

template <auto... modes>
ALWI void or_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kOr, idst0, idst1, odst);
}
template <auto... modes>
ALWI void or_binary_tile(uint32_t idst0, uint32_t idst1) {
  or_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_or_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kOr, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_or_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_or_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_or_int32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kOr, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_or_int32_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_or_int32_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_or_uint32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kOr, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_or_uint32_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_or_uint32_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_or_uint16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kOr, idst0, idst1, odst,
                                    0xffff);
}
template <auto... modes>
ALWI void bitwise_or_uint16_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_or_uint16_binary_tile(idst0, idst1, idst0);
}

template <auto... modes>
ALWI void xor_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kXor, idst0, idst1, odst);
}
template <auto... modes>
ALWI void xor_binary_tile(uint32_t idst0, uint32_t idst1) {
  xor_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_xor_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kXor, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_xor_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_xor_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_xor_int32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kXor, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_xor_int32_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_xor_int32_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_xor_uint32_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kXor, idst0, idst1, odst);
}
template <auto... modes>
ALWI void bitwise_xor_uint32_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_xor_uint32_binary_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void bitwise_xor_uint16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kXor, idst0, idst1, odst,
                                    0xffff);
}
template <auto... modes>
ALWI void bitwise_xor_uint16_binary_tile(uint32_t idst0, uint32_t idst1) {
  bitwise_xor_uint16_binary_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
