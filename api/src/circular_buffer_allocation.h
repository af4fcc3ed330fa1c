#pragma once

#include <cstdint>
#include <tt-metalium/circular_buffer_types.hpp>

#include "api/src/program_state.h"

namespace tt::tt_metal {

// Throws std::runtime_error unless the configuration has indices, each with a page size that
// divides the total size.
void check_complete(const CircularBufferConfig& config);

// Gives each circular buffer that is not a buffer's memory an address, the same on all of its
// cores: in the order of creation the lowest that is free on all of them, counted from `base`, in
// steps of `alignment`.
void allocate_circular_buffers(const ProgramState& program, uint32_t base, uint32_t alignment);

// The memory that a program's circular buffers take on the cores of one of them.
struct CircularBufferRegion {
  CoreRangeSet cores;
  uint64_t end = 0;  // L1 address
};

// The one that reaches highest; end is 0 when there is none. REQUIRES: allocate_circular_buffers.
CircularBufferRegion highest_region(const ProgramState& program);

// Throws std::runtime_error when the region passes the end of L1 or reaches into an L1 buffer, one
// in the memory of those sub-devices or one of the whole device.
void check_region(const CircularBufferRegion& region, uint64_t program_id, const DeviceImpl& device,
                  tt::stl::Span<const SubDeviceId> sub_devices);

}  // namespace tt::tt_metal
