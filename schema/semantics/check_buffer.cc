// Buffers.
#include <algorithm>
#include <limits>

#include "base/status.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/profile_limits.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr uint64_t kMaxPages = std::numeric_limits<uint32_t>::max();

absl::Status check_page_size(const Object& object, uint64_t size, uint64_t page_size) {
  if (size == 0) return absl::OkStatus();
  if (page_size == 0 || size % page_size != 0) {
    return wrong(object, "page_size", page_size, "a divisor of the size ", size);
  }
  if (page_size % kWord != 0) {
    return wrong(object, "page_size", page_size, "a multiple of ", kWord);
  }
  if (size / page_size > kMaxPages) {
    return wrong(object, "page_size", page_size, "at most ", kMaxPages, " pages in ", size,
                 " bytes");
  }
  return absl::OkStatus();
}

// Nothing computes with sizes that could overflow before this.
absl::Status check_size(const BufferCreate& call, const DeviceState& device) {
  const Object object{"buffer", call.id()};
  if (call.size() == 0) return absl::OkStatus();
  const uint64_t num_banks = device.num_banks(call.buffer_type());
  const uint64_t bank_size = device.bank_size(call.buffer_type());
  if (call.size() / num_banks > bank_size) {
    return wrong(object, "size", call.size(), "at most ", num_banks, " banks of ", bank_size,
                 " bytes");
  }
  return check_page_size(object, call.size(), call.page_size());
}

absl::Status check_shard_shape(const Object& object, const ShardSpec& shard) {
  const auto check = [&](absl::string_view field, uint32_t shape, uint32_t page) {
    if (shape != 0 && page != 0 && shape % page == 0) return absl::OkStatus();
    return wrong(object, field, shape, "a positive multiple of the page's ", page);
  };
  LM_RETURN_IF_ERROR(check("shard.shape_height", shard.shape_height(), shard.page_height()));
  return check("shard.shape_width", shard.shape_width(), shard.page_width());
}

absl::Status check_shard_grid(const Object& object, const CoreSet& cores, const Core& banks) {
  if (!cores.empty() && cores.fits(banks)) return absl::OkStatus();
  return wrong(object, "shard.grid",
               cores.empty() ? "empty" : absl::StrCat("up to before ", text_of(cores.end())),
               "cores of the grid of ", text_of(banks), " banks");
}

absl::Status check_shard_pages(const BufferState& buffer) {
  const uint64_t most = buffer.device->bank_size(buffer.type) / buffer.aligned_page_size();
  if (buffer.shards->pages() > most) {
    return wrong(
        buffer.object(), "shard",
        absl::StrCat("of ", buffer.shards->pages(), " pages of ", buffer.page_size, " bytes"),
        "at most ", most, ", what a bank holds");
  }
  if (buffer.num_dev_pages() <= kMaxPages) return absl::OkStatus();
  return wrong(buffer.object(), "shard.grid", absl::StrCat(buffer.shards->num_shards, " shards"),
               "at most ", kMaxPages, " pages in all of them");
}

bool is_sharded(BufferLayout layout) { return layout != BufferLayout::Interleaved; }

// Fills in the shards of the buffer. REQUIRES: check_size().
absl::Status take_shards(const BufferCreate& call, BufferState& buffer) {
  const ShardSpec* shard = call.shard();
  if (shard == nullptr) {
    if (!is_sharded(call.layout())) return absl::OkStatus();
    return wrong(buffer.object(), "shard", "absent", "one for this layout");
  }
  const auto cores_or = core_set_of(shard->grid(), buffer.object(), "shard.grid");
  // Of shards that nothing uses the host makes a set of cores, too, and is lenient with large ones.
  if (!is_sharded(call.layout()) || call.size() == 0) return of_files_alone(cores_or.status());
  LM_RETURN_IF_ERROR(cores_or.status());
  const CoreSet& cores = *cores_or;
  LM_RETURN_IF_ERROR(check_shard_shape(buffer.object(), *shard));
  LM_RETURN_IF_ERROR(
      check_shard_grid(buffer.object(), cores, buffer.device->bank_grid(buffer.type)));
  buffer.shards = Shards{cores.count(), shard->shape_height() / shard->page_height(),
                         shard->shape_width() / shard->page_width(),
                         shard->tensor_height_in_pages(), shard->tensor_width_in_pages()};
  return check_shard_pages(buffer);
}

// A buffer in the memory of a sub-device.
absl::Status check_sub_device(const BufferCreate& call, const DeviceState& device) {
  if (!call.sub_device().has_value() || call.size() == 0) return absl::OkStatus();
  const Object object{"buffer", call.id()};
  if (call.buffer_type() != BufferType::L1 || !is_sharded(call.layout())) {
    return wrong(object, "sub_device", static_cast<int>(*call.sub_device()),
                 "absent: only sharded buffers in L1 are of a sub-device");
  }
  LM_ASSIGN_OR_RETURN(cores, core_set_of(call.shard()->grid(), object, "shard.grid"));
  if (!device.is_divided() || device.loaded->sub_devices[*call.sub_device()].contains(cores)) {
    return absl::OkStatus();
  }
  return wrong(object, "shard.grid", absl::StrCat("a set of ", cores.count(), " cores"),
               "cores of sub-device ", static_cast<int>(*call.sub_device()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Allocation>> Checker::allocate(const Object& object,
                                                              const DeviceState& device,
                                                              const Place& place) {
  const uint64_t address = place.address;
  if (address % place.alignment != 0) {
    return wrong(object, "allocated_address", address, "a multiple of ", place.alignment);
  }
  FreeList& memory = *place.memory;
  if (address < memory.begin() || address >= memory.end() || place.size > memory.end() - address ||
      address > kMaxAddress) {
    return wrong(object, "allocated_address", address, "room for ", place.size,
                 " bytes from there on in the memory from ", memory.begin(), " to ", memory.end());
  }
  const uint64_t size = (place.size + place.alignment - 1) / place.alignment * place.alignment;
  if (const auto taken = memory.overlapping(address, size); taken.has_value()) {
    return wrong(object, "allocated_address", address, place.size,
                 " bytes that are free: there are ", taken->size, " taken at ", taken->address);
  }
  if (!memory.allocate_at(address, size)) {
    return wrong(object, "allocated_address", address, size, " bytes of free memory");
  }
  if (absl::Status status = device.charge->add(budget_, place.bytes); !status.ok()) {
    memory.free(address);
    return status;
  }
  return std::make_unique<Allocation>(place.memory, address, device.charge, place.bytes);
}

absl::StatusOr<std::shared_ptr<FreeList>> Checker::memory_for(const BufferCreate& call,
                                                              const DeviceState& device) const {
  if (!call.sub_device().has_value()) return device.memory_of(call.buffer_type());
  const size_t sub_device = *call.sub_device();
  const Object object{"buffer", call.id()};
  if (sub_device >= device.num_sub_devices()) {
    return wrong(object, "sub_device", sub_device, "less than ", device.num_sub_devices(),
                 ", the number of sub-devices that are loaded");
  }
  if (!device.is_divided()) return device.memory_of(call.buffer_type());
  if (!device.loaded->memory.empty()) return device.loaded->memory[sub_device];
  return wrong(object, "sub_device", sub_device,
               "a sub-device with memory: the manager's local_l1_size is 0");
}

absl::Status Checker::place(const BufferCreate& call, BufferState& buffer) {
  const bool given = call.address().has_value();
  const uint64_t size = given ? 0 : buffer.size_per_bank();
  const uint64_t expected = given ? *call.address() : call.allocated_address();
  const uint64_t bank_size = buffer.device->bank_size(buffer.type);
  if (given && *call.address() > std::min(bank_size, kMaxAddress)) {
    return wrong(buffer.object(), "address", *call.address(), "at most ",
                 std::min(bank_size, kMaxAddress), ", the end of a bank or of all addresses");
  }
  if (call.allocated_address() != (given || size != 0 ? expected : 0)) {
    return wrong(buffer.object(), "allocated_address", call.allocated_address(),
                 given ? expected : 0, given ? ", which was given" : ": nothing is allocated");
  }
  buffer.address = call.allocated_address();
  LM_ASSIGN_OR_RETURN(memory, memory_for(call, *buffer.device));
  if (size == 0) return absl::OkStatus();
  const bool counts_while_allocated = is_l1(buffer.type);
  LM_ASSIGN_OR_RETURN(allocation, allocate(buffer.object(), *buffer.device,
                                           {std::move(memory), buffer.address, size,
                                            buffer.device->alignment(buffer.type),
                                            counts_while_allocated ? buffer.aligned_size() : 0}));
  if (!counts_while_allocated) {
    LM_RETURN_IF_ERROR(touch_dram(*buffer.device, buffer.address, size));
  }
  buffer.memory = std::move(allocation);
  return absl::OkStatus();
}

absl::Status Checker::check(const BufferCreate& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  auto buffer = std::make_shared<BufferState>();
  buffer->id = call.id();
  if (call.buffer_type() == BufferType::SystemMemory) {
    return wrong(buffer->object(), "buffer_type", "SystemMemory", "memory of a device");
  }
  buffer->device = device;
  buffer->size = call.size();
  buffer->page_size = call.page_size();
  buffer->type = call.buffer_type();
  buffer->layout = call.layout();
  LM_RETURN_IF_ERROR(check_size(call, *device));
  LM_RETURN_IF_ERROR(take_shards(call, *buffer));
  LM_RETURN_IF_ERROR(place(call, *buffer));
  LM_RETURN_IF_ERROR(check_sub_device(call, *device));
  return add(buffers_, std::move(buffer));
}

absl::Status Checker::check(const BufferSetPageSize& call) {
  LM_ASSIGN_OR_RETURN(buffer, buffers_.find(call.buffer()));
  if (call.page_size() % kWord != 0) {
    return wrong(buffer->object(), "page_size", call.page_size(), "a multiple of ", kWord);
  }
  LM_RETURN_IF_ERROR(check_page_size(buffer->object(), buffer->size, call.page_size()));
  buffer->page_size = call.page_size();
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
  if (!buffer->device->open) return not_now(object, "its device has been closed");
  if (!buffer->allocated) return not_now(object, "it has been deallocated");
  if (size > buffer->size) {
    return wrong(object, "size", size, "at most ", buffer->size, ", the size of the buffer");
  }
  if (offset > buffer->size - size) {
    return wrong(object, "offset", offset, "at most ", buffer->size - size, ", so that ", size,
                 " bytes fit");
  }
  if (size == 0) return Transfer{std::move(buffer), offset, size};
  if (offset % buffer->page_size != 0 || (offset + size) % buffer->page_size != 0) {
    return wrong(object, "offset", absl::StrCat(offset, " for ", size, " bytes"), "whole pages of ",
                 buffer->page_size, " bytes");
  }
  if (!buffer->lies_in_banks(offset + size)) {
    return not_now(object, "its pages of ", buffer->page_size, " bytes from address ",
                   buffer->address, " on reach beyond the end of its banks of ",
                   buffer->device->bank_size(buffer->type),
                   " bytes, expected memory that is there");
  }
  LM_RETURN_IF_ERROR(map_pages(*buffer));
  return Transfer{std::move(buffer), offset, size};
}

absl::Status Checker::map_pages(BufferState& buffer) {
  if (!buffer.shards) return absl::OkStatus();
  if (!buffer.holds_all_pages()) {
    return not_now(buffer.object(), "its ", buffer.shards->num_shards, " shards of ",
                   buffer.shards->height, " by ", buffer.shards->width, " pages of a tensor of ",
                   buffer.shards->tensor_height, " by ", buffer.shards->tensor_width,
                   " have no room for all of its ", buffer.num_pages(), " pages");
  }
  if (!buffer.mapping.empty()) return absl::OkStatus();
  // Numbers of four bytes: for each page on the device two, for each of the buffer's three.
  return buffer.mapping.add(budget_, buffer.num_dev_pages() * 8 + buffer.num_pages() * 12);
}

}  // namespace lightmetal::schema::semantics
