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

// Semaphores of a core. TT-Metalium's number, whatever the device: its headers and the code of
// kernels have it as a constant.
inline constexpr uint32_t kNumSemaphores = 16;

// What a program has on each core, so that nothing is there twice. A program never loses what was
// added to it. An error leaves the program as it was. Knows no device: host/placement.h says
// whether the program fits on one. Not thread-safe.
class Program {
 public:
  // What a launch needs to know of the circular buffers, in flat arrays: a program may have very
  // many circular buffers, and a launch goes through all of them after a change of one.
  struct Layout {
    struct Entry {
      std::optional<uint64_t> given_address;
      uint32_t total_size = 0;
      bool pages_divide_it = true;
      uint32_t indices_end = 0;  // one more than its highest index
      size_t cores_end = 0;      // end of its part of `cores`, which begins where the last one ends
    };

    std::vector<Entry> entries;   // by the number of the circular buffer
    std::vector<uint16_t> cores;  // by number_in_largest_grid()
    uint64_t version = 1;         // grows with each change of a circular buffer
  };

  // `id` is the id by which errors name the program.
  explicit Program(uint64_t id) : id_(id) {}

  uint64_t id() const { return id_; }
  bool is_compiled() const { return compiled_; }
  // Nothing can be added from now on; what the program has can still change.
  void set_compiled() { compiled_ = true; }

  // Each adds one thing, after all rules for it. add_kernel() and add_circular_buffer() return its
  // number, which counts from 0 for each of the two; add_semaphore() returns the lowest id that is
  // free on all of `cores`. FailedPrecondition when the program is compiled, InvalidArgument
  // otherwise.
  absl::StatusOr<size_t> add_kernel(Kernel kernel);
  absl::StatusOr<uint32_t> add_semaphore(const CoreSet& cores, CoreKind kind);
  absl::StatusOr<size_t> add_circular_buffer(CircularBuffer buffer);
  // A semaphore whose id the program chooses: below kNumSemaphores, and free on all of `cores`.
  // Errors as above.
  absl::Status add_semaphore_with_id(const CoreSet& cores, CoreKind kind, uint32_t id);

  // Replaces a circular buffer. REQUIRES: `number` is one of the program's, and `changed` has the
  // same cores and indices; the caller has checked its numbers.
  void change_circular_buffer(size_t number, CircularBuffer changed);

  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<CircularBuffer>& circular_buffers() const { return circular_buffers_; }
  const CircularBuffer& circular_buffer(size_t number) const { return circular_buffers_[number]; }
  const Layout& layout() const { return layout_; }
  // For each semaphore id, the cores that have it.
  const std::map<uint32_t, CoreSet>& semaphores(CoreKind kind) const {
    return semaphores_[static_cast<size_t>(kind)];
  }

  // How many sets of cores its tables have. The memory of a program grows with this number: whoever
  // checks a hostile file counts it against a budget.
  size_t num_core_sets() const { return num_core_sets_; }

 private:
  using Taken = std::map<uint32_t, CoreSet>;  // by index or id; no empty sets

  // The rules, one for each way in which two things can be in the same place.
  absl::Status check_not_compiled(const char* what) const;
  absl::Status check_processor(const Kernel& kernel) const;
  absl::Status check_indices(const CircularBuffer& buffer) const;
  absl::Status check_order(const CircularBuffer& buffer) const;
  // Brings the entry of a circular buffer in `layout_` up to date.
  void lay_out(size_t number);
  void take(Taken& taken, uint32_t number, const CoreSet& cores);

  const uint64_t id_;
  bool compiled_ = false;
  std::vector<Kernel> kernels_;
  std::vector<CircularBuffer> circular_buffers_;
  Layout layout_;
  // What is taken, and on which cores.
  std::array<CoreSet, kNumProcessors> processors_;
  Taken local_indices_;  // of circular buffers
  Taken remote_indices_;
  std::array<Taken, kNumCoreKinds> semaphores_;  // by id
  size_t num_core_sets_ = 0;
};

}  // namespace lightmetal::host
