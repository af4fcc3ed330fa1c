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

// A program ready for launches on one device: what does not change from launch to launch, and where
// its arguments come from. A launch made from it needs the program no more, but it refers to the
// arguments of the program's kernels itself: it lives no longer than the program. Not thread-safe,
// as programs are not.
class PreparedProgram {
 public:
  // Compiles the program if need be, loads its kernels and gives its circular buffers addresses.
  // Throws std::runtime_error when a rule is broken or a kernel does not compile.
  PreparedProgram(ProgramState& program, DeviceState& device);

  // False when the program, or what is loaded on the device, has changed so much since that another
  // must be made.
  bool fits(const ProgramState& program) const;

  // A launch with the arguments that the program has now, in memory of its own: `memory`, whose
  // words are not looked at. Throws when circular buffers reach beyond L1 or into an L1 buffer, and
  // when the device has been closed.
  lightmetal::device::Launch launch(std::vector<uint32_t> memory = {}) const;
  // Where it runs.
  SubDeviceId sub_device() const { return sub_device_; }
  // The compiled kernels, in the order of the plan's.
  const std::vector<KernelObjectPtr>& objects() const { return objects_; }

 private:
  std::vector<lightmetal::device::KernelPlan> load_kernels(const ProgramState& program);
  // Throws when the program breaks a rule on this device; finds the sub-device on which it runs.
  void check_rules(const ProgramState& program);
  void build(const ProgramState& program);
  void add_arguments(const ProgramState& program, lightmetal::device::LaunchPlan& plan);
  uint32_t add_words(RuntimeArgsStore::Words words);

  DeviceState& device_;
  const uint64_t program_id_;
  uint64_t version_ = 0;
  std::shared_ptr<const SubDeviceManager> sub_devices_;  // that were loaded when this was made
  SubDeviceId sub_device_;                               // on which the program runs
  std::vector<KernelObjectPtr> objects_;
  std::shared_ptr<const LoadedPlan> loaded_;
  // Views of the words in the kernels' own storage, in the order of Launch::args.
  std::vector<RuntimeArgsStore::Words> words_;
  uint32_t num_words_ = 0;
  lightmetal::host::CircularBufferRegion region_;
};

// The program ready for a launch on the device; made anew when the one that there is does not fit.
// The reference is valid until the next call for the same program and device.
const PreparedProgram& prepare(ProgramState& program, DeviceState& device);

}  // namespace tt::tt_metal
