#pragma once

// The queue's interface is in one header here; this one is for programs that include upstream's, by
// this name or through nearly any other.
#include <tt-metalium/assert.hpp>                // IWYU pragma: export
#include <tt-metalium/command_queue.hpp>         // IWYU pragma: export
#include <tt-metalium/data_types.hpp>            // IWYU pragma: export
#include <tt-metalium/dispatch_core_common.hpp>  // IWYU pragma: export
#include <tt-metalium/tt_align.hpp>              // IWYU pragma: export

namespace tt::tt_metal {}

// Upstream's header of early 2025 says so, and programs leave out the namespace because of it.
using namespace tt::tt_metal;
