#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// Sets the noc_ services of the table. A transfer has happened when its call returns, unless
// missing barriers are looked for (diagnosis/delayed_transfers.h) or the schedule is random
// (schedule/random_schedule.h). An aligned word of L1 is written
// in one step, after all that the kernel has written before, so the word can announce data; kernels
// that wait for it are woken (machine/word_waiters.h). A call that leaves the memory of its target
// fails the launch and does not return.
void fill_noc_services(kernel_abi::Services& services);

}  // namespace lightmetal::device::cpu
