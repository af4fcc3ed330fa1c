#include "device/null/null_device.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "device/bounds.h"

namespace lightmetal::device::null {
namespace {

// What load() leaves on the device. A backend keeps its handle of the kernel's code here.
class NullKernel final : public LoadedKernel {};

// The device has no state that calls share, so it has nothing to lock. A backend with state must
// lock it: the calls come from the threads of several queues at once.
class NullDevice final : public Device {
 public:
  explicit NullDevice(DeviceProfile profile) : profile_(std::move(profile)) {}

  const DeviceProfile& profile() const override { return profile_; }

  // Every backend refuses ranges outside a bank or core, so that a program fails in the same way
  // everywhere.
  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    return check_dram_range(profile_, bank, address, data.size());
  }

  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    LM_RETURN_IF_ERROR(check_dram_range(profile_, bank, address, data.size()));
    return fill_with_zeros(data);
  }

  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    return check_l1_range(profile_, core, address, data.size());
  }

  absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    LM_RETURN_IF_ERROR(check_l1_range(profile_, core, address, data.size()));
    return fill_with_zeros(data);
  }

  absl::Status write_ethernet_l1(Core core, uint64_t address, Bytes data) override {
    return check_ethernet_l1_range(profile_, core, address, data.size());
  }

  absl::Status read_ethernet_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    LM_RETURN_IF_ERROR(check_ethernet_l1_range(profile_, core, address, data.size()));
    return fill_with_zeros(data);
  }

  absl::Status copy(const MemoryAddress& from, const MemoryAddress& to, uint64_t size) override {
    LM_RETURN_IF_ERROR(check_range(from, size));
    return check_range(to, size);
  }

  // All memory reads as zeros.
  absl::StatusOr<std::vector<MemoryPart>> written(absl::Span<const MemoryPart>) override {
    return std::vector<MemoryPart>();
  }

  // A backend compiles source.text here. The object must run in another process without any
  // compiler.
  absl::StatusOr<KernelObject> compile(const KernelSource& source) override {
    const Bytes text = bytes_of(source.text.data(), source.text.size());
    const std::string digest = digest_of(text).hex();
    const Bytes bytes = bytes_of(digest.data(), digest.size());
    return KernelObject{kTarget, {bytes.begin(), bytes.end()}};
  }

  absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                     const std::string& name) override {
    if (object.target == kTarget) return std::make_shared<NullKernel>();
    return absl::FailedPreconditionError(absl::StrCat(
        "kernel ", name, " is for target ", object.target, "; this device runs ", kTarget));
  }

  // A backend returns when all kernels have ended, or with an error that names the kernel that
  // cannot end.
  absl::Status launch(const Launch&) override { return absl::OkStatus(); }

 private:
  absl::Status check_range(const MemoryAddress& place, uint64_t size) const {
    return place.is_dram ? check_dram_range(profile_, place.bank, place.address, size)
                         : check_l1_range(profile_, place.core, place.address, size);
  }

  static absl::Status fill_with_zeros(absl::Span<std::byte> data) {
    if (!data.empty()) std::memset(data.data(), 0, data.size());
    return absl::OkStatus();
  }

  const DeviceProfile profile_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> open_null_device(const DeviceOptions& options) {
  return std::make_unique<NullDevice>(options.profile);
}

}  // namespace lightmetal::device::null
