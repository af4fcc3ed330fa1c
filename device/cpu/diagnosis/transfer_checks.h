#pragma once

#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/machine/transfer.h"

namespace lightmetal::device::cpu {

// Does what Context::checks asks for when a kernel starts a transfer; fails the launch and does not
// return when the transfer breaks a rule. True when the transfer is kept for its barrier; when
// false, the caller does the transfer now. `is_signal`: the transfer writes one aligned word of L1,
// as semaphores are written. Called on the kernel's fiber.
bool start_checked(KernelRun& run, const Transfer& transfer, bool is_signal);

// The same before a service writes a word by itself, without a transfer. `reads`: the service also
// reads the word, as an increment does.
void before_signal(KernelRun& run, const MemoryRange& word, bool reads);

}  // namespace lightmetal::device::cpu
