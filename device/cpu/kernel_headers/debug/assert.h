#pragma once

#include "lightmetal/kernel.h"

// Fails the launch, naming the place, when the condition does not hold. Always checked.
#define ASSERT(condition, ...)                                                         \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      ::lightmetal::kernel::fail("ASSERT(" #condition ") failed", __FILE__, __LINE__); \
    }                                                                                  \
  } while (false)
