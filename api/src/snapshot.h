#pragma once

#include "absl/status/status.h"

// What lives when a capture begins in the middle of a program's life.
namespace tt::tt_metal {

// Waits until all devices have done what was enqueued. Errors of queues stay with their queues.
// FailedPrecondition, at once, while a snapshot is impossible: a device trace is being captured, or
// a queue waits for an event that nobody has recorded yet.
absl::Status wait_until_snapshot_is_possible();

// Records the open devices and everything that lives on them and in this process (buffers with what
// they hold, programs, kernels, circular buffers, semaphores, runtime arguments, events, traces,
// sub-devices) as the commands that make it anew; <lightmetal/capture.hpp> says what that leaves
// out. Waits for all queues first. Objects that the capture knows already keep their ids. Does not
// throw: what cannot be recorded becomes the capture's error. REQUIRES: called while a capture
// begins (first_commands of capture::begin), or while all other threads are kept out of the host
// API, so that no other thread's calls are recorded meanwhile.
void record_snapshot();

}  // namespace tt::tt_metal
