#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "device/device.h"

// The backends by name, and what a process may ask about the kernels that some of them run in it.
// This folder stands above the backends: it alone includes theirs.
namespace lightmetal::device {

using DeviceFactory = std::function<absl::StatusOr<std::unique_ptr<Device>>(const DeviceOptions&)>;

// Makes `name` known to open_device, or changes what it stands for. Thread-safe.
void register_device(const std::string& name, DeviceFactory factory);

// The name of the backend that a person means by `said`, to give to open_device: a name that is
// known; the path of a backend's shared library (device/backend_library.h), which has a '/'; or X
// for the library libX.so in the first of the folders LIGHTMETAL_DEVICE_PATH=FOLDER:... that has
// one. A library is loaded and from then on known by the name that it gives itself, which is no
// other backend's. Its code runs at once, so `said` comes from an option, a variable or a program,
// never from a file. Thread-safe.
absl::StatusOr<std::string> load_backend(const std::string& said);

// Opens the backend called `name` ("cpu", "null"). The built-in ones are always there. NotFound for
// a name that nobody registered; it lists those there are. Loads nothing, so `name` may come from a
// file. Thread-safe.
absl::StatusOr<std::unique_ptr<Device>> open_device(const std::string& name,
                                                    const DeviceOptions& options);

// What follows holds for the built-in backends, whichever of them the process opens later.
// docs/security.md says what for.

// Whether it holds for the backend called `name`.
bool is_built_in(const std::string& name);

// From now on the code of kernels lies in one range of addresses with nothing else in it, and is
// loaded without the system's loader. Returns where the range begins, a multiple of its size, 4
// GiB; the same when it is called again. REQUIRES: no device is open yet.
absl::StatusOr<uint64_t> confine_kernels();

// From now on kernels cannot write to the host's memory. Unavailable when this processor, system or
// build has nothing that would stop them. REQUIRES: confine_kernels() has been called, the process
// has one thread, no device is open.
absl::Status guard_host_memory();

// Writes the name of a kernel that runs at this moment into `text`, as errors have it, and less
// where there is less room; nothing when none runs. For signal handlers.
void name_running_kernel(char* text, size_t size);

}  // namespace lightmetal::device
