#pragma once

#include <tt-metalium/device.hpp>
#include <vector>

// The parts of a snapshot (snapshot.h), in the order in which they are recorded. Each object comes
// after what it is made of. They throw what reading the devices' memory throws. REQUIRES: as
// record_segment() (snapshot.h).
namespace tt::tt_metal::snapshot {

// Sub-device managers, and device traces, each while the manager is loaded for which it was
// captured; then the manager that is loaded now. Comes before any buffer, which could lie in the
// way of a manager.
void record_sub_devices_and_traces(const IDevice& device);

// Buffers, global semaphores and global circular buffers, at their addresses.
void record_memory_objects();

// The names of the buffers, and the entry that is open. Comes last: what precedes it is no part of
// the entry.
void record_bindings_and_entry();

// Programs with all that belongs to them. Comes after the buffers that they name.
void record_programs();

// The programs that record_programs() left out because no device was open.
void record_left_out_programs();

// What the next launches of programs would record before themselves, for the programs that a
// capture knows.
void record_pending_of_programs();

// What the memory of `devices` holds, and the events that were recorded. Comes after every command
// that writes memory itself.
void record_contents_and_events(const std::vector<IDevice*>& devices);

// The events that record_contents_and_events() left out because no device was open: they are
// recorded on this one.
void record_left_out_events(IDevice& device);

}  // namespace tt::tt_metal::snapshot
