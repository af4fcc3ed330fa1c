#pragma once

// The basic header of fmt 11 and later. With an older fmt it is this one.
#if __has_include_next(<fmt/base.h>)
#include_next <fmt/base.h>
#else
#include <fmt/format.h>  // IWYU pragma: export
#endif
