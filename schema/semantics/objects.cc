#include "schema/semantics/objects.h"

#include <algorithm>

#include "base/round.h"

namespace lightmetal::schema::semantics {

Core DeviceState::bank_grid(BufferType type) const {
  return is_l1(type) ? profile.grid : Core{profile.dram_banks, 1};
}

uint64_t DeviceState::num_banks(BufferType type) const {
  const Core banks = bank_grid(type);
  return uint64_t{banks.x} * banks.y;
}

uint64_t DeviceState::bank_size(BufferType type) const {
  return is_l1(type) ? profile.l1_size : profile.dram_bank_size;
}

uint32_t DeviceState::alignment(BufferType type) const {
  return is_l1(type) ? profile.l1_alignment : profile.dram_alignment;
}

const std::shared_ptr<FreeList>& DeviceState::memory_of(BufferType type) const {
  switch (type) {
    case BufferType::L1:
      return l1;
    case BufferType::L1Small:
      return l1_small;
    case BufferType::Trace:
      return trace;
    case BufferType::Dram:
    case BufferType::SystemMemory:
      break;
  }
  return dram;
}

size_t DeviceState::num_sub_devices() const {
  return loaded == nullptr ? 1 : loaded->sub_devices.size();
}

uint64_t DeviceState::loaded_id() const { return loaded == nullptr ? 0 : loaded->id; }

uint64_t BufferState::aligned_page_size() const {
  const uint64_t alignment = device->alignment(type);
  return round_up(page_size, alignment);
}

uint64_t BufferState::size_per_bank() const {
  if (size == 0) return 0;
  if (shards) return shards->pages() * aligned_page_size();
  const uint64_t num_banks = device->num_banks(type);
  return (num_pages() + num_banks - 1) / num_banks * aligned_page_size();
}

// What fills up the last page of a bank need not be there.
bool BufferState::lies_in_banks(uint64_t end) const {
  const uint64_t before_last =
      shards ? shards->pages() - 1 : (end / page_size - 1) / device->num_banks(type);
  const uint64_t room = device->bank_size(type) - address;
  return page_size <= room && before_last <= (room - page_size) / aligned_page_size();
}

// The shards of all layouts but one are blocks of a tensor, row by row; of a shard that lies at the
// tensor's end only a part counts.
bool BufferState::holds_all_pages() const {
  const uint64_t pages = num_pages();
  if (!shards || pages == 0) return true;
  if (layout == BufferLayout::HeightSharded) return pages <= num_dev_pages();
  const uint64_t columns = shards->tensor_width;
  if (columns == 0 || pages > columns * shards->tensor_height) return false;
  const uint64_t blocks_in_row = (columns + shards->width - 1) / shards->width;
  const uint64_t last_row = (pages - 1) / columns, last_column = (pages - 1) % columns;
  const bool has_whole_row = last_row % shards->height != 0;
  const uint64_t last_block_column =
      has_whole_row ? blocks_in_row - 1 : last_column / shards->width;
  return last_row / shards->height * blocks_in_row + last_block_column < shards->num_shards;
}

}  // namespace lightmetal::schema::semantics
