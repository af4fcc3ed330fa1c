#pragma once

#include <bit>
#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi_sfpu.h"

// What the vector unit (SFPU) computes, on tiles of 1024 elements in the order of memory. The
// functions allocate nothing and keep no state. Pointers need no alignment; two tiles may be the
// same tile but must not overlap in part. Bit i of `vectors` chooses the elements [32 i, 32 i +
// 32); all others keep their values. Thread-safe.
namespace lightmetal::device::cpu {

// The scalars of an operation, as bits. The kernel ABI says what each operation takes them for.
struct UnaryParameters {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;

  float float_a() const { return std::bit_cast<float>(a); }
  float float_b() const { return std::bit_cast<float>(b); }
  float float_c() const { return std::bit_cast<float>(c); }
};

// Computes in place. False when the operation is unknown. The relative error is at most 1e-6, and
// the absolute error 1e-43 where values are denormal; near the zero of kGeluDerivative, its
// absolute error is at most 2e-7.
bool unary_floats(kernel_abi::UnaryOp op, const UnaryParameters& parameters, uint32_t vectors,
                  float* tile);

// The families of operations of which unary_floats() is made. Each returns false, and does nothing,
// for an operation of another family.
bool unary_exponentials(kernel_abi::UnaryOp op, const UnaryParameters& parameters, uint32_t vectors,
                        float* tile);
bool unary_activations(kernel_abi::UnaryOp op, const UnaryParameters& parameters, uint32_t vectors,
                       float* tile);
bool unary_trigonometry(kernel_abi::UnaryOp op, uint32_t vectors, float* tile);
bool unary_arithmetic(kernel_abi::UnaryOp op, const UnaryParameters& parameters, uint32_t vectors,
                      float* tile);
// One element at a time, in double precision.
bool unary_in_double(kernel_abi::UnaryOp op, const UnaryParameters& parameters, uint32_t vectors,
                     float* tile);

// result = left op right. False when the operation is unknown.
bool sfpu_binary_floats(kernel_abi::SfpuBinaryOp op, const float* left, const float* right,
                        uint32_t vectors, float* result);

// Compute in place on whole numbers of 32 bits that wrap. False when the operation is unknown.
bool unary_integers(kernel_abi::IntegerUnaryOp op, const UnaryParameters& parameters,
                    uint32_t* tile);
// result = left op right. `mask` has the bits that are kept of each result.
bool binary_integers(kernel_abi::IntegerBinaryOp op, const uint32_t* left, const uint32_t* right,
                     uint32_t mask, uint32_t* result);

// Calls body(begin, end) for the elements of each run of bits in `vectors`.
template <typename Body>
void for_each_run(uint32_t vectors, Body body) {
  uint64_t left = vectors;
  while (left != 0) {
    const int begin = std::countr_zero(left);
    const int end = begin + std::countr_one(left >> begin);
    body(static_cast<uint32_t>(begin) * 32, static_cast<uint32_t>(end) * 32);
    left &= ~uint64_t{0} << end;
  }
}

}  // namespace lightmetal::device::cpu
