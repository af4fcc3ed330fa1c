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

// Makes `name` known to open_device, or changes the factory for which it stands. Devices that are
// open stay as they are. Thread-safe.
void register_device(const std::string& name, DeviceFactory factory);

// Returns the name, for open_device, of the backend that a person means by `said`: a name that is
// known; the path of a backend's shared library (device/backend_library.h), which has a '/'; or X
// for the library libX.so in the first of the folders LIGHTMETAL_DEVICE_PATH=FOLDER:... that has
// such a file. A library is loaded, and from then on known by the name that it gives itself;
// FailedPrecondition when that is another backend's name. The code of a library runs at once, so
// `said` comes from an option, a variable or a program, never from a captured file. Thread-safe.
absl::StatusOr<std::string> load_backend(const std::string& said);

// NotFound, with the names that are known, unless `name` is one of them. Loads no library.
// Thread-safe.
absl::Status check_known(const std::string& name);

// Opens a device of the backend called `name` ("cpu", "null"). The built-in backends are always
// known. NotFound for a name that is not known; the error lists those that are. The function loads
// no library, so `name` may come from a captured file. Thread-safe.
absl::StatusOr<std::unique_ptr<Device>> open_device(const std::string& name,
                                                    const DeviceOptions& options);

// OK when a device of the backend, with this profile, runs kernel objects of the target.
// FailedPrecondition, with what it runs, when it does not; Unimplemented for a backend from a
// library, which only loading an object would ask. Opens nothing. Thread-safe.
absl::Status check_target(const std::string& backend, const DeviceProfile& profile,
                          const std::string& target);

// The functions below confine kernels, or name them, in the built-in backends, whichever of these
// the process opens later. docs/security.md says against what they protect.

// Whether the functions below hold for the backend called `name`.
bool is_built_in(const std::string& name);

// From this call on, the code of kernels lies in one range of addresses with nothing else in it,
// and is loaded without the system's loader. Returns where the range begins. The range has 4 GiB
// and begins at a multiple of 4 GiB; another call returns the same range. REQUIRES: no device is
// open yet.
absl::StatusOr<uint64_t> confine_kernels();

// From this call on, kernels cannot write to the host's memory. Unavailable when this processor,
// system or build has nothing that would stop them. REQUIRES: confine_kernels() has been called,
// the process has one thread, no device is open.
absl::Status guard_host_memory();

// Writes the name of a kernel that runs at this moment into `text`, as errors name kernels, cut to
// `size` bytes with a zero at the end. Writes nothing when no kernel runs. For signal handlers.
void name_running_kernel(char* text, size_t size);

}  // namespace lightmetal::device
