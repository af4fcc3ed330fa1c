#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tt-metalium/buffer.hpp>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "device/device.h"
#include "host/memory_place.h"

// Copies between host memory and the pages of a buffer, or memory by its address. Thread-safe as
// the device is: copies that overlap are the caller's race. Errors are those of the device, or
// InvalidArgument as said below.
namespace tt::tt_metal {

// All that a queue needs to know of a buffer, taken when a call is enqueued, because the buffer may
// change or go before the queue comes to the call. Sizes and addresses are in bytes.
struct BufferLayoutSnapshot {
  uint64_t id = 0;  // for messages
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t page_size = 0;
  uint64_t aligned_page_size = 0;
  uint32_t num_banks = 1;
  BufferType buffer_type = BufferType::DRAM;
  std::shared_ptr<const BufferPageMapping> page_mapping;  // null unless sharded
  uint32_t pages_per_shard = 0;                           // all that a core has of a distribution
};

BufferLayoutSnapshot snapshot_of(const Buffer& buffer);

// Writes the bytes to [offset, offset + data.size()) of the buffer in host order, or reads them
// from there. InvalidArgument for a range that leaves the buffer, and for one that neither is whole
// pages nor reaches to the end of the buffer.
absl::Status write_buffer(lightmetal::device::Device& device, const BufferLayoutSnapshot& buffer,
                          uint64_t offset, lightmetal::Bytes data);
absl::Status read_buffer(lightmetal::device::Device& device, const BufferLayoutSnapshot& buffer,
                         uint64_t offset, absl::Span<std::byte> data);

// Copies all of a buffer to another of the same device, within the device, as far as the first one
// reaches. Unimplemented on a device that does not copy by itself. REQUIRES: both have pages of one
// size, and `to` has no fewer.
absl::Status copy_buffer(lightmetal::device::Device& device, const BufferLayoutSnapshot& from,
                         const BufferLayoutSnapshot& to);

// Bytes of one buffer that become bytes of another.
struct BufferPiece {
  uint64_t from = 0;  // their offsets in host order
  uint64_t to = 0;
  uint64_t size = 0;
};

// Copies pieces of a buffer to another one of the same device, within the device. Unimplemented on
// a device that does not copy by itself: nothing has been copied then. REQUIRES: the pieces lie
// within the buffers, and do not overlap where both are one.
absl::Status copy_pieces(lightmetal::device::Device& device, const BufferLayoutSnapshot& from,
                         const BufferLayoutSnapshot& to, absl::Span<const BufferPiece> pieces);

// Where the byte at an address of one memory is.
struct BytePlace {
  lightmetal::host::MemoryPlace place;
  uint64_t address = 0;
};

lightmetal::host::MemoryPlace place_of(const lightmetal::device::MemoryPart& part);

// Returns where the first byte of a page is. REQUIRES: the buffer has the page.
BytePlace place_of_page(const lightmetal::device::Device& device,
                        const BufferLayoutSnapshot& buffer, uint64_t page);

// Returns the memory that the pages of a buffer take, with what pads them: at most one part in each
// bank.
std::vector<lightmetal::device::MemoryPart> memory_of(const lightmetal::device::Device& device,
                                                      const BufferLayoutSnapshot& buffer);

// Makes all bytes of a buffer zeros, with what pads its pages.
absl::Status clear_buffer(lightmetal::device::Device& device, const BufferLayoutSnapshot& buffer);

// Copies between host memory and the memory of a DRAM bank or a core, by its address.
absl::Status write_memory(lightmetal::device::Device& device,
                          const lightmetal::host::MemoryPlace& place, uint64_t address,
                          lightmetal::Bytes data);
absl::Status read_memory(lightmetal::device::Device& device,
                         const lightmetal::host::MemoryPlace& place, uint64_t address,
                         absl::Span<std::byte> data);

// Bytes of a whole shard without the padding between its pages.
uint64_t shard_size(const BufferLayoutSnapshot& buffer);

// Reads shard `shard` (the core of that index in the page mapping), page by page in the shard's own
// order; pages that hold nothing of the buffer read as zeros. InvalidArgument when there is no such
// shard. REQUIRES: data.size() == shard_size(buffer).
absl::Status read_shard(lightmetal::device::Device& device, const BufferLayoutSnapshot& buffer,
                        uint32_t shard, absl::Span<std::byte> data);

}  // namespace tt::tt_metal
