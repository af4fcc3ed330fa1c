#pragma once

#include "lightmetal_kernel_abi.h"

// What is checked and counted while a kernel runs.
namespace lightmetal::kernel_abi {

// Bits of Context::checks.
enum Check : uint32_t {
  kDelayTransfers = 1,  // NoC transfers are done at their barrier, so that a missing one shows
  kPoisonReads = 2,     // until then the target of a delayed read holds nonsense
  kCheckCircularBuffers = 4,  // the protocol beyond what is always checked
  kCheckSemaphores = 8,       // only semaphores that the program created are used
  kCheckAlignment = 16,       // NoC transfers keep the hardware's alignment rules
  kCheckUninitialized = 32,   // nothing reads L1 that nothing has written
  kCountEvents = 64,          // count_event is to be called
  // What hardware lets pass is an error, see Misuse. kCheckCircularBuffers makes some of it one.
  kCheckTiles = 128,     // tiles end within their circular buffer
  kCheckIntegers = 256,  // the matrix unit computes with floats and integers of 8 bits only
  kCheckReserved = 512,  // nothing is written below the L1 that programs may use, but semaphores
  kCheckStart = 1024,    // a kernel may use another core's L1 before all kernels are under way
  kCheckPackets = 2048,  // a NoC transfer of one packet is not longer than a packet
};

enum class NocBarrier : uint32_t {
  kReads = 0,
  kWrites = 1,      // arrived
  kWritesSent = 2,  // the source may be used again
  kAtomics = 3,
  kAll = 4
};

enum class Event : uint32_t {
  kProfilerZone = 0,
  kWatcher = 1,
  kProfilerData = 2,
  kProfilerEvent = 3,
  kProfilerZoneEnd = 4,
};

enum class CircularBufferCall : uint32_t { kWait = 0, kPop = 1, kReserve = 2, kPush = 3 };

// Since version 3. What a kernel does that hardware lets pass, though hardly anybody means it.
enum class Misuse : uint32_t {
  kPages = 0,              // pops more pages than there are, or pushes more than are free
  kMissingBuffer = 1,      // pops or pushes pages of a circular buffer that the core does not have
  kBeyondBuffer = 2,       // a tile, or rows, that end beyond their circular buffer
  kIntegerArithmetic = 3,  // the matrix unit's, on integers of more than 8 bits
  kReservedMemory = 4,     // writes to L1 that is the system's
  kLongPacket = 5,         // a NoC transfer of one packet that is longer; since version 6
};

struct DiagnosisServices {
  // To be called at a barrier when kDelayTransfers is set.
  void (*noc_barrier)(Context*, NocBarrier barrier);
  // Counts a profiler zone or watcher call; to be called when kCountEvents is set. `name` lies in
  // the kernel's own memory. The end of a zone is timed, and not counted.
  void (*count_event)(Context*, Event event, const char* name);
  // To be called when kCheckCircularBuffers or kDelayTransfers is set: after a wait or reservation
  // succeeded, and before a pop or push is done.
  void (*circular_buffer_call)(Context*, CircularBufferCall call, uint32_t cb, uint32_t pages);
  // To be called when kCheckSemaphores is set, before a semaphore's address is taken.
  void (*semaphore_used)(Context*, uint32_t id);
  // To be called when kCheckUninitialized is set: before kernel code loads from this core's L1, and
  // after it has stored there. A range may leave L1: touching it faults anyway.
  void (*l1_loaded)(Context*, uint32_t address, uint32_t size);
  void (*l1_stored)(Context*, uint32_t address, uint32_t size);
  // Since version 3. To be called before a kernel does what `misuse` is; `message` says what, and
  // is about circular buffer `cb`. Warns, once for each place, or fails the launch when that is
  // checked, and does not return then.
  void (*tolerate)(Context*, Misuse misuse, uint32_t cb, const char* message);
};

}  // namespace lightmetal::kernel_abi
