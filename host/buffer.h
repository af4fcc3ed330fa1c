#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/core.h"
#include "base/device_profile.h"
#include "host/core_set.h"
#include "host/distribution.h"

namespace lightmetal::host {

// A word, the smallest unit of a buffer. Every page size is a multiple of it.
inline constexpr uint64_t kWord = sizeof(uint32_t);
// The highest address on a device: kernels hold addresses in 32 bits.
inline constexpr uint64_t kMaxAddress = std::numeric_limits<uint32_t>::max();

// Where a buffer lies. The values are TT-Metalium's, and files store them: a value never changes
// its meaning.
enum class BufferType : uint8_t { kDram = 0, kL1 = 1, kSystemMemory = 2, kL1Small = 3, kTrace = 4 };
// How the pages of a buffer are distributed over its banks. The values are TT-Metalium's. Files
// store them, except kSingleBank: the one page of such a buffer lies where that of an interleaved
// one does.
enum class BufferLayout : uint8_t {
  kInterleaved = 0,
  kSingleBank = 1,
  kHeightSharded = 2,
  kWidthSharded = 3,
  kBlockSharded = 4,
  // Shards of a tensor of any rank, as a Distribution deals them to cores.
  kNdSharded = 5
};

const char* name_of(BufferType type);  // "L1_SMALL"
const char* name_of(BufferLayout layout);

constexpr bool is_l1(BufferType type) {
  return type == BufferType::kL1 || type == BufferType::kL1Small;
}
constexpr bool is_sharded(BufferLayout layout) { return layout >= BufferLayout::kHeightSharded; }

// The banks of one memory of a device. L1 has one bank on each core of `grid`; DRAM has its banks
// in a row, so that `grid.y` is 1.
struct Banks {
  Core grid;
  uint64_t size = 0;       // of each bank, in bytes
  uint32_t alignment = 1;  // of addresses in a bank, in bytes

  uint64_t count() const { return uint64_t{grid.x} * grid.y; }
};

// The banks that hold buffers of `type`. L1_SMALL shares the banks of L1, and TRACE those of DRAM.
Banks banks_of(const DeviceProfile& profile, BufferType type);

// Shards as a program asks for them. The shapes of a shard and of its pages are counted in
// elements, the shape of the tensor in pages.
struct ShardSpec {
  CoreSet grid = {};
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t page_height = 0;
  uint32_t page_width = 0;
  uint32_t tensor_height = 0;
  uint32_t tensor_width = 0;
};

// Shards as memory sees them: all shapes are counted in pages. What a core has of a distribution
// (kNdSharded) counts as one shard, a column of pages of a tensor that is one column.
struct Shards {
  uint32_t num_shards = 0;
  uint32_t height = 0;  // of a shard
  uint32_t width = 0;
  uint32_t tensor_height = 0;
  uint32_t tensor_width = 0;

  uint64_t pages() const { return uint64_t{height} * width; }  // of one shard
};

// What a buffer is and where it lies, as plain values: the rules below judge it, nothing here
// allocates memory. Sizes and addresses are in bytes. A buffer of size 0 is allowed and may have a
// page size of 0.
struct Buffer {
  uint64_t num_pages() const { return page_size == 0 ? 0 : size / page_size; }
  // The pages that the buffer takes in its banks. The shards may have room for more pages than the
  // buffer has.
  uint64_t num_dev_pages() const {
    return shards ? shards->pages() * shards->num_shards : num_pages();
  }
  // A page in a bank is followed by padding up to the bank's alignment.
  uint64_t aligned_page_size() const;
  uint64_t aligned_size() const { return num_dev_pages() * aligned_page_size(); }
  // The bytes that the buffer takes of the bank that holds most of it, padding included.
  uint64_t size_per_bank() const;
  // The bytes of a core's L1 that a circular buffer in this buffer may take.
  uint64_t room_for_circular_buffer() const { return shards ? size_per_bank() : aligned_size(); }
  // True when the memory behind `address` is long enough: for all shards of a sharded buffer,
  // otherwise for the first `end` bytes of the buffer. REQUIRES: `end` is positive, at most `size`,
  // and a multiple of `page_size`; `address` is at most `banks.size`.
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

// ---- Rules for making a buffer, to be asked in this order ----
//
// Each later rule computes with numbers that the rules before it have bounded: a hostile file may
// give any number, and no rule overflows or divides by zero when the order is kept. All return
// InvalidArgument unless they say otherwise.

// The buffer's type is memory of a device: SYSTEM_MEMORY is not.
absl::Status check_is_memory(BufferType type);
// The pages divide the buffer, hold whole words and can be counted in 32 bits; a buffer in a single
// bank has one page; and the banks together are large enough. REQUIRES: the device has banks.
absl::Status check_size(const Buffer& buffer);
// The part of check_size() about pages, for a `page_size` that the buffer is to have from now on.
absl::Status check_page_size(const Buffer& buffer, uint64_t page_size);
// `given` is whether a shard specification came with the buffer: a sharded layout needs one.
absl::Status check_has_shards(const Buffer& buffer, bool given);
// Computes the shards that `spec` makes of the buffer. The shape of a shard must be one of whole
// pages, which have a size, one bank must hold a shard, and the cores of the specification must be
// banks. REQUIRES: the layout is sharded, and check_size() is OK.
absl::StatusOr<Shards> shards_of(const Buffer& buffer, const ShardSpec& spec);
// The same for a distribution, which must obey its own rules and hold a page. REQUIRES: the layout
// is kNdSharded, and check_size() is OK.
absl::StatusOr<Shards> shards_of(const Buffer& buffer, const Distribution& distribution);
// What of `dealt` is on the cores, as shards_of() has it, without a check.
Shards shards_of(const DealtShards& dealt);
// The buffer may lie in the memory of sub-device `number`: it is sharded, in L1, and its `grid`
// lies on the sub-device's `cores`. `cores` is null when the device is not divided; the cores are
// not looked at then.
absl::Status check_sub_device(const Buffer& buffer, const CoreSet& grid, uint64_t number,
                              const CoreSet* cores);
// An `address` that the caller gives lies in the banks, or at their end. Whether the whole buffer
// fits is decided by allocate_at() or, for a view, by check_transfer().
absl::Status check_given_address(const Buffer& buffer, uint64_t address);

// Circular buffers may lie in the buffer: only L1 has them.
absl::Status check_lies_in_l1(const Buffer& buffer);

// ---- Rules for writing and reading a buffer ----

// The buffer still owns its memory. FailedPrecondition otherwise.
absl::Status check_allocated(const Buffer& buffer, bool allocated);
// A queue copies only buffers of its own device. `same` is whether the buffer's `device` and the
// queue's `queue_device` are one device; the two numbers are only for the error, which may name
// devices by other ids than the caller compares them by.
absl::Status check_in_queue(const Buffer& buffer, bool same, uint64_t device,
                            uint64_t queue_device);
// Bytes [offset, offset + size) lie in the buffer and are whole pages of it.
absl::Status check_region(const Buffer& buffer, uint64_t offset, uint64_t size);
// check_region(), and the banks reach as far as the region. A view may be longer than the memory
// behind its address: only what is transferred has to be there.
absl::Status check_transfer(const Buffer& buffer, uint64_t offset, uint64_t size);
// The buffer is sharded and has shard number `shard`.
absl::Status check_shard(const Buffer& buffer, uint64_t shard);
// The shards have a place for each page of the buffer. FailedPrecondition otherwise: such a buffer
// may be made, and only writing and reading it is refused. A shard at the end of the tensor counts
// with the pages that the tensor has of it.
absl::Status check_holds_all_pages(const Buffer& buffer);

}  // namespace lightmetal::host
