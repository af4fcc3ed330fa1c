#pragma once

#include <cstdint>
#include <tt-metalium/aligned_allocator.hpp>
#include <vector>

namespace tt::tt_metal {

inline constexpr uint32_t MEMCPY_ALIGNMENT = 16;  // bytes

template <typename T>
using vector_aligned = std::vector<T, ttsl::aligned_allocator<T, MEMCPY_ALIGNMENT>>;

}  // namespace tt::tt_metal
