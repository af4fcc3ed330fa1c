#pragma once

#include <tt-metalium/persistent_kernel_cache.hpp>  // IWYU pragma: export

namespace tt::tt_metal::experimental {

using detail::ClearKernelCache;

}  // namespace tt::tt_metal::experimental
