#pragma once

#include <cstddef>

#include "absl/base/config.h"

#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(ABSL_HAVE_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

// What the sanitizers must be told when a thread changes its stack. Without a sanitizer all
// functions are empty.
namespace lightmetal::device::cpu {

// One side of the switches between a fiber and the thread that runs it.
struct SwitchSide {
  const void* stack_bottom = nullptr;  // the lowest address
  size_t stack_size = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's
  void* tsan_fiber = nullptr;  // ThreadSanitizer's
};

// To be called right before the thread leaves `from` for `to`.
inline void before_switch([[maybe_unused]] SwitchSide& from,
                          [[maybe_unused]] const SwitchSide& to) {
#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_bottom, to.stack_size);
#endif
#if defined(ABSL_HAVE_THREAD_SANITIZER)
  __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
}

// To be called first after the thread has arrived on `here`. Learns the stack of `left`.
inline void after_switch([[maybe_unused]] const SwitchSide& here,
                         [[maybe_unused]] SwitchSide& left) {
#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(here.fake_stack, &left.stack_bottom, &left.stack_size);
#endif
}

// Makes `thread` the side of the running thread, before it resumes a fiber.
inline void enter_thread([[maybe_unused]] SwitchSide& thread) {
#if defined(ABSL_HAVE_THREAD_SANITIZER)
  thread.tsan_fiber = __tsan_get_current_fiber();
#endif
}

inline void create_side([[maybe_unused]] SwitchSide& fiber) {
#if defined(ABSL_HAVE_THREAD_SANITIZER)
  fiber.tsan_fiber = __tsan_create_fiber(0);
#endif
}

// The frames on the fiber's stack exist no more, and others will come in their place.
inline void forget_frames([[maybe_unused]] const SwitchSide& fiber) {
#if defined(ABSL_HAVE_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(fiber.stack_bottom, fiber.stack_size);
#endif
}

inline void destroy_side([[maybe_unused]] SwitchSide& fiber) {
  forget_frames(fiber);
  fiber.fake_stack = nullptr;
#if defined(ABSL_HAVE_THREAD_SANITIZER)
  if (fiber.tsan_fiber != nullptr) __tsan_destroy_fiber(fiber.tsan_fiber);
  fiber.tsan_fiber = nullptr;
#endif
}

}  // namespace lightmetal::device::cpu
