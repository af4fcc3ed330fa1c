#pragma once

#include <memory>

#include "device/device.h"

namespace lightmetal::device {

// A device that does what `device` does, and notes what it was asked for and how long that took
// while timeline::is_on(). The launches of a device trace are then made one by one.
std::unique_ptr<Device> timed(std::unique_ptr<Device> device, int chip);

}  // namespace lightmetal::device
