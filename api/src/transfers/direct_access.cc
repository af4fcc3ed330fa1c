// Reads and writes beside the queues (tt::tt_metal::detail). They reach the backend on the caller's
// thread, and are recorded once they have succeeded.
#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "api/src/devices/device_impl.h"
#include "api/src/memory/buffer_io.h"
#include "api/src/objects/core_kind.h"
#include "api/src/objects/host_objects.h"
#include "api/src/record/record.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "api/src/transfers/payload_transfer.h"
#include "api/src/transfers/short_data.h"
#include "capture/capture.h"
#include "host/buffer.h"
#include "host/memory_place.h"
#include "schema/types_generated.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

namespace {

using host::MemoryPlace;
using lightmetal::Bytes;
using lightmetal::bytes_of;
using lightmetal::schema::ElementType;

using Backend = std::shared_ptr<lightmetal::device::Device>;

Backend backend_of(const Buffer& buffer) {
  Backend backend = impl_of(buffer.device()).share_backend();
  throw_if_error(host::check_allocated(rules_of_buffer(buffer), buffer.is_allocated()));
  return backend;
}

Backend backend_of(IDevice* device) { return impl_of(device).share_backend(); }

absl::Span<std::byte> target_of(void* data, size_t size) {
  return {static_cast<std::byte*>(data), size};
}

MemoryPlace place_of_channel(int channel) {
  // A negative channel becomes a number that no device has.
  return {.kind = MemoryPlace::Kind::kDram, .x = static_cast<uint32_t>(channel)};
}

MemoryPlace place_of_core(const CoreCoord& core, CoreType core_type) {
  const bool on_ethernet = kind_of(core_type, "L1") == lightmetal::device::CoreKind::kEthernet;
  const lightmetal::Core place = host_core(core);
  return {on_ethernet ? MemoryPlace::Kind::kEthernetL1 : MemoryPlace::Kind::kL1, place.x, place.y};
}

void check_range(IDevice* device, const MemoryPlace& place, uint64_t address, uint64_t size) {
  const lightmetal::DeviceProfile& profile = impl_of(device).profile();
  throw_if_error(host::check_place(place, profile, device->id()));
  throw_if_error(host::check_range(place, profile, address, size));
}

// Notes that the program has a use for this memory, though it may be no buffer's: a snapshot then
// records what it holds.
void touch(IDevice* device, const MemoryPlace& place, uint64_t address, uint64_t size) {
  if constexpr (lightmetal::capture::kEnabled) {
    impl_of(device).touched_memory().add(place, address, size);
  }
}

void write_words(IDevice* device, const MemoryPlace& place, uint32_t address, Bytes data) {
  const Backend backend = backend_of(device);
  check_range(device, place, address, data.size());
  throw_if_error(write_memory(*backend, place, address, data));
  // Last: what was refused has touched nothing.
  touch(device, place, address, data.size());
}

// Reads whole words; makes `words` as large as they need.
absl::Span<std::byte> read_words(IDevice* device, const MemoryPlace& place, uint32_t address,
                                 uint32_t size, std::vector<uint32_t>& words) {
  const Backend backend = backend_of(device);
  throw_if_error(host::check_words(size));
  check_range(device, place, address, size);
  words.resize(size / sizeof(uint32_t));
  const absl::Span<std::byte> target = target_of(words.data(), size);
  throw_if_error(read_memory(*backend, place, address, target));
  touch(device, place, address, size);
  return target;
}

WriteSource written_at_once(const lightmetal::capture::CallScope& scope, Bytes data, size_t size) {
  return kept(scope, {.bytes = data}, size, /*blocking=*/true);
}

WriteSource words_written_at_once(const lightmetal::capture::CallScope& scope,
                                  const std::vector<uint32_t>& words) {
  const size_t size = words.size() * sizeof(uint32_t);
  return written_at_once(scope, bytes_of(words.data(), size), size);
}

// What the buffer holds once the pages that `data` reach are written.
std::vector<std::byte> with_short(Buffer& buffer, Bytes data) {
  const Backend backend = backend_of(buffer);
  std::vector<std::byte> whole_bytes(buffer.size());
  throw_if_error(read_buffer(*backend, snapshot_of(buffer), 0, absl::MakeSpan(whole_bytes)));
  const uint64_t pages = reached(buffer, whole(buffer), data.size()).size;
  const auto end_of_pages = whole_bytes.begin() + static_cast<ptrdiff_t>(pages);
  std::fill(std::ranges::copy(data, whole_bytes.begin()).out, end_of_pages, std::byte{0});
  return whole_bytes;
}

void write(Buffer& buffer, Bytes data, ElementType type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("WriteToBuffer");
  check_enough(buffer, whole(buffer), data.size());
  const Backend backend = backend_of(buffer);
  check_region(buffer, whole(buffer));
  const WriteSource source = written_at_once(light_metal_call_scope, data, buffer.size());
  throw_if_error(write_buffer(*backend, snapshot_of(buffer), 0, source.bytes));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteToBuffer>, buffer, source.upload(), type);
}

void read(Buffer& buffer, void* data, ElementType type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("ReadFromBuffer");
  const absl::Span<std::byte> target = target_of(data, buffer.size());
  const Backend backend = backend_of(buffer);
  check_region(buffer, whole(buffer));
  throw_if_error(read_buffer(*backend, snapshot_of(buffer), 0, target));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadFromBuffer>, buffer, ReadBack{target}, type);
}

void clear(Buffer& buffer) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("LightMetalClearBuffer");
  const Backend backend = backend_of(buffer);
  check_region(buffer, whole(buffer));
  throw_if_error(clear_buffer(*backend, snapshot_of(buffer)));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ClearBuffer>, buffer);
}

void read_one_shard(Buffer& buffer, uint32_t shard, absl::Span<std::byte> target,
                    ElementType type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("ReadShard");
  const Backend backend = backend_of(buffer);
  check_region(buffer, whole(buffer));
  throw_if_error(host::check_shard(rules_of_buffer(buffer), shard));
  throw_if_error(read_shard(*backend, snapshot_of(buffer), shard, target));
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadShard>, buffer, shard, ReadBack{target}, type);
}

// The words that hold some bytes.
struct WordRange {
  uint32_t begin;
  uint32_t size;  // in bytes

  WordRange(uint32_t address, size_t num_bytes)
      : begin(address / 4 * 4),
        size(static_cast<uint32_t>((address % 4 + num_bytes + 3) / 4 * 4)) {}
};

// Calls read(begin, size, words), unless the bytes are whole words, and then write(begin, words).
template <typename Read, typename Write>
bool write_bytes(uint32_t address, std::span<const uint8_t> bytes, Read read, Write write) {
  const WordRange range(address, bytes.size());
  std::vector<uint32_t> words(range.size / sizeof(uint32_t));
  if (range.size != bytes.size()) read(range.begin, range.size, words);
  std::ranges::copy(bytes, reinterpret_cast<uint8_t*>(words.data()) + (address - range.begin));
  return write(range.begin, words);
}

template <typename Read>
bool read_bytes(uint32_t address, std::span<uint8_t> bytes, Read read) {
  const WordRange range(address, bytes.size());
  std::vector<uint32_t> words;
  read(range.begin, range.size, words);
  const auto* first = reinterpret_cast<const uint8_t*>(words.data()) + (address - range.begin);
  std::copy_n(first, bytes.size(), bytes.begin());
  return true;
}

}  // namespace

void LightMetalClearBuffer(const BufferToBind& buffer) { clear(detail::buffer_of(buffer)); }

namespace detail {

void write_to_buffer(Buffer& buffer, const void* source, size_t size, PayloadType type) {
  const Bytes data = bytes_of(source, size);
  if (!is_short_and_allowed(buffer, whole(buffer), size))
    return write(buffer, data, element_type(type));
  const std::vector<std::byte> filled = with_short(buffer, data);
  write(buffer, bytes_of(filled.data(), filled.size()), element_type(type));
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
  const MemoryPlace place = place_of_channel(dram_channel);
  const WriteSource source = words_written_at_once(light_metal_call_scope, host_buffer);
  write_words(device, place, address, source.bytes);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteToDeviceDRAMChannel>, *device, place.x,
                                  address, source.upload());
  return true;
}

bool ReadFromDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address, uint32_t size,
                               std::vector<uint32_t>& host_buffer) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const MemoryPlace place = place_of_channel(dram_channel);
  const absl::Span<std::byte> target = read_words(device, place, address, size, host_buffer);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadFromDeviceDRAMChannel>, *device, place.x,
                                  address, target.size(), ReadBack{target});
  return true;
}

bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                     std::vector<uint32_t>& host_buffer, CoreType core_type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const MemoryPlace place = place_of_core(logical_core, core_type);
  const WriteSource source = words_written_at_once(light_metal_call_scope, host_buffer);
  write_words(device, place, address, source.bytes);
  if (place.kind == MemoryPlace::Kind::kEthernetL1) {
    LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteToEthernetL1>, *device, logical_core,
                                    address, source.upload());
  } else {
    LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::WriteToDeviceL1>, *device, logical_core, address,
                                    source.upload());
  }
  return true;
}

bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                      uint32_t size, std::vector<uint32_t>& host_buffer, CoreType core_type) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const MemoryPlace place = place_of_core(logical_core, core_type);
  const absl::Span<std::byte> target = read_words(device, place, address, size, host_buffer);
  if (place.kind == MemoryPlace::Kind::kEthernetL1) {
    LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadFromEthernetL1>, *device, logical_core,
                                    address, target.size(), ReadBack{target});
  } else {
    LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::ReadFromDeviceL1>, *device, logical_core,
                                    address, target.size(), ReadBack{target});
  }
  return true;
}

bool WriteToDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address,
                              std::span<const uint8_t> host_buffer) {
  return write_bytes(
      address, host_buffer,
      [&](uint32_t begin, uint32_t size, std::vector<uint32_t>& words) {
        ReadFromDeviceDRAMChannel(device, dram_channel, begin, size, words);
      },
      [&](uint32_t begin, std::vector<uint32_t>& words) {
        return WriteToDeviceDRAMChannel(device, dram_channel, begin, words);
      });
}

bool ReadFromDeviceDRAMChannel(IDevice* device, int dram_channel, uint32_t address,
                               std::span<uint8_t> host_buffer) {
  return read_bytes(address, host_buffer,
                    [&](uint32_t begin, uint32_t size, std::vector<uint32_t>& words) {
                      ReadFromDeviceDRAMChannel(device, dram_channel, begin, size, words);
                    });
}

bool WriteToDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                     std::span<const uint8_t> host_buffer, CoreType core_type) {
  return write_bytes(
      address, host_buffer,
      [&](uint32_t begin, uint32_t size, std::vector<uint32_t>& words) {
        ReadFromDeviceL1(device, logical_core, begin, size, words, core_type);
      },
      [&](uint32_t begin, std::vector<uint32_t>& words) {
        return WriteToDeviceL1(device, logical_core, begin, words, core_type);
      });
}

bool ReadFromDeviceL1(IDevice* device, const CoreCoord& logical_core, uint32_t address,
                      std::span<uint8_t> host_buffer, CoreType core_type) {
  return read_bytes(address, host_buffer,
                    [&](uint32_t begin, uint32_t size, std::vector<uint32_t>& words) {
                      ReadFromDeviceL1(device, logical_core, begin, size, words, core_type);
                    });
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
