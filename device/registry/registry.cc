#include "device/registry/registry.h"

#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/mutex.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/faults/fault_handler.h"
#include "device/cpu/memory/confined_code.h"
#include "device/cpu/memory/memory_guard.h"
#include "device/null/null_device.h"

namespace lightmetal::device {
namespace {

// The names known to open_device. The built-in backends are listed here rather than registering
// themselves: a static library's unreferenced initialisers would be dropped by the linker.
class Registry {
 public:
  void add(const std::string& name, DeviceFactory factory) {
    MutexLock lock(&mutex_);
    factories_.insert_or_assign(name, std::move(factory));
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
  Mutex mutex_;
  std::map<std::string, DeviceFactory> factories_ ABSL_GUARDED_BY(mutex_){
      {"cpu", cpu::open_cpu_device}, {"null", null::open_null_device}};
};

Registry& registry() {
  static auto* const registry = new Registry;  // never destroyed: devices may open during exit
  return *registry;
}

}  // namespace

void register_device(const std::string& name, DeviceFactory factory) {
  registry().add(name, std::move(factory));
}

absl::StatusOr<std::unique_ptr<Device>> open_device(const std::string& name,
                                                    const DeviceOptions& options) {
  auto factory = registry().find(name);
  if (!factory.ok()) return factory.status();
  return (*factory)(options);
}

absl::StatusOr<uint64_t> confine_kernels() { return cpu::confine_kernels(); }

absl::Status guard_host_memory() { return cpu::guard_host_memory(); }

void name_running_kernel(char* text, size_t size) { cpu::name_running_kernel(text, size); }

}  // namespace lightmetal::device
