#pragma once

#include <string>
#include <tt-metalium/device.hpp>

#include "absl/status/status.h"

// The file profile_log_device.csv: when kernels entered and left their profiler zones
// (base/zone_marks.h). Thread-safe.
namespace tt::tt_metal::profiler_file {

// Takes the folder of the file. The empty string means the folder at the beginning:
// generated/profiler/.logs below TT_METAL_HOME, or below the working folder.
void set_folder(const std::string& folder);

// Lets the next write begin the file again.
void begin_again();

// Appends the marks that the device has left since the last call. Writes nothing if there are none.
// Returns an error, with the path, for a file that cannot be written.
absl::Status write(const IDevice& device);

}  // namespace tt::tt_metal::profiler_file
