#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "device/cpu/sfpu/arithmetic.h"

// Functions that are rarely used, or whose intermediate values need more precision than a float
// has.
namespace lightmetal::device::cpu {
namespace {

using kernel_abi::UnaryOp;

// The inverse of erf: Winitzki's approximation (S. Winitzki, "A handy approximation for the error
// function and its inverse", 2008), improved by Halley's steps on the smaller of erf and erfc.
double erfinv(double x) {
  constexpr double kA = 0.147;
  const double size = std::abs(x);
  if (!(size < 1)) return size == 1 ? std::copysign(INFINITY, x) : std::nan("");
  const double logarithm = std::log1p(-size * size);
  const double middle = 2 / (M_PI * kA) + logarithm / 2;
  double y = std::sqrt(std::sqrt(middle * middle - logarithm / kA) - middle);
  for (int step = 0; step < 3; ++step) {
    const double error = size < 0.5 ? std::erf(y) - size : (1 - size) - std::erfc(y);
    const double newton = error / (2 / std::sqrt(M_PI) * std::exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return std::copysign(y, x);
}

// The modified Bessel functions of the first kind (M. Abramowitz and I. A. Stegun, 9.6.10 and
// 9.7.1): a power series of positive terms, or the expansion for large arguments.
double bessel_series(int order, double x) {
  double term = order == 0 ? 1 : x / 2;
  double sum = term;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= x * x / 4 / (static_cast<double>(k) * (k + order));
    sum += term;
  }
  return sum;
}

double bessel_far(int order, double x) {
  double term = 1;
  double sum = 1;
  for (int k = 1; k < 30; ++k) {
    const double odd = 2 * k - 1;
    term *= -(4 * order * order - odd * odd) / (8 * x * k);
    sum += term;
  }
  return std::exp(x) / std::sqrt(2 * M_PI * x) * sum;
}

double bessel(int order, double x) {
  const double size = std::abs(x);
  if (std::isnan(x)) return x;
  const double value = size > 100  ? std::numeric_limits<double>::infinity()
                       : size > 30 ? bessel_far(order, size)
                                   : bessel_series(order, size);
  return order == 1 ? std::copysign(value, x) : value;
}

// The exponent of power_tile: the bits of a float or, as kernels of 2024 give it, a small whole
// number. As the bits of a float such a number would be denormal, so the two cannot be confused.
double exponent_of(uint32_t bits) {
  constexpr uint32_t kSmallestNormal = 0x00800000;
  return bits < kSmallestNormal ? bits : static_cast<double>(std::bit_cast<float>(bits));
}

double rounded(double x, int32_t decimals) {
  if (decimals > 60 || !std::isfinite(x)) return x;
  if (decimals < -60) return std::copysign(0.0, x);
  const double scale = std::pow(10.0, std::abs(decimals));
  return decimals < 0 ? std::nearbyint(x / scale) * scale : std::nearbyint(x * scale) / scale;
}

double remainder_like_divisor(double x, double divisor) {
  const double remainder = std::fmod(x, divisor);
  if (remainder == 0) return std::copysign(0.0, divisor);
  return (remainder < 0) == (divisor < 0) ? remainder : remainder + divisor;
}

template <typename Function>
bool for_each(Function function, uint32_t vectors, float* tile) {
  for_each_run(vectors, [&](uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
      tile[i] = static_cast<float>(function(static_cast<double>(tile[i])));
    }
  });
  return true;
}

// A small whole power by repeated multiplication, which compilers vectorise.
double whole_power(double x, uint32_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent >>= 1, x *= x) {
    if ((exponent & 1) != 0) result *= x;
  }
  return result;
}

bool power(double exponent, uint32_t vectors, float* tile) {
  if (exponent >= 0 && exponent <= 64 && exponent == std::floor(exponent)) {
    const auto whole = static_cast<uint32_t>(exponent);
    return for_each([=](double x) { return whole_power(x, whole); }, vectors, tile);
  }
  return for_each([=](double x) { return std::pow(x, exponent); }, vectors, tile);
}

// Multiplies pairs (real, imaginary) by i.
bool rotate_pairs(uint32_t vectors, float* tile) {
  for_each_run(vectors, [&](uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; i += 2) tile[i + 1] = std::exchange(tile[i], -tile[i + 1]);
  });
  return true;
}

}  // namespace

bool unary_in_double(UnaryOp op, const UnaryParameters& p, uint32_t vectors, float* tile) {
  const double a = p.float_a();
  switch (op) {
    case UnaryOp::kErfInverse:
      return for_each(erfinv, vectors, tile);
    case UnaryOp::kBesselI0:
      return for_each([](double x) { return bessel(0, x); }, vectors, tile);
    case UnaryOp::kBesselI1:
      return for_each([](double x) { return bessel(1, x); }, vectors, tile);
    case UnaryOp::kCubeRoot:
      return for_each([](double x) { return std::cbrt(x); }, vectors, tile);
    case UnaryOp::kPower:
      return power(exponent_of(p.a), vectors, tile);
    case UnaryOp::kReversePower:
      return for_each([=](double x) { return std::pow(a, x); }, vectors, tile);
    case UnaryOp::kFmod:
      return for_each([=](double x) { return std::fmod(x, a); }, vectors, tile);
    case UnaryOp::kRemainder:
      return for_each([=](double x) { return remainder_like_divisor(x, a); }, vectors, tile);
    case UnaryOp::kRound:
      return for_each([=](double x) { return rounded(x, static_cast<int32_t>(p.a)); }, vectors,
                      tile);
    case UnaryOp::kRotatePairs:
      return rotate_pairs(vectors, tile);
    case UnaryOp::kIdentity:
      return true;
    default:
      return false;
  }
}

bool unary_floats(UnaryOp op, const UnaryParameters& parameters, uint32_t vectors, float* tile) {
  return unary_arithmetic(op, parameters, vectors, tile) ||
         unary_exponentials(op, parameters, vectors, tile) ||
         unary_activations(op, parameters, vectors, tile) ||
         unary_trigonometry(op, vectors, tile) || unary_in_double(op, parameters, vectors, tile);
}

}  // namespace lightmetal::device::cpu
