#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/core.h"
#include "base/device_profile.h"
#include "host/core_set.h"

namespace lightmetal::host {

// Sizes of pages are multiples of it.
inline constexpr uint64_t kWord = sizeof(uint32_t);
// Addresses on a device have 32 bits.
inline constexpr uint64_t kMaxAddress = std::numeric_limits<uint32_t>::max();

// The numbers are TT-Metalium's and those of files.
enum class BufferType : uint8_t { kDram = 0, kL1 = 1, kSystemMemory = 2, kL1Small = 3, kTrace = 4 };
enum class BufferLayout : uint8_t {
  kInterleaved = 0,
  kSingleBank = 1,
  kHeightSharded = 2,
  kWidthSharded = 3,
  kBlockSharded = 4
};

const char* name_of(BufferType type);  // "L1_SMALL"
const char* name_of(BufferLayout layout);

constexpr bool is_l1(BufferType type) {
  return type == BufferType::kL1 || type == BufferType::kL1Small;
}
constexpr bool is_sharded(BufferLayout layout) { return layout >= BufferLayout::kHeightSharded; }

// The banks of a memory of a device: one on each core of `grid` for L1, in a row for DRAM.
struct Banks {
  Core grid;
  uint64_t size = 0;  // of each, in bytes
  uint32_t alignment = 1;

  uint64_t count() const { return uint64_t{grid.x} * grid.y; }
};

Banks banks_of(const DeviceProfile& profile, BufferType type);

// Shards as programs ask for them. Shapes in elements, those of a page in a shard's, the tensor's
// in pages.
struct ShardSpec {
  CoreSet grid = {};
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t page_height = 0;
  uint32_t page_width = 0;
  uint32_t tensor_height = 0;
  uint32_t tensor_width = 0;
};

// Shards as memory sees them. In pages.
struct Shards {
  uint32_t num_shards = 0;
  uint32_t height = 0;  // of a shard
  uint32_t width = 0;
  uint32_t tensor_height = 0;
  uint32_t tensor_width = 0;

  uint64_t pages() const { return uint64_t{height} * width; }  // of one shard
};

// Where a buffer lies and how. Sizes in bytes.
struct Buffer {
  uint64_t num_pages() const { return page_size == 0 ? 0 : size / page_size; }
  uint64_t num_dev_pages() const {
    return shards ? shards->pages() * shards->num_shards : num_pages();
  }
  uint64_t aligned_page_size() const;
  uint64_t aligned_size() const { return num_dev_pages() * aligned_page_size(); }
  uint64_t size_per_bank() const;
  // What a circular buffer that lies in this buffer may take of a core's L1.
  uint64_t room_for_circular_buffer() const { return shards ? size_per_bank() : aligned_size(); }
  // True when its banks reach as far as its shards, or as its bytes up to `end` without them.
  // REQUIRES: `end` is positive, in the buffer and at the end of a page.
  bool lies_in_banks(uint64_t end) const;

  uint64_t id = 0;  // as errors name it
  uint64_t size = 0;
  uint64_t page_size = 0;
  uint64_t address = 0;
  BufferType type = BufferType::kDram;
  BufferLayout layout = BufferLayout::kInterleaved;
  Banks banks = {};
  std::optional<Shards> shards = {};
};

// The rules for a buffer that is made, in this order. Nothing computes with numbers that could
// overflow before the rule for them.

// Its type is one of a device's memory.
absl::Status check_is_memory(BufferType type);
// Its pages divide it, hold words and can be counted, and its banks could hold it.
absl::Status check_size(const Buffer& buffer);
// Its pages, also when they change.
absl::Status check_page_size(const Buffer& buffer, uint64_t page_size);
// There are shards for it if its layout needs them.
absl::Status check_has_shards(const Buffer& buffer, bool given);
// What `spec` makes of a buffer with a sharded layout and a size: the shape of a shard is one of
// whole pages, a bank holds it, and its cores are banks. REQUIRES: check_size().
absl::StatusOr<Shards> shards_of(const Buffer& buffer, const ShardSpec& spec);
// A buffer in the memory of sub-device `number` with these cores; null when the device is not
// divided.
absl::Status check_sub_device(const Buffer& buffer, const CoreSet& grid, uint64_t number,
                              const CoreSet* cores);
// A buffer at an address that was given lies in its banks.
absl::Status check_given_address(const Buffer& buffer, uint64_t address);

// Circular buffers may lie in it.
absl::Status check_lies_in_l1(const Buffer& buffer);

// The rules for what is written to it or read from it.

// It has its memory still.
absl::Status check_allocated(const Buffer& buffer, bool allocated);
// A queue of device `queue_device` copies buffers of that device alone: `same` is whether it is.
absl::Status check_in_queue(const Buffer& buffer, bool same, uint64_t device,
                            uint64_t queue_device);
// Bytes [offset, offset + size) of the buffer are whole pages of it.
absl::Status check_region(const Buffer& buffer, uint64_t offset, uint64_t size);
// They are, and its banks reach as far. What follows them in the bank of a view need not be there.
absl::Status check_transfer(const Buffer& buffer, uint64_t offset, uint64_t size);
// It has that shard.
absl::Status check_shard(const Buffer& buffer, uint64_t shard);
// The shards have a place for each of its pages: what writes and reads it asks for. A shard at the
// end of the tensor counts with what is there of it.
absl::Status check_holds_all_pages(const Buffer& buffer);

}  // namespace lightmetal::host
