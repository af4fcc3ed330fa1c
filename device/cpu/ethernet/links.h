#pragma once

#include <vector>

#include "absl/types/span.h"
#include "device/cpu/ethernet/link_end.h"
#include "device/cpu/machine/machine.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// Attaches a device's Ethernet cores to the wires of its chip for as long as it lives. It is made
// after the machine, and destroyed before the machine and after the last launch. A second device of
// the same chip stays unattached.
class Links {
 public:
  Links(Machine& machine, int chip_id);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

 private:
  std::vector<LinkEnd*> attached_;
};

// The wires that the kernels of one launch have. The constructor begins their use, end() ends it.
class LaunchLinks {
 public:
  LaunchLinks(Machine& machine, const LaunchPlan& plan, LinkUser& launch);
  // To be called once, when the launch is over. After a failed launch the exchanges on these wires
  // are forgotten at both ends, but not at an end where kernels of another launch still run.
  void end(bool failed);

  absl::Span<LinkEnd* const> ends() const { return ends_; }

 private:
  std::vector<LinkEnd*> ends_;
};

}  // namespace lightmetal::device::cpu
