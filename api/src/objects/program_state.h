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

// What a program keeps that was made from a specification; src/metal2 has the class of it. Only its
// own functions change such a program.
class SpecifiedProgram {
 public:
  virtual ~SpecifiedProgram() = default;

  // Throws unless the program has been given the arguments that it needs for a launch.
  virtual void check_has_arguments() const = 0;

  // While one lives, functions of the classic API may change the program.
  class OwnChange {
   public:
    explicit OwnChange(SpecifiedProgram& program) : changing_(program.changing_) {
      changing_ = true;
    }
    ~OwnChange() { changing_ = false; }
    OwnChange(const OwnChange&) = delete;
    OwnChange& operator=(const OwnChange&) = delete;

   private:
    bool& changing_;
  };
  bool is_changing() const { return changing_; }

 private:
  bool changing_ = false;
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

  // What the rules see of the program. It changes by the functions here, and by set_compiled().
  lightmetal::host::Program host;

  // These throw std::runtime_error, and add nothing, when a rule of host/ is broken.
  std::shared_ptr<Kernel> add_kernel(KernelSpec spec);
  CBHandle add_circular_buffer(const CoreRangeSet& cores, const CircularBufferConfig& config);
  uint32_t add_semaphore(const CoreRangeSet& cores, uint32_t initial_value, CoreType core_type);
  void add_semaphore_with_id(const CoreRangeSet& cores, uint32_t initial_value, CoreType core_type,
                             uint32_t id);

  // Throws when a function of the classic API, `call`, wants to change a program that was made from
  // a specification.
  void check_may_change(const char* call) const;

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
