// A backend's library that is wrong in one way, which the name of its file says: the test copies it
// under each name. Once it is loaded, the environment says so.
#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "device/backend_library.h"

namespace {

using lightmetal::device::BackendLibrary;
using lightmetal::device::Device;
using lightmetal::device::DeviceOptions;

[[gnu::constructor]] void tell() { setenv("PRETENDER_IS_LOADED", "1", 1); }

absl::StatusOr<std::unique_ptr<Device>> fail(const DeviceOptions&) {
  return absl::UnavailableError("the loom is not plugged in");
}

absl::StatusOr<std::unique_ptr<Device>> give_nothing(const DeviceOptions&) { return nullptr; }

std::string file_name() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&lightmetal_backend), &info) == 0) return "";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

BackendLibrary library_of(const std::string& file) {
  BackendLibrary library{.build = {}, .name = "loom", .open = fail};
  if (file == "libother_interface.so") ++library.build.interface;
  if (file == "libother_abseil.so") library.build.abseil = 20010101;
  if (file == "libother_standard_library.so") library.build.standard_library = 99;
  if (file == "libother_plans.so") library.build.plan_size += 8;
  if (file == "libno_name.so") library.name = nullptr;
  if (file == "libbad_name.so") library.name = "../cpu";
  if (file == "libtakes_cpu.so") library.name = "cpu";
  if (file == "libno_open.so") library.open = nullptr;
  if (file == "libopens_nothing.so") library = {.build = {}, .name = "empty", .open = give_nothing};
  return library;
}

}  // namespace

const BackendLibrary* lightmetal_backend() {
  if (file_name() == "libthrows.so") throw std::runtime_error("the loom is torn");
  if (file_name() == "libthrows_number.so") throw 7;
  static const BackendLibrary library = library_of(file_name());
  return file_name() == "libgives_nothing.so" ? nullptr : &library;
}
