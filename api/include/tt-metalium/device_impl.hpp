#pragma once

// Devices are used through IDevice; this header is for programs that include upstream's.
#include <tt-metalium/device.hpp>
