#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "base/payload_policy.h"

// Capture beyond upstream's LightMetalBeginCapture() and LightMetalEndCapture(), which
// <tt-metalium/host_api.hpp> declares.
//
// A program has one capture at a time; every thread's calls go into it. The first call that cannot
// be recorded ends the recording; the program runs on unharmed, and LightMetalEndCapture() throws
// std::runtime_error with the reason, which the file holds too.
//
// A capture can begin at any quiet point of a program: LightMetalBeginCapture() waits for all
// queues and records a snapshot of what lives, as the commands that make it anew, so that the file
// needs nothing that came before. REQUIRES: no other thread is inside the host API or changes a
// program's arguments meanwhile; what such a thread does may be missing in the file or recorded
// twice, and a program that it changes at that moment is its race.
//
// The snapshot holds the open devices with their sub-device managers, the one that is loaded and
// its stall group; buffers at their addresses, views and deallocated ones included; global
// semaphores and global circular buffers; programs with kernels, compiled objects, circular
// buffers, semaphores, runtime arguments as they are now, and the buffers assigned to them; device
// traces; events and whether they were recorded. Of memory it holds what buffers, in pages of the
// size that they have now and had at first, and global semaphores have, and what the program has
// read or written by address (ReadFromDeviceL1 and the like) since it opened the device.
//
// It does not hold what else is in memory, such as what kernels left in circular buffers or at L1
// addresses that the host never looked at, or what went through a view, of other pages than the
// buffer in whose memory it was, that is gone; objects of closed devices; device traces whose
// sub-device manager was removed; global semaphores whose memory Allocator::deallocate_buffers()
// took away; a program with a circular buffer in a global one that is gone, or, while no device is
// open, in a buffer that is gone. A call that uses such an object cannot be recorded. Its
// destruction can be.
//
// LIGHTMETAL_CAPTURE=FILE in the environment captures a program from its first call to its exit
// without any of these calls, with read_goldens unless LIGHTMETAL_CAPTURE_READ_GOLDENS=0. %p in
// FILE stands for the process id. It goes on while the program captures itself: both captures are
// whole, each with its own options, and an error of one is none of the other. The program's holds
// what it would hold alone. Only a capture of the program's to FILE itself is refused.
//
// A call that throws is recorded as a call that failed (CallFailed: which, and why). Replays pass
// over it, and over what fails there again of what it had waited for. A child that the process
// forks is not captured. A program that it becomes by exec is captured to FILE.2, FILE.3 and so on.
//
// Built with LIGHTMETAL_ENABLE_CAPTURE=OFF, LightMetalBeginCapture() logs a warning and
// LightMetalEndCapture() returns an empty binary.
namespace lightmetal {

struct CaptureOptions {
  // The file to write while the program runs; what a process that dies has captured by then
  // replays. LightMetalEndCapture() then returns an empty binary. Empty: the capture stays in
  // memory and LightMetalEndCapture() returns it. The bytes are the same.
  std::string path = {};

  // Make what every read returned a golden, that is, what its replay must read. A read that does
  // not block then waits for its data, unless they may come only after the program's next calls: it
  // gives up, and becomes no golden, as soon as its queue waits for an event that nobody has
  // recorded yet, and when the queue has ended nothing for five seconds.
  bool read_goldens = false;

  // How many bytes a capture without a path may keep in memory; beyond them it goes to a temporary
  // file (in TMPDIR), with which LightMetalEndCapture()'s binary works as with memory.
  uint64_t memory_limit = uint64_t{256} << 20;

  // Say in the file where, when and by what it was made: command line, machine, time and the
  // environment variables LIGHTMETAL_* and those that LIGHTMETAL_CAPTURE_ENVIRONMENT=NAME,NAME
  // names (docs/format.md). Unset: yes, unless LIGHTMETAL_CAPTURE_ORIGIN=0 is in the environment.
  // Without it, captures of equal calls are equal byte for byte.
  std::optional<bool> record_origin = {};

  // Write calls that launch kernels or wait for them before they are made, too, as intents: a file
  // whose program died in such a call names it (lightmetal_runner info).
  // LIGHTMETAL_CAPTURE_INTENTS=1 with LIGHTMETAL_CAPTURE.
  bool intents = false;

  // Not 0: a flight recorder. Only the last calls stay, in memory: at least the last half of so
  // many bytes of calls and data, on top of a snapshot of what lived before them. They are written
  // to `path`, each time anew, by dump_flight_recorder(), when a call throws, when a fatal signal
  // comes (SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM; handlers that were there are called
  // afterwards; the file then replays as one that was not closed), and at the end of the capture
  // unless the file shows the last failure already. Before the first of these, and in a process
  // that is killed by SIGKILL, the file is empty.
  //
  // Memory: ring_size, and two snapshots, which may be as large each. A new snapshot is taken
  // whenever half of ring_size has been recorded, at the end of a call while no other thread is in
  // one and the devices have nothing to do, for which it waits some milliseconds, and some seconds
  // when the ring is nearly full; otherwise it is tried again after a later call. A snapshot or a
  // call that does not fit is an error of the capture, and so is a full ring before a snapshot
  // could be taken. At least 64 KiB; needs a `path`. LIGHTMETAL_CAPTURE_RING=SIZE (64M, 1G) with
  // LIGHTMETAL_CAPTURE.
  uint64_t ring_size = 0;

  // Compress data in the file with zstd, at level 1 (fast) to 19 (small); 0 does not. Data for
  // which it does not pay are stored as they are. It happens on the thread that makes the call.
  // Unset: what LIGHTMETAL_CAPTURE_COMPRESS=LEVEL in the environment says, or 0.
  std::optional<int> compress = {};

  // Whether data that the program writes to a device are embedded or recorded as references to the
  // files that they lie in. Unset: what LIGHTMETAL_CAPTURE_PAYLOADS=embed|reference|fail says, or
  // embed.
  std::optional<PayloadPolicy> payloads = {};

  // Data of fewer bytes are always embedded.
  uint64_t min_reference_size = uint64_t{64} << 10;
};

// Says that `data` holds the bytes of the file from `offset` on, such as weights that were read or
// mapped from it, so that a capture with PayloadPolicy::Reference can refer to the file instead of
// holding them. It holds for this and every later capture until the memory is undeclared; do that
// before the memory is freed. Earlier declarations that overlap are forgotten. Nothing is ever
// captured wrong by it: the file is compared with what is written to the device. Linux drops the
// process's record locks (fcntl) on it, since the capture opens and closes it.
//
// An error, and no declaration, when the path names no regular file that can be read or that is
// long enough. Without capture compiled in it does nothing. Thread-safe.
absl::Status declare_file_data(std::span<const std::byte> data, const std::string& path,
                               uint64_t offset = 0);
// Forgets every declaration that overlaps `data`. Thread-safe.
void undeclare_file_data(std::span<const std::byte> data);

// Writes what the flight recorder holds to its file now, and lets it go on. Returns false when none
// runs. Throws std::runtime_error when the file cannot be written. Thread-safe.
bool dump_flight_recorder();

// False when the library was built without capture.
bool capture_is_compiled_in();

}  // namespace lightmetal

namespace tt::tt_metal {

// Throws std::runtime_error, and changes nothing, when a capture runs, which then goes on; while a
// device trace is captured (BeginTraceCapture); while a queue waits for an event that has not been
// recorded yet; and when the file cannot be created, or is the one to which LIGHTMETAL_CAPTURE
// captures this process.
void LightMetalBeginCapture(const lightmetal::CaptureOptions& options);

}  // namespace tt::tt_metal
