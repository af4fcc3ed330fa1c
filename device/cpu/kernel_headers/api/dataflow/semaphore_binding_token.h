#pragma once

#include <cstdint>

// Who uses a semaphore; here all of them are words of L1 that every core reaches.
enum class SemScope : uint8_t {
  LOCAL_NONATOMIC = 0,
  DM_LOCAL_CACHED = 1,
  EXTERNAL = 2,
  COMPUTE_ATOMIC = 3,
};

// The name by which a kernel knows a semaphore of its program.
struct SemaphoreBindingToken {
  std::uint32_t id;
  SemScope scope;
};
