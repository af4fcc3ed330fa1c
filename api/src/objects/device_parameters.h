#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tt-metalium/core_types.hpp>
#include <tt-metalium/dispatch_core_common.hpp>
#include <vector>

#include "base/device_profile.h"
#include "base/mesh_place.h"
#include "base/schedule.h"

namespace tt::tt_metal {

// All that a device was opened with. Equal parameters mean that CreateDevice gives out the same
// device. A plain value.
struct DeviceParameters {
  chip_id_t chip_id = 0;
  uint8_t num_hw_cqs = 1;
  size_t l1_small_size = 0;
  size_t trace_region_size = 0;
  DispatchCoreConfig dispatch;
  std::vector<uint32_t> l1_bank_remap;
  std::string backend = {};  // "cpu", "null", or the name of a backend in a library
  lightmetal::DeviceProfile profile = {};
  std::optional<lightmetal::MeshPlace> mesh_place = {};  // of the mesh that it was opened for
  std::optional<lightmetal::Schedule> schedule = {};     // none: as the backend has it
  bool of_replay = false;  // a replay opened it for itself: CreateDevice does not give it out

  friend bool operator==(const DeviceParameters&, const DeviceParameters&) = default;
};

}  // namespace tt::tt_metal
