#pragma once

#include <cstddef>
#include <tt-metalium/logger.hpp>
#include <vector>

namespace tt::stl {

inline constexpr std::size_t SMALL_VECTOR_SIZE = 8;

// Upstream's SmallVector keeps N elements without an allocation. This one has only the name: it is
// a std::vector, and allocates as one.
template <typename T, std::size_t N = SMALL_VECTOR_SIZE>
using SmallVector = std::vector<T>;

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl

// The name by which programs with operation libraries know the class.
namespace ttnn {
using ::tt::stl::SmallVector;
}  // namespace ttnn
