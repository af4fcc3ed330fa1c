#include "host/buffer.h"

#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/tt_align.hpp>

#include "api/src/memory/buffer_bindings.h"
#include "api/src/memory/buffer_page_mapping.h"
#include "api/src/objects/device_access.h"
#include "api/src/objects/host_objects.h"
#include "api/src/record/capture_calls.h"
#include "api/src/record/record.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "api/src/support/live_objects.h"
#include "api/src/support/next_id.h"
#include "capture/capture.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

namespace {

// The allocator that the buffer's memory comes from: the sub-device's own, or the device's. Throws
// when the device is closed.
std::shared_ptr<Allocator> open_allocator(const IDevice* device,
                                          std::optional<SubDeviceId> sub_device) {
  TT_FATAL(device != nullptr, "A buffer needs a device");
  std::shared_ptr<Allocator> allocator =
      sub_device ? device->allocator(*sub_device) : device->allocator();
  TT_FATAL(allocator != nullptr, "A buffer cannot be created on a device that has been closed");
  return allocator;
}

}  // namespace

std::array<uint32_t, 2> ShardSpecBuffer::shape_in_pages() const {
  const auto pages = [](uint32_t elements, uint32_t page) {
    return page == 0 ? 0 : elements / page;
  };
  return {pages(shape()[0], page_shape[0]), pages(shape()[1], page_shape[1])};
}

uint32_t ShardSpecBuffer::num_pages() const {
  const auto [height, width] = shape_in_pages();
  return height * width;
}

// ---- Life ----

Buffer::Buffer(Token, IDevice* device, DeviceAddr size, DeviceAddr page_size,
               BufferType buffer_type, const BufferShardingArgs& sharding_args,
               std::optional<bool> bottom_up, std::optional<SubDeviceId> sub_device_id)
    : device_(device == nullptr ? nullptr : &single_device_of(*device)),
      allocator_(open_allocator(device, sub_device_id)),
      unique_id_(next_unique_id<Buffer>()),
      size_(size),
      page_size_(page_size),
      given_page_size_(page_size),
      buffer_type_(buffer_type),
      sharding_(sharding_args),
      bottom_up_(bottom_up),
      sub_device_id_(sub_device_id) {
  const std::shared_ptr<Allocator> allocator = allocator_.lock();
  alignment_ = allocator->get_alignment(buffer_type);
  num_banks_ = allocator->get_num_banks(buffer_type);
  LiveObjects<Buffer>::add(unique_id_, this);
}

template <typename... Args>
std::shared_ptr<Buffer> Buffer::make(Args&&... args) {
  auto buffer = std::make_shared<Buffer>(Token{}, std::forward<Args>(args)...);
  buffer->check_rules();
  return buffer;
}

std::shared_ptr<Buffer> Buffer::create(IDevice* device, DeviceAddr size, DeviceAddr page_size,
                                       BufferType buffer_type,
                                       const BufferShardingArgs& sharding_args,
                                       std::optional<bool> bottom_up,
                                       std::optional<SubDeviceId> sub_device_id) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("Buffer::create");
  auto buffer = make(device, size, page_size, buffer_type, sharding_args, bottom_up, sub_device_id);
  buffer->allocate();
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::buffer_create, *buffer);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::create(IDevice* device, DeviceAddr address, DeviceAddr size,
                                       DeviceAddr page_size, BufferType buffer_type,
                                       const BufferShardingArgs& sharding_args,
                                       std::optional<bool> bottom_up,
                                       std::optional<SubDeviceId> sub_device_id) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("Buffer::create");
  auto buffer = make(device, size, page_size, buffer_type, sharding_args, bottom_up, sub_device_id);
  buffer->view_at(address);
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::buffer_create, *buffer);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::create(
    IDevice* device, DeviceAddr size, DeviceAddr page_size, BufferType buffer_type,
    TensorMemoryLayout buffer_layout, const std::optional<ShardSpecBuffer>& shard_parameters,
    std::optional<bool> bottom_up, std::optional<SubDeviceId> sub_device_id,
    const std::optional<BufferDistributionSpec>& buffer_distribution_spec) {
  return create(device, size, page_size, buffer_type,
                BufferShardingArgs(buffer_distribution_spec, shard_parameters, buffer_layout),
                bottom_up, sub_device_id);
}

std::shared_ptr<Buffer> Buffer::create(
    IDevice* device, DeviceAddr address, DeviceAddr size, DeviceAddr page_size,
    BufferType buffer_type, TensorMemoryLayout buffer_layout,
    const std::optional<ShardSpecBuffer>& shard_parameters, std::optional<bool> bottom_up,
    std::optional<SubDeviceId> sub_device_id,
    const std::optional<BufferDistributionSpec>& buffer_distribution_spec) {
  return create(device, address, size, page_size, buffer_type,
                BufferShardingArgs(buffer_distribution_spec, shard_parameters, buffer_layout),
                bottom_up, sub_device_id);
}

std::shared_ptr<Buffer> replay_hooks::create_buffer(const RecordedBuffer& recorded) {
  if (recorded.address) {
    return Buffer::create(recorded.device, *recorded.address, recorded.size, recorded.page_size,
                          recorded.buffer_type, recorded.sharding, recorded.bottom_up,
                          recorded.sub_device);
  }
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("Buffer::create");
  auto buffer =
      Buffer::make(recorded.device, recorded.size, recorded.page_size, recorded.buffer_type,
                   recorded.sharding, recorded.bottom_up, recorded.sub_device);
  if (recorded.allocated_address) {
    buffer->allocate_at(*recorded.allocated_address);
  } else {
    buffer->allocate();
  }
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::buffer_create, *buffer);
  return buffer;
}

uint64_t replay_hooks::size_per_bank_of(const RecordedBuffer& recorded) {
  // Within a call, so that the end of this buffer, which the program never had, is not recorded.
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("Buffer::create");
  return Buffer::make(recorded.device, recorded.size, recorded.page_size, recorded.buffer_type,
                      recorded.sharding, recorded.bottom_up, recorded.sub_device)
      ->aligned_size_per_bank();
}

Buffer::~Buffer() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  // Recorded before the memory is free: another thread that gets it is recorded behind this.
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::BufferDestroy>, *this);
  unbind_buffer(*this);
  LiveObjects<Buffer>::remove(unique_id_);
  free_memory();
}

void Buffer::deallocate() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  if (!is_allocated()) return;
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_if_known<schema::BufferDeallocate>, *this);
  free_memory();
}

bool Buffer::is_allocated() const {
  // A view is allocated until deallocate(). Memory that the buffer owns may also have been freed
  // with all of the device's.
  if (!owns_memory_ || !allocated_) return allocated_;
  const std::shared_ptr<Allocator> allocator = allocator_.lock();
  return allocator != nullptr && allocator->generation() == generation_;
}

void Buffer::allocate() {
  if (const DeviceAddr size_per_bank = aligned_size_per_bank()) {
    const std::shared_ptr<Allocator> allocator = open_allocator(device_, sub_device_id_);
    address_ = allocator->allocate(buffer_type_, size_per_bank, bottom_up(), size_, &generation_);
    owns_memory_ = true;
  }
  allocated_ = true;
}

void Buffer::allocate_at(DeviceAddr address) {
  if (const DeviceAddr size_per_bank = aligned_size_per_bank()) {
    const std::shared_ptr<Allocator> allocator = open_allocator(device_, sub_device_id_);
    allocator->allocate_at(buffer_type_, address, size_per_bank, &generation_);
    address_ = address;
    owns_memory_ = true;
  }
  allocated_ = true;
}

void Buffer::view_at(DeviceAddr address) {
  throw_if_error(host::check_given_address(rules_of_buffer(*this), address));
  address_ = address;
  given_address_ = address;
  allocated_ = true;
}

void Buffer::free_memory() noexcept {
  // The exchange makes sure that the memory is freed once. The allocator is gone when the device
  // has closed.
  if (!allocated_.exchange(false) || !owns_memory_) return;
  const std::shared_ptr<Allocator> allocator = allocator_.lock();
  if (allocator != nullptr) allocator->deallocate(buffer_type_, address_, generation_);
}

// ---- Rules ----

namespace {

// The cores that have shards of the buffer. Throws when its shards break a rule.
host::CoreSet checked_shard_grid(const Buffer& buffer, const host::Buffer& rules) {
  if (!is_sharded(buffer.buffer_layout())) return {};
  if (const BufferDistributionSpec* spec = buffer.distribution()) {
    const host::Distribution distribution = host_distribution(*spec);
    throw_if_error(host::shards_of(rules, distribution).status());
    return host::core_set_of(distribution.cores).value();
  }
  const host::ShardSpec shards = host_shard_spec(buffer.shard_spec());
  throw_if_error(host::shards_of(rules, shards).status());
  return shards.grid;
}

}  // namespace

void Buffer::check_rules() const {
  const host::Buffer rules = rules_of_buffer(*this);
  const bool is_distributed = buffer_layout() == TensorMemoryLayout::ND_SHARDED;
  const bool has_shards = distribution() != nullptr || (has_shard_spec() && !is_distributed);
  throw_if_error(host::check_has_shards(rules, has_shards));
  throw_if_error(host::check_size(rules));
  if (size_ == 0) return;
  const host::CoreSet grid = checked_shard_grid(*this, rules);
  // The rules above hold for every buffer, those below for buffers in the own memory of a
  // sub-device.
  if (!sub_device_id_) return;
  const CoreRangeSet& cores =
      device_->worker_cores(HalProgrammableCoreType::TENSIX, *sub_device_id_);
  const host::CoreSet of_sub_device = host_cores(cores, "sub-device");
  throw_if_error(host::check_sub_device(rules, grid, **sub_device_id_, &of_sub_device));
}

// ---- Layout ----

void Buffer::set_page_size(DeviceAddr page_size) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  throw_if_error(host::check_page_size(rules_of_buffer(*this), page_size));
  {
    const std::lock_guard lock(page_mapping_mutex_);
    page_size_ = page_size;
    // The mapping is of the old pages.
    page_mapping_ = nullptr;
  }
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::BufferSetPageSize>, *this, page_size_);
}

uint32_t Buffer::num_pages() const {
  return page_size_ == 0 ? 0 : static_cast<uint32_t>(size_ / page_size_);
}

uint32_t Buffer::num_dev_pages() const {
  return static_cast<uint32_t>(rules_of_buffer(*this).num_dev_pages());
}

CoreType Buffer::core_type() const { return is_l1() ? CoreType::WORKER : CoreType::DRAM; }

bool Buffer::is_valid_region(const BufferRegion& region) const {
  return region.size <= size_ && region.offset <= size_ - region.size;
}

bool Buffer::is_valid_partial_region(const BufferRegion& region) const {
  return is_valid_region(region) && region.size < size_;
}

DeviceAddr Buffer::translate_page_address(DeviceAddr offset, uint32_t bank_id) const {
  TT_FATAL(bank_id < num_banks_, "{} has {} banks and none with number {}", buffer_type_,
           num_banks_, bank_id);
  return address_ + offset;
}

CoreCoord Buffer::logical_core_from_bank_id(uint32_t bank_id) const {
  TT_FATAL(device_->is_initialized(), "Device {} is closed", device_->id());
  TT_FATAL(bank_id < num_banks_, "{} has {} banks and none with number {}", buffer_type_,
           num_banks_, bank_id);
  return is_dram() ? device_->logical_core_from_dram_channel(bank_id)
                   : device_->logical_core_from_bank_id(bank_id);
}

CoreCoord Buffer::noc_coordinates(uint32_t bank_id) const {
  return device_->virtual_core_from_logical_core(logical_core_from_bank_id(bank_id), core_type());
}

DeviceAddr Buffer::page_address(uint32_t bank_id, uint32_t page_index) const {
  if (is_sharded(buffer_layout())) return sharded_page_address(bank_id, page_index);
  return translate_page_address(page_index / num_banks_ * aligned_page_size(), bank_id);
}

DeviceAddr Buffer::sharded_page_address(uint32_t bank_id, uint32_t page_index) const {
  const std::optional<host::Shards> shards = rules_of_buffer(*this).shards;
  TT_FATAL(shards.has_value() && shards->pages() != 0, "The shards of buffer {} have no pages",
           unique_id_);
  return translate_page_address(page_index % shards->pages() * aligned_page_size(), bank_id);
}

DeviceAddr Buffer::aligned_page_size() const { return align(page_size_, alignment_); }

DeviceAddr Buffer::aligned_size() const { return rules_of_buffer(*this).aligned_size(); }

DeviceAddr Buffer::aligned_size_per_bank() const { return rules_of_buffer(*this).size_per_bank(); }

DeviceAddr Buffer::allocated_size_per_bank() const {
  host::Buffer as_created = rules_of_buffer(*this);
  as_created.page_size = given_page_size_;
  return as_created.size_per_bank();
}

const ShardSpecBuffer& Buffer::shard_spec() const {
  TT_FATAL(is_sharded(buffer_layout()), "Buffer {} has layout {} and no shards", unique_id_,
           buffer_layout());
  TT_FATAL(has_shard_spec(), "Buffer {} has a BufferDistributionSpec and no ShardSpecBuffer",
           unique_id_);
  return *sharding_.shard_spec();
}

std::optional<uint32_t> Buffer::num_cores() const {
  if (!is_sharded(buffer_layout())) return std::nullopt;
  if (distribution() != nullptr)
    return static_cast<uint32_t>(distribution()->num_cores_with_data());
  return shard_spec().grid().num_cores();
}

BufferPageMapping Buffer::make_mapping() const {
  const host::Buffer rules = rules_of_buffer(*this);
  throw_if_error(host::check_holds_all_pages(rules));
  const BankOfCore bank_of_core = [&](const CoreCoord& core) {
    return static_cast<uint32_t>(core.y * rules.banks.grid.x + core.x);
  };
  if (distribution() == nullptr)
    return make_page_mapping(shard_spec(), buffer_layout(), num_pages(), bank_of_core);
  // The constructor of the distribution and check_rules() have checked it.
  const auto dealt = host::DealtShards::of(host_distribution(*distribution()));
  return make_page_mapping(distribution()->cores(), dealt.value(), num_pages(), bank_of_core);
}

std::shared_ptr<const BufferPageMapping> Buffer::get_buffer_page_mapping() const {
  TT_FATAL(is_sharded(buffer_layout()), "Buffer {} has layout {} and no shards", unique_id_,
           buffer_layout());
  const std::lock_guard lock(page_mapping_mutex_);
  if (page_mapping_ == nullptr) {
    page_mapping_ = std::make_shared<const BufferPageMapping>(make_mapping());
  }
  return page_mapping_;
}

UncompressedBufferPageMapping generate_buffer_page_mapping(const Buffer& buffer) {
  const std::shared_ptr<const BufferPageMapping> mapping = buffer.get_buffer_page_mapping();
  const host::Buffer rules = rules_of_buffer(buffer);
  UncompressedBufferPageMapping result{.all_cores = mapping->all_cores};
  result.core_host_page_indices.assign(
      mapping->all_cores.size(),
      std::vector<uint32_t>(rules.shards->pages(), UncompressedBufferPageMapping::PADDING));
  for (const auto& [core, device_page, host_page] : *mapping) {
    result.core_host_page_indices[core][device_page] = host_page;
  }
  return result;
}

}  // namespace tt::tt_metal
