#pragma once

#include "lightmetal/compute.h"
#include "lightmetal/hardware_waits.h"
#include "lightmetal_kernel_abi_parts.h"

// Mailboxes and semaphores between the three processors of a compute kernel. They work where the
// processors are three, on a device that is opened with a schedule with `split`. Otherwise a kernel
// that calls them does not compile.
namespace ckernel {

enum ThreadId : uint8_t { UnpackThreadId = 0, MathThreadId = 1, PackThreadId = 2, BriscThreadId };

#ifdef LIGHTMETAL_SPLIT

// Words arrive in order. A mailbox holds four.
ALWI void mailbox_write(uint8_t thread, uint32_t data) {
  using namespace lightmetal;
  kernel::context()->services->parts->mailbox_write(kernel::context(),
                                                    static_cast<kernel_abi::Part>(thread), data);
}
ALWI uint32_t mailbox_read(uint8_t thread) {
  using namespace lightmetal;
  return kernel::context()->services->parts->mailbox_read(kernel::context(),
                                                          static_cast<kernel_abi::Part>(thread));
}

// The hardware's instructions before each call are done here, so `kWait` changes nothing.
ALWI void t6_semaphore_init(uint8_t index, uint8_t min_value, uint8_t max_value) {
  using namespace lightmetal::kernel;
  context()->services->parts->semaphore_init(context(), index, min_value, max_value);
}
template <uint32_t kWait = p_stall::NONE>
ALWI void t6_semaphore_post(uint8_t index) {
  using namespace lightmetal::kernel;
  context()->services->parts->semaphore_post(context(), index);
}
template <uint32_t kWait = p_stall::NONE>
ALWI void t6_semaphore_get(uint8_t index) {
  using namespace lightmetal::kernel;
  context()->services->parts->semaphore_get(context(), index);
}
template <uint32_t kWait = p_stall::NONE>
ALWI void t6_semaphore_wait_on_zero(uint8_t index) {
  using namespace lightmetal::kernel;
  context()->services->parts->semaphore_wait(context(), index, 0);
}
template <uint32_t kWait = p_stall::NONE>
ALWI void t6_semaphore_wait_on_max(uint8_t index) {
  using namespace lightmetal::kernel;
  context()->services->parts->semaphore_wait(context(), index, 1);
}

#else

#define LIGHTMETAL_NEEDS_SPLIT(name)                                                          \
  [[gnu::error("refused: " #name                                                              \
               ": unpack, math and pack run as one processor here; open the device with the " \
               "schedule \"split\" (LIGHTMETAL_CPU_DEVICE_SCHEDULE)")]]
template <typename... Arguments>
LIGHTMETAL_NEEDS_SPLIT(mailbox_write)
void mailbox_write(Arguments...);
template <typename... Arguments>
LIGHTMETAL_NEEDS_SPLIT(mailbox_read)
uint32_t mailbox_read(Arguments...);
template <typename... Arguments>
LIGHTMETAL_NEEDS_SPLIT(t6_semaphore_init)
void t6_semaphore_init(Arguments...);
template <auto... modes, typename... Arguments>
LIGHTMETAL_NEEDS_SPLIT(t6_semaphore_post)
void t6_semaphore_post(Arguments...);
template <auto... modes, typename... Arguments>
LIGHTMETAL_NEEDS_SPLIT(t6_semaphore_get)
void t6_semaphore_get(Arguments...);
template <auto... modes, typename... Arguments>
LIGHTMETAL_NEEDS_SPLIT(t6_semaphore_wait_on_zero)
void t6_semaphore_wait_on_zero(Arguments...);
template <auto... modes, typename... Arguments>
LIGHTMETAL_NEEDS_SPLIT(t6_semaphore_wait_on_max)
void t6_semaphore_wait_on_max(Arguments...);
#undef LIGHTMETAL_NEEDS_SPLIT

#endif

}  // namespace ckernel
