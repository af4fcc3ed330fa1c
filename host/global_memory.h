#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "host/buffer.h"
#include "host/core_set.h"
#include "host/placement.h"

// Memory at one L1 address of several cores that no program owns: global semaphores and global
// circular buffers.
namespace lightmetal::host {

absl::Status check_global_semaphore(BufferType type, const CoreSet& cores, const Target& target);

// ---- Global circular buffers ----

// The unit in which the cores of a global circular buffer count, and the words at the beginning of
// a core's configuration. Kernels have these numbers from device/kernel_abi.
inline constexpr uint32_t kRemoteUnit = 16;
inline constexpr uint32_t kRemoteConfigWords = 7;

// Where the parts of a core's configuration lie, counted in bytes from its address: words that say
// what the core is, coordinates of the other side, and counters. Equal on all cores.
struct RemoteConfigLayout {
  // `receivers` is the greatest number that one sender has.
  explicit RemoteConfigLayout(uint32_t receivers);

  const uint32_t coordinates;
  const uint32_t counters;
  const uint32_t size;
};

// Who sends to whom in a global circular buffer.
class Senders {
 public:
  // A sender, which is a set of one core, and those that receive from it. InvalidArgument when
  // there are none, or when one of these cores is in the mapping already.
  absl::Status add(const CoreSet& sender, const CoreSet& receivers);

  // All cores, once each.
  const CoreSet& cores() const { return cores_; }
  RemoteConfigLayout config_layout() const { return RemoteConfigLayout(most_receivers_); }

 private:
  absl::Status take(const CoreSet& cores, absl::string_view role);

  CoreSet cores_;
  uint32_t most_receivers_ = 0;
};

// `size` in bytes on each core.
absl::Status check_global_circular_buffer(BufferType type, const Senders& senders, uint32_t size,
                                          const Target& target);

// A buffer that a global circular buffer is to lie in, or its configurations.
struct MemoryOnCores {
  uint64_t buffer = 0;  // its id, as errors name it
  bool is_in_l1_of_device = false;
  uint64_t page_size = 0;
  uint64_t num_shards = 0;  // of one page, each on a core of its own
  bool ends_in_l1 = false;
};
// It has one page of `size` bytes on as many cores as there are.
absl::Status check_memory(const MemoryOnCores& memory, uint32_t size, const Senders& senders,
                          const Target& target);

}  // namespace lightmetal::host
