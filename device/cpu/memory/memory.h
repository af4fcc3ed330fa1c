#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "base/core.h"
#include "base/device_profile.h"
#include "device/cpu/memory/mapping.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

using PageCountersOfCore = std::array<kernel_abi::PageCounters, kernel_abi::kMaxCircularBuffers>;

// Where the bytes of one memory lie on the host. An L1 lies in one piece. A DRAM bank lies in
// stripes between those of the other banks, so that the pages of an interleaved buffer, which
// follow each other from bank to bank, follow each other on the host as well, where its processor
// fetches ahead: they do for pages of kStripe bytes, a tile of bfloat16.
struct Place {
  static constexpr uint64_t kStripe = 2048;

  std::byte* begin = nullptr;
  uint64_t distance = kStripe;  // from a stripe to the next; kStripe: all in one piece
  uint64_t before = 0;          // bytes of the first stripe before address 0

  std::byte* at(uint64_t address) const {
    const uint64_t offset = before + address;
    return begin + offset / kStripe * distance + offset % kStripe;
  }
  // How many of `size` bytes from an address on lie in one piece.
  uint64_t piece(uint64_t address, uint64_t size) const {
    if (distance == kStripe) return size;
    const uint64_t rest = kStripe - (before + address) % kStripe;
    return rest < size ? rest : size;
  }
  // visit(where a piece lies, how much lies before it, its size)
  template <typename Visit>
  void for_each_piece(uint64_t address, uint64_t size, Visit visit) const {
    for (uint64_t offset = 0; offset < size;) {
      const uint64_t length = piece(address + offset, size - offset);
      visit(at(address + offset), offset, length);
      offset += length;
    }
  }
};

// The device's memories, zero at the start. A core's L1 begins at a multiple of 4 GiB, so a pointer
// into it cut to 32 bits is the L1 address; what follows an L1 up to the next one faults when
// touched. Ranges are the caller's to check.
class Memory {
 public:
  static absl::StatusOr<Memory> create(const DeviceProfile& profile);

  std::byte* l1(Core core) const {
    return l1_.data() + (uint64_t{core.y} * columns_ + core.x) * kL1Stride;
  }
  std::byte* ethernet_l1(uint32_t index) const {
    return l1_.data() + (uint64_t{workers_} + index) * kL1Stride;
  }
  // Of the core whose L1 this is: in the same 4 GiB, beyond any L1, since its kernels write to
  // them.
  static PageCountersOfCore& page_counters(std::byte* l1) {
    return *reinterpret_cast<PageCountersOfCore*>(l1 + kPageCounters);
  }
  Place dram(uint32_t bank) const {
    return {dram_.data() + bank * Place::kStripe, banks_ * Place::kStripe, before_dram_};
  }

 private:
  static constexpr uint64_t kL1Stride = uint64_t{4} << 30;
  static constexpr uint64_t kPageCounters = uint64_t{3} << 30;

  Memory() = default;

  uint32_t columns_ = 0;
  uint32_t workers_ = 0;
  uint64_t banks_ = 0;
  uint64_t before_dram_ = 0;
  Mapping l1_;
  Mapping dram_;
};

// Copies device memory on behalf of a kernel; the ranges may overlap. Hidden from ThreadSanitizer:
// two kernels that touch the same bytes without a hand-shake are the program's own race, and
// hand-shakes made by kernel code are invisible to it.
void copy_device_memory(std::byte* target, const std::byte* source, uint64_t size);

}  // namespace lightmetal::device::cpu
