#pragma once

#include <cstddef>

// The name of a binding as a template's argument, by which the headers that a program's build gives
// a kernel find its token: get_token_if_present<"name">().
namespace lightmetal::kernel {

template <size_t kSize>
struct BindingName {
  char text[kSize] = {};

  constexpr BindingName(const char (&name)[kSize]) {
    for (size_t i = 0; i < kSize; ++i) text[i] = name[i];
  }

  template <size_t kOther>
  constexpr bool is(const char (&name)[kOther]) const {
    if (kOther != kSize) return false;
    for (size_t i = 0; i < kSize; ++i) {
      if (text[i] != name[i]) return false;
    }
    return true;
  }
};

}  // namespace lightmetal::kernel
