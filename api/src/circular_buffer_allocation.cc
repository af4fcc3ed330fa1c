#include "api/src/circular_buffer_allocation.h"

#include <algorithm>
#include <map>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/math.hpp>

#include "api/src/device_impl.h"

namespace tt::tt_metal {
namespace {

// The first free L1 address of each core that has circular buffers.
class Cursors {
 public:
  explicit Cursors(uint64_t base) : base_(base) {}

  uint64_t highest(const CoreRangeSet& cores) {
    uint64_t address = base_;
    for_each(cores, [&](uint64_t& cursor) { address = std::max(address, cursor); });
    return address;
  }
  void advance(const CoreRangeSet& cores, uint64_t address) {
    for_each(cores, [&](uint64_t& cursor) { cursor = address; });
  }

 private:
  template <typename Visit>
  void for_each(const CoreRangeSet& cores, Visit visit) {
    for (const CoreRange& range : cores.ranges()) {
      for (const CoreCoord& core : range) visit(cursors_.try_emplace(core, base_).first->second);
    }
  }

  const uint64_t base_;
  std::map<CoreCoord, uint64_t> cursors_;
};

}  // namespace

void check_complete(const CircularBufferConfig& config) {
  TT_FATAL(!config.buffer_indices().empty(), "A circular buffer of {} B has no index",
           config.total_size());
  for (const uint8_t index : config.buffer_indices()) {
    const std::optional<uint32_t>& page_size = config.page_sizes()[index];
    TT_FATAL(page_size.has_value(), "Circular buffer index {} has no page size: set_page_size",
             index);
    TT_FATAL(config.total_size() % *page_size == 0,
             "Total size {} B of circular buffer index {} must be divisible by its page size {} B",
             config.total_size(), index, *page_size);
  }
}

void allocate_circular_buffers(const ProgramState& program, uint32_t base, uint32_t alignment) {
  Cursors cursors(base);
  for (const auto& buffer : program.circular_buffers) {
    if (buffer->globally_allocated()) continue;
    const uint64_t address = cursors.highest(buffer->core_ranges());
    TT_FATAL(address <= UINT32_MAX, "The circular buffers of program {} take more than 4 GiB",
             program.id);
    buffer->local_address_ = static_cast<uint32_t>(address);
    cursors.advance(buffer->core_ranges(), round_up(address + buffer->size(), alignment));
  }
}

CircularBufferRegion highest_region(const ProgramState& program) {
  CircularBufferRegion highest;
  for (const auto& buffer : program.circular_buffers) {
    if (buffer->globally_allocated()) continue;
    const uint64_t end = uint64_t{buffer->address()} + buffer->size();
    if (end > highest.end) highest = {buffer->core_ranges(), end};
  }
  return highest;
}

void check_region(const CircularBufferRegion& region, uint64_t program_id, const DeviceImpl& device,
                  tt::stl::Span<const SubDeviceId> sub_devices) {
  if (region.end == 0) return;
  const uint64_t l1_end = device.profile().l1_size - device.parameters().l1_small_size;
  TT_FATAL(
      region.end <= l1_end,
      "Statically allocated circular buffers of program {} on core range {} grow to {} B which "
      "is beyond max L1 size of {} B",
      program_id, region.cores, region.end, l1_end);
  const std::optional<DeviceAddr> lowest = device.lowest_occupied_compute_l1_address(sub_devices);
  TT_FATAL(
      !lowest || region.end <= *lowest,
      "Statically allocated circular buffers in program {} clash with L1 buffers on core range "
      "{}. L1 buffer allocated at {} and static circular buffer region ends at {}",
      program_id, region.cores, *lowest, region.end);
}

}  // namespace tt::tt_metal
