#pragma once

// Programs are declared in one header here; this one is for programs that include upstream's.
#include <tt-metalium/command_queue_interface.hpp>  // IWYU pragma: export
#include <tt-metalium/env_lib.hpp>                  // IWYU pragma: export
#include <tt-metalium/program.hpp>                  // IWYU pragma: export
