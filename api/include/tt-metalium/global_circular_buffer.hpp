#pragma once

#include <cstdint>
#include <tt-metalium/circular_buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/global_circular_buffer_impl.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <utility>
#include <variant>
#include <vector>

// Global circular buffers and the programs that use them. Errors are std::runtime_error.
namespace tt::tt_metal {

class Program;

namespace experimental {

// Makes a global circular buffer. What the cores need to know is written in the order of command
// queue 0, after the programs on the named sub-devices, or on those of the stall group when none
// are named; the call does not wait. REQUIRES, when some are named: no other thread uses the device
// meanwhile.
GlobalCircularBuffer CreateGlobalCircularBuffer(
    IDevice* device,
    const std::vector<std::pair<CoreCoord, CoreRangeSet>>& sender_receiver_core_mapping,
    uint32_t size, BufferType buffer_type = BufferType::L1,
    tt::stl::Span<const SubDeviceId> sub_device_ids = {});

// Makes a circular buffer of the program in the memory of the global circular buffer. Remote
// indices of `config` reach that memory: on senders by the remote_cb_* calls that write, on
// receivers by those that read. Other indices are local circular buffers in that memory, with
// pointers and counters of their own. Remote indices are above all local ones of a core. REQUIRES:
// the global circular buffer lies on all of the cores, is at least as large as the configuration's
// total size, and is not freed before the program was run for the last time.
CBHandle CreateCircularBuffer(Program& program,
                              const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
                              const CircularBufferConfig& config,
                              const GlobalCircularBuffer& global_circular_buffer);

// Exchanges the global circular buffer. Takes effect when the program is next enqueued. Throws for
// a circular buffer that lies in no global one, and leaves the circular buffer as it was then.
void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle,
                                        const GlobalCircularBuffer& global_circular_buffer);

}  // namespace experimental

// The names that early 2025 had for a while.
namespace v1::experimental {
using tt::tt_metal::experimental::CreateCircularBuffer;
using tt::tt_metal::experimental::CreateGlobalCircularBuffer;
using tt::tt_metal::experimental::GlobalCircularBuffer;
using tt::tt_metal::experimental::UpdateDynamicCircularBufferAddress;
}  // namespace v1::experimental

}  // namespace tt::tt_metal
