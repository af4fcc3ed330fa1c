#pragma once

#include <atomic>

namespace tt::tt_metal::detail {

// The cache of compiled kernels always outlives the process (LIGHTMETAL_CACHE_DIR says where it
// lies): neither call changes that.
inline void EnablePersistentKernelCache() {}
inline void DisablePersistentKernelCache() {}

}  // namespace tt::tt_metal::detail
