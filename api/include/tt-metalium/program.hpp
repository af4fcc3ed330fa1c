#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tt-metalium/circular_buffer.hpp>
#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/kernel.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/semaphore.hpp>
#include <tt-metalium/util.hpp>
#include <vector>

namespace tt::tt_metal {

class IDevice;
class ProgramState;
struct ProgramDescriptor;

// Kernels with their circular buffers, semaphores and runtime arguments, which are launched
// together. The functions of host_api.hpp fill a program; nothing may be added once it has been
// compiled. A program may be moved, which keeps its id; a program that was moved from may only be
// assigned to or destroyed, and every other call on it throws. It may be destroyed while it is
// still in a queue. Not thread-safe.
class Program {
 public:
  Program();
  // A program with all that <tt-metalium/program_descriptors.hpp> describes. Kernels and circular
  // buffers are numbered as there. Throws, as the functions of host_api.hpp do, when the descriptor
  // breaks one of their rules.
  explicit Program(const ProgramDescriptor& descriptor);
  ~Program();
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) noexcept;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Unique among the programs of the process.
  uint64_t get_id() const;
  // A number that the caller chooses, 0 at first; nothing here makes use of it.
  uint64_t get_runtime_id() const;
  void set_runtime_id(uint64_t id);

  size_t num_kernels() const;
  // Throws std::runtime_error when the program has no such kernel.
  std::shared_ptr<Kernel> get_kernel(KernelHandle handle) const;
  // In the order of their creation. The reference is valid as long as the program.
  const std::vector<std::shared_ptr<CircularBuffer>>& circular_buffers() const;
  // How many bytes of L1 the program's circular buffers take on a core, without those that lie in
  // buffers.
  uint32_t get_cb_size(IDevice* device, CoreCoord logical_core, CoreType core_type) const;
  const std::vector<Semaphore>& semaphores() const;
  size_t num_semaphores() const;
  // Each core that a kernel runs on, once, by kind of core: worker cores are the first entry;
  // Ethernet cores the second, if there are any.
  std::vector<std::vector<CoreCoord>> logical_cores() const;

  // Compiles the kernels for the device's backend. Throws std::runtime_error with the compiler's
  // messages. Does nothing for kernels that are compiled already.
  void compile(IDevice* device, bool force_slow_dispatch = false);
  bool is_compiled() const;
  // True once the program has been made ready for a launch.
  bool is_finalized() const;
  // Gives each circular buffer its address, as a launch does.
  void allocate_circular_buffers(const IDevice* device);
  // The same for the devices of this process. The form of 2024.
  void allocate_circular_buffers();

  // Does what detail::ValidateCircularBufferRegion() does.
  void validate_circular_buffer_region(const IDevice* device) const;

  // Returns the program. Upstream moved what programs ask about themselves to a class of its own.
  Program& impl() { return *this; }
  const Program& impl() const { return *this; }

  // For the implementation. state() throws std::runtime_error when the program was moved from.
  ProgramState& state() const;
  bool moved_from() const { return state_ == nullptr; }

 private:
  void destroy() noexcept;

  std::unique_ptr<ProgramState> state_;
};

}  // namespace tt::tt_metal
