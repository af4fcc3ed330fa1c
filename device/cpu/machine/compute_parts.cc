#include "device/cpu/machine/compute_parts.h"

namespace lightmetal::device::cpu {

void UnpackedOperation::clear() {
  arguments.clear();
  buffers.clear();
  ranges.clear();
  bytes.clear();
}

void ComputeParts::reset() {
  for (auto& queue : unpacked) queue.clear();
  for (auto& queue : mailboxes) queue.clear();
  semaphores = {};
  committed = released = released_for_math = 0;
  states = {};
  packer_owns_section = packer_computes = math_owns_section = false;
  results.clear();
}

bool ComputeParts::holds(const Wait& wait) const {
  switch (wait.kind) {
    case Wait::Kind::kOperands:
      return !unpacked[wait.subject].empty();
    case Wait::Kind::kRoomForOperands:
      return !unpacked[wait.subject].full();
    case Wait::Kind::kMail:
      return !mailboxes[wait.subject].empty();
    case Wait::Kind::kRoomForMail:
      return !mailboxes[wait.subject].full();
    case Wait::Kind::kPartSemaphore:
      return semaphores[wait.subject].value != 0;
    case Wait::Kind::kRoomInPartSemaphore:
      return semaphores[wait.subject].value < semaphores[wait.subject].most;
    case Wait::Kind::kDstFree:
      return committed - released < wait.amount;
    case Wait::Kind::kDstCommitted:
      return committed != released;
    case Wait::Kind::kPagesAtFront:
    case Wait::Kind::kPagesFree:
    case Wait::Kind::kWord:
      break;
  }
  return false;
}

}  // namespace lightmetal::device::cpu
