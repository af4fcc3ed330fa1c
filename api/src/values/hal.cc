#include <limits>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/hal.hpp>

#include "api/src/values/process_profile.h"

namespace tt::tt_metal {
namespace {

const lightmetal::DeviceProfile& profile() { return process_profile(); }

uint64_t begin_of(HalProgrammableCoreType core_type, HalL1MemAddrType region) {
  if (region == HalL1MemAddrType::BASE) return 0;
  return core_type == HalProgrammableCoreType::TENSIX ? profile().l1_unreserved_base
                                                      : profile().ethernet_unreserved_base;
}

}  // namespace

tt::ARCH hal::get_arch() { return get_arch_from_string(profile().arch); }
std::string hal::get_arch_name() { return profile().arch; }

uint32_t hal::get_l1_size() { return static_cast<uint32_t>(profile().l1_size); }
uint32_t hal::get_dram_alignment() { return profile().dram_alignment; }
uint32_t hal::get_num_dataflow_buffers() { return profile().num_circular_buffers; }
uint32_t hal::get_arch_num_circular_buffers() { return profile().num_circular_buffers; }
uint32_t hal::get_l1_alignment() { return profile().l1_alignment; }
// No device here is behind a bus: what DRAM asks for is enough for the host's memory, too.
uint32_t hal::get_pcie_alignment() { return profile().dram_alignment; }

uint32_t hal::get_alignment(HalMemType memory) {
  switch (memory) {
    case HalMemType::L1:
      return get_l1_alignment();
    case HalMemType::DRAM:
      return get_dram_alignment();
    case HalMemType::HOST:
      return get_pcie_alignment();
    default:
      TT_THROW("There is no memory type {}", static_cast<uint32_t>(memory));
  }
}

DeviceAddr hal::get_dev_addr(HalProgrammableCoreType core_type, HalL1MemAddrType region) {
  return begin_of(core_type, region);
}

uint32_t hal::get_dev_size(HalProgrammableCoreType core_type, HalL1MemAddrType region) {
  const uint64_t end =
      core_type == HalProgrammableCoreType::TENSIX ? profile().l1_size : profile().ethernet_l1_size;
  return static_cast<uint32_t>(end - begin_of(core_type, region));
}

DeviceAddr hal::get_dev_addr(HalDramMemAddrType) { return profile().dram_unreserved_base; }
uint32_t hal::get_dev_size(HalDramMemAddrType) {
  return static_cast<uint32_t>(profile().dram_bank_size - profile().dram_unreserved_base);
}

uint32_t hal::get_erisc_l1_unreserved_base() {
  return static_cast<uint32_t>(profile().ethernet_unreserved_base);
}
uint32_t hal::get_erisc_l1_unreserved_size() {
  return static_cast<uint32_t>(profile().ethernet_l1_size - profile().ethernet_unreserved_base);
}
uint32_t hal::get_max_worker_l1_unreserved_size() {
  return static_cast<uint32_t>(profile().l1_size - profile().l1_unreserved_base);
}

float hal::get_eps() { return std::numeric_limits<float>::epsilon(); }
float hal::get_nan() { return std::numeric_limits<float>::quiet_NaN(); }
float hal::get_inf() { return std::numeric_limits<float>::infinity(); }

}  // namespace tt::tt_metal
