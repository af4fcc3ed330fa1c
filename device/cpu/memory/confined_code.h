#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Where the code of kernels lies in a process that confines them: one range of addresses with
// nothing else in it, so that a filter of system calls can tell a kernel's code from all other
// code. Kernel objects are then loaded by kernels/kernel_image.h: no code of an object runs before
// the kernel does, and no file is opened.
namespace lightmetal::device::cpu {

// The range begins at a multiple of its size, so its addresses are those with one upper half.
inline constexpr uint64_t kConfinedCodeSize = uint64_t{1} << 32;

// From this call on, the process confines kernels; nothing ends that. Returns where the range
// begins; another call returns the same. An error of the system when there is no address space for
// the range. REQUIRES: no device is open yet, and no other thread calls this function.
absl::StatusOr<uint64_t> confine_kernels();

bool kernels_are_confined();

// Returns whole pages for `size` bytes of code: zeros, readable and writable. Behind them lies a
// page that nobody can touch, so no instruction reaches from one object into the next. Nor does an
// instruction end with the range: the system reports a system call with the address behind the
// instruction, which would then lie outside the range. ResourceExhausted when the range is full.
// Thread-safe. REQUIRES: kernels_are_confined().
absl::StatusOr<std::byte*> take_code_memory(uint64_t size);
// Gives memory back, with the size with which it was taken. Nobody can touch it then. Thread-safe.
void return_code_memory(std::byte* memory, uint64_t size);

}  // namespace lightmetal::device::cpu
