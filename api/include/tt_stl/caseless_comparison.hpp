#pragma once

#include <algorithm>
#include <string_view>

namespace tt::stl {

// Compares letters and strings of ASCII, whatever their case.
struct ascii_caseless_comp_t {
  constexpr bool operator()(char a, char b) const noexcept { return lower(a) == lower(b); }
  constexpr bool operator()(std::string_view a, std::string_view b) const noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }

 private:
  static constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
};
inline constexpr ascii_caseless_comp_t ascii_caseless_comp{};

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
