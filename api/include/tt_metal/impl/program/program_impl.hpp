#pragma once

#include <tt-metalium/program_impl.hpp>  // IWYU pragma: export
