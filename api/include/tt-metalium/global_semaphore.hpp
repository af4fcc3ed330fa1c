#pragma once

#include <cstdint>
#include <memory>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/core_types.hpp>
#include <vector>

namespace tt::tt_metal {

class IDevice;

// A semaphore that belongs to no program: one word of L1 at the same address on each of its cores,
// which keeps its value between launches. A handle: copies share the semaphore, whose memory is
// freed with the last of them. Thread-safe.
class GlobalSemaphore {
 public:
  // Sets the word on all cores in the order of command queue 0; does not wait. REQUIRES:
  // buffer_type is L1 or L1_SMALL. Throws std::runtime_error when it is not, or when no memory is
  // left.
  GlobalSemaphore(IDevice* device, const CoreRangeSet& cores, uint32_t initial_value,
                  BufferType buffer_type = BufferType::L1);

  // The L1 address of the word, the same on all cores and, on a mesh, on all devices.
  DeviceAddr address() const;
  IDevice* device() const;  // of a mesh of several devices, the first
  const CoreRangeSet& cores() const;

  // Sets the word on all cores, in the order of command queue 0; does not wait.
  void reset_semaphore_value(uint32_t reset_value) const;

  // Unique among the global semaphores of the process.
  uint64_t unique_id() const;

  struct State;
  explicit GlobalSemaphore(std::shared_ptr<State> state) : state_(std::move(state)) {}
  // For the implementation: lets this semaphore, that of a mesh's first device, keep the others.
  void keep(std::vector<GlobalSemaphore> others);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tt::tt_metal

// Upstream's header brings this along.
#include <tt-metalium/device.hpp>  // IWYU pragma: export
