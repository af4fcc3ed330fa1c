#pragma once

#include <chrono>
#include <tt-metalium/device.hpp>

#include "absl/status/status.h"

// Snapshots: what lives when a capture or a segment begins, recorded as the commands that make it
// anew.
namespace tt::tt_metal {

// Waits until all devices have done what was enqueued. Errors of queues stay with their queues.
// FailedPrecondition, at once, while a snapshot is impossible: a device trace is being captured, or
// a queue waits for an event that nobody has recorded yet.
absl::Status wait_until_snapshot_is_possible();

// The same for a segment of a flight recorder, which must not keep the program waiting: kernels may
// wait for this thread's next call. Unavailable when devices still work after `patience`.
absl::Status prepare_segment(std::chrono::milliseconds patience);

// Records what calls have changed and what only the next launches would record: words that programs
// wrote through references to runtime arguments, and compiled kernels. A snapshot has them, but a
// file that holds the segments before and after it has no snapshot between them.
void record_pending();

// Records the open devices and everything that lives on them and in this process (buffers with what
// they hold, programs, kernels, circular buffers, semaphores, runtime arguments, events, traces,
// sub-devices) as the commands that make it anew; <lightmetal/capture.hpp> says what that leaves
// out. Waits for all queues first. Objects that the capture knows already keep their ids. Does not
// throw: what cannot be recorded becomes the capture's error. REQUIRES: called while a capture
// begins (first_commands of capture::begin), or while all other threads are kept out of the host
// API, so that no other thread's calls are recorded meanwhile.
void record_snapshot();

// The same without waiting. REQUIRES: as for record_snapshot, and prepare_segment() was OK.
void record_segment();

// For the call that opens `device` and is being captured: records what the snapshot left out
// because no device was open, that is, events that were recorded on devices that are closed now,
// and programs whose circular buffers lie in memory of such a device.
void record_left_out(IDevice& device);

}  // namespace tt::tt_metal
