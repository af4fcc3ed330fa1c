#pragma once

#include <tt-metalium/device.hpp>
#include <vector>

// The parts of a snapshot (snapshot.h), in the order in which they are recorded. Each part of an
// object's state comes after what it is made of.
namespace tt::tt_metal::snapshot {

// Sub-device managers, and device traces while the manager is loaded for which they were captured;
// then what is loaded now. Before any buffer, which could lie in the way of a manager.
void record_sub_devices_and_traces(const IDevice& device);

// Buffers, global semaphores and global circular buffers, at their addresses.
void record_memory_objects();

// Programs with all that belongs to them; after the buffers that they name.
void record_programs();

// Those that record_programs() left out, since they could only be recorded with a device open.
void record_left_out_programs();

// What the next launches of programs that the capture knows would record before themselves.
void record_pending_of_programs();

// What the memory of `devices` holds, and events with what has been recorded in them. After every
// command that writes memory itself.
void record_contents_and_events(const std::vector<IDevice*>& devices);

// Events that this left out, since no device was open: on this one.
void record_left_out_events(IDevice& device);

}  // namespace tt::tt_metal::snapshot
