#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <tt-metalium/buffer_constants.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace tt::tt_metal {

class Buffer;
class IDevice;

namespace experimental {

// Circular buffers of `size` bytes at one address on a set of cores, in which sender cores write to
// receiver cores: each sender to its own receivers, the same number of bytes to each of them. What
// is in them, and how far readers and writers have come, stays from launch to launch. Programs
// reach it through CircularBufferConfig::remote_index. A handle: copies share the memory, which is
// freed with the last of them. Thread-safe.
class GlobalCircularBuffer {
 public:
  // Writes each core's configuration in the order of command queue 0; does not wait. REQUIRES: no
  // core is named twice, whether as sender or as receiver; each sender has receivers; `size` is a
  // positive multiple of the alignment of L1; buffer_type is L1 or L1_SMALL. Throws
  // std::runtime_error when that is not so, or no memory is left.
  GlobalCircularBuffer(
      IDevice* device,
      const std::vector<std::pair<CoreCoord, CoreRangeSet>>& sender_receiver_core_mapping,
      uint32_t size, BufferType buffer_type = BufferType::L1);

  // The memory on all cores: a height-sharded buffer of one page on each.
  const Buffer& cb_buffer() const;
  const CoreRangeSet& sender_cores() const;
  const CoreRangeSet& receiver_cores() const;
  const CoreRangeSet& all_cores() const;
  // L1 addresses, the same on all cores.
  DeviceAddr buffer_address() const;
  DeviceAddr config_address() const;
  uint32_t size() const;  // bytes on each core
  const std::vector<std::pair<CoreCoord, CoreRangeSet>>& sender_receiver_core_mapping() const;
  IDevice* get_device() const;

  // Unique among the global circular buffers of the process.
  uint64_t unique_id() const;

  static constexpr auto attribute_names =
      std::forward_as_tuple("sender_receiver_core_mapping", "size");
  auto attribute_values() const { return std::make_tuple(sender_receiver_core_mapping(), size()); }

  struct State;
  explicit GlobalCircularBuffer(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

}  // namespace experimental
}  // namespace tt::tt_metal

template <>
struct std::hash<tt::tt_metal::experimental::GlobalCircularBuffer> {
  // The hash of the mapping and the size: equal configurations have equal hashes.
  std::size_t operator()(
      const tt::tt_metal::experimental::GlobalCircularBuffer& buffer) const noexcept;
};
