#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/sub_device.hpp>
#include <utility>

namespace tt::tt_metal {

SubDevice::SubDevice(tt::stl::Span<const CoreRangeSet> cores) {
  TT_FATAL(cores.size() <= cores_.size(),
           "A sub-device has one set of cores for each of {} core types, but {} were given",
           cores_.size(), cores.size());
  std::copy(cores.begin(), cores.end(), cores_.begin());
}

SubDevice::SubDevice(std::array<CoreRangeSet, NumHalProgrammableCoreTypes>&& cores)
    : cores_(std::move(cores)) {}

const CoreRangeSet& SubDevice::cores(HalProgrammableCoreType core_type) const {
  const auto index = static_cast<size_t>(core_type);
  TT_FATAL(index < cores_.size(), "There is no core type {}", index);
  return cores_[index];
}

bool SubDevice::has_core_type(HalProgrammableCoreType core_type) const {
  return !cores(core_type).empty();
}

uint32_t SubDevice::num_cores(HalProgrammableCoreType core_type) const {
  return cores(core_type).num_cores();
}

}  // namespace tt::tt_metal
