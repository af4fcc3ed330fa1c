#pragma once

// Upstream's header brings the queue's interface along, so both are in one header here.
#include <tt-metalium/command_queue_interface.hpp>  // IWYU pragma: export
