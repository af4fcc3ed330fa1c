#pragma once

// Programs use devices through IDevice. This header is for programs that include upstream's header
// of this name, which has the class behind the interface.
#include <tt-metalium/command_queue.hpp>  // IWYU pragma: export
#include <tt-metalium/device.hpp>         // IWYU pragma: export
#include <tt-metalium/trace_buffer.hpp>   // IWYU pragma: export

namespace tt::tt_metal {

using Device = IDevice;

}  // namespace tt::tt_metal
