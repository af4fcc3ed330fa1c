#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "base/compare_policy.h"
#include "base/payload_policy.h"

// Capture beyond upstream's LightMetalBeginCapture() and LightMetalEndCapture(), which
// <tt-metalium/host_api.hpp> declares.
//
// A program has one capture at a time, and the calls of every thread go into it. The first call
// that cannot be recorded ends the recording: the program runs on unharmed, LightMetalEndCapture()
// throws std::runtime_error with the reason, and the file holds the reason, too.
//
// A capture can begin at any quiet point of a program: LightMetalBeginCapture() waits for all
// queues and records a snapshot, that is, the commands that make every living object anew, so that
// the file needs nothing that came before. REQUIRES: no other thread is inside the host API or
// changes a program's arguments meanwhile. What such a thread does may be missing in the file or be
// recorded twice, and a change of a program at that moment is a data race.
//
// The snapshot holds
//   - the open devices with their sub-device managers, which manager is loaded, and its stall
//     group;
//   - buffers at their addresses, views and deallocated buffers included;
//   - global semaphores and global circular buffers;
//   - programs with kernels, compiled objects, circular buffers, semaphores, runtime arguments as
//     they are now, and the buffers that are assigned to them;
//   - device traces; events, and whether they were recorded;
//   - of the devices' memory: all that is not zeros, such as what buffers hold, what kernels left
//     in circular buffers and elsewhere in L1, and what is left of buffers that have ended; and
//     what the program has read or written by address (ReadFromDeviceL1 and the like) since it
//     opened the device.
//
// It costs what was written, not what was allocated.
//
// The snapshot does not hold
//   - memory outside of buffers that the program has not reached by address, in the snapshots of a
//     flight recorder where it would take more than an eighth of the ring, and on a backend that
//     does not know what was written (device/device.h);
//   - objects of closed devices;
//   - device traces whose sub-device manager was removed;
//   - global semaphores whose memory Allocator::deallocate_buffers() took away;
//   - a program with a circular buffer in a global circular buffer that is gone, or, while no
//     device is open, in a buffer that is gone.
// A call that uses such an object cannot be recorded. The destruction of such an object can be.
//
// LIGHTMETAL_CAPTURE=FILE in the environment captures a program from its first call to its exit
// without any of these calls, with read_goldens unless LIGHTMETAL_CAPTURE_READ_GOLDENS=0. %p in
// FILE stands for the process id. The environment's capture goes on while the program captures
// itself: both captures are whole, each has its own options and its own first error, and the
// program's file holds what it would hold without the other. Only a capture of the program's to
// FILE itself is refused.
//
// A call that throws is recorded as a call that failed (CallFailed: which call, and why). A replay
// passes over it, and over the errors of the work that the call had waited for. A child that the
// process forks is not captured. A program that the process becomes by exec is captured to FILE.2,
// FILE.3 and so on.
//
// Built with LIGHTMETAL_ENABLE_CAPTURE=OFF, LightMetalBeginCapture() logs a warning and
// LightMetalEndCapture() returns an empty binary.
namespace lightmetal {

// What LightMetalBeginCapture() is asked for. A plain value; the defaults capture to memory.
struct CaptureOptions {
  // The file to write while the program runs. Should the process die, the file replays up to the
  // last call that it holds. With a path LightMetalEndCapture() returns an empty binary. Empty: the
  // capture stays in memory and LightMetalEndCapture() returns it. The bytes are the same either
  // way.
  std::string path = {};

  // Makes what every read returned a golden, that is, what its replay must read. A read that does
  // not block then waits for its data as well. It gives up, and becomes no golden, where its data
  // may come only after the program's next calls: as soon as its queue waits for an event that
  // nobody has recorded yet, and when the queue has ended no work for five seconds.
  bool read_goldens = false;

  // How many bytes a capture without a path may keep in memory. A larger capture moves to a
  // temporary file (in TMPDIR); the binary that LightMetalEndCapture() returns works with that file
  // as with memory.
  uint64_t memory_limit = uint64_t{256} << 20;

  // Says in the file where, when and by what it was made: command line, machine, time, the
  // environment variables LIGHTMETAL_* and those that LIGHTMETAL_CAPTURE_ENVIRONMENT=NAME,NAME
  // names (docs/format.md). Unset: yes, unless LIGHTMETAL_CAPTURE_ORIGIN=0 is in the environment.
  // Without it, captures of equal calls are equal byte for byte.
  std::optional<bool> record_origin = {};

  // Writes calls that launch kernels or wait for them before they are made, too, as intents: a file
  // whose program died in such a call names the call (lightmetal_runner info). With
  // LIGHTMETAL_CAPTURE it is LIGHTMETAL_CAPTURE_INTENTS=1.
  bool intents = false;

  // Not 0: the capture is a flight recorder, which keeps only the last calls, in memory: at least
  // the last half of `ring_size` bytes of calls and data, on top of a snapshot of what lived before
  // them. The flight recorder writes `path`, each time anew,
  //   - when the program calls dump_flight_recorder();
  //   - when a call throws;
  //   - when a fatal signal comes (SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM). Handlers
  //     that the program had are called afterwards; the file then replays as one that was not
  //     closed;
  //   - at the end of the capture, unless the file shows the last failure already.
  // Before the first of these, and in a process that SIGKILL ends, the file is empty.
  //
  // Memory: ring_size, and two snapshots, each of at most ring_size. A new snapshot is taken
  // whenever half of ring_size has been recorded, at the end of a call while no other thread is in
  // one and the devices have nothing to do. The call waits for that some milliseconds, and some
  // seconds when the ring is nearly full; a snapshot that was not possible is tried again after a
  // later call. A snapshot or a call that does not fit is an error of the capture, and so is a ring
  // that is full before a snapshot could be taken. At least 64 KiB; needs a `path`. With
  // LIGHTMETAL_CAPTURE it is LIGHTMETAL_CAPTURE_RING=SIZE (64M, 1G).
  uint64_t ring_size = 0;

  // Compresses data in the file with zstd, at level 1 (fast) to 19 (small); 0 does not. Data that
  // compression does not make smaller enough are stored as they are. The thread that makes the call
  // compresses its data. Unset: what LIGHTMETAL_CAPTURE_COMPRESS=LEVEL in the environment says, or
  // 0.
  std::optional<int> compress = {};

  // Whether data that the program writes to a device are embedded or recorded as references to the
  // files that they lie in. Unset: what LIGHTMETAL_CAPTURE_PAYLOADS=embed|reference|fail says, or
  // embed.
  std::optional<PayloadPolicy> payloads = {};

  // How a replay compares the goldens of the capture, unless whoever replays says otherwise
  // (`--golden`), or the comparison has a policy of its own. Unset: what
  // LIGHTMETAL_CAPTURE_GOLDEN=POLICY in the environment says, or exactly.
  std::optional<ComparePolicy> golden_policy = {};

  // Data of fewer bytes are always embedded, whatever `payloads` says.
  uint64_t min_reference_size = uint64_t{64} << 10;
};

// Says that `data` holds the bytes of the file from `offset` on, such as weights that were read or
// mapped from it, so that a capture with PayloadPolicy::Reference can refer to the file instead of
// holding the bytes. The declaration holds for this and every later capture until the memory is
// undeclared; the program undeclares memory before it frees it. Earlier declarations that overlap
// are forgotten. A wrong declaration captures nothing wrong: the capture compares the file with
// what is written to the device. Linux drops the process's record locks (fcntl) on the file, since
// the capture opens and closes it.
//
// Returns an error, and declares nothing, when the path names no regular file that can be read or
// that is long enough. Without capture compiled in it does nothing and returns OK. Thread-safe.
absl::Status declare_file_data(std::span<const std::byte> data, const std::string& path,
                               uint64_t offset = 0);
// Forgets every declaration that overlaps `data`. Thread-safe.
void undeclare_file_data(std::span<const std::byte> data);

// Writes what the flight recorder holds to its file now; the flight recorder goes on. Writes the
// environment's and the program's where both run. Returns false when none runs. Throws
// std::runtime_error when a file cannot be written. Thread-safe.
bool dump_flight_recorder();

// False when the library was built without capture.
bool capture_is_compiled_in();

}  // namespace lightmetal

namespace tt::tt_metal {

// Begins the program's capture. Throws std::runtime_error, and changes nothing,
//   - when the program's capture runs already, which then goes on;
//   - while a device trace is captured (BeginTraceCapture);
//   - while a queue waits for an event that has not been recorded yet;
//   - when the file cannot be created, or is the one to which LIGHTMETAL_CAPTURE captures this
//     process.
void LightMetalBeginCapture(const lightmetal::CaptureOptions& options);

}  // namespace tt::tt_metal
