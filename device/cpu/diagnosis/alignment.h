#pragma once

#include "absl/status/status.h"
#include "device/cpu/machine/transfer.h"

namespace lightmetal::device::cpu {

// The hardware's rule for where a NoC transfer begins: source and target must leave the same rest
// when divided by 32 for a read of DRAM, by 16 for all others (reads and writes of L1, writes of
// DRAM).
absl::Status check_alignment(const Transfer& transfer);

}  // namespace lightmetal::device::cpu
