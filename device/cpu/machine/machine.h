#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/device_profile.h"
#include "base/zone_marks.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/machine/event_counts.h"
#include "device/cpu/machine/print_sink.h"
#include "device/cpu/machine/warnings.h"
#include "device/cpu/memory/initialised_memory.h"
#include "device/cpu/memory/memory.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// What a NoC coordinate leads to: a DRAM bank, a core's L1, or nothing.
struct Endpoint {
  Place place;                // without a beginning: nothing is at this coordinate
  uint64_t size = 0;          // of the memory, in bytes
  CoreState* core = nullptr;  // null: the memory is a DRAM bank
  uint32_t bank = 0;          // the number of that DRAM bank
};

// The simulated hardware: memories, cores, the table of NoC endpoints, and where kernels print. It
// stays while launches come and go, and outlives every scheduler of the device. All of it is
// constant or thread-safe, but for the state of the cores and the bytes of the memories.
class Machine {
 public:
  // `services` are what the machine's kernels call; they outlive the machine. `checks` are bits of
  // kernel_abi::Check. InvalidArgument for a profile that this device cannot have
  // (base/cpu_profile.h); errors of the system when there is not enough address space, or when a
  // file that the environment names cannot be opened.
  static absl::StatusOr<std::unique_ptr<Machine>> create(const DeviceOptions& options,
                                                         const kernel_abi::Services& services,
                                                         uint32_t checks);

  int chip_id() const { return chip_id_; }
  const DeviceProfile& profile() const { return profile_; }
  const Memory& memory() const { return memory_; }
  PrintSink& print_sink() { return print_sink_; }
  Warnings& warnings() { return warnings_; }
  EventCounts* event_counts() { return event_counts_.get(); }  // null: events are not counted
  // Returns true if kernels note when they enter and leave profiler zones.
  bool marks_zones() const { return marks_zones_; }
  const kernel_abi::Services& services() const { return services_; }
  // The bits given to create(), and kCountEvents where events are counted or zones are marked.
  uint32_t checks() const { return checks_; }

  // REQUIRES: `core` is in the grid.
  CoreState& core(Core core) { return cores_[uint64_t{core.y} * profile_.grid.x + core.x]; }

  // REQUIRES: index < profile().ethernet_cores.
  CoreState& ethernet_core(uint32_t index) { return ethernet_cores_[index]; }
  // REQUIRES: a checked plan.
  CoreState& core_of(const CorePlan& plan) {
    return plan.kind == CoreKind::kEthernet ? ethernet_core(plan.core.y) : core(plan.core);
  }

  // REQUIRES: endpoint < kNocEndpoints, as noc_endpoint() returns it.
  const Endpoint& endpoint(uint32_t endpoint) const { return endpoints_[endpoint]; }

  // The NoC address of byte 0 of each bank of an interleaved buffer.
  const std::vector<uint64_t>& dram_banks() const { return dram_banks_; }
  const std::vector<uint64_t>& l1_banks() const { return l1_banks_; }

 private:
  Machine(const DeviceOptions& options, const kernel_abi::Services& services, Memory memory,
          PrintSink print_sink, std::unique_ptr<EventCounts> event_counts);

  absl::Status turn_on(uint32_t checks);
  void add_core(CoreKind kind, Core core, Core noc, std::byte* l1);

  const int chip_id_;
  const DeviceProfile profile_;
  const kernel_abi::Services& services_;
  const Memory memory_;
  PrintSink print_sink_;
  Warnings warnings_;
  uint32_t checks_ = 0;
  InitialisedMemory initialised_;  // empty unless kCheckUninitialized is set
  const std::unique_ptr<EventCounts> event_counts_;
  const bool marks_zones_ = zone_marks::are_asked_for();
  std::vector<Endpoint> endpoints_;
  std::deque<CoreState> cores_;  // row by row; a deque, since a CoreState is never moved
  std::deque<CoreState> ethernet_cores_;
  std::vector<uint64_t> dram_banks_;
  std::vector<uint64_t> l1_banks_;
};

}  // namespace lightmetal::device::cpu
