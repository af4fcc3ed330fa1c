#pragma once

#include <cstdint>
#include <optional>
#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/circular_buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <unordered_set>

namespace tt::tt_metal {

class ProgramState;

// A circular buffer of a program: its cores, its configuration and, once the program has been given
// addresses, where it lies. Programs make and own circular buffers, and the functions of
// host_api.hpp change them. Not thread-safe, as programs are not.
class CircularBuffer {
 public:
  CircularBuffer(CBHandle id, CoreRangeSet core_ranges, CircularBufferConfig config);

  CBHandle id() const { return id_; }
  const CoreRangeSet& core_ranges() const { return core_ranges_; }
  const CircularBufferConfig& config() const { return config_; }

  const std::unordered_set<uint8_t>& buffer_indices() const { return config_.buffer_indices(); }
  const std::unordered_set<uint8_t>& local_buffer_indices() const {
    return config_.local_buffer_indices();
  }
  const std::unordered_set<uint8_t>& remote_buffer_indices() const {
    return config_.remote_buffer_indices();
  }
  bool uses_buffer_index(uint8_t buffer_index) const {
    return buffer_indices().contains(buffer_index);
  }

  // These throw std::runtime_error when the index is not one of this circular buffer's.
  uint32_t page_size(uint8_t buffer_index) const;
  uint32_t num_pages(uint8_t buffer_index) const;
  tt::DataFormat data_format(uint8_t buffer_index) const;
  const std::optional<Tile>& tile(uint8_t buffer_index) const;

  // Bytes on each core.
  uint32_t size() const { return config_.total_size(); }
  // True when it lies in memory that a buffer or a global circular buffer owns.
  bool globally_allocated() const { return config_.globally_allocated_address().has_value(); }

  // Where it lies in the L1 of each of its cores: the same address on all of them. Throws
  // std::runtime_error before the program has been given addresses (at the latest when it is first
  // enqueued).
  uint32_t address() const;

  bool is_on_logical_corerange(const CoreRange& range) const {
    return core_ranges_.intersects(range);
  }
  bool is_on_logical_core(const CoreCoord& core) const { return core_ranges_.contains(core); }

 private:
  friend class ProgramState;

  void check_index(uint8_t buffer_index) const;

  CBHandle id_;
  CoreRangeSet core_ranges_;
  CircularBufferConfig config_;
  std::optional<uint32_t> local_address_;
};

}  // namespace tt::tt_metal
