#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/device_profile.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/machine/event_counts.h"
#include "device/cpu/machine/print_sink.h"
#include "device/cpu/machine/warnings.h"
#include "device/cpu/memory/initialised_memory.h"
#include "device/cpu/memory/memory.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// What a NoC address leads to.
struct Endpoint {
  Place place;                // of no memory: nothing is there
  uint64_t size = 0;          // bytes
  CoreState* core = nullptr;  // null: a DRAM bank
  uint32_t bank = 0;          // then
};

// The simulated hardware: what stays when launches come and go.
class Machine {
 public:
  // `services` is what its kernels call, and outlives it; they are checked for these bits of
  // kernel_abi::Check.
  static absl::StatusOr<std::unique_ptr<Machine>> create(const DeviceOptions& options,
                                                         const kernel_abi::Services& services,
                                                         uint32_t checks);

  const DeviceProfile& profile() const { return profile_; }
  const Memory& memory() const { return memory_; }
  PrintSink& print_sink() { return print_sink_; }
  Warnings& warnings() { return warnings_; }
  EventCounts* event_counts() { return event_counts_.get(); }  // null: nothing is counted
  const kernel_abi::Services& services() const { return services_; }
  uint32_t checks() const { return checks_; }

  // REQUIRES: `core` is in the grid.
  CoreState& core(Core core) { return cores_[uint64_t{core.y} * profile_.grid.x + core.x]; }

  // REQUIRES: index < profile().ethernet_cores.
  CoreState& ethernet_core(uint32_t index) { return ethernet_cores_[index]; }
  // REQUIRES: a checked plan.
  CoreState& core_of(const CorePlan& plan) {
    return plan.kind == CoreKind::kEthernet ? ethernet_core(plan.core.y) : core(plan.core);
  }

  // REQUIRES: endpoint < kNocEndpoints, as of noc_endpoint().
  const Endpoint& endpoint(uint32_t endpoint) const { return endpoints_[endpoint]; }

  const std::vector<uint64_t>& dram_banks() const { return dram_banks_; }  // NoC addresses
  const std::vector<uint64_t>& l1_banks() const { return l1_banks_; }

 private:
  Machine(DeviceProfile profile, const kernel_abi::Services& services, Memory memory,
          PrintSink print_sink, std::unique_ptr<EventCounts> event_counts);

  absl::Status turn_on(uint32_t checks);
  void add_core(CoreKind kind, Core core, Core noc, std::byte* l1);

  const DeviceProfile profile_;
  const kernel_abi::Services& services_;
  const Memory memory_;
  PrintSink print_sink_;
  Warnings warnings_;
  uint32_t checks_ = 0;
  InitialisedMemory initialised_;  // when that is checked
  const std::unique_ptr<EventCounts> event_counts_;
  std::vector<Endpoint> endpoints_;
  std::deque<CoreState> cores_;  // in rows; never moved
  std::deque<CoreState> ethernet_cores_;
  std::vector<uint64_t> dram_banks_;
  std::vector<uint64_t> l1_banks_;
};

}  // namespace lightmetal::device::cpu
