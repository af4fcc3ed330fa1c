#pragma once

// Devices are used through IDevice; this header is for programs that include upstream's, which has
// the class behind it.
#include <tt-metalium/command_queue.hpp>  // IWYU pragma: export
#include <tt-metalium/device.hpp>         // IWYU pragma: export
#include <tt-metalium/trace_buffer.hpp>   // IWYU pragma: export

namespace tt::tt_metal {

using Device = IDevice;

}  // namespace tt::tt_metal
