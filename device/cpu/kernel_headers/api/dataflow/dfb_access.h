#pragma once

#include <cstdint>

namespace dfb {

// How the threads of a side share the entries; a kernel here is one thread, which has them all.
enum AccessPattern : uint8_t { STRIDED, ALL, BLOCKED, UNKNOWN };

}  // namespace dfb

class DataflowBuffer;
using DataflowBufferAnyPattern = DataflowBuffer;

template <typename T>
inline constexpr bool is_dataflow_buffer_v = false;
template <>
inline constexpr bool is_dataflow_buffer_v<DataflowBuffer> = true;
