#pragma once

#include <cstdint>
#include <string>

#include "base/round.h"
#include "device/cpu/memory/mapping.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::testing {

// A kernel that makes `call` with 8 KiB of its stack left. The call has room there, so that it
// fails only because it asks for more room, as a service must before it takes a lock: with still
// less room, the stack could overflow while the lock is taken, which would then be taken for ever.
inline std::string with_little_stack(const std::string& call) {
  // The stack begins behind the context and a page that nobody can touch.
  const uint64_t begin = round_up(sizeof(kernel_abi::Context), cpu::page_size()) + cpu::page_size();
  return "__attribute__((noinline)) void call() { " + call + R"(; }
void kernel_main() {
  const uint64_t here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  void* const taken = __builtin_alloca(here % )" +
         std::to_string(kernel_abi::kStackSize) + " - " + std::to_string(begin + 8192) + R"();
  asm volatile("" : : "r"(taken) : "memory");
  call();
})";
}

}  // namespace lightmetal::device::testing
