#pragma once

#include "lightmetal_kernel_abi.h"

// Calls between the processors of one core. On hardware three processors run a compute kernel: they
// unpack, compute and pack. An object of a compute kernel may hold, after the object that does all
// three, an object for each of them (ObjectParts). Where the device runs these parts, each has a
// context of its own, and each service does what its part does on hardware. A tile operation whose
// operands are in circular buffers reads them in the unpacking part, and computes in the part that
// does the math. A part that has nothing to do in a call returns at once.
namespace lightmetal::kernel_abi {

// The numbers of ckernel::ThreadId.
enum class Part : uint32_t { kUnpack = 0, kMath = 1, kPack = 2 };
inline constexpr uint32_t kComputeParts = 3;

// The end of the bytes of an object that holds parts. The bytes begin with the object that does all
// three; a reader that does not know of parts ignores what follows it. The parts come next, in the
// order of their numbers, without gaps, and this struct is last, with numbers in little endian.
struct ObjectParts {
  uint64_t sizes[kComputeParts];
  char magic[8];
};
inline constexpr char kObjectPartsMagic[8] = {'L', 'M', 'P', 'A', 'R', 'T', 'S', '1'};

inline constexpr uint32_t kPartSemaphores = 16;
inline constexpr uint32_t kMailboxWords = 4;  // that a mailbox holds

// Since version 7. Calls fail the launch where the device does not run parts.
struct PartServices {
  // A mailbox leads from each part to each other one, and keeps the order of its words. A write
  // (blocks) while the mailbox is full, a read (blocks) while it is empty.
  void (*mailbox_write)(Context*, Part to, uint32_t value);
  uint32_t (*mailbox_read)(Context*, Part from);
  // Semaphores of the core's three parts. They begin with 0, and hold at most 15 or `most`. A post
  // adds one unless the semaphore is full; a get takes one unless it is 0.
  void (*semaphore_init)(Context*, uint32_t index, uint32_t value, uint32_t most);
  void (*semaphore_post)(Context*, uint32_t index);
  void (*semaphore_get)(Context*, uint32_t index);
  // (blocks) until the semaphore is not 0, or, with `for_room`, until it is not full.
  void (*semaphore_wait)(Context*, uint32_t index, uint32_t for_room);
  // Says if the vector unit computes for the packing part, on the section of DST that is packed,
  // and returns what was said before. Each call about DST of the part says 0.
  uint32_t (*packer_computes)(Context*, uint32_t on);
};

}  // namespace lightmetal::kernel_abi
