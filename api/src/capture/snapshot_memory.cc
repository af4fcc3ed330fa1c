// What lies in the memory of devices, and what it holds, as commands that make it anew.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/event.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "api/src/capture/bindings.h"
#include "api/src/capture/snapshot.h"
#include "api/src/capture/snapshot_parts.h"
#include "api/src/capture/written_memory.h"
#include "api/src/devices/device_impl.h"
#include "api/src/memory/buffer_bindings.h"
#include "api/src/memory/buffer_io.h"
#include "api/src/memory/live_handles.h"
#include "api/src/record/capture_calls.h"
#include "api/src/record/record.h"
#include "api/src/support/errors.h"
#include "api/src/support/live_objects.h"
#include "api/src/work/event_progress.h"
#include "base/range_set.h"
#include "capture/recorder.h"
#include "capture/session.h"

namespace tt::tt_metal::snapshot {
namespace {

namespace device = lightmetal::device;
using lightmetal::capture::knows;
using lightmetal::schema::ElementType;

// Contents are read and recorded in pieces of at most so many bytes.
constexpr uint64_t kPiece = uint64_t{4} << 20;
// The part of a flight recorder's ring that memory outside of buffers may take.
constexpr uint64_t kShareOfRing = 8;

// ---- Objects ----

// True for a buffer of a device that is open: what lay on other devices is lost.
bool is_recorded(const Buffer& buffer) { return knows(object_of(*buffer.device())); }

// True when the buffer lies in the memory that the loaded sub-devices have for themselves.
bool is_sub_devices_own(const Buffer& buffer) {
  const DeviceImpl& device = impl_of(*buffer.device());
  const DeviceAddr begin = device.allocator()->get_base_allocator_addr(HalMemType::L1);
  return buffer.is_l1() && buffer.address() < begin + device.sub_devices().loaded()->local_l1_size;
}

bool owns_memory(const Buffer& buffer) {
  return buffer.is_allocated() && !buffer.given_address().has_value();
}

// How a replay makes the buffer. A buffer that owns no memory any more is made as a view, which is
// in nobody's way.
capture_calls::BufferCreation creation_of(const Buffer& buffer) {
  capture_calls::BufferCreation creation{.given_address = buffer.address(),
                                         .page_size = buffer.given_page_size(),
                                         .sub_device = std::nullopt};
  if (!owns_memory(buffer)) return creation;
  creation.given_address = std::nullopt;
  if (is_sub_devices_own(buffer)) creation.sub_device = buffer.sub_device_id();
  return creation;
}

void record_buffer(const Buffer& buffer) {
  if (!is_recorded(buffer)) return;
  capture_calls::buffer_create_as(buffer, creation_of(buffer));
  if (buffer.page_size() != buffer.given_page_size())
    record<schema::BufferSetPageSize>(buffer, buffer.page_size());
  if (!buffer.is_allocated()) record_if_known<schema::BufferDeallocate>(buffer);
}

std::vector<CoreCoord> cores_of(const GlobalSemaphore& semaphore) {
  return corerange_to_cores(semaphore.cores());
}

uint32_t value_on(const GlobalSemaphore& semaphore, const CoreCoord& core) {
  uint32_t value = 0;
  throw_if_error(impl_of(semaphore.device())
                     .share_backend()
                     ->read_l1({static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)},
                               semaphore.address(),
                               {reinterpret_cast<std::byte*>(&value), sizeof(value)}));
  return value;
}

// The command sets all cores to the value of the first one; record_semaphore_values() corrects the
// others.
void record_global_semaphore(const GlobalSemaphore& semaphore, BufferType buffer_type) {
  if (!knows(object_of(*semaphore.device()))) return;
  record<schema::GlobalSemaphoreCreate>(semaphore, *semaphore.device(), semaphore.cores(),
                                        value_on(semaphore, cores_of(semaphore).front()),
                                        buffer_type, semaphore.address());
}

void record_global_circular_buffer(const experimental::GlobalCircularBuffer& buffer,
                                   const Buffer& config_buffer) {
  if (!knows(object_of(*buffer.get_device()))) return;
  record<schema::GlobalCircularBufferCreate>(buffer, *buffer.get_device(), buffer.cb_buffer(),
                                             config_buffer, buffer.sender_receiver_core_mapping(),
                                             buffer.size(), config_buffer.buffer_type());
}

// ---- Contents of buffers ----

uint64_t bank_size_of(const Buffer& buffer) {
  const lightmetal::DeviceProfile& profile = impl_of(*buffer.device()).profile();
  return buffer.is_l1() ? profile.l1_size : profile.dram_bank_size;
}

// Views may reach beyond the end of their banks, where nothing is.
bool is_in_memory(const Buffer& buffer, uint64_t size_per_bank) {
  return is_recorded(buffer) && buffer.is_allocated() && size_per_bank != 0 &&
         buffer.address() + size_per_bank <= bank_size_of(buffer);
}

bool has_contents(const Buffer& buffer) {
  return is_in_memory(buffer, buffer.aligned_size_per_bank());
}

// True for a buffer that has other pages than at first: the pages of now may not reach all that was
// written in others.
bool has_contents_in_other_pages(const Buffer& buffer) {
  return buffer.page_size() != buffer.given_page_size() &&
         is_in_memory(buffer, buffer.allocated_size_per_bank());
}

void record_piece(const Buffer& buffer, const BufferRegion& region, lightmetal::Bytes data) {
  const CommandQueue& queue = buffer.device()->command_queue(0);
  if (region.size == buffer.size()) {
    record<schema::EnqueueWriteBuffer>(queue, buffer, Upload{data}, ElementType::Bytes, false);
  } else {
    record<schema::EnqueueWriteSubBuffer>(queue, buffer, region.offset, region.size, Upload{data},
                                          ElementType::Bytes, false);
  }
}

// Records what pages of the buffer hold, both included, as writes. REQUIRES: a page is no greater
// than a piece.
void record_pages(const Buffer& buffer, const BufferLayoutSnapshot& layout, uint64_t first,
                  uint64_t last) {
  const uint64_t step = kPiece / buffer.page_size() * buffer.page_size();
  const uint64_t end = (last + 1) * buffer.page_size();
  std::vector<std::byte> data(std::min(step, end - first * buffer.page_size()));
  for (uint64_t offset = first * buffer.page_size(); offset < end; offset += step) {
    const uint64_t size = std::min(step, end - offset);
    const absl::Span<std::byte> piece(data.data(), size);
    throw_if_error(read_buffer(*impl_of(*buffer.device()).share_backend(), layout, offset, piece));
    record_piece(buffer, {offset, size}, piece);
  }
}

// What the memory of the open devices holds. Buffers have it by writes of the pages that are not
// zeros. Before all writes come the buffers of which that leaves out a page, each as a command that
// clears it: a replay may run a second time, or on a device that has been used. What else is not
// zeros is recorded by address: what kernels have left in circular buffers and elsewhere in L1, and
// what is left of buffers that have ended, which the next buffer there may read.
class Contents {
 public:
  // Pages that are greater than a piece go by address.
  static bool has_large_pages(const Buffer& buffer) { return buffer.page_size() > kPiece; }

  explicit Contents(const std::vector<IDevice*>& devices) {
    for (const IDevice* device : devices) memory_.try_emplace(device, *device);
    LiveObjects<Buffer>::for_each([&](const Buffer& buffer) {
      if (has_contents(buffer)) find_pages(buffer);
    });
  }

  void record_cleared() const {
    LiveObjects<Buffer>::for_each([&](const Buffer& buffer) {
      if (is_cleared(buffer)) record<schema::ClearBuffer>(buffer);
    });
  }

  // Calls wrote(device) for each device whose queue is given something.
  template <class Wrote>
  void record_buffers(Wrote wrote) {
    LiveObjects<Buffer>::for_each([&](const Buffer& buffer) {
      const auto pages = pages_.find(buffer.unique_id());
      if (pages == pages_.end()) return;
      const BufferLayoutSnapshot layout = snapshot_of(buffer);
      for (const auto& [first, rest] : pages->second.ranges()) {
        record_pages(buffer, layout, first, rest.last);
        memory_.at(buffer.device()).remove_pages(layout, first, rest.last);
        wrote(buffer.device());
      }
    });
  }

  // What is recorded otherwise is none of the rest.
  void remove(const IDevice& device, const MemoryRange& range) {
    memory_.at(&device).remove(range);
  }

  std::vector<MemoryRange> rest(const IDevice& device) { return memory_.at(&device).rest(); }
  std::vector<MemoryRange> rest_of(const Buffer& buffer) {
    return memory_.at(buffer.device()).rest_of(snapshot_of(buffer));
  }

 private:
  void find_pages(const Buffer& buffer) {
    lightmetal::RangeSet<>& pages = pages_[buffer.unique_id()];
    if (!has_large_pages(buffer)) pages = memory_.at(buffer.device()).pages_of(snapshot_of(buffer));
  }

  bool is_cleared(const Buffer& buffer) const {
    const auto pages = pages_.find(buffer.unique_id());
    if (pages == pages_.end()) return false;
    const auto& ranges = pages->second.ranges();
    return ranges.size() != 1 || ranges.begin()->first != 0 ||
           ranges.begin()->second.last + 1 != buffer.num_pages();
  }

  std::map<const IDevice*, WrittenMemory> memory_;
  std::map<uint64_t, lightmetal::RangeSet<>> pages_;  // that are not zeros, by buffer
};

// ---- Contents of memory ----

void record_write(const IDevice& device, const MemoryRange& range, lightmetal::Bytes data) {
  const CoreCoord core(range.place.x, range.place.y);
  switch (range.place.kind) {
    case MemoryPlace::Kind::kDram:
      return record<schema::WriteToDeviceDRAMChannel>(device, range.place.x, range.begin,
                                                      Upload{data});
    case MemoryPlace::Kind::kL1:
      return record<schema::WriteToDeviceL1>(device, core, range.begin, Upload{data});
    case MemoryPlace::Kind::kEthernetL1:
      return record<schema::WriteToEthernetL1>(device, core, range.begin, Upload{data});
  }
}

void record_range(const IDevice& device, const MemoryRange& range) {
  std::vector<std::byte> data(std::min(kPiece, range.size));
  for (uint64_t offset = 0; offset < range.size; offset += kPiece) {
    const MemoryRange piece{range.place, range.begin + offset,
                            std::min(kPiece, range.size - offset)};
    const absl::Span<std::byte> bytes(data.data(), piece.size);
    throw_if_error(read_memory(*impl_of(device).share_backend(), piece.place, piece.begin, bytes));
    record_write(device, piece, bytes);
  }
}

MemoryPlace place_of_bank(const Buffer& buffer, uint32_t bank) {
  if (!buffer.is_l1()) return {.kind = MemoryPlace::Kind::kDram, .x = bank};
  const CoreCoord core = buffer.logical_core_from_bank_id(bank);
  return {.kind = MemoryPlace::Kind::kL1,
          .x = static_cast<uint32_t>(core.x),
          .y = static_cast<uint32_t>(core.y)};
}

// Records the words of cores whose value is not that of the first core.
void record_semaphore_values(const GlobalSemaphore& semaphore) {
  const std::vector<CoreCoord> cores = cores_of(semaphore);
  const uint32_t first = value_on(semaphore, cores.front());
  for (const CoreCoord& core : cores) {
    const uint32_t value = value_on(semaphore, core);
    if (value == first) continue;
    record<schema::WriteToDeviceL1>(*semaphore.device(), core, semaphore.address(),
                                    Upload{lightmetal::bytes_of(&value, sizeof(value))});
  }
}

// ---- Events ----

bool was_recorded(const Event& event) { return event.progress()->recorded() > 0; }

// Where a replay records the event: where it was recorded last, or, since that device may be
// closed, in any queue. Null when it was not recorded, and when no device is open.
CommandQueue* queue_of(const Event& event, const std::vector<IDevice*>& devices) {
  if (!was_recorded(event)) return nullptr;
  if (knows(object_of(*event.device))) return &event.device->command_queue(event.cq_id);
  return devices.empty() ? nullptr : &devices.front()->command_queue();
}

// The devices whose queues have been given something by the commands recorded so far.
class BusyDevices {
 public:
  void add(const IDevice* device) { devices_.insert(device); }
  void wait(const std::vector<IDevice*>& all) const {
    for (const IDevice* device : all) {
      if (!devices_.contains(device)) continue;
      record<schema::Synchronize>(*device, std::optional<uint8_t>(),
                                  std::span<const SubDeviceId>());
    }
  }

 private:
  std::set<const IDevice*> devices_;
};

// Records what goes through queues, in the order of the queues, and a wait for each queue that was
// given something. Global semaphores and global circular buffers have been written when they were
// made.
void record_through_queues(const std::vector<IDevice*>& devices, Contents& contents) {
  BusyDevices busy;
  contents.record_buffers([&](const IDevice* device) { busy.add(device); });
  LiveObjects<Event>::for_each([&](const Event& event) {
    CommandQueue* const queue = queue_of(event, devices);
    // Without an open device the event is left for record_left_out().
    if (queue == nullptr && was_recorded(event)) return;
    record<schema::EventCreate>(event);
    if (queue == nullptr) return;
    // The devices are idle, so all that was enqueued before the event has been done: the replayed
    // event is reached, too.
    record<schema::EnqueueRecordEvent>(*queue, event, std::span<const SubDeviceId>());
    busy.add(queue->device());
  });
  for_each_global_semaphore(
      [&](const GlobalSemaphore& semaphore, BufferType) { busy.add(semaphore.device()); });
  for_each_global_circular_buffer([&](const experimental::GlobalCircularBuffer& buffer,
                                      const Buffer&) { busy.add(buffer.get_device()); });
  busy.wait(devices);
}

// Records all that create() allocated, in every bank, by address.
void record_allocation(const Buffer& buffer, Contents& contents) {
  for (uint32_t bank = 0; bank < buffer.num_banks(); ++bank) {
    const MemoryRange range{place_of_bank(buffer, bank), buffer.address(),
                            buffer.allocated_size_per_bank()};
    record_range(*buffer.device(), range);
    contents.remove(*buffer.device(), range);
  }
}

void record_large_pages(const Buffer& buffer, Contents& contents) {
  for (const MemoryRange& range : contents.rest_of(buffer)) {
    record_range(*buffer.device(), range);
    contents.remove(*buffer.device(), range);
  }
}

void remove_semaphore(const GlobalSemaphore& semaphore, Contents& contents) {
  for (const CoreCoord& core : cores_of(semaphore)) {
    const MemoryPlace place{MemoryPlace::Kind::kL1, static_cast<uint32_t>(core.x),
                            static_cast<uint32_t>(core.y)};
    contents.remove(*semaphore.device(), {place, semaphore.address(), sizeof(uint32_t)});
  }
}

// True if a flight recorder has no memory for the ranges, which its snapshot then leaves out: they
// are what the least number of programs needs.
bool is_too_much(const std::vector<MemoryRange>& ranges) {
  const uint64_t ring = lightmetal::capture::ring_size();
  uint64_t bytes = 0;
  for (const MemoryRange& range : ranges) bytes += range.size;
  return ring != 0 && bytes > ring / kShareOfRing;
}

void record_rest(const IDevice& device, Contents& contents) {
  const std::vector<MemoryRange> ranges = contents.rest(device);
  if (is_too_much(ranges)) return;
  for (const MemoryRange& range : ranges) record_range(device, range);
}

// Records what goes by address. This comes last, and behind a wait for the queues, because nothing
// else orders such writes with those of the queues.
void record_beside_queues(const std::vector<IDevice*>& devices, Contents& contents) {
  LiveObjects<Buffer>::for_each([&](const Buffer& buffer) {
    if (has_contents(buffer) && Contents::has_large_pages(buffer))
      record_large_pages(buffer, contents);
    if (has_contents_in_other_pages(buffer)) record_allocation(buffer, contents);
  });
  for_each_global_semaphore([&](const GlobalSemaphore& semaphore, BufferType) {
    if (!knows(object_of(semaphore))) return;
    record_semaphore_values(semaphore);
    remove_semaphore(semaphore, contents);
  });
  for (IDevice* device : devices) {
    for (const MemoryRange& range : impl_of(*device).touched_memory().ranges()) {
      record_range(*device, range);
      contents.remove(*device, range);
    }
    record_rest(*device, contents);
  }
}

}  // namespace

void record_memory_objects() {
  LiveObjects<Buffer>::for_each([](const Buffer& buffer) { record_buffer(buffer); });
  for (const uint64_t buffer : movable_buffers())
    record_if_known<schema::BufferMovable>(BufferId{buffer});
  for_each_global_semaphore(record_global_semaphore);
  for_each_global_circular_buffer(record_global_circular_buffer);
}

void record_contents_and_events(const std::vector<IDevice*>& devices) {
  Contents contents(devices);
  contents.record_cleared();
  record_through_queues(devices, contents);
  record_beside_queues(devices, contents);
}

void record_bindings_and_entry() {
  for (const auto& [buffer, bindings] : bound_buffers()) {
    for (const Binding& binding : bindings) {
      record_if_known<schema::BindTensor>(BufferId{buffer}, binding.name, binding.role,
                                          binding.tensor);
    }
  }
  const std::string entry = open_entry();
  if (!entry.empty()) record<schema::EntryBegin>(entry);
}

void record_left_out_events(IDevice& device) {
  LiveObjects<Event>::for_each([&](const Event& event) {
    if (!was_recorded(event) || knows(object_of(event))) return;
    record<schema::EventCreate>(event);
    record<schema::EnqueueRecordEvent>(device.command_queue(), event,
                                       std::span<const SubDeviceId>());
  });
}

}  // namespace tt::tt_metal::snapshot
