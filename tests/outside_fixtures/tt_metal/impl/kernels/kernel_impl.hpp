#pragma once

#include <tt-metalium/kernel.hpp>  // IWYU pragma: export
