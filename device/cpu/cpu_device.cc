#include "device/cpu/cpu_device.h"

#include <cstring>
#include <utility>

#include "base/status.h"
#include "device/bounds.h"
#include "device/cpu/compiler/compiler.h"
#include "device/cpu/kernel_loader.h"
#include "device/cpu/launch_check.h"
#include "device/cpu/machine.h"
#include "device/cpu/scheduler.h"
#include "device/cpu/settings.h"

namespace lightmetal::device::cpu {
namespace {

// memcpy may not be given null pointers, even for no bytes.
void copy_bytes(std::byte* target, const std::byte* source, size_t size) {
  if (size != 0) std::memcpy(target, source, size);
}

// Memory is not locked: two transfers, or a transfer and a launch, that use the same bytes at the
// same time are the program's race.
class CpuDevice final : public Device {
 public:
  CpuDevice(std::unique_ptr<Machine> machine, const Settings& settings)
      : machine_(std::move(machine)),
        checker_(machine_->profile(), loader_),
        scheduler_(*machine_, settings) {}

  const DeviceProfile& profile() const override { return machine_->profile(); }

  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    LM_RETURN_IF_ERROR(check_dram_range(profile(), bank, address, data.size()));
    copy_bytes(machine_->memory().dram(bank) + address, data.data(), data.size());
    return absl::OkStatus();
  }

  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    LM_RETURN_IF_ERROR(check_dram_range(profile(), bank, address, data.size()));
    copy_bytes(data.data(), machine_->memory().dram(bank) + address, data.size());
    return absl::OkStatus();
  }

  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    LM_RETURN_IF_ERROR(check_l1_range(profile(), core, address, data.size()));
    CoreState& state = machine_->core(core);
    copy_bytes(state.l1 + address, data.data(), data.size());
    state.waiters.written(static_cast<uint32_t>(address), data.size());
    return absl::OkStatus();
  }

  absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    LM_RETURN_IF_ERROR(check_l1_range(profile(), core, address, data.size()));
    copy_bytes(data.data(), machine_->memory().l1(core) + address, data.size());
    return absl::OkStatus();
  }

  absl::StatusOr<KernelObject> compile(const KernelSource& source) override {
    return compile_kernel(source);
  }

  absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                     const std::string& name) override {
    LM_ASSIGN_OR_RETURN(kernel, loader_.load(object, name));
    return kernel;
  }

  absl::Status launch(const Launch& launch) override {
    LM_RETURN_IF_ERROR(checker_.check(launch));
    return scheduler_.run(launch);
  }

  absl::Status launch_all(absl::Span<const Launch* const> launches) override {
    for (const Launch* each : launches) LM_RETURN_IF_ERROR(checker_.check(*each));
    return scheduler_.run_all(launches);
  }

 private:
  const std::unique_ptr<Machine> machine_;
  KernelLoader loader_;
  LaunchChecker checker_;
  Scheduler scheduler_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> open_cpu_device(const DeviceOptions& options) {
  LM_ASSIGN_OR_RETURN(settings, Settings::from_environment());
  LM_ASSIGN_OR_RETURN(machine, Machine::create(options));
  return std::make_unique<CpuDevice>(std::move(machine), settings);
}

}  // namespace lightmetal::device::cpu
