#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/cpu/kernels/kernel_run.h"

namespace lightmetal::device::cpu {

// A kernel that had not ended when its launch was given up. Holds copies: the run may end.
struct BlockedKernel {
  Core core;
  Processor processor = Processor::kRiscv0;
  std::optional<kernel_abi::Part> part = {};
  std::string text;  // the kernel's name, what it waits for, and where
};

// Called by the worker of `run`, on its own stack: source lines need more than a fiber may have.
BlockedKernel describe(const KernelRun& run);

// `heading`, and a line for each kernel in the order of cores and processors; of many kernels the
// first 16.
std::string deadlock_report(const std::string& heading, std::vector<BlockedKernel> blocked);

}  // namespace lightmetal::device::cpu
