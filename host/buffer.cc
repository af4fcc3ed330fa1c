#include "host/buffer.h"

#include "base/round.h"
#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

// Pages are counted in 32 bits.
constexpr uint64_t kMaxPages = std::numeric_limits<uint32_t>::max();

absl::Status check_page_count(uint64_t pages) {
  if (pages <= kMaxPages) return absl::OkStatus();
  return refuse("A buffer cannot have ", pages, " pages");
}

absl::Status check_pages_divide(const Buffer& buffer, uint64_t page_size) {
  if (buffer.size != 0 && (page_size == 0 || buffer.size % page_size != 0)) {
    return refuse("Buffer size ", buffer.size, " must be divisible by page size ", page_size);
  }
  if (page_size % kWord == 0) return absl::OkStatus();
  return refuse("Page size ", page_size, " must be divisible by ", kWord,
                ", because buffers hold words");
}

bool divides(uint32_t part, uint32_t whole) { return part != 0 && whole != 0 && whole % part == 0; }

absl::Status check_shard_shape(const ShardSpec& spec) {
  if (divides(spec.page_height, spec.height) && divides(spec.page_width, spec.width)) {
    return absl::OkStatus();
  }
  return refuse("Shard shape ", spec.height, "x", spec.width, " must be divisible by page shape ",
                spec.page_height, "x", spec.page_width);
}

absl::Status check_shard_fits(const Buffer& buffer, const Shards& shards) {
  if (buffer.page_size == 0) return refuse("A sharded buffer needs pages, but its page size is 0");
  if (shards.pages() <= buffer.banks.size / buffer.aligned_page_size()) return absl::OkStatus();
  return refuse("Out of Memory: Not enough space to allocate ", buffer.size, " B ",
                name_of(buffer.type), " buffer, where each bank needs to store ", shards.pages(),
                " pages of ", buffer.aligned_page_size(), " B and holds ", buffer.banks.size, " B");
}

absl::Status check_shard_grid(const Buffer& buffer, const CoreSet& grid) {
  if (grid.empty()) return refuse("A sharded buffer needs cores, but its grid is empty");
  if (grid.fits(buffer.banks.grid)) return absl::OkStatus();
  return refuse("Shard grid ", grid.text(), " has cores outside the ", name_of(buffer.type),
                " grid of ", buffer.banks.grid.x, "x", buffer.banks.grid.y, " banks");
}

// A height-sharded buffer fills one shard after the other. With the other layouts, shards are
// blocks of a tensor, numbered row by row, and the last block in a row and in a column may stick
// out of the tensor. So the question is whether the block that holds the buffer's last page has a
// number below the number of shards.
bool holds_all_pages(const Buffer& buffer, const Shards& shards) {
  const uint64_t pages = buffer.num_pages();
  if (pages == 0) return true;
  if (buffer.layout == BufferLayout::kNdSharded) return pages <= shards.tensor_height;
  if (buffer.layout == BufferLayout::kHeightSharded) return pages <= buffer.num_dev_pages();
  const uint64_t columns = shards.tensor_width;
  if (columns == 0 || pages > columns * shards.tensor_height) return false;
  const uint64_t blocks_in_row = (columns + shards.width - 1) / shards.width;
  const uint64_t last_row = (pages - 1) / columns, last_column = (pages - 1) % columns;
  // Unless the last page's row is the first one of its block row, that block row also holds a
  // complete row of the tensor, and its last block is needed.
  const bool has_whole_row = last_row % shards.height != 0;
  const uint64_t last_block_column = has_whole_row ? blocks_in_row - 1 : last_column / shards.width;
  return last_row / shards.height * blocks_in_row + last_block_column < shards.num_shards;
}

}  // namespace

const char* name_of(BufferType type) {
  switch (type) {
    case BufferType::kDram:
      return "DRAM";
    case BufferType::kL1:
      return "L1";
    case BufferType::kSystemMemory:
      return "SYSTEM_MEMORY";
    case BufferType::kL1Small:
      return "L1_SMALL";
    case BufferType::kTrace:
      return "TRACE";
  }
  return "unknown";
}

const char* name_of(BufferLayout layout) {
  switch (layout) {
    case BufferLayout::kInterleaved:
      return "INTERLEAVED";
    case BufferLayout::kSingleBank:
      return "SINGLE_BANK";
    case BufferLayout::kHeightSharded:
      return "HEIGHT_SHARDED";
    case BufferLayout::kWidthSharded:
      return "WIDTH_SHARDED";
    case BufferLayout::kBlockSharded:
      return "BLOCK_SHARDED";
    case BufferLayout::kNdSharded:
      return "ND_SHARDED";
  }
  return "unknown";
}

Banks banks_of(const DeviceProfile& profile, BufferType type) {
  if (is_l1(type)) return {profile.grid, profile.l1_size, profile.l1_alignment};
  return {{profile.dram_banks, 1}, profile.dram_bank_size, profile.dram_alignment};
}

uint64_t Buffer::aligned_page_size() const { return round_up(page_size, banks.alignment); }

uint64_t Buffer::size_per_bank() const {
  if (size == 0) return 0;
  if (shards) return shards->pages() * aligned_page_size();
  return (num_pages() + banks.count() - 1) / banks.count() * aligned_page_size();
}

// The padding behind the last page of a bank need not be there. The test is that all pages before
// the last one, with their padding, and the last one without it fit; it divides rather than
// multiplies, so that nothing overflows.
bool Buffer::lies_in_banks(uint64_t end) const {
  const uint64_t before_last = shards ? shards->pages() - 1 : (end / page_size - 1) / banks.count();
  const uint64_t room = banks.size - address;
  return page_size <= room && before_last <= (room - page_size) / aligned_page_size();
}

absl::Status check_is_memory(BufferType type) {
  if (type != BufferType::kSystemMemory) return absl::OkStatus();
  return refuse(name_of(type), " is no memory of a device");
}

absl::Status check_page_size(const Buffer& buffer, uint64_t page_size) {
  LM_RETURN_IF_ERROR(check_pages_divide(buffer, page_size));
  return buffer.size == 0 ? absl::OkStatus() : check_page_count(buffer.size / page_size);
}

absl::Status check_size(const Buffer& buffer) {
  if (buffer.size == 0) return absl::OkStatus();
  LM_RETURN_IF_ERROR(check_pages_divide(buffer, buffer.page_size));
  if (buffer.layout == BufferLayout::kSingleBank && buffer.page_size != buffer.size) {
    return refuse("A buffer in a single bank has one page, but size ", buffer.size,
                  " is not page size ", buffer.page_size);
  }
  // The size is divided rather than the banks multiplied: `banks.size * count` may overflow.
  if (buffer.size / buffer.banks.count() > buffer.banks.size) {
    return refuse("Out of Memory: Not enough space to allocate ", buffer.size, " B ",
                  name_of(buffer.type), " buffer across ", buffer.banks.count(), " banks of ",
                  buffer.banks.size, " B each");
  }
  return check_page_count(buffer.size / buffer.page_size);
}

absl::Status check_has_shards(const Buffer& buffer, bool given) {
  if (given || !is_sharded(buffer.layout)) return absl::OkStatus();
  return refuse("A buffer with layout ", name_of(buffer.layout), " needs a shard specification");
}

absl::StatusOr<Shards> shards_of(const Buffer& buffer, const ShardSpec& spec) {
  LM_RETURN_IF_ERROR(check_shard_shape(spec));
  const Shards shards{spec.grid.count(), spec.height / spec.page_height,
                      spec.width / spec.page_width, spec.tensor_height, spec.tensor_width};
  LM_RETURN_IF_ERROR(check_shard_fits(buffer, shards));
  LM_RETURN_IF_ERROR(check_shard_grid(buffer, spec.grid));
  LM_RETURN_IF_ERROR(check_page_count(shards.pages() * shards.num_shards));
  return shards;
}

Shards shards_of(const DealtShards& dealt) {
  return {.num_shards = static_cast<uint32_t>(dealt.num_cores_with_data()),
          .height = static_cast<uint32_t>(dealt.most_pages_on_core()),
          .width = 1,
          .tensor_height = static_cast<uint32_t>(dealt.tensor_pages()),
          .tensor_width = 1};
}

absl::StatusOr<Shards> shards_of(const Buffer& buffer, const Distribution& distribution) {
  LM_ASSIGN_OR_RETURN(dealt, DealtShards::of(distribution));
  LM_ASSIGN_OR_RETURN(grid, core_set_of(distribution.cores));
  if (dealt.tensor_pages() == 0) {
    return refuse("A distribution of a tensor without pages has no place for the ",
                  buffer.num_pages(), " pages of a buffer");
  }
  const Shards shards = shards_of(dealt);
  LM_RETURN_IF_ERROR(check_shard_fits(buffer, shards));
  LM_RETURN_IF_ERROR(check_shard_grid(buffer, grid));
  return shards;
}

absl::Status check_sub_device(const Buffer& buffer, const CoreSet& grid, uint64_t number,
                              const CoreSet* cores) {
  if (buffer.size == 0) return absl::OkStatus();
  if (buffer.type != BufferType::kL1 || !is_sharded(buffer.layout)) {
    return refuse("A buffer of sub-device ", number, " must be sharded and in L1, not ",
                  name_of(buffer.layout), " in ", name_of(buffer.type));
  }
  if (cores == nullptr || cores->contains(grid)) return absl::OkStatus();
  return refuse("A buffer on cores ", grid.text(), " does not lie on the cores ", cores->text(),
                " of sub-device ", number);
}

absl::Status check_given_address(const Buffer& buffer, uint64_t address) {
  if (address <= buffer.banks.size && address <= kMaxAddress) return absl::OkStatus();
  return refuse("Address ", address, " of a ", name_of(buffer.type),
                " buffer lies outside its banks of ", buffer.banks.size, " B");
}

absl::Status check_lies_in_l1(const Buffer& buffer) {
  if (is_l1(buffer.type)) return absl::OkStatus();
  return refuse("Only L1 buffers can have an associated circular buffer: buffer ", buffer.id,
                " is in ", name_of(buffer.type));
}

absl::Status check_allocated(const Buffer& buffer, bool allocated) {
  if (allocated) return absl::OkStatus();
  return refuse_now("Buffer ", buffer.id, " at address ", buffer.address, " has been deallocated");
}

absl::Status check_in_queue(const Buffer& buffer, bool same, uint64_t device,
                            uint64_t queue_device) {
  if (same) return absl::OkStatus();
  return refuse("Buffer ", buffer.id, " belongs to device ", device,
                ": it cannot be used in a queue of device ", queue_device);
}

absl::Status check_region(const Buffer& buffer, uint64_t offset, uint64_t size) {
  if (offset > buffer.size || size > buffer.size - offset) {
    return refuse("Buffer region of ", size, " B at offset ", offset, " B is invalid for buffer ",
                  buffer.id, " of ", buffer.size, " B");
  }
  if (size == 0) return absl::OkStatus();
  if (offset % buffer.page_size == 0 && (offset + size) % buffer.page_size == 0) {
    return absl::OkStatus();
  }
  return refuse("Buffer region of ", size, " B at offset ", offset,
                " B must begin and end at pages of ", buffer.page_size, " B");
}

absl::Status check_transfer(const Buffer& buffer, uint64_t offset, uint64_t size) {
  LM_RETURN_IF_ERROR(check_region(buffer, offset, size));
  if (size == 0 || buffer.lies_in_banks(offset + size)) return absl::OkStatus();
  return refuse_now("The pages of ", buffer.page_size, " B of buffer ", buffer.id, " from address ",
                    buffer.address, " on reach beyond the end of its banks of ", buffer.banks.size,
                    " B");
}

absl::Status check_shard(const Buffer& buffer, uint64_t shard) {
  if (!buffer.shards) return refuse("Buffer ", buffer.id, " is not sharded");
  if (shard < buffer.shards->num_shards) return absl::OkStatus();
  return refuse("Buffer ", buffer.id, " has ", buffer.shards->num_shards,
                " shards: there is no shard ", shard);
}

absl::Status check_holds_all_pages(const Buffer& buffer) {
  if (!buffer.shards || holds_all_pages(buffer, *buffer.shards)) return absl::OkStatus();
  const Shards& shards = *buffer.shards;
  return refuse_now("The ", shards.num_shards, " shards of ", shards.height, "x", shards.width,
                    " pages of a tensor of ", shards.tensor_height, "x", shards.tensor_width,
                    " pages, ", name_of(buffer.layout), ", have no room for all of the ",
                    buffer.num_pages(), " pages of buffer ", buffer.id);
}

}  // namespace lightmetal::host
