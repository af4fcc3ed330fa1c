#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace lightmetal {

namespace schema {
class File;
}

// What the numbers of a checkpoint's commands are in its file. A checkpoint of a file at one of its
// commands begins with the commands that make what lives when that command comes, and goes on with
// the file's own from that one on, but for the ends of objects that no command could make any more,
// such as buffers on a device that is closed. RunOptions says how a checkpoint is written.
class CheckpointNumbers {
 public:
  // FailedPrecondition when it is no checkpoint, or one of another file or at another command. What
  // makes the living objects is not compared with anything: whoever executes a checkpoint trusts it
  // as any other file.
  static absl::StatusOr<CheckpointNumbers> create(const schema::File& checkpoint,
                                                  const schema::File& file, uint64_t number);
  // Those of the file itself.
  CheckpointNumbers() = default;

  // The number in the checkpoint of the first command of the file.
  uint64_t first() const { return first_; }
  // The number in the file; that of the first, for what makes the living objects.
  uint64_t in_file(uint64_t in_checkpoint) const;
  // The number in the checkpoint of a command of the file, or of the next that is there. REQUIRES:
  // the command does not come before the first.
  uint64_t in_checkpoint(uint64_t in_file) const;

 private:
  uint64_t first_ = 0;
  uint64_t number_ = 0;  // of the first, in the file
  // For the commands that are left out, in ascending order, how many others of the file stand
  // before each, from the file's first on.
  std::vector<uint64_t> before_left_out_;
};

}  // namespace lightmetal
