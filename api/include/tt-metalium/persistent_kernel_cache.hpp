#pragma once

#include <atomic>

namespace tt::tt_metal::detail {

// The cache of compiled kernels always outlives the process (LIGHTMETAL_CACHE_DIR says where it
// lies): neither call changes it.
inline void EnablePersistentKernelCache() {}
inline void DisablePersistentKernelCache() {}

// Compiled kernels are found by their contents, so what is in the cache is never out of date: the
// call changes nothing.
inline void ClearKernelCache() {}

}  // namespace tt::tt_metal::detail
