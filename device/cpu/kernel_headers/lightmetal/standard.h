#pragma once

// What kernels use without an include of their own, as upstream's headers bring it along: the small
// ones of the standard library, and a name of C's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>  // std::min and std::pair, at half of the cost of <algorithm>
#else
#include <algorithm>
#endif

using uint = unsigned int;
