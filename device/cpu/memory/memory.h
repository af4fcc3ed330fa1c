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

// Where the bytes of one memory of the device lie on the host. An L1 lies in one piece. A DRAM bank
// lies in stripes between those of the other banks. The pages of an interleaved buffer follow each
// other from bank to bank, so with pages of kStripe bytes (a tile of bfloat16) they follow each
// other on the host as well, where the processor fetches ahead.
struct Place {
  static constexpr uint64_t kStripe = 2048;

  std::byte* begin = nullptr;
  uint64_t distance = kStripe;  // from one stripe to the next; kStripe: all lies in one piece
  uint64_t before = 0;          // how many bytes of the first stripe lie before address 0

  // Where the byte at `address` lies.
  std::byte* at(uint64_t address) const {
    const uint64_t offset = before + address;
    return begin + offset / kStripe * distance + offset % kStripe;
  }
  // How many of the `size` bytes from `address` on lie in one piece.
  uint64_t piece(uint64_t address, uint64_t size) const {
    if (distance == kStripe) return size;
    const uint64_t rest = kStripe - (before + address) % kStripe;
    return rest < size ? rest : size;
  }
  // Calls visit(where the piece lies, how many bytes of the range lie before it, its size) for each
  // piece of a range, in order.
  template <typename Visit>
  void for_each_piece(uint64_t address, uint64_t size, Visit visit) const {
    for (uint64_t offset = 0; offset < size;) {
      const uint64_t length = piece(address + offset, size - offset);
      visit(at(address + offset), offset, length);
      offset += length;
    }
  }
};

// The device's memories, which hold zeros at the start. Each core has 4 GiB of address space, at a
// multiple of 4 GiB. The core's L1 lies at its beginning, so a pointer into L1 that is cut to 32
// bits is the L1 address. What follows the L1 faults when it is touched, but for the counters of
// circular buffers at 3 GiB. No function checks a range: callers do.
class Memory {
 public:
  // An error of the system when there is not enough address space. REQUIRES: a profile that
  // check_cpu_profile accepts.
  static absl::StatusOr<Memory> create(const DeviceProfile& profile);

  // Byte 0 of a core's L1. REQUIRES: the core is in the grid, or the Ethernet core exists.
  std::byte* l1(Core core) const {
    return l1_.data() + (uint64_t{core.y} * columns_ + core.x) * kL1Stride;
  }
  std::byte* ethernet_l1(uint32_t index) const {
    return l1_.data() + (uint64_t{workers_} + index) * kL1Stride;
  }
  // The counters of circular buffers of the core whose L1 this is. They lie in the core's own 4
  // GiB, beyond any L1, because kernel code itself writes to them.
  static PageCountersOfCore& page_counters(std::byte* l1) {
    return *reinterpret_cast<PageCountersOfCore*>(l1 + kPageCounters);
  }
  // REQUIRES: the bank exists.
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

// Copies device memory on behalf of a kernel; the ranges may overlap. The copy is hidden from
// ThreadSanitizer: two kernels that touch the same bytes without a hand-shake are the program's own
// race, and ThreadSanitizer cannot see the hand-shakes that kernel code makes.
void copy_device_memory(std::byte* target, const std::byte* source, uint64_t size);

}  // namespace lightmetal::device::cpu
