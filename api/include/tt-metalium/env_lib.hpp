#pragma once

#include <cstdlib>
#include <string>
#include <tt-metalium/standard_headers.hpp>  // IWYU pragma: export
#include <type_traits>

namespace tt {

// The value of the environment variable, or `otherwise` when the variable is not set. Numbers are
// decimal, hexadecimal (0x) or octal (0). Throws std::invalid_argument for a text that begins with
// no number, and std::out_of_range for a number beyond 64 bits; a narrower T takes its low bits.
template <typename T>
T parse_env(const char* name, const T& otherwise) {
  static_assert(std::is_integral_v<T> || std::is_same_v<T, std::string>,
                "a number, a bool or a std::string");
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<T>(std::stoull(text, nullptr, 0));
  } else {
    return static_cast<T>(std::stoll(text, nullptr, 0));
  }
}

}  // namespace tt
