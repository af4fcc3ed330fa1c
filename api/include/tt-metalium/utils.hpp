#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <tt-metalium/standard_headers.hpp>  // IWYU pragma: export
#include <type_traits>
#include <vector>

// Upstream's header has this line, and programs write `string` because of it.
using std::string;

namespace tt::utils {

// Mixes the hash of `value` into `seed`.
template <typename T>
void hash_combine(std::size_t& seed, const T& value) {
  seed = (seed ^ std::hash<T>{}(value)) * 0x9E3779B97F4A7C15ull;
  seed ^= seed >> 32;
}

// The number of an enumerator.
template <typename E, std::enable_if_t<std::is_enum_v<E>, bool> = true>
constexpr auto underlying_type(const E& value) {
  return static_cast<std::underlying_type_t<E>>(value);
}

// The parts of `input` between delimiters. There is always at least one part, which may be empty.
std::vector<std::string> strsplit(std::string input, char delimiter);

}  // namespace tt::utils
