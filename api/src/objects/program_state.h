#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/program.hpp>
#include <vector>

#include "api/src/objects/kernel_state.h"
#include "base/device_profile.h"
#include "host/placement.h"
#include "host/program.h"

namespace tt::tt_metal {

class PreparedProgram;

// What a program is made of. Not thread-safe.
class ProgramState {
 public:
  ProgramState();

  const uint64_t id;
  uint64_t runtime_id = 0;
  std::vector<std::shared_ptr<Kernel>> kernels;  // by handle
  std::vector<std::shared_ptr<CircularBuffer>> circular_buffers;
  std::vector<Semaphore> semaphores;
  std::vector<std::shared_ptr<Buffer>> buffers;  // kept alive with the program

  // What of it the rules see. It changes by the functions here, and by set_compiled().
  lightmetal::host::Program host;

  // These throw std::runtime_error when a rule of host/ is broken.
  std::shared_ptr<Kernel> add_kernel(KernelSpec spec);
  CBHandle add_circular_buffer(const CoreRangeSet& cores, const CircularBufferConfig& config);
  uint32_t add_semaphore(const CoreRangeSet& cores, uint32_t initial_value, CoreType core_type);

  const std::shared_ptr<Kernel>& kernel(KernelHandle handle) const;
  CircularBuffer& circular_buffer(CBHandle handle) const;

  // Replaces a circular buffer's configuration.
  void update(CBHandle handle, const CircularBufferConfig& config);
  // Gives circular buffers that have no memory of their own addresses.
  lightmetal::host::CircularBufferRegion place_circular_buffers(
      const lightmetal::DeviceProfile& profile);

  // Changes whenever a launch plan made before does not fit any more.
  uint64_t layout_version() const;

  // What has been made ready for a launch; null when nothing has been for the device of
  // that unique id.
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

// The cores of the forms in which programs name them.
CoreRangeSet cores_of(const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores);

}  // namespace tt::tt_metal
