#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/device/dataflow/dataflow_api_memory.h"

// The table of the data-movement tests: each row is a piece of a kernel and what it does to memory.
// Bodies run on core kMe and use A and B, X[i] and Y[i] (the NoC coordinates of logical columns and
// rows), N (the NoC) and out(i, value), which leaves a result.
namespace lightmetal::device::testing {

inline constexpr Core kMe{1, 1};
inline constexpr uint64_t A = 0x20000;    // sources
inline constexpr uint64_t B = 0x28000;    // targets
inline constexpr uint64_t OUT = 0x2f000;  // results of this core

struct Reference {
  MemoryModel& memory;
  const DeviceProfile& profile;

  uint64_t worker(Core core, uint64_t address) const {
    return noc_address(noc_coordinate_of_worker(profile, core), address);
  }
  uint64_t bank(uint32_t bank, uint64_t address) const {
    return noc_address(noc_coordinate_of_dram_bank(profile, bank), address);
  }
  uint64_t l1_bank(uint32_t bank, uint64_t address) const {
    return worker(core_of_l1_bank(profile, bank), address);
  }
  // Page `id` of an interleaved buffer at `base`.
  uint64_t dram_page(uint32_t id, uint64_t base, uint64_t stride) const {
    return bank(id % profile.dram_banks, base + id / profile.dram_banks * stride);
  }
  uint64_t l1_page(uint32_t id, uint64_t base, uint64_t stride) const {
    return l1_bank(id % num_l1_banks(profile), base + id / num_l1_banks(profile) * stride);
  }
  Place dram_page_place(uint32_t id, uint64_t base, uint64_t stride) const {
    return dram(id % profile.dram_banks, base + id / profile.dram_banks * stride);
  }

  void copy(const Place& from, const Place& to, uint64_t size) const {
    memory.copy(from, to, size);
  }
  // The kernel's nth result.
  void out(uint32_t index, uint64_t value) const {
    memory.put64(l1(kMe, OUT + uint64_t{index} * 8), value);
  }
  // From this core's `from` to `to` of each core of a rectangle for which `wanted` holds.
  void multicast(uint64_t from, uint64_t to, uint64_t size, Core first, Core last,
                 const std::function<bool(Core)>& wanted) const {
    for (uint32_t y = first.y; y <= last.y; ++y) {
      for (uint32_t x = first.x; x <= last.x; ++x) {
        if (wanted({x, y})) copy(l1(kMe, from), l1({x, y}, to), size);
      }
    }
  }
};

struct Row {
  const char* name;
  const char* body;
  std::function<void(const Reference&)> reference;
};

inline bool not_me(Core core) { return !(core == kMe); }
inline bool any(Core) { return true; }

const std::vector<Row>& address_rows();
const std::vector<Row>& read_rows();
const std::vector<Row>& write_rows();
const std::vector<Row>& multicast_rows();
const std::vector<Row>& semaphore_rows();
const std::vector<Row>& core_rows();
const std::vector<Row>& object_rows();
const std::vector<Row>& today_rows();
const std::vector<Row>& spring_rows();

}  // namespace lightmetal::device::testing
