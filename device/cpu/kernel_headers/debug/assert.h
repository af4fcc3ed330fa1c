#pragma once

#include "lightmetal/kernel.h"

// Fails the launch, naming the place, when the condition does not hold. Always checked. The text is
// part of the kernel's code, so it says nothing of the folder.
#define ASSERT(condition, ...)                                                              \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      ::lightmetal::kernel::fail("ASSERT(" #condition ") failed", __FILE_NAME__, __LINE__); \
    }                                                                                       \
  } while (false)
