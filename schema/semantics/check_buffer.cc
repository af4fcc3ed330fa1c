// Buffers.
#include <algorithm>
#include <utility>

#include "base/status.h"
#include "host/device.h"
#include "host/memory.h"
#include "schema/semantics/buffer_shards.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

// The distribution comes with its layout and no other, and obeys its own rules: the host makes it
// before it makes the buffer.
absl::Status check_distribution(const BufferCreate& call, const Object& object) {
  const BufferDistribution* distribution = call.distribution();
  if (distribution == nullptr) return absl::OkStatus();
  if (call.layout() != BufferLayout::NdSharded) {
    return of_files_alone(wrong(object, "layout", EnumNameBufferLayout(call.layout()),
                                "NdSharded, because there is a distribution"));
  }
  if (distribution->layout() == BufferLayout::Interleaved) {
    return of_files_alone(
        wrong(object, "distribution.layout", "Interleaved", "a layout with shards"));
  }
  return about(object, host::DealtShards::of(distribution_of(*distribution)).status());
}

// The cores of `shard`; empty for a layout that does not use it. The host, too, makes a set of the
// cores of a shard specification that nothing uses, but takes a large one, which a set here cannot
// hold.
absl::StatusOr<CoreSet> shard_grid_of(const BufferCreate& call, const BufferState& buffer) {
  if (call.shard() == nullptr) return CoreSet();
  absl::StatusOr<CoreSet> grid = core_set_of(call.shard()->grid(), buffer.object(), "shard.grid");
  const bool is_used =
      host::is_sharded(buffer.layout) && buffer.layout != host::BufferLayout::kNdSharded;
  if (!grid.ok())
    return is_used && call.size() != 0 ? grid.status() : of_files_alone(grid.status());
  return is_used ? grid : CoreSet();
}

absl::StatusOr<host::Shards> shards_of(const BufferCreate& call, const CoreSet& grid,
                                       const BufferState& buffer) {
  if (call.layout() == BufferLayout::NdSharded)
    return host::shards_of(buffer, distribution_of(*call.distribution()));
  return host::shards_of(buffer, spec_of(*call.shard(), grid));
}

// Gives the buffer its shards, if its layout has any, and sets `grid` to the cores that have them.
// REQUIRES: host::check_has_shards() and host::check_size() are OK.
absl::Status take_shards(const BufferCreate& call, CoreSet& grid, BufferState& buffer) {
  if (!host::is_sharded(buffer.layout) || call.size() == 0) return absl::OkStatus();
  const absl::StatusOr<host::Shards> shards = shards_of(call, grid, buffer);
  LM_RETURN_IF_ERROR(about(buffer.object(), shards.status()));
  buffer.shards = *shards;
  if (call.layout() == BufferLayout::NdSharded)
    grid = host::core_set_of(distribution_of(*call.distribution()).cores).value();
  return absl::OkStatus();
}

// Checks a buffer that is in the memory of a sub-device. REQUIRES: memory_for() has accepted the
// sub-device.
absl::Status check_sub_device(const BufferCreate& call, const BufferState& buffer,
                              const CoreSet& grid) {
  if (!call.sub_device().has_value()) return absl::OkStatus();
  const DeviceState& device = *buffer.device;
  const CoreSet* cores = nullptr;
  if (device.is_divided()) cores = &device.loaded->sub_devices[*call.sub_device()];
  return about(buffer.object(), host::check_sub_device(buffer, grid, *call.sub_device(), cores));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Allocation>> Checker::allocate(const Object& object,
                                                              const DeviceState& device,
                                                              const Place& place) {
  LM_RETURN_IF_ERROR(about(object, host::allocate_at(*place.memory, place.type, place.address,
                                                     place.size, place.alignment)));
  // The budget is asked last, so what was allocated has to be given back.
  if (absl::Status status = device.charge->add(budget_, place.bytes); !status.ok()) {
    place.memory->free(place.address);
    return status;
  }
  note_memory(device);
  return std::make_unique<Allocation>(place.memory, place.address, device.charge, place.bytes);
}

void Checker::note_memory(const DeviceState& device, uint64_t end_of_circular_buffers) {
  const host::Memory& memory = *device.memory;
  uint64_t buffers = 0;
  if (device.is_divided()) {
    // Sub-devices lie on different cores.
    for (const auto& of_sub_device : device.loaded->memory) {
      buffers = std::max(buffers, of_sub_device->l1.allocated_bytes());
    }
  }
  buffers += memory.l1.allocated_bytes();
  const uint64_t base = device.profile.l1_unreserved_base;
  const uint64_t circular = end_of_circular_buffers - std::min(end_of_circular_buffers, base);
  DeviceMemory& most = device_memory_[device.number];
  most.dram = std::max(most.dram, memory.dram.allocated_bytes());
  most.trace = std::max(most.trace, memory.trace.allocated_bytes());
  most.l1 = std::max(most.l1, buffers + circular);
  most.l1_buffers = std::max(most.l1_buffers, buffers);
  most.l1_circular_buffers = std::max(most.l1_circular_buffers, circular);
  most.l1_small = std::max(most.l1_small, memory.l1_small.allocated_bytes());
}

// Notes a buffer at an address that the program gave. One that overlaps an allocation is a view,
// whose memory counts already.
void Checker::note_given(const BufferState& buffer, const FreeList& memory) {
  const uint64_t size = buffer.size_per_bank();
  if (size == 0 || memory.overlapping(buffer.address, size).has_value()) return;
  DeviceMemory& most = device_memory_[buffer.device->number];
  const bool is_dram = buffer.type == host::BufferType::kDram;
  RangeSet<>& given = is_dram ? buffer.device->given_dram : buffer.device->given_l1;
  (is_dram ? most.dram_given : most.l1_given) +=
      given.add(buffer.address, buffer.address + size - 1);
}

absl::StatusOr<std::shared_ptr<FreeList>> Checker::memory_for(const BufferCreate& call,
                                                              const DeviceState& device) const {
  const auto type = static_cast<host::BufferType>(call.buffer_type());
  if (!call.sub_device().has_value()) return device.memory_of(type);
  const uint8_t sub_device = *call.sub_device();
  const Object object{"buffer", call.id()};
  LM_RETURN_IF_ERROR(about(object, host::check_is_loaded(device.num_sub_devices(), sub_device)));
  if (!device.is_divided()) return device.memory_of(type);
  const SubDeviceManagerState& loaded = *device.loaded;
  LM_RETURN_IF_ERROR(about(object, host::check_has_memory(sub_device, loaded.local_l1_size)));
  const std::shared_ptr<host::Memory>& memory = loaded.memory[sub_device];
  return std::shared_ptr<FreeList>(memory, &memory->l1);
}

absl::Status Checker::place(const BufferCreate& call, std::shared_ptr<FreeList> memory,
                            BufferState& buffer) {
  const bool given = call.address().has_value();
  const uint64_t size = given ? 0 : buffer.size_per_bank();
  const uint64_t expected = given ? *call.address() : call.allocated_address();
  if (given) {
    LM_RETURN_IF_ERROR(about(buffer.object(), host::check_given_address(buffer, *call.address())));
  }
  if (call.allocated_address() != (given || size != 0 ? expected : 0)) {
    return wrong(buffer.object(), "allocated_address", call.allocated_address(),
                 given ? expected : 0, given ? ", which was given" : ": nothing is allocated");
  }
  buffer.address = call.allocated_address();
  if (given) note_given(buffer, *memory);
  if (size == 0) return absl::OkStatus();
  // DRAM that was used stays with the device, so touch_dram() counts it once for all buffers that
  // lie there in turn.
  const bool counts_while_allocated = host::is_l1(buffer.type);
  LM_ASSIGN_OR_RETURN(allocation, allocate(buffer.object(), *buffer.device,
                                           {std::move(memory), buffer.type, buffer.address, size,
                                            buffer.banks.alignment,
                                            counts_while_allocated ? buffer.aligned_size() : 0}));
  if (!counts_while_allocated) {
    LM_RETURN_IF_ERROR(touch_dram(*buffer.device, buffer.address, size));
  }
  buffer.memory = std::move(allocation);
  return absl::OkStatus();
}

// The order of the checks is the host's, so that both refuse a file with the same sentence. It also
// puts each rule of host/buffer.h behind those that bound its numbers.
absl::Status Checker::check(const BufferCreate& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  auto buffer = std::make_shared<BufferState>();
  buffer->id = call.id();
  buffer->device = device;
  buffer->size = call.size();
  buffer->page_size = call.page_size();
  buffer->type = static_cast<host::BufferType>(call.buffer_type());
  buffer->layout = static_cast<host::BufferLayout>(call.layout());
  LM_RETURN_IF_ERROR(check_distribution(call, buffer->object()));
  LM_ASSIGN_OR_RETURN(grid, shard_grid_of(call, *buffer));
  LM_RETURN_IF_ERROR(about(buffer->object(), host::check_is_memory(buffer->type)));
  LM_RETURN_IF_ERROR(about(buffer->object(), host::check_has_shards(*buffer, has_shards(call))));
  buffer->banks = host::banks_of(device->profile, buffer->type);
  LM_ASSIGN_OR_RETURN(memory, memory_for(call, *device));
  LM_RETURN_IF_ERROR(about(buffer->object(), host::check_size(*buffer)));
  LM_RETURN_IF_ERROR(take_shards(call, grid, *buffer));
  LM_RETURN_IF_ERROR(check_sub_device(call, *buffer, grid));
  LM_RETURN_IF_ERROR(place(call, std::move(memory), *buffer));
  return add(buffers_, std::move(buffer));
}

absl::Status Checker::check(const BufferSetPageSize& call) {
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(call.buffer()));
  LM_RETURN_IF_ERROR(about(buffer->object(), host::check_page_size(*buffer, call.page_size())));
  buffer->page_size = call.page_size();
  // The host maps pages of another size to shards anew.
  buffer->mapping.release();
  return absl::OkStatus();
}

absl::Status Checker::check(const BufferDeallocate& call) {
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(call.buffer()));
  buffer->allocated = false;
  buffer->memory = nullptr;
  return absl::OkStatus();
}

absl::Status Checker::check(const BufferDestroy& call) {
  bindings_.remove_buffer(call.buffer());
  buffers_.remove(call.buffer());
  return absl::OkStatus();
}

absl::StatusOr<Checker::Transfer> Checker::transfer(uint64_t id) {
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(id));
  const uint64_t size = buffer->size;
  return transfer_of(std::move(buffer), 0, size);
}

absl::StatusOr<Checker::Transfer> Checker::transfer(uint64_t id, uint64_t offset, uint64_t size) {
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(id));
  return transfer_of(std::move(buffer), offset, size);
}

absl::StatusOr<Checker::Transfer> Checker::transfer_of(Buffer buffer, uint64_t offset,
                                                       uint64_t size) {
  const Object object = buffer->object();
  LM_RETURN_IF_ERROR(about(object, host::check_open(buffer->device->id, buffer->device->open)));
  LM_RETURN_IF_ERROR(about(object, host::check_allocated(*buffer, buffer->allocated)));
  LM_RETURN_IF_ERROR(about(object, host::check_transfer(*buffer, offset, size)));
  if (size != 0) LM_RETURN_IF_ERROR(map_pages(*buffer));
  return Transfer{std::move(buffer), offset, size};
}

absl::Status Checker::map_pages(BufferState& buffer) {
  if (!buffer.shards) return absl::OkStatus();
  LM_RETURN_IF_ERROR(about(buffer.object(), host::check_holds_all_pages(buffer)));
  if (!buffer.mapping.empty()) return absl::OkStatus();
  // Numbers of four bytes: three for each page on the device, and for each of the buffer's pages
  // three, and three for a run of pages.
  return buffer.mapping.add(budget_, buffer.num_dev_pages() * 12 + buffer.num_pages() * 24);
}

}  // namespace lightmetal::schema::semantics
