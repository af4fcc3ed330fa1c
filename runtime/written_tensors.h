#pragma once

#include <cstddef>
#include <set>
#include <tt-metalium/buffer.hpp>
#include <vector>

#include "absl/status/status.h"
#include "base/digest.h"

namespace lightmetal::runtime {

struct Entry;

// Finds the inputs and constants of an executable to which its kernels write, by what these hold
// before and after the first run of each entry. A file does not say what kernels write. What only a
// later run writes is not found. Not thread-safe.
class WrittenTensors {
 public:
  explicit WrittenTensors(size_t tensors) : is_written_(tensors) {}

  bool is_written(size_t tensor) const { return is_written_[tensor]; }

  // Begins a run of the entry. watches() is true until end() if this is the first one.
  void begin(const Entry& entry) { watches_ = seen_.insert(&entry).second; }
  bool watches() const { return watches_; }

  // Notes what the buffer of a tensor holds before the kernels run, instead of what was noted of
  // the tensor before. end() gives a buffer of the caller's its bytes back. REQUIRES: watches(),
  // and nothing that writes to the buffer is under way.
  void note(size_t tensor, tt::tt_metal::Buffer& buffer);
  void note_callers(size_t tensor, tt::tt_metal::Buffer& buffer);

  // Counts the tensor as written to, when nobody can say what it holds before the kernels run.
  void assume_written(size_t tensor) { is_written_[tensor] = true; }

  // Ends the run, once the devices have done all of it: looks at what was noted. Returns the error
  // of reading or writing a buffer.
  absl::Status end();

 private:
  struct Noted {
    tt::tt_metal::Buffer* buffer = nullptr;
    Digest digest;
    std::vector<std::byte> bytes = {};  // of a buffer of the caller's
  };

  void keep(size_t tensor, tt::tt_metal::Buffer& buffer, bool keeps_bytes);
  void look_at(size_t tensor, const Noted& noted);
  Digest read(const tt::tt_metal::Buffer& buffer);

  std::vector<bool> is_written_;   // by tensor
  std::set<const Entry*> seen_;    // the entries that have run
  std::vector<Noted> noted_ = {};  // by tensor, in the run that is watched
  std::vector<std::byte> bytes_;
  bool watches_ = false;
};

}  // namespace lightmetal::runtime
