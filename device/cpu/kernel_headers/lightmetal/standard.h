#pragma once

// What kernels use without an include of their own, as upstream's headers bring it along: the small
// ones of the standard library, and a name of C's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>  // std::min and std::pair, at half of the cost of <algorithm>
#else
#include <algorithm>
#endif

using uint = unsigned int;

// On the device size_t has 32 bits, so kernels take the smaller or greater of a uint32_t and a
// product with sizeof without saying a type.
namespace lightmetal::kernel {

template <typename A, typename B>
concept WordAndSize = (std::is_same_v<A, uint32_t> && std::is_same_v<B, size_t>) ||
                      (std::is_same_v<A, size_t> && std::is_same_v<B, uint32_t>);

}  // namespace lightmetal::kernel

namespace std {

template <typename A, typename B>
requires lightmetal::kernel::WordAndSize<A, B>
constexpr uint32_t min(const A& a, const B& b) { return static_cast<uint32_t>(a < b ? a : b); }
template <typename A, typename B>
requires lightmetal::kernel::WordAndSize<A, B>
constexpr uint32_t max(const A& a, const B& b) { return static_cast<uint32_t>(a < b ? b : a); }

}  // namespace std
