#pragma once

#include "lightmetal/kernel.h"

// Calls what it was given when it goes. Here a lock of local memory keeps nobody away: the kernels
// of a core take turns, and only where one of them waits.
template <typename ReleaseFunc>
class Lock {
 public:
  FORCE_INLINE Lock(ReleaseFunc release_func) : release_func_(release_func) {}
  FORCE_INLINE ~Lock() { release_func_(); }
  Lock(const Lock&) = delete;
  Lock(Lock&&) = delete;
  Lock& operator=(const Lock&) = delete;
  Lock& operator=(Lock&&) = delete;

 private:
  ReleaseFunc release_func_;
};

namespace experimental {

using ::Lock;

}  // namespace experimental

namespace lightmetal::kernel {

struct ReleaseNothing {
  FORCE_INLINE void operator()() const {}
};

}  // namespace lightmetal::kernel
