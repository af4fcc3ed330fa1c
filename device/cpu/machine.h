#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/device_profile.h"
#include "device/cpu/core_state.h"
#include "device/cpu/kernel_headers/lightmetal_kernel_abi.h"
#include "device/cpu/memory.h"
#include "device/cpu/print_sink.h"

namespace lightmetal::device::cpu {

// What a NoC address leads to.
struct Endpoint {
  std::byte* memory = nullptr;
  uint64_t size = 0;
  CoreState* core = nullptr;  // null: a DRAM bank
};

// The simulated hardware: what stays when launches come and go.
class Machine {
 public:
  static absl::StatusOr<std::unique_ptr<Machine>> create(const DeviceOptions& options);

  const DeviceProfile& profile() const { return profile_; }
  const Memory& memory() const { return memory_; }
  PrintSink& print_sink() { return print_sink_; }
  const kernel_abi::Services& services() const { return services_; }

  // REQUIRES: `core` is in the grid.
  CoreState& core(Core core) { return cores_[uint64_t{core.y} * profile_.grid.x + core.x]; }

  std::optional<Endpoint> endpoint(Core noc);

  const std::vector<uint64_t>& dram_banks() const { return dram_banks_; }  // NoC addresses
  const std::vector<uint64_t>& l1_banks() const { return l1_banks_; }

 private:
  Machine(DeviceProfile profile, Memory memory, PrintSink print_sink);

  const DeviceProfile profile_;
  const Memory memory_;
  PrintSink print_sink_;
  kernel_abi::Services services_{};
  std::deque<CoreState> cores_;  // in rows; never moved
  std::vector<uint64_t> dram_banks_;
  std::vector<uint64_t> l1_banks_;
};

// Whether a device of this profile fits the kernel ABI and the NoC's coordinates.
absl::Status check_profile(const DeviceProfile& profile);

}  // namespace lightmetal::device::cpu
