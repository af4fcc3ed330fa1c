#pragma once

#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/transfer.h"

namespace lightmetal::device::cpu {

// What Context::checks asks for when a kernel starts a transfer: fails the launch and does not
// return when a rule is broken. True when the transfer is kept for its barrier; else the caller
// does it now. `is_signal`: it writes one word of L1, as semaphores are written.
bool start_checked(KernelRun& run, const Transfer& transfer, bool is_signal);

// The same before a word is written or, when `reads`, changed, other than by a transfer.
void before_signal(KernelRun& run, const MemoryRange& word, bool reads);

}  // namespace lightmetal::device::cpu
