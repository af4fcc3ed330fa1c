// Reads and writes beside the queues (tt::tt_metal::detail).
#include <tt-metalium/assert.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "api/src/buffer_io.h"
#include "api/src/core_kind.h"
#include "api/src/device_impl.h"
#include "api/src/errors.h"
#include "api/src/payload_transfer.h"
#include "api/src/record.h"
#include "api/src/replay_hooks.h"
#include "capture/capture.h"
#include "schema/types_generated.h"

namespace tt::tt_metal {
namespace {

using lightmetal::Bytes;
using lightmetal::bytes_of;
using lightmetal::schema::ElementType;

lightmetal::device::Device& backend_of(const Buffer& buffer) {
  const DeviceImpl& device = impl_of(buffer.device());
  device.check_open();
  TT_FATAL(buffer.is_allocated(), "Buffer {} at address {} has been deallocated",
           buffer.unique_id(), buffer.address());
  return *device.backend();
}

lightmetal::device::Device& backend_of(IDevice* device) {
  impl_of(device).check_open();
  return *impl_of(device).backend();
}

absl::Span<std::byte> target_of(void* data, size_t size) {
  return {static_cast<std::byte*>(data), size};
}

bool on_ethernet(CoreType core_type) {
  return kind_of(core_type, "L1") == lightmetal::device::CoreKind::kEthernet;
}

// Takes note of memory that the program has a use for, though it may be no buffer's.
void touch(IDevice* device, const MemoryPlace& place, uint64_t address, uint64_t size) {
  if constexpr (lightmetal::capture::kEnabled) {
    impl_of(device).touched_memory().add(place, address, size);
  }
}

void touch_dram(IDevice* device, uint32_t bank, uint64_t address, uint64_t size) {
  touch(device, {.kind = MemoryPlace::Kind::kDram, .x = bank}, address, size);
}

void touch_l1(IDevice* device, lightmetal::Core core, CoreType core_type, uint64_t address,
              uint64_t size) {
  const auto kind =
      on_ethernet(core_type) ? MemoryPlace::Kind::kEthernetL1 : MemoryPlace::Kind::kL1;
  touch(device, {.kind = kind, .x = core.x, .y = core.y}, address, size);
}

// A core with L1, by its logical coordinate.
lightmetal::Core core_with_l1(IDevice* device, const CoreCoord& core, CoreType core_type) {
  const lightmetal::DeviceProfile& profile = impl_of(device).profile();
  const lightmetal::Core grid =
      on_ethernet(core_type) ? lightmetal::Core{1, profile.ethernet_cores} : profile.grid;
  TT_FATAL(core.x < grid.x && core.y < grid.y, "Core {} is outside the {}x{} {}grid of device {}",
           core, grid.x, grid.y, on_ethernet(core_type) ? "Ethernet " : "", device->id());
  return {static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)};
}

uint32_t dram_bank(IDevice* device, int channel) {
  TT_FATAL(channel >= 0 && channel < device->num_dram_channels(),
           "Device {} has {} DRAM channels: there is no channel {}", device->id(),
           device->num_dram_channels(), channel);
  return static_cast<uint32_t>(channel);
}

Bytes bytes_of_words(const std::vector<uint32_t>& words) {
  return bytes_of(words.data(), words.size() * sizeof(uint32_t));
}

// Room for `size` bytes.
absl::Span<std::byte> make_room(std::vector<uint32_t>& words, uint32_t size) {
  TT_FATAL(size % sizeof(uint32_t) == 0, "{} B cannot be read into words of {} B", size,
           sizeof(uint32_t));
  words.resize(size / sizeof(uint32_t));
  return target_of(words.data(), size);
}

void write(Buffer& buffer, Bytes data, ElementType type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("WriteToBuffer");
  check_enough(buffer, whole(buffer), data.size());
  const Bytes bytes = data.first(buffer.size());
  throw_if_error(write_buffer(backend_of(buffer), snapshot_of(buffer), 0, bytes));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteToBuffer>, buffer, Upload{bytes}, type);
}

void read(Buffer& buffer, void* data, ElementType type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("ReadFromBuffer");
  const absl::Span<std::byte> target = target_of(data, buffer.size());
  throw_if_error(read_buffer(backend_of(buffer), snapshot_of(buffer), 0, target));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadFromBuffer>, buffer, ReadBack{target}, type);
}

void read_one_shard(Buffer& buffer, uint32_t shard, absl::Span<std::byte> target,
                    ElementType type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("ReadShard");
  TT_FATAL(buffer.num_cores().has_value(), "Buffer {} is not sharded", buffer.unique_id());
  TT_FATAL(shard < *buffer.num_cores(), "Buffer {} has {} shards: there is no shard {}",
           buffer.unique_id(), *buffer.num_cores(), shard);
  throw_if_error(read_shard(backend_of(buffer), snapshot_of(buffer), shard, target));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadShard>, buffer, shard, ReadBack{target}, type);
}

}  // namespace

namespace detail {

void write_to_buffer(Buffer& buffer, const void* source, size_t size, PayloadType type) {
  write(buffer, bytes_of(source, size), element_type(type));
}

void read_from_buffer(Buffer& buffer, void* target, PayloadType type) {
  read(buffer, target, element_type(type));
}

size_t shard_bytes(const Buffer& buffer) { return shard_size(snapshot_of(buffer)); }

void read_shard(Buffer& buffer, void* target, uint32_t shard, PayloadType type) {
  read_one_shard(buffer, shard, target_of(target, shard_bytes(buffer)), element_type(type));
}

bool WriteToDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address,
                              std::vector<uint32_t>& host_buffer) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const uint32_t bank = dram_bank(device, dram_channel);
  const Bytes data = bytes_of_words(host_buffer);
  throw_if_error(backend_of(device).write_dram(bank, address, data));
  touch_dram(device, bank, address, data.size());
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteToDeviceDRAMChannel>, *device, bank, address,
                                  Upload{data});
  return true;
}

bool ReadFromDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address, uint32_t size,
                               std::vector<uint32_t>& host_buffer) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const uint32_t bank = dram_bank(device, dram_channel);
  const absl::Span<std::byte> target = make_room(host_buffer, size);
  throw_if_error(backend_of(device).read_dram(bank, address, target));
  touch_dram(device, bank, address, size);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadFromDeviceDRAMChannel>, *device, bank, address,
                                  target.size(), ReadBack{target});
  return true;
}

bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                     std::vector<uint32_t>& host_buffer, CoreType core_type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const lightmetal::Core core = core_with_l1(device, logical_core, core_type);
  const Bytes data = bytes_of_words(host_buffer);
  if (on_ethernet(core_type)) {
    throw_if_error(backend_of(device).write_ethernet_l1(core, address, data));
    touch_l1(device, core, core_type, address, data.size());
    LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteToEthernetL1>, *device, logical_core,
                                    address, Upload{data});
    return true;
  }
  throw_if_error(backend_of(device).write_l1(core, address, data));
  touch_l1(device, core, core_type, address, data.size());
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteToDeviceL1>, *device, logical_core, address,
                                  Upload{data});
  return true;
}

bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                      uint32_t size, std::vector<uint32_t>& host_buffer, CoreType core_type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const lightmetal::Core core = core_with_l1(device, logical_core, core_type);
  const absl::Span<std::byte> target = make_room(host_buffer, size);
  if (on_ethernet(core_type)) {
    throw_if_error(backend_of(device).read_ethernet_l1(core, address, target));
    touch_l1(device, core, core_type, address, size);
    LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadFromEthernetL1>, *device, logical_core,
                                    address, target.size(), ReadBack{target});
    return true;
  }
  throw_if_error(backend_of(device).read_l1(core, address, target));
  touch_l1(device, core, core_type, address, size);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadFromDeviceL1>, *device, logical_core, address,
                                  target.size(), ReadBack{target});
  return true;
}

}  // namespace detail

namespace replay_hooks {

void write_to_buffer(Buffer& buffer, Bytes data, ElementType type) { write(buffer, data, type); }

void read_from_buffer(Buffer& buffer, std::span<std::byte> data, ElementType type) {
  check_enough(buffer, whole(buffer), data.size());
  read(buffer, data.data(), type);
}

void read_shard(Buffer& buffer, uint32_t shard, std::span<std::byte> data, ElementType type) {
  const size_t size = detail::shard_bytes(buffer);
  TT_FATAL(data.size() >= size, "A shard of buffer {} has {} B: there is room for {} B",
           buffer.unique_id(), size, data.size());
  read_one_shard(buffer, shard, target_of(data.data(), size), type);
}

}  // namespace replay_hooks
}  // namespace tt::tt_metal
