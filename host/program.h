#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/circular_buffer.h"
#include "host/core_set.h"
#include "host/kernel.h"

namespace lightmetal::host {

// TT-Metalium's number for each core: its headers and the code of kernels have it.
inline constexpr uint32_t kNumSemaphores = 16;

// What a program has on each core, so that nothing is there twice. What is added stays: programs
// lose nothing. After an error nothing has changed. Not thread-safe.
class Program {
 public:
  // What a launch looks at of the circular buffers, side by side: there may be very many, and after
  // a change of one a launch looks at all.
  struct Layout {
    struct Entry {
      std::optional<uint64_t> given_address;
      uint32_t total_size = 0;
      bool pages_divide_it = true;
      size_t cores_end = 0;  // in `cores`, where its cores follow those of the one before
    };

    std::vector<Entry> entries;   // by number
    std::vector<uint16_t> cores;  // by number_in_largest_grid()
    uint64_t version = 1;         // changes with them
  };

  // `id` is as errors name it.
  explicit Program(uint64_t id) : id_(id) {}

  uint64_t id() const { return id_; }
  bool is_compiled() const { return compiled_; }
  // Nothing is added any more. What it has can change.
  void set_compiled() { compiled_ = true; }

  // Each returns the number among its like, from 0 on, or the id of the semaphore: the first that
  // is free on all of the cores. FailedPrecondition or InvalidArgument says which rule is broken.
  absl::StatusOr<size_t> add_kernel(Kernel kernel);
  absl::StatusOr<uint32_t> add_semaphore(const CoreSet& cores, CoreKind kind);
  absl::StatusOr<size_t> add_circular_buffer(CircularBuffer buffer);

  // What a circular buffer is from now on. REQUIRES: its cores and indices stay.
  void change_circular_buffer(size_t number, CircularBuffer changed);

  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<CircularBuffer>& circular_buffers() const { return circular_buffers_; }
  const CircularBuffer& circular_buffer(size_t number) const { return circular_buffers_[number]; }
  const Layout& layout() const { return layout_; }
  // The cores of the semaphores of each id.
  const std::map<uint32_t, CoreSet>& semaphores(CoreKind kind) const {
    return semaphores_[static_cast<size_t>(kind)];
  }

  // How many sets of cores its tables have: memory that grows with what is added.
  size_t num_core_sets() const { return num_core_sets_; }

 private:
  using Taken = std::map<uint32_t, CoreSet>;  // by index or id; no empty sets

  absl::Status check_not_compiled(const char* what) const;
  absl::Status check_processor(const Kernel& kernel) const;
  absl::Status check_noc(const Kernel& kernel) const;
  absl::Status check_indices(const CircularBuffer& buffer) const;
  absl::Status check_order(const CircularBuffer& buffer) const;
  void lay_out(size_t number);
  void take(Taken& taken, uint32_t number, const CoreSet& cores);

  const uint64_t id_;
  bool compiled_ = false;
  std::vector<Kernel> kernels_;
  std::vector<CircularBuffer> circular_buffers_;
  Layout layout_;
  // What is taken on which cores.
  std::array<CoreSet, kNumProcessors> processors_;
  std::array<CoreSet, kNumNocs> nocs_;            // used by data movement kernels
  std::array<CoreSet, kNumNocs> dedicated_nocs_;  // by kernels that need one for themselves
  Taken local_indices_;                           // of circular buffers
  Taken remote_indices_;
  std::array<Taken, kNumCoreKinds> semaphores_;  // by id
  size_t num_core_sets_ = 0;
};

}  // namespace lightmetal::host
