#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_constants.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>
#include <unordered_set>

namespace tt::tt_metal {

namespace experimental {
class GlobalCircularBuffer;
}

// A circular buffer: unique among the circular buffers of all programs of the process, never 0.
using CBHandle = uint64_t;

// How a circular buffer is laid out: bytes in all, and for each of its indices a page size and a
// data format. Indices of one configuration share the memory. A plain value; the setters return
// *this and throw std::runtime_error, naming the values, when a rule is broken.
class CircularBufferConfig {
 public:
  // One index of a configuration; index() and remote_index() make it. Valid as long as the
  // configuration.
  class Builder {
   public:
    const Builder& set_data_format(tt::DataFormat data_format) const;
    const Builder& set_total_size(uint32_t total_size) const;
    const Builder& set_page_size(uint32_t page_size) const;
    const Builder& set_tile_dims(const Tile& tile) const;

   private:
    friend class CircularBufferConfig;
    Builder(CircularBufferConfig& parent, uint8_t index) : parent_(parent), index_(index) {}

    CircularBufferConfig& parent_;
    uint8_t index_;
  };

  // REQUIRES: total_size is not 0; a circular buffer without data formats gets its indices by
  // index() and remote_index().
  explicit CircularBufferConfig(uint32_t total_size);
  CircularBufferConfig(uint32_t total_size,
                       const std::map<uint8_t, tt::DataFormat>& data_format_spec);
  CircularBufferConfig(uint32_t total_size,
                       const std::map<uint8_t, tt::DataFormat>& data_format_spec,
                       const Buffer& buffer);

  // The page size divides the total size and is a multiple of 4 bytes.
  CircularBufferConfig& set_page_size(uint8_t buffer_index, uint32_t page_size);
  CircularBufferConfig& set_total_size(uint32_t total_size);
  CircularBufferConfig& set_tile_dims(uint8_t buffer_index, const Tile& tile);

  // The circular buffer lies in `buffer`, an L1 buffer at least as large. Only its address, size
  // and id are kept: it may be deallocated, moved from or gone when the circular buffer is made.
  CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer);
  CircularBufferConfig& set_globally_allocated_address_and_total_size(const Buffer& buffer,
                                                                      uint32_t total_size);

  // What experimental::CreateCircularBuffer does with the configuration that it is given. Throws
  // unless the total size fits.
  CircularBufferConfig& set_global_circular_buffer(
      const experimental::GlobalCircularBuffer& buffer);

  Builder index(uint8_t buffer_index);
  // An index by which kernels reach other cores' circular buffers:
  // experimental::CreateCircularBuffer.
  Builder remote_index(uint8_t buffer_index);

  uint32_t total_size() const { return total_size_; }
  std::optional<uint32_t> globally_allocated_address() const { return address_; }
  // Buffer::unique_id of the buffer that the memory belongs to; 0 when there is none.
  uint64_t globally_allocated_buffer_id() const { return buffer_id_; }
  // Its size in bytes, which the total size cannot exceed.
  uint64_t globally_allocated_buffer_size() const { return buffer_size_; }
  // Where the cores of a global circular buffer have its configuration; 0 without one.
  uint32_t remote_config_address() const { return remote_config_address_; }
  // By index.
  const std::array<std::optional<tt::DataFormat>, NUM_CIRCULAR_BUFFERS>& data_formats() const {
    return data_formats_;
  }
  const std::array<std::optional<uint32_t>, NUM_CIRCULAR_BUFFERS>& page_sizes() const {
    return page_sizes_;
  }
  const std::array<std::optional<Tile>, NUM_CIRCULAR_BUFFERS>& tiles() const { return tiles_; }
  const std::unordered_set<uint8_t>& buffer_indices() const { return buffer_indices_; }
  const std::unordered_set<uint8_t>& local_buffer_indices() const { return local_indices_; }
  const std::unordered_set<uint8_t>& remote_buffer_indices() const { return remote_indices_; }

  // The buffer of set_globally_allocated_address; the caller knows whether it still lives.
  const Buffer* shadow_global_buffer = nullptr;

 private:
  void add_index(uint8_t buffer_index);
  void check_total_size(uint32_t total_size) const;

  uint32_t total_size_ = 0;
  std::optional<uint32_t> address_;
  uint64_t buffer_id_ = 0;
  uint64_t buffer_size_ = 0;
  uint32_t remote_config_address_ = 0;
  std::array<std::optional<tt::DataFormat>, NUM_CIRCULAR_BUFFERS> data_formats_;
  std::array<std::optional<uint32_t>, NUM_CIRCULAR_BUFFERS> page_sizes_;
  std::array<std::optional<Tile>, NUM_CIRCULAR_BUFFERS> tiles_;
  std::unordered_set<uint8_t> buffer_indices_;
  std::unordered_set<uint8_t> local_indices_;
  std::unordered_set<uint8_t> remote_indices_;
};

}  // namespace tt::tt_metal
