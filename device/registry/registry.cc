#include "device/registry/registry.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/timeline.h"
#include "device/cpu/compiler/target.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/faults/fault_handler.h"
#include "device/cpu/memory/confined_code.h"
#include "device/cpu/memory/memory_guard.h"
#include "device/null/null_device.h"
#include "device/registry/library.h"
#include "device/registry/timed_device.h"

namespace lightmetal::device {
namespace {

// The variable with the folders of the libraries that a person names without a path.
constexpr char kFolders[] = "LIGHTMETAL_DEVICE_PATH";

using Factories = std::map<std::string, DeviceFactory>;

// A backend whose kernels run as they come. Any other schedule is refused here, so that the backend
// does not have to look.
DeviceFactory without_schedules(const std::string& name, DeviceFactory factory) {
  return [name, factory = std::move(factory)](
             const DeviceOptions& options) -> absl::StatusOr<std::unique_ptr<Device>> {
    if (options.schedule.value_or(Schedule{}) == Schedule{}) return factory(options);
    return absl::InvalidArgumentError(absl::StrCat("the backend \"", name, "\" has no schedule \"",
                                                   options.schedule->text(),
                                                   "\": its kernels run as they come"));
  };
}

// The built-in backends are listed here rather than registering themselves: a static library's
// unreferenced initialisers would be dropped by the linker.
Factories built_in() {
  return {{"cpu", cpu::open_cpu_device},
          {"null", without_schedules("null", null::open_null_device)}};
}

// The names known to open_device.
class Registry {
 public:
  void add(const std::string& name, DeviceFactory factory) {
    MutexLock lock(&mutex_);
    factories_.insert_or_assign(name, std::move(factory));
  }

  // The same library may be added again: dlopen() gives a path that is open the same object.
  // FailedPrecondition when the library's name is another backend's.
  absl::Status add_library(const std::string& path, const BackendLibrary& library) {
    MutexLock lock(&mutex_);
    const BackendLibrary*& known = libraries_[library.name];
    if (known == &library) return absl::OkStatus();
    if (!factories_.try_emplace(library.name, opener_of(library)).second) {
      return absl::FailedPreconditionError(absl::StrCat(path, " calls its backend \"", library.name,
                                                        "\", which is another backend's name"));
    }
    known = &library;
    return absl::OkStatus();
  }

  absl::StatusOr<DeviceFactory> find(const std::string& name) {
    MutexLock lock(&mutex_);
    if (auto found = factories_.find(name); found != factories_.end()) return found->second;
    return absl::NotFoundError(absl::StrCat(
        "no device is called \"", name, "\"; known devices: ",
        absl::StrJoin(factories_, ", ",
                      [](std::string* out, const auto& entry) { out->append(entry.first); })));
  }

 private:
  // A library is foreign code: a null pointer where it promises a device becomes an error here
  // rather than a crash in the caller.
  static DeviceFactory opener_of(const BackendLibrary& library) {
    DeviceFactory opener =
        [&library](const DeviceOptions& options) -> absl::StatusOr<std::unique_ptr<Device>> {
      auto device = library.open(options);
      if (!device.ok() || *device != nullptr) return device;
      return absl::InternalError(
          absl::StrCat("the backend \"", library.name, "\" opened no device, and gave no error"));
    };
    return library.has_schedules ? opener : without_schedules(library.name, std::move(opener));
  }

  Mutex mutex_;
  Factories factories_ ABSL_GUARDED_BY(mutex_) = built_in();
  std::map<std::string, const BackendLibrary*> libraries_ ABSL_GUARDED_BY(mutex_);
};

Registry& registry() {
  static auto* const registry = new Registry;  // never destroyed: devices may open during exit
  return *registry;
}

absl::StatusOr<std::string> load_and_add(const std::string& path) {
  LM_ASSIGN_OR_RETURN(library, load_library(path));
  LM_RETURN_IF_ERROR(registry().add_library(path, *library));
  return std::string(library->name);
}

}  // namespace

void register_device(const std::string& name, DeviceFactory factory) {
  registry().add(name, std::move(factory));
}

absl::StatusOr<std::string> load_backend(const std::string& said) {
  if (absl::StrContains(said, '/')) return load_and_add(said);
  const absl::Status known = registry().find(said).status();
  if (known.ok()) return said;
  const char* const folders = std::getenv(kFolders);
  if (folders == nullptr || *folders == '\0') return known;
  const std::string file = absl::StrCat("lib", said, ".so");
  for (const absl::string_view folder : absl::StrSplit(folders, ':', absl::SkipEmpty())) {
    const std::string path = absl::StrCat(folder, "/", file);
    if (::access(path.c_str(), F_OK) == 0) return load_and_add(path);
  }
  return absl::NotFoundError(
      absl::StrCat(known.message(), "; and there is no ", file, " in ", kFolders, "=", folders));
}

absl::StatusOr<std::unique_ptr<Device>> open_device(const std::string& name,
                                                    const DeviceOptions& options) {
  auto factory = registry().find(name);
  if (!factory.ok()) return factory.status();
  auto device = (*factory)(options);
  if (!device.ok() || !timeline::is_enabled()) return device;
  return timed(*std::move(device), options.chip_id);
}

absl::Status check_known(const std::string& name) { return registry().find(name).status(); }

absl::Status check_target(const std::string& backend, const DeviceProfile& profile,
                          const std::string& target) {
  if (!is_built_in(backend)) {
    return absl::UnimplementedError(absl::StrCat("whether the backend \"", backend,
                                                 "\" runs kernel objects for ", target,
                                                 " is known once it loads one"));
  }
  const cpu::Architecture architecture = cpu::architecture_of(profile);
  const bool is_cpu = backend == "cpu";
  const bool runs = is_cpu ? cpu::runs_target(target, architecture) : target == null::kTarget;
  if (runs) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the file has kernel objects for ", target, "; the device \"", backend, "\" runs ",
      is_cpu ? cpu::kernel_target(architecture) + " and what is older" : null::kTarget));
}

bool is_built_in(const std::string& name) { return built_in().contains(name); }

absl::StatusOr<uint64_t> confine_kernels() { return cpu::confine_kernels(); }

absl::Status guard_host_memory() { return cpu::guard_host_memory(); }

void name_running_kernel(char* text, size_t size) { cpu::name_running_kernel(text, size); }

}  // namespace lightmetal::device
