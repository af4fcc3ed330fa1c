#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/span.hpp>

namespace tt::tt_metal {

inline constexpr uint32_t NumHalProgrammableCoreTypes =
    static_cast<uint32_t>(HalProgrammableCoreType::COUNT);

// A group of cores that a program made, whose launches a device runs apart from those of other
// groups. Cores are logical coordinates of the whole device. A plain value:
// IDevice::create_sub_device_manager checks it against a device and makes use of it.
class SubDevice {
 public:
  // Core sets in the order of HalProgrammableCoreType: worker cores first. Throws
  // std::runtime_error when there are more sets than types, or cores within a set overlap.
  explicit SubDevice(tt::stl::Span<const CoreRangeSet> cores);
  explicit SubDevice(std::array<CoreRangeSet, NumHalProgrammableCoreTypes>&& cores);

  bool has_core_type(HalProgrammableCoreType core_type) const;
  uint32_t num_cores(HalProgrammableCoreType core_type) const;
  const std::array<CoreRangeSet, NumHalProgrammableCoreTypes>& cores() const { return cores_; }
  const CoreRangeSet& cores(HalProgrammableCoreType core_type) const;

 private:
  std::array<CoreRangeSet, NumHalProgrammableCoreTypes> cores_;
};

}  // namespace tt::tt_metal
