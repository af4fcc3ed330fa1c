#pragma once

#include <string>
#include <vector>

#include "device/cpu/kernels/kernel_run.h"

namespace lightmetal::device::cpu {

// A kernel that had not ended when its launch was given up.
struct BlockedKernel {
  Core core;
  Processor processor = Processor::kRiscv0;
  std::string text;  // who, and what it waits for
};

BlockedKernel describe(const KernelRun& run);

// `heading` and one line per kernel, by core and processor; of many, the first.
std::string deadlock_report(const std::string& heading, std::vector<BlockedKernel> blocked);

}  // namespace lightmetal::device::cpu
