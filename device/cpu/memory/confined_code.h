#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Where the code of kernels lies in a process that confines them: one range of addresses with
// nothing else in it, so that a system call filter can tell a kernel's code from all other. Kernel
// objects are then loaded by kernel_image.h: no code of theirs runs before the kernel does, and no
// file is opened.
namespace lightmetal::device::cpu {

// The range begins at a multiple of its size: its addresses are those with equal upper halves.
inline constexpr uint64_t kConfinedCodeSize = uint64_t{1} << 32;

// From now on this process confines kernels. Returns where their code is going to lie; the same
// when it is called again. REQUIRES: no device is open yet.
absl::StatusOr<uint64_t> confine_kernels();

bool kernels_are_confined();

// Memory for `size` bytes of code, zero, readable and writable; whole pages. Behind it lies a page
// that nobody can touch: no instruction reaches from one object into the next, or ends with the
// range, where a system call would already be told of as one from behind it. Thread-safe.
// REQUIRES: kernels_are_confined().
absl::StatusOr<std::byte*> take_code_memory(uint64_t size);
// Gives it back; nobody can touch it then.
void return_code_memory(std::byte* memory, uint64_t size);

}  // namespace lightmetal::device::cpu
