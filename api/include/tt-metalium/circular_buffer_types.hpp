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

struct CBDescriptor;
class MeshTensor;
namespace experimental {
class GlobalCircularBuffer;
}

// Names a circular buffer: unique among the circular buffers of all programs of the process, never
// 0.
using CBHandle = uint64_t;

// How a circular buffer is laid out: its bytes in all, and for each of its indices a page size and
// a data format. The indices of one configuration share the memory. A plain value; the setters
// return *this, and throw std::runtime_error, which names the values, when a rule is broken.
class CircularBufferConfig {
 public:
  // One index of a configuration, made by index() and remote_index(). It refers to the
  // configuration, and is valid as long as that stays where it is.
  class Builder {
   public:
    const Builder& set_data_format(tt::DataFormat data_format) const;
    const Builder& set_total_size(uint32_t total_size) const;
    const Builder& set_page_size(uint32_t page_size) const;
    const Builder& set_tile_dims(const Tile& tile) const;

    // Return what index() and remote_index() of the configuration return.
    static Builder LocalBuilder(CircularBufferConfig& parent, uint8_t buffer_index) {
      return parent.index(buffer_index);
    }
    static Builder RemoteBuilder(CircularBufferConfig& parent, uint8_t buffer_index) {
      return parent.remote_index(buffer_index);
    }

   private:
    friend class CircularBufferConfig;
    Builder(CircularBufferConfig& parent, uint8_t index) : parent_(parent), index_(index) {}

    CircularBufferConfig& parent_;
    uint8_t index_;
  };

  // Throws when total_size is 0. A configuration without data formats gets its indices by index()
  // and remote_index().
  explicit CircularBufferConfig(uint32_t total_size);
  CircularBufferConfig(uint32_t total_size,
                       const std::map<uint8_t, tt::DataFormat>& data_format_spec);
  CircularBufferConfig(uint32_t total_size,
                       const std::map<uint8_t, tt::DataFormat>& data_format_spec,
                       const Buffer& buffer);
  // All that the descriptor says but its cores and its global circular buffer.
  explicit CircularBufferConfig(const CBDescriptor& descriptor);

  // The index must be one of the configuration's. The page size divides the total size and is a
  // multiple of 4 bytes.
  CircularBufferConfig& set_page_size(uint8_t buffer_index, uint32_t page_size);
  CircularBufferConfig& set_total_size(uint32_t total_size);
  CircularBufferConfig& set_tile_dims(uint8_t buffer_index, const Tile& tile);

  // Puts the circular buffer into `buffer`, an L1 buffer that is at least as large. Only the
  // address, the size and the id of `buffer` are kept: it may be deallocated or gone when the
  // circular buffer is made. Throws when `buffer` does not lie in L1 or is too small, and for a
  // circular buffer in a global one; the configuration is as before then.
  CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer);
  CircularBufferConfig& set_globally_allocated_address_and_total_size(const Buffer& buffer,
                                                                      uint32_t total_size);
  CircularBufferConfig& set_globally_allocated_address_and_total_size(const Buffer& buffer,
                                                                      uint32_t total_size,
                                                                      uint32_t address_offset);
  // In the buffer of a tensor: at one address on each device of its mesh.
  CircularBufferConfig& set_globally_allocated_address(const MeshTensor& tensor);
  CircularBufferConfig& set_globally_allocated_address_and_total_size(const MeshTensor& tensor,
                                                                      uint32_t total_size);
  // How many bytes behind the beginning of the buffer the circular buffer begins, where it lies in
  // one; the buffer may be named later. A multiple of 16.
  CircularBufferConfig& set_address_offset(uint32_t offset);

  // What experimental::CreateCircularBuffer does with the configuration that it is given. Throws
  // unless the total size fits.
  CircularBufferConfig& set_global_circular_buffer(
      const experimental::GlobalCircularBuffer& buffer);

  Builder index(uint8_t buffer_index);
  // An index by which kernels reach the circular buffers of other cores; see
  // experimental::CreateCircularBuffer.
  Builder remote_index(uint8_t buffer_index);

  uint32_t total_size() const { return total_size_; }
  // With the offset.
  std::optional<uint32_t> globally_allocated_address() const;
  uint32_t address_offset() const { return address_offset_; }
  // Buffer::unique_id of the buffer that the memory belongs to; 0 when there is none.
  uint64_t globally_allocated_buffer_id() const { return buffer_id_; }
  // Its bytes from the offset on, which the total size cannot exceed.
  uint64_t globally_allocated_buffer_size() const { return buffer_size_ - address_offset_; }
  // The L1 address at which the cores of a global circular buffer have its configuration; 0 without
  // a global circular buffer.
  uint32_t remote_config_address() const { return remote_config_address_; }
  // These three hold one entry for each index of a core; an index that was not set has none.
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

  // The buffer of set_globally_allocated_address, under upstream's name. The configuration does not
  // keep it alive: only the caller knows whether the buffer still lives.
  const Buffer* shadow_global_buffer = nullptr;

 private:
  void add_index(uint8_t buffer_index);
  // Throws for 0, and for more than the buffer has room for.
  void check_total_size(uint32_t total_size) const;

  uint32_t total_size_ = 0;
  std::optional<uint32_t> address_;  // of the buffer
  uint32_t address_offset_ = 0;
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
