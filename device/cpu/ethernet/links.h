#pragma once

#include <vector>

#include "absl/types/span.h"
#include "device/cpu/ethernet/link_end.h"
#include "device/cpu/machine/machine.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// Attaches a device's Ethernet cores to the wires of its chip for as long as it lives: after the
// machine, and after all launches at its end. A second device of the same chip stays unattached.
class Links {
 public:
  Links(Machine& machine, int chip_id);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

 private:
  std::vector<LinkEnd*> attached_;
};

// The wires that a launch's kernels have. Begins and ends their use.
class LaunchLinks {
 public:
  LaunchLinks(Machine& machine, const LaunchPlan& plan, LinkUser& launch);
  // After a failure the exchanges on these wires are forgotten at both ends, but not at one where
  // kernels still run: they see their own.
  void end(bool failed);

  absl::Span<LinkEnd* const> ends() const { return ends_; }

 private:
  std::vector<LinkEnd*> ends_;
};

}  // namespace lightmetal::device::cpu
