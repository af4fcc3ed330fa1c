#pragma once

#include "lightmetal/kernel.h"

// Multiplication and division by names that the hardware's processors need. Exact.

FORCE_INLINE unsigned int mulsi3(unsigned int a, unsigned int b) { return a * b; }

FORCE_INLINE uint32_t fast_udiv_7(uint32_t n) { return n / 7; }
FORCE_INLINE uint32_t fast_udiv_12(uint32_t n) { return n / 12; }
FORCE_INLINE uint32_t fast_udiv_20(uint32_t n) { return n / 20; }
FORCE_INLINE uint32_t fast_udiv_48(uint32_t n) { return n / 48; }
FORCE_INLINE uint32_t fast_udiv_56(uint32_t n) { return n / 56; }
FORCE_INLINE uint32_t fast_udiv_63(uint32_t n) { return n / 63; }
FORCE_INLINE uint32_t fast_udiv_70(uint32_t n) { return n / 70; }
FORCE_INLINE uint32_t fast_udiv_72(uint32_t n) { return n / 72; }
FORCE_INLINE uint32_t fast_udiv_80(uint32_t n) { return n / 80; }
FORCE_INLINE uint32_t fast_udiv_94(uint32_t n) { return n / 94; }
FORCE_INLINE uint32_t fast_udiv_108(uint32_t n) { return n / 108; }
FORCE_INLINE uint32_t fast_udiv_110(uint32_t n) { return n / 110; }
FORCE_INLINE uint32_t fast_udiv_117(uint32_t n) { return n / 117; }
FORCE_INLINE uint32_t fast_udiv_120(uint32_t n) { return n / 120; }
FORCE_INLINE uint32_t fast_udiv_124(uint32_t n) { return n / 124; }
FORCE_INLINE uint32_t fast_udiv_126(uint32_t n) { return n / 126; }
FORCE_INLINE uint32_t fast_udiv_130(uint32_t n) { return n / 130; }
FORCE_INLINE uint32_t fast_udiv_140(uint32_t n) { return n / 140; }

template <uint32_t d>
FORCE_INLINE uint32_t udivsi3_const_divisor(uint32_t n) {
  return n / d;
}
template <uint32_t d>
FORCE_INLINE uint32_t umodsi3_const_divisor(uint32_t a) {
  return a % d;
}
