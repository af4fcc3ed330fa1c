#include "device/registry/kernels_in_process.h"

#include "device/cpu/faults/fault_handler.h"
#include "device/cpu/memory/confined_code.h"
#include "device/cpu/memory/memory_guard.h"

namespace lightmetal::device {

absl::StatusOr<uint64_t> confine_kernels() { return cpu::confine_kernels(); }

absl::Status guard_host_memory() { return cpu::guard_host_memory(); }

void name_running_kernel(char* text, size_t size) { cpu::name_running_kernel(text, size); }

}  // namespace lightmetal::device
