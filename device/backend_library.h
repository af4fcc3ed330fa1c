#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>  // says which standard library this is

#include "absl/base/config.h"
#include "absl/status/statusor.h"
#include "device/device.h"

// A backend in a shared library of its own, built outside of this project against its package
// (CMake target LightMetal::backend). The library exports one function, lightmetal_backend(); a
// program or the runner loads the library where a person names its path (load_backend in
// device/registry/registry.h), and opens devices as it opens those of the built-in backends.
//
// The library and the program hand each other C++ objects: vectors, strings, absl::Status. Both
// must see the same layout of these objects, so both need the same release of the C++ standard
// library and of Abseil, and the same interface. BackendBuild describes each side, and a library
// whose build differs is refused with an error that names both builds.
//
// The library runs with all rights of the process from the moment when it is loaded, and stays
// loaded until the process ends. It throws no exception through the interface and never ends the
// process.
namespace lightmetal::device {

// What one side was built with. The layout of this struct itself never changes: the program reads
// it before it knows whether the two sides agree on anything else.
struct BackendBuild {
  // The version of the interface: of this header, of device.h and of all that they include. It is
  // raised with every change of them that a backend would notice.
  uint32_t interface = 5;
#ifdef ABSL_LTS_RELEASE_VERSION
  uint32_t abseil = ABSL_LTS_RELEASE_VERSION;
#else
  uint32_t abseil = 0;            // a state of Abseil between two releases
#endif
#ifdef _GLIBCXX_RELEASE
  uint32_t standard_library = _GLIBCXX_RELEASE;  // GCC's
#else
  uint32_t standard_library = 0;  // another standard library
#endif
  // Sizes of structs that hold containers. They differ where the numbers above are equal and the
  // layouts are not, as in the debug mode of a standard library.
  uint32_t plan_size = sizeof(DeviceOptions) + sizeof(LaunchPlan) + sizeof(CorePlan);

  friend bool operator==(const BackendBuild&, const BackendBuild&) = default;
};

struct BackendLibrary {
  BackendBuild build;  // first: nothing else is read unless it is equal
  // What the backend is called in messages and in captured files: lower-case letters, digits, '_'.
  const char* name = nullptr;
  // Opens a device. Thread-safe; called any number of times. Never gives null.
  absl::StatusOr<std::unique_ptr<Device>> (*open)(const DeviceOptions& options) = nullptr;
  // Whether open() takes DeviceOptions::schedule. If not, the program refuses any but the free one.
  bool has_schedules = false;
};

}  // namespace lightmetal::device

// What a backend's library defines. It returns the same object each time, which is valid until the
// process ends.
extern "C" [[gnu::visibility("default")]] const lightmetal::device::BackendLibrary*
lightmetal_backend();
