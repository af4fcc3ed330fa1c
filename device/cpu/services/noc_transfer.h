#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// Sets the noc_ services. A transfer has happened when the call returns, unless missing barriers
// are looked for (diagnosis/delayed_transfers.h). A word of L1 is written at once and after all
// that the kernel wrote before, so it can announce data; it reaches waiting kernels
// (word_waiters.h).
void fill_noc_services(kernel_abi::Services& services);

}  // namespace lightmetal::device::cpu
