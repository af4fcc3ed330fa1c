#include "host/circular_buffer.h"

#include <bit>

#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

constexpr uint32_t kAddressUnit = 16;  // bytes

absl::Status check_local_page(uint32_t whole, uint8_t remote, uint32_t local_page, uint8_t local) {
  if (whole % local_page == 0) return absl::OkStatus();
  return refuse("The ", whole, " B of whole pages of remote index ", remote,
                " do not divide into pages of ", local_page, " B of local index ", local);
}

}  // namespace

uint32_t IndexSet::count() const { return static_cast<uint32_t>(std::popcount(bits_)); }
uint32_t IndexSet::end() const { return static_cast<uint32_t>(std::bit_width(bits_)); }

std::optional<uint8_t> CircularBuffer::first_undivided() const {
  for (uint8_t index = 0; index < kNumCircularBuffers; ++index) {
    if (page_sizes[index] != 0 && total_size % page_sizes[index] != 0) return index;
  }
  return std::nullopt;
}

absl::Status check_index(uint32_t index, uint32_t count) {
  if (index < count) return absl::OkStatus();
  return refuse("Buffer index (", index, ") exceeds max number of circular buffers per core (",
                count, ")");
}

absl::Status check_has_index(const IndexSet& indices, uint32_t index) {
  LM_RETURN_IF_ERROR(check_index(index));
  if (indices.has(index)) return absl::OkStatus();
  return refuse("Illegal circular buffer index ", index,
                ": page size can only be specified for indices of the configuration");
}

absl::Status check_total_size(uint32_t total_size, std::optional<uint64_t> room) {
  if (total_size == 0) return refuse("Total size for circular buffer must be non-zero!");
  if (!room || total_size <= *room) return absl::OkStatus();
  return refuse("Cannot set circular buffer size to ", total_size,
                " B. This is larger than the associated L1 buffer of ", *room, " B");
}

absl::Status check_address_offset(uint32_t offset, uint64_t room) {
  if (offset % kAddressUnit != 0) {
    return refuse("The address offset ", offset, " B of a circular buffer must be a multiple of ",
                  kAddressUnit, " B");
  }
  if (offset == 0 || offset < room) return absl::OkStatus();
  return refuse("The address offset ", offset,
                " B of a circular buffer leaves the associated L1 buffer of ", room, " B");
}

absl::Status check_page_size(uint8_t index, uint32_t page_size, uint32_t total_size) {
  if (page_size == 0) {
    return refuse("Page size 0 B of circular buffer index ", index, " must be non-zero");
  }
  if (total_size % page_size == 0) return absl::OkStatus();
  return refuse("Total circular buffer size ", total_size, " B must be divisible by page size ",
                page_size, " B of index ", index);
}

absl::Status check_complete(const CircularBuffer& buffer) {
  if (buffer.indices().empty()) {
    return refuse("A circular buffer of ", buffer.total_size, " B has no index");
  }
  absl::Status status;
  // Status::Update() keeps the first error, that of the lowest index.
  buffer.indices().for_each([&](uint8_t index) {
    if (buffer.page_sizes[index] == 0) {
      status.Update(refuse("Circular buffer index ", index, " has no page size: set_page_size"));
    } else {
      status.Update(check_page_size(index, buffer.page_sizes[index], buffer.total_size));
    }
  });
  return status;
}

absl::Status check_local_pages(const CircularBuffer& buffer, uint32_t size) {
  absl::Status status;
  buffer.remote.for_each([&](uint8_t remote) {
    const uint32_t remote_page = buffer.page_sizes[remote];
    if (remote_page == 0) return;  // check_complete() refuses it
    buffer.local.for_each([&](uint8_t local) {
      if (buffer.page_sizes[local] == 0) return;
      status.Update(check_local_page(size / remote_page * remote_page, remote,
                                     buffer.page_sizes[local], local));
    });
  });
  return status;
}

}  // namespace lightmetal::host
