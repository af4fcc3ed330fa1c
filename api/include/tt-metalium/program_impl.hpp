#pragma once

// Programs are declared in one header here. This header is for programs that include upstream's
// header of this name.
#include <tt-metalium/command_queue_interface.hpp>  // IWYU pragma: export
#include <tt-metalium/env_lib.hpp>                  // IWYU pragma: export
#include <tt-metalium/program.hpp>                  // IWYU pragma: export
