#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

struct KernelRun;

// Sets the noc_ services. A transfer has happened when the call returns, unless missing barriers
// are looked for (diagnosis/delayed_transfers.h). A word of L1 is written at once and after all
// that the kernel wrote before, so it can announce data; it reaches waiting kernels
// (word_waiters.h).
void fill_noc_services(kernel_abi::Services& services);

// Fails the launch unless a word of the kernel's own L1 is there.
void require_word(KernelRun& run, uint32_t l1_address);

}  // namespace lightmetal::device::cpu
