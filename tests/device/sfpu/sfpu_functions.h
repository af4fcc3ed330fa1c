#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

// Every function of one float in the kernel API, with what it must give.
namespace lightmetal::device::testing {

struct UnaryFunction {
  std::string call;             // on DST tile 0
  double (*reference)(double);  // in double precision
  float low, high;              // where random arguments lie
  double absolute = 0;          // error that is allowed beyond 1e-6 of the value
};

inline std::string bits_of(float value) {
  return absl::StrCat("0x", absl::Hex(std::bit_cast<uint32_t>(value)), "u");
}

// A call with an initialiser: "NAME_tile_init(); NAME_tile(0, PARAMETERS);".
inline std::string tile_call(const std::string& name, const std::vector<float>& parameters = {}) {
  std::string call = absl::StrCat(name, "_tile_init(); ", name, "_tile(0");
  for (const float parameter : parameters) absl::StrAppend(&call, ", ", bits_of(parameter));
  return call + ");";
}

namespace reference {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline double normal(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }
inline double zero_at_minus_infinity(double x, double value) { return x == -kInfinity ? 0 : value; }
inline double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
inline double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::abs(x))); }
inline double clamped(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
// Newton's steps on the smaller of erf and erfc, in double precision.
inline double erfinv(double x) {
  const double size = std::abs(x);
  if (size >= 1 || std::isnan(x)) return size == 1 ? x * kInfinity : std::nan("");
  double y = 0;
  double high = 7;
  double low = 0;
  for (int i = 0; i < 80; ++i) {
    y = (low + high) / 2;
    (std::erfc(y) > 1 - size ? low : high) = y;
  }
  return std::copysign(size < 1e-3 ? size * std::sqrt(M_PI) / 2 * (1 + M_PI * size * size / 12) : y,
                       x);
}
inline double bessel(int order, double x) {
  if (std::isnan(x)) return x;
  const double size = std::abs(x);
  const double value = size > 200 ? kInfinity : std::cyl_bessel_i(order, size);
  return order == 1 ? std::copysign(value, x) : value;
}
inline double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
inline double floor_remainder(double x, double divisor) {
  const double remainder = std::fmod(x, divisor);
  if (remainder == 0) return std::copysign(0.0, divisor);
  return std::signbit(remainder) == std::signbit(divisor) ? remainder : remainder + divisor;
}
inline double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }

}  // namespace reference

inline std::vector<UnaryFunction> exponential_functions() {
  using namespace reference;
  return {
      {tile_call("exp"), [](double x) { return std::exp(x); }, -87, 88},
      {"exp_tile_init<true>(); exp_tile<true>(0);", [](double x) { return std::exp(x); }, -5, 5},
      {"exp_tile_init<true, true, 0x3f000000>(); exp_tile<true, true, true>(0);",
       [](double x) { return std::exp(x / 2); }, -9, 9},
      {"exp_tile_init(); exp_tile<false, false, true>(0, (int)VectorMode::RC, 0x3e80);",
       [](double x) { return std::exp(x / 4); }, -9, 9},
      {"exp_packthread_tile_init<true>(); exp_packthread_tile<true>(0);",
       [](double x) { return std::exp(x); }, -9, 9},
      {tile_call("exp2"), [](double x) { return std::exp2(x); }, -120, 120},
      {tile_call("expm1"), [](double x) { return std::expm1(x); }, -9, 9},
      {tile_call("log"), [](double x) { return std::log(x); }, 0, 1e6},
      {"log_with_base_tile_init(); log_with_base_tile(0, 0x3fb8aa3b);",
       [](double x) { return std::log(x) * std::bit_cast<float>(0x3fb8aa3b); }, 0, 1e6},
      {"log_with_base_tile_init(); log_with_base_tile(0, 0x36f3);",
       [](double x) { return std::log(x) * 0x1.bccp-2; }, 0, 1e6},
      {tile_call("log1p"), [](double x) { return std::log1p(x); }, -0.99, 9},
      {tile_call("sigmoid"), sigmoid, -80, 80},
      {"sigmoid_tile_init<true>(); sigmoid_tile<VectorMode::RC, true>(0);", sigmoid, -4, 4},
      {tile_call("tanh"), [](double x) { return std::tanh(x); }, -12, 12},
      {tile_call("tanh_derivative"), [](double x) { return 1 / std::cosh(x) / std::cosh(x); }, -40,
       40},
      {tile_call("sinh"), [](double x) { return std::sinh(x); }, -80, 80},
      {tile_call("cosh"), [](double x) { return std::cosh(x); }, -80, 80},
      {tile_call("erf"), [](double x) { return std::erf(x); }, -4, 4},
      {tile_call("erfc"), [](double x) { return std::erfc(x); }, -4, 9},
      {tile_call("erfinv"), erfinv, -1, 1},
      {tile_call("i0"), [](double x) { return bessel(0, x); }, -80, 80},
      {tile_call("i1"), [](double x) { return bessel(1, x); }, -80, 80},
  };
}

inline std::vector<UnaryFunction> trigonometric_functions() {
  return {
      {tile_call("sin"), [](double x) { return std::sin(x); }, -100, 100},
      {tile_call("cos"), [](double x) { return std::cos(x); }, -100, 100},
      {tile_call("tan"), [](double x) { return std::tan(x); }, -100, 100},
      {tile_call("asin"), [](double x) { return std::asin(x); }, -1, 1},
      {tile_call("acos"), [](double x) { return std::acos(x); }, -1, 1},
      {tile_call("atan"), [](double x) { return std::atan(x); }, -20, 20},
      {tile_call("asinh"), [](double x) { return std::asinh(x); }, -20, 20},
      {tile_call("acosh"), [](double x) { return std::acosh(x); }, 1, 20},
      {tile_call("atanh"), [](double x) { return std::atanh(x); }, -1, 1},
  };
}

inline std::vector<UnaryFunction> activation_functions() {
  using namespace reference;
  return {
      {tile_call("gelu"), [](double x) { return zero_at_minus_infinity(x, x * normal(x)); }, -12,
       12},
      {"gelu_tile_init<false>(); gelu_tile<false>(0);",
       [](double x) { return zero_at_minus_infinity(x, x * normal(x)); }, -4, 4},
      // Near its zero at -0.75 the two terms cancel.
      {tile_call("gelu_derivative"),
       [](double x) { return normal(x) + (std::isinf(x) ? 0 : x * density(x)); }, -0.9f, 9, 2e-7},
      {tile_call("silu"), [](double x) { return zero_at_minus_infinity(x, x * sigmoid(x)); }, -80,
       80},
      {tile_call("mish"),
       [](double x) { return zero_at_minus_infinity(x, x * std::tanh(softplus(x))); }, -20, 20},
      {tile_call("hardmish"),
       [](double x) { return zero_at_minus_infinity(x, x * clamped(x + double{2.8f}, 0, 5) / 5); },
       -2.7f, 9},
      {tile_call("hardsigmoid"), [](double x) { return clamped((x + 3) / 6, 0, 1); }, -2.9f, 4},
      {tile_call("softsign"),
       [](double x) { return std::isinf(x) ? sign(x) : x / (1 + std::abs(x)); }, -20, 20},
      {tile_call("softplus", {1, 1, 20}), [](double x) { return x > 20 ? x : softplus(x); }, -80,
       30},
      {tile_call("softplus", {2, 0.5f, 10}),
       [](double x) { return 2 * x > 10 ? x : softplus(2 * x) / 2; }, -9, 9},
      {tile_call("relu"), [](double x) { return x < 0 ? 0 : x; }, -9, 9},
      {tile_call("relu_max", {3}), [](double x) { return clamped(x, 0, 3); }, -9, 9},
      {tile_call("relu_min", {3}), [](double x) { return x < 3 ? 3 : x; }, -9, 9},
      {tile_call("relu_min", {-3}), [](double x) { return x < 0 ? 0 : x; }, -9, 9},
      {tile_call("leaky_relu", {0.25f}), [](double x) { return x < 0 ? x / 4 : x; }, -9, 9},
      {tile_call("prelu", {0.5f}), [](double x) { return x < 0 ? x / 2 : x; }, -9, 9},
      {tile_call("elu", {2}), [](double x) { return x < 0 ? 2 * std::expm1(x) : x; }, -9, 9},
      {tile_call("selu", {1.5f, 2}), [](double x) { return 1.5 * (x < 0 ? 2 * std::expm1(x) : x); },
       -9, 9},
      {tile_call("celu", {2, 0.5f}), [](double x) { return x < 0 ? 2 * std::expm1(x / 2) : x; }, -9,
       9},
      {tile_call("softshrink", {0.5f}),
       [](double x) {
         return x > 0.5 ? x - 0.5 : x < -0.5 ? x + 0.5 : std::isnan(x) ? x : 0;
       },
       -4, 4},
      {tile_call("hardshrink", {0.5f}), [](double x) { return std::abs(x) <= 0.5 ? 0 : x; }, -4, 4},
      {tile_call("hardtanh", {-1, 2}), [](double x) { return clamped(x, -1, 2); }, -4, 4},
      {tile_call("threshold", {1, 7}), [](double x) { return x <= 1 ? 7 : x; }, -4, 4},
  };
}

inline std::vector<UnaryFunction> arithmetic_functions() {
  using namespace reference;
  return {
      {tile_call("sqrt"), [](double x) { return std::sqrt(x); }, 0, 1e6},
      {tile_call("recip"), [](double x) { return 1 / x; }, -1e3, 1e3},
      {"recip_tile_init<false>(); recip_tile<false>(0, (int)VectorMode::RC);",
       [](double x) { return 1 / x; }, 1, 10},
      {tile_call("rsqrt"), [](double x) { return 1 / std::sqrt(x); }, 1e-3f, 1e6},
      {tile_call("cbrt"), [](double x) { return std::cbrt(x); }, -1e3, 1e3},
      {tile_call("abs"), [](double x) { return std::abs(x); }, -9, 9},
      {tile_call("negative"), [](double x) { return -x; }, -9, 9},
      {tile_call("square"), [](double x) { return x * x; }, -100, 100},
      {tile_call("identity"), [](double x) { return x; }, -9, 9},
      {tile_call("sign"), sign, -9, 9},
      {tile_call("signbit"), [](double x) { return std::signbit(x) ? 1.0 : 0.0; }, -9, 9},
      {tile_call("power", {2.5f}), [](double x) { return std::pow(x, 2.5); }, 0, 30},
      {tile_call("power", {-1}), [](double x) { return std::pow(x, -1); }, 0.1f, 30},
      {"power_tile_init(); power_tile(0, 3);", [](double x) { return x * x * x; }, -30, 30},
      {"power_iterative_tile_init(); power_iterative_tile(0, 2);", [](double x) { return x * x; },
       -30, 30},
      {tile_call("rpow", {3}), [](double x) { return std::pow(3, x); }, -20, 20},
      {tile_call("rsub", {3}), [](double x) { return 3 - x; }, 4, 9},
      {tile_call("rdiv", {3}), [](double x) { return 3 / x; }, 1, 9},
      {"rdiv_tile_init(); rdiv_tile<RoundingMode::Floor>(0, 0x41200000);",
       [](double x) { return std::floor(10 / x); }, -9, -1},
      {"rdiv_tile_init(); rdiv_tile<RoundingMode::Trunc>(0, 0x41200000);",
       [](double x) { return std::trunc(10 / x); }, -9, -1},
      {"binop_with_scalar_tile_init(); add_unary_tile(0, 0x40400000);",
       [](double x) { return x + 3; }, 0, 9},
      {"sub_unary_tile(0, 0x40400000);", [](double x) { return x - 3; }, 4, 9},
      {"mul_unary_tile(0, 0x40400000);", [](double x) { return x * 3; }, -9, 9},
      {"div_unary_tile(0, 0x3e800000);", [](double x) { return x / 4; }, -9, 9},
      {"rsub_unary_tile(0, 0x40400000);", [](double x) { return 3 - x; }, 4, 9},
      {tile_call("fmod", {0.75f, 1}), [](double x) { return std::fmod(x, 0.75); }, -99, 99},
      {tile_call("remainder", {0.75f, 1}), [](double x) { return floor_remainder(x, 0.75); }, 0, 9},
      {tile_call("remainder", {-0.75f, 1}), [](double x) { return floor_remainder(x, -0.75); }, -9,
       0},
      {tile_call("floor"), [](double x) { return std::floor(x); }, -99, 99},
      {tile_call("ceil"), [](double x) { return std::ceil(x); }, -99, 99},
      {tile_call("trunc"), [](double x) { return std::trunc(x); }, -99, 99},
      {"rounding_op_tile_init(); floor_tile_float32(0);", [](double x) { return std::floor(x); },
       -99, 99},
      {tile_call("frac"), [](double x) { return x - std::trunc(x); }, -99, 99},
      {"ceil_tile_float32(0);", [](double x) { return std::ceil(x); }, -99, 99},
      {"trunc_tile_float32(0);", [](double x) { return std::trunc(x); }, -99, 99},
      {"frac_tile_float32(0);", [](double x) { return x - std::trunc(x); }, -99, 99},
      {"round_tile_init(); round_tile(0, 0);", [](double x) { return std::nearbyint(x); }, -99, 99},
      {"round_tile(0, 1);", [](double x) { return std::nearbyint(x * 10) / 10; }, -99, 99},
      {"round_tile(0, -1);", [](double x) { return std::nearbyint(x / 10) * 10; }, -99, 99},
      {tile_call("clamp", {-1, 2}), [](double x) { return clamped(x, -1, 2); }, -4, 4},
      {tile_call("unary_max", {1}), [](double x) { return x > 1 || std::isnan(x) ? x : 1; }, -4, 4},
      {tile_call("unary_min", {1}), [](double x) { return x < 1 || std::isnan(x) ? x : 1; }, -4, 4},
  };
}

// Those whose results are 1 or 0, or that choose.
inline std::vector<UnaryFunction> comparison_functions() {
  return {
      {tile_call("unary_eq", {1}), [](double x) { return x == 1 ? 1.0 : 0; }, 0, 2},
      {tile_call("unary_ne", {1}), [](double x) { return x != 1 ? 1.0 : 0; }, 0, 2},
      {tile_call("unary_lt", {1}), [](double x) { return x < 1 ? 1.0 : 0; }, 0, 2},
      {tile_call("unary_le", {1}), [](double x) { return x <= 1 ? 1.0 : 0; }, 0, 2},
      {tile_call("unary_gt", {1}), [](double x) { return x > 1 ? 1.0 : 0; }, 0, 2},
      {tile_call("unary_ge", {1}), [](double x) { return x >= 1 ? 1.0 : 0; }, 0, 2},
      {tile_call("eqz"), [](double x) { return x == 0 ? 1.0 : 0; }, -1, 1},
      {tile_call("nez"), [](double x) { return x != 0 ? 1.0 : 0; }, -1, 1},
      {tile_call("ltz"), [](double x) { return x < 0 ? 1.0 : 0; }, -1, 1},
      {tile_call("lez"), [](double x) { return x <= 0 ? 1.0 : 0; }, -1, 1},
      {tile_call("gtz"), [](double x) { return x > 0 ? 1.0 : 0; }, -1, 1},
      {tile_call("gez"), [](double x) { return x >= 0 ? 1.0 : 0; }, -1, 1},
      {tile_call("logical_not_unary"), [](double x) { return x == 0 ? 1.0 : 0; }, -1, 1},
      {tile_call("isinf"), [](double x) { return std::isinf(x) ? 1.0 : 0; }, -1, 1},
      {tile_call("isposinf"), [](double x) { return x > 0 && std::isinf(x) ? 1.0 : 0; }, -1, 1},
      {tile_call("isneginf"), [](double x) { return x < 0 && std::isinf(x) ? 1.0 : 0; }, -1, 1},
      {tile_call("isnan"), [](double x) { return std::isnan(x) ? 1.0 : 0; }, -1, 1},
      {tile_call("isfinite"), [](double x) { return std::isfinite(x) ? 1.0 : 0; }, -1, 1},
      {tile_call("heaviside", {0.25f}), [](double x) { return x < 0   ? 0
                                                              : x > 0 ? 1
                                                                      : 0.25; }, -1,
       1},
  };
}

inline std::vector<UnaryFunction> all_functions() {
  std::vector<UnaryFunction> all;
  for (const auto& family :
       {exponential_functions(), trigonometric_functions(), activation_functions(),
        arithmetic_functions(), comparison_functions()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace lightmetal::device::testing
