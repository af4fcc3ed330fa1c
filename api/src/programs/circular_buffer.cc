#include "host/circular_buffer.h"

#include <limits>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/circular_buffer.hpp>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <utility>

#include "api/src/objects/host_objects.h"
#include "api/src/support/errors.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

namespace {

void check_index(uint8_t index) { throw_if_error(host::check_index(index)); }

void check_no_offset_in_global(uint32_t offset) {
  TT_FATAL(offset == 0,
           "A circular buffer in a global one begins where that begins, not {} B behind", offset);
}

}  // namespace

CircularBufferConfig::CircularBufferConfig(uint32_t total_size) : total_size_(total_size) {
  check_total_size(total_size);
}

CircularBufferConfig::CircularBufferConfig(uint32_t total_size,
                                           const std::map<uint8_t, tt::DataFormat>& formats)
    : CircularBufferConfig(total_size) {
  for (const auto& [index, format] : formats) {
    add_index(index);
    local_indices_.insert(index);
    data_formats_[index] = format;
  }
}

CircularBufferConfig::CircularBufferConfig(uint32_t total_size,
                                           const std::map<uint8_t, tt::DataFormat>& formats,
                                           const Buffer& buffer)
    : CircularBufferConfig(total_size, formats) {
  set_globally_allocated_address(buffer);
}

void CircularBufferConfig::add_index(uint8_t index) {
  check_index(index);
  buffer_indices_.insert(index);
}

void CircularBufferConfig::check_total_size(uint32_t total_size) const {
  std::optional<uint64_t> room;
  if (address_) room = globally_allocated_buffer_size();
  throw_if_error(host::check_total_size(total_size, room));
}

CircularBufferConfig& CircularBufferConfig::set_page_size(uint8_t index, uint32_t page_size) {
  // The id is for messages, and a configuration has none.
  throw_if_error(host::check_has_index(host_circular_buffer(0, *this).indices(), index));
  throw_if_error(host::check_page_size(index, page_size, total_size_));
  page_sizes_[index] = page_size;
  return *this;
}

CircularBufferConfig& CircularBufferConfig::set_total_size(uint32_t total_size) {
  check_total_size(total_size);
  total_size_ = total_size;
  return *this;
}

CircularBufferConfig& CircularBufferConfig::set_tile_dims(uint8_t index, const Tile& tile) {
  check_index(index);
  tiles_[index] = tile;
  return *this;
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(const Buffer& buffer) {
  return set_globally_allocated_address_and_total_size(buffer, total_size_);
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(
    const MeshTensor& tensor) {
  return set_globally_allocated_address(*tensor.mesh_buffer().get_reference_buffer());
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address_and_total_size(
    const MeshTensor& tensor, uint32_t total_size) {
  return set_globally_allocated_address_and_total_size(*tensor.mesh_buffer().get_reference_buffer(),
                                                       total_size);
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address_and_total_size(
    const Buffer& buffer, uint32_t total_size) {
  return set_globally_allocated_address_and_total_size(buffer, total_size, address_offset_);
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address_and_total_size(
    const Buffer& buffer, uint32_t total_size, uint32_t address_offset) {
  const host::Buffer memory = rules_of_buffer(buffer);
  throw_if_error(host::check_lies_in_l1(memory));
  // The address of a global circular buffer's configuration would stay behind.
  TT_FATAL(remote_config_address_ == 0,
           "A circular buffer in a global one cannot be put into buffer {}", buffer.unique_id());
  CircularBufferConfig changed = *this;
  changed.address_ = buffer.address();
  changed.buffer_id_ = buffer.unique_id();
  changed.buffer_size_ = memory.room_for_circular_buffer();
  throw_if_error(host::check_address_offset(address_offset, changed.buffer_size_));
  changed.address_offset_ = address_offset;
  changed.shadow_global_buffer = &buffer;
  changed.set_total_size(total_size);
  return *this = std::move(changed);
}

CircularBufferConfig& CircularBufferConfig::set_address_offset(uint32_t offset) {
  constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();  // while there is no buffer
  if (remote_config_address_ != 0) check_no_offset_in_global(offset);
  throw_if_error(host::check_address_offset(offset, address_ ? buffer_size_ : kAny));
  CircularBufferConfig changed = *this;
  changed.address_offset_ = offset;
  changed.set_total_size(total_size_);
  return *this = std::move(changed);
}

std::optional<uint32_t> CircularBufferConfig::globally_allocated_address() const {
  if (!address_) return std::nullopt;
  return *address_ + address_offset_;
}

CircularBufferConfig& CircularBufferConfig::set_global_circular_buffer(
    const experimental::GlobalCircularBuffer& buffer) {
  check_no_offset_in_global(address_offset_);
  CircularBufferConfig changed = *this;
  changed.address_ = static_cast<uint32_t>(buffer.buffer_address());
  changed.buffer_id_ = buffer.cb_buffer().unique_id();
  changed.buffer_size_ = buffer.size();
  changed.remote_config_address_ = static_cast<uint32_t>(buffer.config_address());
  changed.shadow_global_buffer = &buffer.cb_buffer();
  changed.set_total_size(total_size_);
  return *this = std::move(changed);
}

CircularBufferConfig::Builder CircularBufferConfig::index(uint8_t buffer_index) {
  add_index(buffer_index);
  local_indices_.insert(buffer_index);
  return Builder(*this, buffer_index);
}

CircularBufferConfig::Builder CircularBufferConfig::remote_index(uint8_t buffer_index) {
  add_index(buffer_index);
  remote_indices_.insert(buffer_index);
  return Builder(*this, buffer_index);
}

using Builder = CircularBufferConfig::Builder;

const Builder& Builder::set_data_format(tt::DataFormat data_format) const {
  parent_.data_formats_[index_] = data_format;
  return *this;
}
const Builder& Builder::set_total_size(uint32_t total_size) const {
  parent_.set_total_size(total_size);
  return *this;
}
const Builder& Builder::set_page_size(uint32_t page_size) const {
  parent_.set_page_size(index_, page_size);
  return *this;
}
const Builder& Builder::set_tile_dims(const Tile& tile) const {
  parent_.set_tile_dims(index_, tile);
  return *this;
}

CircularBuffer::CircularBuffer(CBHandle id, CoreRangeSet core_ranges, CircularBufferConfig config)
    : id_(id), core_ranges_(std::move(core_ranges)), config_(std::move(config)) {}

void CircularBuffer::check_index(uint8_t index) const {
  TT_FATAL(uses_buffer_index(index), "Circular buffer {} has no index {}", id_, index);
}

uint32_t CircularBuffer::page_size(uint8_t index) const {
  check_index(index);
  return config_.page_sizes()[index].value_or(0);
}

uint32_t CircularBuffer::num_pages(uint8_t index) const {
  const uint32_t size = page_size(index);
  TT_FATAL(size > 0, "Index {} of circular buffer {} has no page size", index, id_);
  return config_.total_size() / size;
}

tt::DataFormat CircularBuffer::data_format(uint8_t index) const {
  check_index(index);
  return config_.data_formats()[index].value_or(tt::DataFormat::Invalid);
}

const std::optional<Tile>& CircularBuffer::tile(uint8_t index) const {
  check_index(index);
  return config_.tiles()[index];
}

uint32_t CircularBuffer::address() const {
  const std::optional<uint32_t> address =
      globally_allocated() ? config_.globally_allocated_address() : local_address_;
  TT_FATAL(address.has_value(),
           "Circular buffer {} has no address yet: its program has not been enqueued", id_);
  return *address;
}

}  // namespace tt::tt_metal
