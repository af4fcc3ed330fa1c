#pragma once

#include <cstddef>
#include <tt-metalium/device.hpp>
#include <vector>

#include "api/src/objects/device_parameters.h"

namespace tt::tt_metal {

// The devices that are open now, in the order in which they were opened. Thread-safe.
std::vector<IDevice*> open_devices();

// Opens a device. Throws std::runtime_error when it is open already or its parameters do not fit
// the profile.
IDevice* open_device(DeviceParameters parameters);

// Takes a device out of open_devices(); returns false when it is not there. Its chip stays taken
// until release_chip(): nobody opens it while it still shuts down.
bool withdraw_device(IDevice* device);
void release_chip(chip_id_t chip_id);

}  // namespace tt::tt_metal
