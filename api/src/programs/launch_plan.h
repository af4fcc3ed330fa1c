#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/src/devices/device_state.h"
#include "api/src/devices/sub_devices.h"
#include "api/src/objects/program_state.h"
#include "device/device.h"
#include "host/placement.h"

namespace tt::tt_metal {

// A number for LaunchPlan::id.
uint64_t next_plan_id();

// A program ready for launches on one device: what does not change from launch to launch, and where
// its arguments come from. A launch made from it needs the program no more. Not thread-safe, as
// programs are not.
class PreparedProgram {
 public:
  // Compiles the program if need be, loads its kernels and gives its circular buffers addresses.
  // Throws std::runtime_error.
  PreparedProgram(ProgramState& program, DeviceState& device);

  // False when the program has changed so much since that another must be made.
  bool fits(const ProgramState& program) const;

  // A launch with the arguments that the program has now. Throws when circular buffers and L1
  // buffers clash.
  lightmetal::device::Launch launch() const;
  // The compiled kernels, in the order of the plan's.
  const std::vector<KernelObjectPtr>& objects() const { return objects_; }

 private:
  std::vector<lightmetal::device::KernelPlan> load_kernels(const ProgramState& program);
  // Finds the sub-device on which the program runs, too.
  void check_rules(const ProgramState& program);
  void build(const ProgramState& program);
  void add_arguments(const ProgramState& program, lightmetal::device::LaunchPlan& plan);
  uint32_t add_words(RuntimeArgsStore::Words words);

  DeviceState& device_;
  const uint64_t program_id_;
  uint64_t version_ = 0;
  std::shared_ptr<const SubDeviceManager> sub_devices_;  // that were loaded
  SubDeviceId sub_device_;                               // on which the program runs
  std::vector<KernelObjectPtr> objects_;
  std::shared_ptr<const LoadedPlan> loaded_;
  std::vector<RuntimeArgsStore::Words> words_;  // in the order of Launch::args
  uint32_t num_words_ = 0;
  lightmetal::host::CircularBufferRegion region_;
};

// The program ready for a launch on the device; made when there is none that fits.
const PreparedProgram& prepare(ProgramState& program, DeviceState& device);

}  // namespace tt::tt_metal
