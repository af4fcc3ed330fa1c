#include <algorithm>
#include <array>
#include <atomic>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/memory_reporter.hpp>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "api/src/objects/host_objects.h"
#include "api/src/record/capture_calls.h"
#include "api/src/support/errors.h"
#include "api/src/support/process_mark.h"
#include "base/device_profile.h"
#include "base/free_list.h"
#include "base/mutex.h"
#include "capture/capture.h"
#include "host/buffer.h"
#include "host/memory.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

namespace {

using lightmetal::FreeList;

AllocatorConfig config_from(const lightmetal::DeviceProfile& profile, std::size_t l1_small_size,
                            std::size_t trace_region_size) {
  AllocatorConfig config;
  config.num_dram_channels = profile.dram_banks;
  config.dram_bank_size = profile.dram_bank_size;
  config.dram_unreserved_base = static_cast<uint32_t>(profile.dram_unreserved_base);
  config.dram_alignment = profile.dram_alignment;
  config.l1_unreserved_base = static_cast<uint32_t>(profile.l1_unreserved_base);
  config.worker_grid = {profile.grid.x, profile.grid.y};
  config.worker_l1_size = profile.l1_size;
  config.l1_small_size = round_up(l1_small_size, profile.l1_alignment);
  config.trace_region_size = round_up(trace_region_size, profile.dram_alignment);
  config.l1_alignment = profile.l1_alignment;
  config.compute_grid = config.worker_grid;
  return config;
}

// Takes in `common` what is taken in `region` and not in `common` yet.
void take_what_is_taken(const FreeList& region, FreeList& common) {
  uint64_t begin = region.begin();
  while (const auto taken = region.overlapping(begin, region.end() - begin)) {
    const uint64_t end = taken->address + taken->size;
    for (begin = taken->address; begin < end;) {
      const auto known = common.overlapping(begin, end - begin);
      const uint64_t gap_end = known ? std::max(known->address, begin) : end;
      if (gap_end > begin) common.allocate_at(begin, gap_end - begin);
      begin = known ? known->address + known->size : end;
    }
  }
}

}  // namespace

// The free lists of all regions, under one lock. A change of sub-devices moves the border between
// two of them.
class Allocator::Regions {
 public:
  explicit Regions(host::Memory memory) : memory_(std::move(memory)) {}

  const ProcessMark process;
  lightmetal::Mutex mutex;
  std::atomic<uint64_t> generation = 0;  // written under the lock, read without it

  FreeList& of(BufferType type) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    throw_if_error(host::check_is_memory(host_type(type)));
    return memory_.of(host_type(type));
  }
  host::Memory& memory() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { return memory_; }

  host::Memory of_sub_device(uint64_t local_l1_size) ABSL_LOCKS_EXCLUDED(mutex) {
    lightmetal::MutexLock lock(&mutex);
    return memory_.of_sub_device(local_l1_size);
  }

 private:
  host::Memory memory_ ABSL_GUARDED_BY(mutex);
};

Allocator::Allocator(const lightmetal::DeviceProfile& profile, std::size_t l1_small_size,
                     std::size_t trace_region_size)
    : config_(config_from(profile, l1_small_size, trace_region_size)),
      regions_(std::make_unique<Regions>(
          value_or_throw(host::memory_of(profile, l1_small_size, trace_region_size)))) {}

Allocator::Allocator(const Allocator& device, DeviceAddr local_l1_size)
    : config_(device.config_),
      regions_(std::make_unique<Regions>(device.regions_->of_sub_device(local_l1_size))) {}

Allocator::~Allocator() = default;

void Allocator::leave_to_sub_devices(DeviceAddr size) {
  lightmetal::MutexLock lock(&regions_->mutex);
  throw_if_error(regions_->memory().leave_to_sub_devices(size));
}

uint32_t Allocator::get_num_banks(const BufferType& buffer_type) const {
  switch (buffer_type) {
    case BufferType::DRAM:
    case BufferType::TRACE:
      return static_cast<uint32_t>(config_.num_dram_channels);
    case BufferType::L1:
    case BufferType::L1_SMALL:
      return static_cast<uint32_t>(config_.compute_grid.x * config_.compute_grid.y);
    case BufferType::SYSTEM_MEMORY:
      break;
  }
  TT_THROW("{} is no memory of a device", buffer_type);
}

DeviceAddr Allocator::get_bank_size(const BufferType& buffer_type) const {
  lightmetal::MutexLock lock(&regions_->mutex);
  return regions_->of(buffer_type).size();
}

uint32_t Allocator::get_alignment(const BufferType& buffer_type) const {
  const bool is_l1 = buffer_type == BufferType::L1 || buffer_type == BufferType::L1_SMALL;
  throw_if_error(host::check_is_memory(host_type(buffer_type)));
  return is_l1 ? config_.l1_alignment : config_.dram_alignment;
}

DeviceAddr Allocator::get_base_allocator_addr(const HalMemType& mem_type) const {
  switch (mem_type) {
    case HalMemType::DRAM:
      return config_.dram_unreserved_base;
    case HalMemType::L1:
      return config_.l1_unreserved_base;
    default:
      TT_THROW("Memory type {} is no memory of a device", static_cast<int>(mem_type));
  }
}

uint32_t Allocator::get_dram_channel_from_bank_id(uint32_t bank_id) const {
  TT_FATAL(bank_id < config_.num_dram_channels, "DRAM has {} banks and none with number {}",
           config_.num_dram_channels, bank_id);
  return bank_id;
}

CoreCoord Allocator::get_logical_core_from_bank_id(uint32_t bank_id) const {
  TT_FATAL(bank_id < get_num_banks(BufferType::L1), "L1 has {} banks and none with number {}",
           get_num_banks(BufferType::L1), bank_id);
  return {bank_id % config_.compute_grid.x, bank_id / config_.compute_grid.x};
}

int32_t Allocator::get_bank_offset(BufferType buffer_type, uint32_t bank_id) const {
  TT_FATAL(bank_id < get_num_banks(buffer_type), "{} has {} banks and none with number {}",
           buffer_type, get_num_banks(buffer_type), bank_id);
  return 0;
}

std::vector<uint32_t> Allocator::get_bank_ids_from_dram_channel(uint32_t dram_channel) const {
  if (dram_channel >= config_.num_dram_channels) return {};
  return {dram_channel};
}

std::vector<uint32_t> Allocator::get_bank_ids_from_logical_core(
    BufferType buffer_type, const CoreCoord& logical_core) const {
  const bool is_l1 = buffer_type == BufferType::L1 || buffer_type == BufferType::L1_SMALL;
  const CoreCoord grid = is_l1 ? config_.compute_grid : CoreCoord(get_num_banks(buffer_type), 1);
  TT_FATAL(logical_core.x < grid.x && logical_core.y < grid.y,
           "Core {} has no bank of {}: the grid is {}x{}", logical_core, buffer_type, grid.x,
           grid.y);
  return {static_cast<uint32_t>(logical_core.y * grid.x + logical_core.x)};
}

std::optional<DeviceAddr> Allocator::get_lowest_occupied_l1_address(uint32_t bank_id) const {
  TT_FATAL(bank_id < get_num_banks(BufferType::L1), "L1 has {} banks and none with number {}",
           get_num_banks(BufferType::L1), bank_id);
  lightmetal::MutexLock lock(&regions_->mutex);
  return regions_->of(BufferType::L1).lowest_allocated();
}

Statistics Allocator::get_statistics(const BufferType& buffer_type) const {
  lightmetal::MutexLock lock(&regions_->mutex);
  const FreeList& region = regions_->of(buffer_type);
  const FreeList::Block largest = region.largest_free();
  Statistics statistics;
  statistics.total_allocatable_size_bytes = region.size();
  statistics.total_allocated_bytes = region.allocated_bytes();
  statistics.total_free_bytes = region.size() - region.allocated_bytes();
  statistics.largest_free_block_bytes = largest.size;
  if (largest.size != 0)
    statistics.largest_free_block_addrs.push_back(static_cast<uint32_t>(largest.address));
  return statistics;
}

detail::MemoryView detail::GetMemoryView(const IDevice* device, const BufferType& buffer_type) {
  const auto& allocator = *device->allocator();
  const Statistics statistics = allocator.get_statistics(buffer_type);
  return {.num_banks = allocator.get_num_banks(buffer_type),
          .total_bytes_per_bank = statistics.total_allocatable_size_bytes,
          .total_bytes_allocated_per_bank = statistics.total_allocated_bytes,
          .total_bytes_free_per_bank = statistics.total_free_bytes,
          .largest_contiguous_bytes_free_per_bank = statistics.largest_free_block_bytes,
          .block_table = {}};
}

DeviceAddr Allocator::allocate(BufferType buffer_type, DeviceAddr size_per_bank, bool bottom_up,
                               DeviceAddr requested_size, uint64_t* generation) {
  regions_->process.check();
  const uint32_t num_banks = get_num_banks(buffer_type);
  TT_FATAL(size_per_bank != 0, "An allocation of no bytes was asked for in {}", buffer_type);
  lightmetal::MutexLock lock(&regions_->mutex);
  FreeList& region = regions_->of(buffer_type);
  // A size beyond the region must not overflow when it is rounded up. One byte more than the region
  // is refused all the same.
  const DeviceAddr size = std::min(size_per_bank, region.size() + 1);
  const auto address = region.allocate(round_up(size, get_alignment(buffer_type)), bottom_up);
  TT_FATAL(address.has_value(),
           "Out of Memory: Not enough space to allocate {} B {} buffer across {} banks, where each "
           "bank needs to store {} B. Each "
           "bank holds {} B, of which {} B are allocated; its largest free block is {} B",
           requested_size != 0 ? requested_size : size_per_bank * num_banks, buffer_type, num_banks,
           size_per_bank, region.size(), region.allocated_bytes(), region.largest_free().size);
  if (generation != nullptr) *generation = regions_->generation;
  return *address;
}

void Allocator::allocate_at(BufferType buffer_type, DeviceAddr address, DeviceAddr size_per_bank,
                            uint64_t* generation) {
  regions_->process.check();
  TT_FATAL(size_per_bank != 0, "An allocation of no bytes was asked for in {}", buffer_type);
  lightmetal::MutexLock lock(&regions_->mutex);
  throw_if_error(host::allocate_at(regions_->of(buffer_type), host_type(buffer_type), address,
                                   size_per_bank, get_alignment(buffer_type)));
  if (generation != nullptr) *generation = regions_->generation;
}

std::optional<DeviceAddr> Allocator::free_on_all(tt::stl::Span<const Allocator* const> allocators,
                                                 BufferType buffer_type, DeviceAddr size_per_bank,
                                                 bool bottom_up) {
  FreeList common(0, 0);
  for (const Allocator* allocator : allocators) {
    lightmetal::MutexLock lock(&allocator->regions_->mutex);
    const FreeList& region = allocator->regions_->of(buffer_type);
    if (allocator == allocators.front()) {
      common = region;
    } else {
      take_what_is_taken(region, common);
    }
  }
  const DeviceAddr size = std::min(size_per_bank, common.size() + 1);  // as allocate() does
  return common.allocate(round_up(size, allocators.front()->get_alignment(buffer_type)), bottom_up);
}

void Allocator::deallocate(BufferType buffer_type, DeviceAddr address,
                           uint64_t generation) noexcept {
  // A forked child leaves its parent's lists alone: their lock may be held for ever.
  if (!regions_->process.is_here()) return;
  lightmetal::MutexLock lock(&regions_->mutex);
  if (generation == regions_->generation) regions_->of(buffer_type).free(address);
}

void Allocator::deallocate_buffers() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::deallocate_buffers);
  lightmetal::MutexLock lock(&regions_->mutex);
  for (const BufferType type :
       {BufferType::DRAM, BufferType::L1, BufferType::L1_SMALL, BufferType::TRACE}) {
    FreeList& region = regions_->of(type);
    region = FreeList(region.begin(), region.end());
  }
  ++regions_->generation;
}

uint64_t Allocator::generation() const { return regions_->generation; }

}  // namespace tt::tt_metal
