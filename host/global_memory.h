#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "host/buffer.h"
#include "host/core_set.h"
#include "host/placement.h"

// Memory at one L1 address of several cores that no program owns: global semaphores and global
// circular buffers. All rules return InvalidArgument.
namespace lightmetal::host {

// The semaphore lies in L1, on at least one core, in the device's grid.
absl::Status check_global_semaphore(BufferType type, const CoreSet& cores, const Target& target);

// ---- Global circular buffers ----

// kRemoteUnit is the unit, in bytes, in which the cores of a global circular buffer count what was
// sent and taken; kRemoteConfigWords is the number of words at the beginning of a core's
// configuration. Kernels have both numbers from device/kernel_abi.
inline constexpr uint32_t kRemoteUnit = 16;
inline constexpr uint32_t kRemoteConfigWords = 7;

// Where the parts of a core's configuration lie, in bytes from its address: first the words that
// say what the core is, then the coordinates of the other side, then the counters. The layout is
// equal on all cores.
struct RemoteConfigLayout {
  // `receivers` is the greatest number of receivers that one sender has.
  explicit RemoteConfigLayout(uint32_t receivers);

  // `coordinates` and `counters` are offsets; `size` is that of the whole configuration.
  const uint32_t coordinates;
  const uint32_t counters;
  const uint32_t size;
};

// Who sends to whom in a global circular buffer.
class Senders {
 public:
  // Adds a sender, which is a set of one core, and the cores that receive from it. InvalidArgument
  // when there are no receivers, or when one of these cores is in the mapping already; the mapping
  // must not be used then.
  absl::Status add(const CoreSet& sender, const CoreSet& receivers);

  // All senders and receivers, once each.
  const CoreSet& cores() const { return cores_; }
  RemoteConfigLayout config_layout() const { return RemoteConfigLayout(most_receivers_); }

 private:
  absl::Status take(const CoreSet& cores, absl::string_view role);

  CoreSet cores_;
  uint32_t most_receivers_ = 0;
};

// The global circular buffer lies in L1 and in the device's grid, and `size`, its bytes on each
// core, is a positive multiple of the alignment of L1. A device whose L1 is aligned otherwise than
// to kRemoteUnit has no global circular buffers.
absl::Status check_global_circular_buffer(BufferType type, const Senders& senders, uint32_t size,
                                          const Target& target);

// A global circular buffer, or its configurations, can lie in the buffer: it is one of the device
// (`is_of_device`) and in L1, and it has a page of `size` bytes on as many cores as `senders` has.
// REQUIRES: `size` is positive.
absl::Status check_memory(const Buffer& buffer, bool is_of_device, uint32_t size,
                          const Senders& senders, const Target& target);

}  // namespace lightmetal::host
