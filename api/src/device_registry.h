#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tt-metalium/device.hpp>
#include <tt-metalium/dispatch_core_common.hpp>
#include <vector>

#include "base/device_profile.h"

namespace tt::tt_metal {

// All that a device was opened with.
struct DeviceParameters {
  chip_id_t chip_id = 0;
  uint8_t num_hw_cqs = 1;
  size_t l1_small_size = 0;
  size_t trace_region_size = 0;
  DispatchCoreConfig dispatch;
  std::vector<uint32_t> l1_bank_remap;
  std::string backend;  // "cpu", "null"
  lightmetal::DeviceProfile profile;
  bool of_replay = false;  // a replay opened it for itself: CreateDevice does not give it out

  friend bool operator==(const DeviceParameters&, const DeviceParameters&) = default;
};

// Valid to the end of the process.
const DeviceParameters& parameters_of(const IDevice& device);

// The devices that are open now, in the order in which they were opened. Thread-safe.
std::vector<IDevice*> open_devices();

// Opens a device. Throws std::runtime_error when it is open already or its parameters do not fit
// the profile.
IDevice* open_device(DeviceParameters parameters);

// Takes a device out of open_devices(); false when it is not there. Its chip stays taken until
// release_chip.
bool withdraw_device(IDevice* device);
void release_chip(chip_id_t chip_id);

}  // namespace tt::tt_metal
