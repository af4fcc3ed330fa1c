#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tt-metalium/allocator_types.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/hal_types.hpp>
#include <vector>

namespace lightmetal {
struct DeviceProfile;
}

namespace tt::tt_metal {

// The memory of one device. The allocator keeps all banks of a buffer type in lock-step: an
// allocation has the same address in each of them. Deterministic: equal calls in equal order give
// equal addresses. Each type has a region of its own within a bank:
//
//   DRAM      [dram_unreserved_base, bank size - trace region)
//   L1        [l1_unreserved_base, L1 size - small region)
//   TRACE     [bank size - trace region, bank size)
//   L1_SMALL  [L1 size - small region, L1 size)
//
// Within a region an allocation takes the first gap that fits: from the low end of the region when
// bottom_up, from the high end otherwise. Sizes and addresses are bytes within one bank; sizes are
// rounded up to the alignment. Thread-safe. Errors are thrown as std::runtime_error. A forked child
// throws where it would allocate, and frees nothing: the memory is its parent's.
class Allocator {
 public:
  // `l1_small_size` and `trace_region_size` are bytes per bank.
  Allocator(const lightmetal::DeviceProfile& profile, std::size_t l1_small_size,
            std::size_t trace_region_size);
  // The memory of a sub-device: bytes [l1_unreserved_base, l1_unreserved_base + local_l1_size) of
  // each bank of L1 and nothing else. Banks are those of `device`'s allocator.
  Allocator(const Allocator& device, DeviceAddr local_l1_size);
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  const AllocatorConfig& get_config() const { return config_; }

  uint32_t get_num_banks(const BufferType& buffer_type) const;
  // How many bytes the type's region has in one bank.
  DeviceAddr get_bank_size(const BufferType& buffer_type) const;
  uint32_t get_alignment(const BufferType& buffer_type) const;
  // The lowest address that buffers (and, in L1, circular buffers) may have.
  DeviceAddr get_base_allocator_addr(const HalMemType& mem_type) const;

  // Banks of DRAM are its channels; banks of L1 are the cores of the grid, row by row. These throw
  // when there is no such bank or core, except that a DRAM channel that does not exist has no
  // banks.
  uint32_t get_dram_channel_from_bank_id(uint32_t bank_id) const;
  CoreCoord get_logical_core_from_bank_id(uint32_t bank_id) const;
  int32_t get_bank_offset(BufferType buffer_type, uint32_t bank_id) const;  // always 0
  std::vector<uint32_t> get_bank_ids_from_dram_channel(uint32_t dram_channel) const;
  std::vector<uint32_t> get_bank_ids_from_logical_core(BufferType buffer_type,
                                                       const CoreCoord& logical_core) const;

  // The lowest address of an L1 buffer, which is the same in every bank; nullopt while there is no
  // L1 buffer.
  std::optional<DeviceAddr> get_lowest_occupied_l1_address(uint32_t bank_id = 0) const;
  Statistics get_statistics(const BufferType& buffer_type) const;

  // What Buffer and GlobalSemaphore call. Programs create and deallocate buffers instead: a capture
  // does not record these three calls. `size_per_bank` is not zero; `requested_size` is what the
  // message of an error names. `generation`, where one is given, becomes generation() as it was
  // when the memory was taken: another thread may free everything just before or behind that.
  DeviceAddr allocate(BufferType buffer_type, DeviceAddr size_per_bank, bool bottom_up,
                      DeviceAddr requested_size = 0, uint64_t* generation = nullptr);
  // Takes exactly that memory. Throws, naming what is in the way, when it is not free.
  void allocate_at(BufferType buffer_type, DeviceAddr address, DeviceAddr size_per_bank,
                   uint64_t* generation = nullptr);
  // The address that allocate() of the first would give or, where that is taken in another, the
  // next one, at which as many bytes are free in all of them; nullopt when there is none. Takes
  // nothing. REQUIRES: there is an allocator, and all are of one profile.
  static std::optional<DeviceAddr> free_on_all(tt::stl::Span<const Allocator* const> allocators,
                                               BufferType buffer_type, DeviceAddr size_per_bank,
                                               bool bottom_up);
  // Frees what was allocated there while generation() was `generation`, and nothing when that
  // memory has been freed as a whole since.
  void deallocate(BufferType buffer_type, DeviceAddr address, uint64_t generation) noexcept;

  // Leaves the low `size` bytes of each bank's L1 to the allocators of sub-devices, instead of what
  // was left to them before. Throws, naming what is in the way, when a buffer lies there. Only the
  // device calls this.
  void leave_to_sub_devices(DeviceAddr size);

  // Frees everything: buffers that live on own nothing any more. A capture that runs ends with an
  // error, because no command says this.
  void deallocate_buffers();
  // How often deallocate_buffers() has freed everything.
  uint64_t generation() const;

 private:
  class Regions;

  AllocatorConfig config_;
  std::unique_ptr<Regions> regions_;
};

}  // namespace tt::tt_metal
