#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <tt-metalium/bfloat16.hpp>
#include <type_traits>
#include <vector>

#include "base/bfloat16.h"

namespace tt::tt_metal::tensors {

// To the nearest bfloat16, ties to even. What is no number stays so.
inline ::bfloat16 nearest_bfloat16(float value) {
  return ::bfloat16(lightmetal::nearest_bfloat16_bits(value));
}

// A float beside `exact`, from which nearest_bfloat16() gives what it would give of `exact`: where
// no float is exact it is the one nearer to 0, with its last bit set, so that it lies on no middle
// of two bfloat16.
inline float float_to_round_again(double exact) {
  auto value = static_cast<float>(exact);
  if (static_cast<double>(value) == exact) return value;
  if (std::fabs(static_cast<double>(value)) > std::fabs(exact)) {
    value = std::nextafter(value, 0.0f);
  }
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | 1);
}

// One element as another type, as to_dtype() says.
template <typename To, typename From>
To element_cast(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, ::bfloat16>) {
    return element_cast<To>(value.to_float());
  } else if constexpr (std::is_same_v<To, ::bfloat16>) {
    if constexpr (std::is_same_v<From, float>) return nearest_bfloat16(value);
    return nearest_bfloat16(float_to_round_again(static_cast<double>(value)));
  } else if constexpr (std::is_same_v<To, float>) {
    return static_cast<float>(value);
  } else {
    // Every element has its double.
    const auto exact = static_cast<double>(value);
    if (std::isnan(exact)) return 0;
    const double lowest = std::numeric_limits<To>::lowest(),
                 highest = std::numeric_limits<To>::max();
    return static_cast<To>(std::fmin(std::fmax(exact, lowest), highest));
  }
}

template <typename To, typename From>
std::vector<To> cast_elements(std::span<const From> values) {
  std::vector<To> result;
  result.reserve(values.size());
  for (const From& value : values) result.push_back(element_cast<To>(value));
  return result;
}

}  // namespace tt::tt_metal::tensors
