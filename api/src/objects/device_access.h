#pragma once

#include "api/src/objects/device_parameters.h"
#include "base/device_profile.h"

// What the implementation asks of a device past the public interface. Declared here, below the
// folder of devices, for what must not include it. REQUIRES: this library made the device.
namespace tt::tt_metal {

class IDevice;

// The device itself, and of a mesh of one device that device. Throws for a mesh of several.
IDevice& single_device_of(IDevice& device);

// Valid to the end of the process.
const DeviceParameters& parameters_of(const IDevice& device);
const lightmetal::DeviceProfile& profile_of_device(const IDevice& device);

}  // namespace tt::tt_metal
