#pragma once

#include <tt-metalium/trace_buffer.hpp>  // IWYU pragma: export
