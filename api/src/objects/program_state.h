#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/program.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <vector>

#include "api/src/objects/classic_changes.h"
#include "api/src/objects/kernel_state.h"
#include "base/device_profile.h"
#include "host/placement.h"
#include "host/program.h"

namespace tt::tt_metal {

class PreparedProgram;

// What a program keeps that was made from a specification; src/metal2 has the class of it.
class SpecifiedProgram {
 public:
  virtual ~SpecifiedProgram() = default;

  // Throws unless the program can be launched on the device: it has been given the arguments that
  // it needs, and its memory lies there.
  virtual void check_may_launch(const IDevice& device) const = 0;
  // Called when a queue has a launch; the launch runs on that sub-device.
  virtual void note_launch(CommandQueue& queue, SubDeviceId sub_device) = 0;
  // Called when a launch was begun beside the queues and not waited for.
  virtual void note_direct_launch(IDevice& device) = 0;
  // Called before the program ends: waits for its launches if they use memory that ends with it.
  virtual void wait_for_launches(const Program& program) noexcept = 0;
};

// What a program is made of: its objects as the API gives them out, and what the rules of host/ see
// of them, which change together. Not thread-safe. Errors are std::runtime_error.
class ProgramState {
 public:
  ProgramState();

  const uint64_t id;
  uint64_t runtime_id = 0;
  std::vector<std::shared_ptr<Kernel>> kernels;  // by handle
  std::vector<std::shared_ptr<CircularBuffer>> circular_buffers;
  std::vector<Semaphore> semaphores;
  std::vector<std::shared_ptr<Buffer>> buffers;  // kept alive with the program
  std::unique_ptr<SpecifiedProgram> specified;   // null for a program of the classic API
  const std::shared_ptr<ClassicChanges> classic_changes;

  // What the rules see of the program. It changes by the functions here, and by set_compiled().
  lightmetal::host::Program host;

  // These throw std::runtime_error, and add nothing, when a rule of host/ is broken.
  std::shared_ptr<Kernel> add_kernel(KernelSpec spec);
  CBHandle add_circular_buffer(const CoreRangeSet& cores, const CircularBufferConfig& config);
  uint32_t add_semaphore(const CoreRangeSet& cores, uint32_t initial_value, CoreType core_type);
  void add_semaphore_with_id(const CoreRangeSet& cores, uint32_t initial_value, CoreType core_type,
                             uint32_t id);

  // Makes it a program that only the functions for specified programs change from now on.
  void specify(std::unique_ptr<SpecifiedProgram> as);
  // Throws when a function of the classic API, `call`, wants to change such a program.
  void check_may_change(const char* call) const { classic_changes->check(call); }

  // These throw when the program has no such object.
  const std::shared_ptr<Kernel>& kernel(KernelHandle handle) const;
  CircularBuffer& circular_buffer(CBHandle handle) const;

  // Replaces the configuration of a circular buffer. REQUIRES: the configuration keeps the rules.
  void update(CBHandle handle, const CircularBufferConfig& config);
  // Gives addresses to the circular buffers that lie in no buffer. Returns the part of L1 that they
  // take.
  lightmetal::host::CircularBufferRegion place_circular_buffers(
      const lightmetal::DeviceProfile& profile);

  // A number that changes whenever a launch plan that was made before does not fit any more.
  uint64_t layout_version() const;

  // What has been made ready for launches on the device of that unique id; null when nothing has
  // been.
  std::shared_ptr<PreparedProgram>& prepared_for(uint64_t device_id);
  bool is_prepared() const { return !prepared_.empty(); }

 private:
  size_t number_of(CBHandle handle) const;

  struct Prepared {
    uint64_t device_id;
    std::shared_ptr<PreparedProgram> program;
  };
  std::vector<Prepared> prepared_;
};

// The cores, in whichever of the three forms a program names them.
CoreRangeSet cores_of(const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores);

}  // namespace tt::tt_metal
