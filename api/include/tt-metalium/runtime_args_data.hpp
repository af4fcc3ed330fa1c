#pragma once

#include <cstddef>
#include <cstdint>
#include <tt-metalium/standard_headers.hpp>

namespace tt::tt_metal {

// The runtime arguments of one kernel on one core, or those that all its cores share, where the
// kernel keeps them: a view, which owns nothing. Valid as long as the kernel lives; not
// thread-safe. What a program writes here takes effect when the program is next enqueued.
struct RuntimeArgsData {
  uint32_t* rt_args_data = nullptr;
  size_t rt_args_count = 0;

  // REQUIRES: index < size().
  uint32_t& operator[](size_t index) { return rt_args_data[index]; }
  const uint32_t& operator[](size_t index) const { return rt_args_data[index]; }

  // Throws std::runtime_error when `index` is not below size().
  uint32_t& at(size_t index);
  const uint32_t& at(size_t index) const;

  uint32_t* data() { return rt_args_data; }
  const uint32_t* data() const { return rt_args_data; }
  size_t size() const { return rt_args_count; }
  bool in_bounds(size_t index) const noexcept { return index < rt_args_count; }
};

}  // namespace tt::tt_metal
