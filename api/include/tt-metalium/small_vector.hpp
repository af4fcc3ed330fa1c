#pragma once

#include <cstddef>
#include <tt-metalium/logger.hpp>
#include <vector>

namespace tt::stl {

// Upstream's keeps N elements without an allocation. This one only has its name.
template <typename T, std::size_t N = 8>
using SmallVector = std::vector<T>;

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
