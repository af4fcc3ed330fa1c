#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/buffer_constants.hpp>
#include <tt-metalium/buffer_distribution_spec.hpp>
#include <tt-metalium/buffer_page_mapping.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tt::tt_metal {

class Allocator;
class Buffer;
class IDevice;

namespace replay_hooks {
struct RecordedBuffer;
std::shared_ptr<Buffer> create_buffer(const RecordedBuffer& recorded);
uint64_t size_per_bank_of(const RecordedBuffer& recorded);
}  // namespace replay_hooks

// How a tensor is cut into shards: a grid of cores, each of which holds one shard of `shape`
// elements, {height, width}. A plain value.
struct ShardSpec {
  CoreRangeSet grid;
  std::array<uint32_t, 2> shape = {0, 0};
  ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
  ShardMode mode = ShardMode::PHYSICAL;

  ShardSpec(const CoreRangeSet& core_sets, const std::array<uint32_t, 2>& shard_shape,
            ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR,
            ShardMode shard_mode = ShardMode::PHYSICAL)
      : grid(core_sets), shape(shard_shape), orientation(shard_orientation), mode(shard_mode) {}
  // As before 2025, with a halo that no device ever made use of.
  ShardSpec(const CoreRangeSet& core_sets, const std::array<uint32_t, 2>& shard_shape,
            ShardOrientation shard_orientation, bool)
      : ShardSpec(core_sets, shard_shape, shard_orientation) {}

  uint32_t num_cores() const { return grid.num_cores(); }
  uint32_t numel() const { return shape[0] * shape[1]; }

  friend bool operator==(const ShardSpec&, const ShardSpec&) = default;
};

// A ShardSpec over the pages of a buffer. `page_shape` is in elements; `tensor2d_shape_in_pages` is
// the whole tensor's shape. Both are {height, width}.
struct ShardSpecBuffer {
  ShardSpec tensor_shard_spec;
  std::array<uint32_t, 2> page_shape = {0, 0};
  std::array<uint32_t, 2> tensor2d_shape_in_pages = {0, 0};

  ShardSpecBuffer(const CoreRangeSet& core_sets, const std::array<uint32_t, 2>& shard_shape,
                  ShardOrientation shard_orientation, const std::array<uint32_t, 2>& page_shape,
                  const std::array<uint32_t, 2>& tensor2d_shape_in_pages)
      : ShardSpecBuffer(ShardSpec(core_sets, shard_shape, shard_orientation), page_shape,
                        tensor2d_shape_in_pages) {}
  // As before 2025, with a halo that no device ever made use of.
  ShardSpecBuffer(const CoreRangeSet& core_sets, const std::array<uint32_t, 2>& shard_shape,
                  ShardOrientation shard_orientation, bool,
                  const std::array<uint32_t, 2>& page_shape,
                  const std::array<uint32_t, 2>& tensor2d_shape_in_pages)
      : ShardSpecBuffer(core_sets, shard_shape, shard_orientation, page_shape,
                        tensor2d_shape_in_pages) {}
  ShardSpecBuffer(const ShardSpec& shard_spec, const std::array<uint32_t, 2>& page_shape,
                  const std::array<uint32_t, 2>& tensor2d_shape_in_pages)
      : tensor_shard_spec(shard_spec),
        page_shape(page_shape),
        tensor2d_shape_in_pages(tensor2d_shape_in_pages) {}

  const CoreRangeSet& grid() const { return tensor_shard_spec.grid; }
  const std::array<uint32_t, 2>& shape() const { return tensor_shard_spec.shape; }
  ShardOrientation orientation() const { return tensor_shard_spec.orientation; }
  void set_shard_spec(const ShardSpec& shard_spec) { tensor_shard_spec = shard_spec; }

  std::array<uint32_t, 2> shape_in_pages() const;  // of one shard
  uint32_t num_pages() const;                      // of one shard

  friend bool operator==(const ShardSpecBuffer&, const ShardSpecBuffer&) = default;
};

// How a buffer is spread over the banks of one device: interleaved, or in shards. A plain value. A
// sharded layout needs one of the specifications. A distribution decides where pages are; a
// ShardSpecBuffer beside it is only kept for shard_spec().
class BufferShardingArgs {
 public:
  BufferShardingArgs() = default;  // interleaved
  BufferShardingArgs(std::nullopt_t) {}
  // The layout is BLOCK_SHARDED if there is a distribution.
  BufferShardingArgs(BufferDistributionSpec buffer_distribution_spec)
      : BufferShardingArgs(std::optional(std::move(buffer_distribution_spec))) {}
  BufferShardingArgs(std::optional<BufferDistributionSpec> buffer_distribution_spec)
      : buffer_distribution_spec_(std::move(buffer_distribution_spec)),
        buffer_layout_(buffer_distribution_spec_.has_value() ? TensorMemoryLayout::BLOCK_SHARDED
                                                             : TensorMemoryLayout::INTERLEAVED) {}
  BufferShardingArgs(ShardSpecBuffer shard_spec, TensorMemoryLayout buffer_layout)
      : shard_spec_(std::move(shard_spec)), buffer_layout_(buffer_layout) {}
  BufferShardingArgs(std::optional<ShardSpecBuffer> shard_spec, TensorMemoryLayout buffer_layout)
      : shard_spec_(std::move(shard_spec)), buffer_layout_(buffer_layout) {}
  BufferShardingArgs(std::optional<BufferDistributionSpec> buffer_distribution_spec,
                     std::optional<ShardSpecBuffer> shard_spec, TensorMemoryLayout buffer_layout)
      : buffer_distribution_spec_(std::move(buffer_distribution_spec)),
        shard_spec_(std::move(shard_spec)),
        buffer_layout_(buffer_layout) {}

  const std::optional<BufferDistributionSpec>& buffer_distribution_spec() const {
    return buffer_distribution_spec_;
  }
  const std::optional<ShardSpecBuffer>& shard_spec() const { return shard_spec_; }
  TensorMemoryLayout buffer_layout() const { return buffer_layout_; }

  friend bool operator==(const BufferShardingArgs&, const BufferShardingArgs&) = default;

 private:
  std::optional<BufferDistributionSpec> buffer_distribution_spec_;
  std::optional<ShardSpecBuffer> shard_spec_;
  TensorMemoryLayout buffer_layout_ = TensorMemoryLayout::INTERLEAVED;
};

// What CreateBuffer() makes an interleaved buffer from. REQUIRES: `device` is open; `size` is a
// multiple of `page_size`.
struct BufferConfig {
  IDevice* device = nullptr;
  DeviceAddr size = 0;       // bytes
  DeviceAddr page_size = 0;  // bytes
  BufferType buffer_type = BufferType::DRAM;
  TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
};
using InterleavedBufferConfig = BufferConfig;

struct ShardedBufferConfig {
  IDevice* device = nullptr;
  DeviceAddr size = 0;       // bytes
  DeviceAddr page_size = 0;  // bytes
  BufferType buffer_type = BufferType::L1;
  TensorMemoryLayout buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED;
  ShardSpecBuffer shard_parameters;
};

// Bytes [offset, offset + size) of a buffer in host order.
struct BufferRegion {
  DeviceAddr offset = 0;
  DeviceAddr size = 0;

  constexpr BufferRegion() = default;
  constexpr BufferRegion(DeviceAddr offset, DeviceAddr size) : offset(offset), size(size) {}

  friend bool operator==(const BufferRegion&, const BufferRegion&) = default;
};

// The elements that a write copies: a vector that the queue keeps alive until it has written them,
// or a pointer to memory that the caller keeps alive and that holds as many bytes as are written.
using HostDataType = std::variant<
    const std::shared_ptr<std::vector<uint8_t>>, const std::shared_ptr<std::vector<uint16_t>>,
    const std::shared_ptr<std::vector<int32_t>>, const std::shared_ptr<std::vector<uint32_t>>,
    const std::shared_ptr<std::vector<float>>, const std::shared_ptr<std::vector<bfloat16>>,
    const void*>;

// Memory of a device. Interleaved: page i lies in bank i % N, slot i / N, where N is the number of
// banks. Sharded: BufferPageMapping says where pages are. Slots are aligned pages apart, and the
// first has the same address in every bank. A buffer is neither copied nor moved; the release of
// its last owner frees the memory. It may outlive its device: everything but device() stays valid.
//
// Thread-safe for calls that change nothing; one thread at a time calls set_page_size and
// deallocate. Errors are std::runtime_error. Does not read or write memory: the functions of
// host_api.hpp do.
class Buffer final {
  struct Token {};  // only create() makes buffers

 public:
  // Allocates. `size` is a multiple of `page_size`, which is a multiple of 4; both may be 0, and
  // then nothing is allocated. `bottom_up` defaults to true in DRAM and false in L1. Throws
  // std::runtime_error when a rule is broken or memory is exhausted.
  static std::shared_ptr<Buffer> create(IDevice* device, DeviceAddr size, DeviceAddr page_size,
                                        BufferType buffer_type,
                                        const BufferShardingArgs& sharding_args = std::nullopt,
                                        std::optional<bool> bottom_up = std::nullopt,
                                        std::optional<SubDeviceId> sub_device_id = std::nullopt);
  // A view of memory at `address`: allocates and frees nothing, and may overlap other buffers.
  static std::shared_ptr<Buffer> create(IDevice* device, DeviceAddr address, DeviceAddr size,
                                        DeviceAddr page_size, BufferType buffer_type,
                                        const BufferShardingArgs& sharding_args = std::nullopt,
                                        std::optional<bool> bottom_up = std::nullopt,
                                        std::optional<SubDeviceId> sub_device_id = std::nullopt);
  // The same in upstream's form until June 2025.
  static std::shared_ptr<Buffer> create(
      IDevice* device, DeviceAddr size, DeviceAddr page_size, BufferType buffer_type,
      TensorMemoryLayout buffer_layout,
      const std::optional<ShardSpecBuffer>& shard_parameters = std::nullopt,
      std::optional<bool> bottom_up = std::nullopt,
      std::optional<SubDeviceId> sub_device_id = std::nullopt,
      const std::optional<BufferDistributionSpec>& buffer_distribution_spec = std::nullopt);
  static std::shared_ptr<Buffer> create(
      IDevice* device, DeviceAddr address, DeviceAddr size, DeviceAddr page_size,
      BufferType buffer_type, TensorMemoryLayout buffer_layout,
      const std::optional<ShardSpecBuffer>& shard_parameters = std::nullopt,
      std::optional<bool> bottom_up = std::nullopt,
      std::optional<SubDeviceId> sub_device_id = std::nullopt,
      const std::optional<BufferDistributionSpec>& buffer_distribution_spec = std::nullopt);

  Buffer(Token, IDevice* device, DeviceAddr size, DeviceAddr page_size, BufferType buffer_type,
         const BufferShardingArgs& sharding_args, std::optional<bool> bottom_up,
         std::optional<SubDeviceId> sub_device_id);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // Frees the memory now; address() stays what it was. A second call does nothing.
  void deallocate();
  // False once the memory has been freed, by this buffer or with all of the device's.
  bool is_allocated() const;

  IDevice* device() const { return device_; }
  // Unique in the process, never 0.
  uint64_t unique_id() const { return unique_id_; }

  uint32_t address() const { return static_cast<uint32_t>(address_); }
  DeviceAddr size() const { return size_; }
  DeviceAddr page_size() const { return page_size_; }
  // Divides the same bytes into other pages. Throws unless they divide evenly.
  void set_page_size(DeviceAddr page_size);
  uint32_t num_pages() const;
  uint32_t num_dev_pages() const;  // with the pages that pad shards

  BufferType buffer_type() const { return buffer_type_; }
  CoreType core_type() const;  // WORKER or DRAM
  bool is_l1() const {
    return buffer_type_ == BufferType::L1 || buffer_type_ == BufferType::L1_SMALL;
  }
  bool is_dram() const {
    return buffer_type_ == BufferType::DRAM || buffer_type_ == BufferType::TRACE;
  }
  bool is_trace() const { return buffer_type_ == BufferType::TRACE; }
  TensorMemoryLayout buffer_layout() const { return sharding_.buffer_layout(); }
  bool bottom_up() const { return bottom_up_.value_or(is_dram()); }
  std::optional<SubDeviceId> sub_device_id() const { return sub_device_id_; }

  // True when the region lies within the buffer; a partial region is one that is smaller than the
  // buffer. Whether it begins and ends at pages is not looked at.
  bool is_valid_region(const BufferRegion& region) const;
  bool is_valid_partial_region(const BufferRegion& region) const;
  BufferRegion root_buffer_region() const { return {0, size_}; }

  // The address of a page within bank `bank_id`. For sharded buffers `page_index` is a device page,
  // counted over all shards. Throws when there is no such bank.
  DeviceAddr page_address(uint32_t bank_id, uint32_t page_index) const;
  DeviceAddr sharded_page_address(uint32_t bank_id, uint32_t page_index) const;
  DeviceAddr translate_page_address(DeviceAddr offset, uint32_t bank_id) const;

  // The core whose memory a bank of this buffer's type is, and where that core lies on the NoC.
  // Throws when there is no such bank or the device is closed.
  CoreCoord logical_core_from_bank_id(uint32_t bank_id) const;
  CoreCoord noc_coordinates(uint32_t bank_id = 0) const;

  uint32_t alignment() const { return alignment_; }
  // How many banks an interleaved buffer of this type is spread over.
  uint32_t num_banks() const { return num_banks_; }
  DeviceAddr aligned_page_size() const;
  DeviceAddr aligned_size() const;           // over all banks
  DeviceAddr aligned_size_per_bank() const;  // in pages as they are now

  // What create() allocated in each bank, whatever set_page_size() has said since.
  DeviceAddr allocated_size_per_bank() const;

  const std::optional<BufferDistributionSpec>& buffer_distribution_spec() const {
    return sharding_.buffer_distribution_spec();
  }
  bool has_shard_spec() const { return sharding_.shard_spec().has_value(); }
  // Throws unless the buffer is sharded and was made with a ShardSpecBuffer.
  const ShardSpecBuffer& shard_spec() const;
  // Throws unless the buffer is sharded.
  std::shared_ptr<const BufferPageMapping> get_buffer_page_mapping() const;
  // Cores of the shard grid, or those that a distribution gives a shard; nullopt when not sharded.
  std::optional<uint32_t> num_cores() const;

  // The arguments of create() as the program gave them, for the record of the call.
  std::optional<DeviceAddr> given_address() const { return given_address_; }
  DeviceAddr given_page_size() const { return given_page_size_; }
  std::optional<bool> given_bottom_up() const { return bottom_up_; }
  const BufferShardingArgs& given_sharding() const { return sharding_; }

  // The distribution that decides where pages are; null for an interleaved buffer, and for shards
  // by a ShardSpecBuffer.
  const BufferDistributionSpec* distribution() const {
    const bool is_distributed =
        is_sharded(buffer_layout()) && buffer_distribution_spec().has_value();
    return is_distributed ? &*buffer_distribution_spec() : nullptr;
  }

 private:
  friend std::shared_ptr<Buffer> replay_hooks::create_buffer(
      const replay_hooks::RecordedBuffer& recorded);
  friend uint64_t replay_hooks::size_per_bank_of(const replay_hooks::RecordedBuffer& recorded);

  // A buffer that has been checked against the rules of host/ and has no memory yet.
  template <typename... Args>
  static std::shared_ptr<Buffer> make(Args&&... args);
  void check_rules() const;
  BufferPageMapping make_mapping() const;
  void allocate();
  void allocate_at(DeviceAddr address);
  void view_at(DeviceAddr address);
  void free_memory() noexcept;

  IDevice* const device_;
  const std::weak_ptr<Allocator> allocator_;
  const uint64_t unique_id_;
  const DeviceAddr size_;
  DeviceAddr page_size_;
  const DeviceAddr given_page_size_;
  const BufferType buffer_type_;
  const BufferShardingArgs sharding_;
  const std::optional<bool> bottom_up_;
  const std::optional<SubDeviceId> sub_device_id_;

  // The device's, kept because the buffer may outlive the device.
  uint32_t alignment_ = 1;
  uint32_t num_banks_ = 1;

  DeviceAddr address_ = 0;
  std::optional<DeviceAddr> given_address_;
  std::atomic<bool> allocated_ = false;
  bool owns_memory_ = false;
  uint64_t generation_ = 0;  // of the allocator, when the memory was allocated

  mutable std::mutex page_mapping_mutex_;
  // made when first asked for; null again after set_page_size
  mutable std::shared_ptr<const BufferPageMapping> page_mapping_;
};

// The pages of each core of a sharded buffer, with padding. Throws unless the buffer is sharded.
UncompressedBufferPageMapping generate_buffer_page_mapping(const Buffer& buffer);

}  // namespace tt::tt_metal
