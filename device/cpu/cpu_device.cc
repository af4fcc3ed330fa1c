#include "device/cpu/cpu_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "device/bounds.h"
#include "device/cpu/compiler/compiler.h"
#include "device/cpu/ethernet/links.h"
#include "device/cpu/kernels/kernel_loader.h"
#include "device/cpu/kernels/service_members.h"
#include "device/cpu/launch_check.h"
#include "device/cpu/machine/machine.h"
#include "device/cpu/machine/written_parts.h"
#include "device/cpu/memory/initialised_memory.h"
#include "device/cpu/services/service_table.h"
#include "device/cpu/threads/scheduler.h"
#include "device/cpu/threads/settings.h"

namespace lightmetal::device::cpu {
namespace {

// std::memcpy must not be called with null pointers, even for no bytes.
void copy_bytes(std::byte* target, const std::byte* source, size_t size) {
  if (size != 0) std::memcpy(target, source, size);
}

// Memory is not locked: two transfers, or a transfer and a launch, that use the same bytes at the
// same time are the program's race. What has state and is used by several queues locks itself: the
// loader, the checker, each scheduler, and `lanes_` here.
class CpuDevice final : public Device {
 public:
  CpuDevice(std::unique_ptr<Machine> machine, const Settings& settings, int chip_id)
      : compile_settings_{.debug = settings.debug,
                          .check_uninitialized =
                              (settings.checks & kernel_abi::kCheckUninitialized) != 0,
                          .architecture = architecture_of(machine->profile()),
                          .split = settings.schedule.split},
        machine_(std::move(machine)),
        loader_(compile_settings_.architecture, settings.debug),
        checker_(machine_->profile(), loader_, settings.checks, settings.schedule.split,
                 machine_->warnings()),
        settings_(settings),
        chip_id_(chip_id),
        scheduler_(*machine_, settings, chip_id, 0, awake_),
        links_(*machine_, chip_id) {}

  const DeviceProfile& profile() const override { return machine_->profile(); }

  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    LM_RETURN_IF_ERROR(check_dram_range(profile(), bank, address, data.size()));
    machine_->memory().dram(bank).for_each_piece(
        address, data.size(), [&](std::byte* piece, uint64_t offset, uint64_t size) {
          std::memcpy(piece, data.data() + offset, size);
        });
    return absl::OkStatus();
  }

  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    LM_RETURN_IF_ERROR(check_dram_range(profile(), bank, address, data.size()));
    machine_->memory().dram(bank).for_each_piece(
        address, data.size(), [&](const std::byte* piece, uint64_t offset, uint64_t size) {
          std::memcpy(data.data() + offset, piece, size);
        });
    return absl::OkStatus();
  }

  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    LM_RETURN_IF_ERROR(check_l1_range(profile(), core, address, data.size()));
    CoreState& state = machine_->core(core);
    write_bytes(state, static_cast<uint32_t>(address), data);
    if (state.initialised != nullptr) mark_initialised(state.initialised, address, data.size());
    // After the bytes are there: a kernel that this call wakes must find them.
    state.waiters.written(static_cast<uint32_t>(address), data.size());
    return absl::OkStatus();
  }

  absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    LM_RETURN_IF_ERROR(check_l1_range(profile(), core, address, data.size()));
    copy_bytes(data.data(), machine_->memory().l1(core) + address, data.size());
    return absl::OkStatus();
  }

  absl::Status write_ethernet_l1(Core core, uint64_t address, Bytes data) override {
    LM_RETURN_IF_ERROR(check_ethernet_l1_range(profile(), core, address, data.size()));
    CoreState& state = machine_->ethernet_core(core.y);
    write_bytes(state, static_cast<uint32_t>(address), data);
    state.waiters.written(static_cast<uint32_t>(address), data.size());
    return absl::OkStatus();
  }

  absl::Status read_ethernet_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    LM_RETURN_IF_ERROR(check_ethernet_l1_range(profile(), core, address, data.size()));
    copy_bytes(data.data(), machine_->ethernet_core(core.y).l1 + address, data.size());
    return absl::OkStatus();
  }

  // All memory of the device is the host's: what is read there is written where it goes.
  absl::Status copy(const MemoryAddress& from, const MemoryAddress& to, uint64_t size) override {
    LM_RETURN_IF_ERROR(check_range(from, size));
    LM_RETURN_IF_ERROR(check_range(to, size));
    if (!from.is_dram) {
      return write(to, 0, bytes_of(machine_->memory().l1(from.core) + from.address, size));
    }
    absl::Status status;
    machine_->memory().dram(from.bank).for_each_piece(
        from.address, size, [&](const std::byte* piece, uint64_t offset, uint64_t length) {
          if (status.ok()) status = write(to, offset, bytes_of(piece, length));
        });
    return status;
  }

  absl::StatusOr<std::vector<MemoryPart>> written(absl::Span<const MemoryPart> parts) override {
    return written_parts(*machine_, parts);
  }

  absl::StatusOr<KernelObject> compile(const KernelSource& source) override {
    return compile_kernel(source, compile_settings_);
  }

  absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                     const std::string& name) override {
    LM_ASSIGN_OR_RETURN(kernel, loader_.load(object, name));
    return kernel;
  }

  absl::Status launch(const Launch& launch) override {
    LM_RETURN_IF_ERROR(checker_.check(launch));
    return scheduler_of(launch.plan->lane).run(launch);
  }

  absl::Status launch_all(absl::Span<const Launch* const> launches) override {
    for (const Launch* each : launches) LM_RETURN_IF_ERROR(checker_.check(*each));
    // Launches on lanes belong to schedulers of their own, so they go the ordinary way.
    const auto on_a_lane = [](const Launch* each) { return each->plan->lane != 0; };
    if (std::none_of(launches.begin(), launches.end(), on_a_lane)) {
      return scheduler_.run_all(launches);
    }
    return Device::launch_all(launches);
  }

 private:
  absl::Status check_range(const MemoryAddress& of, uint64_t size) const {
    return of.is_dram ? check_dram_range(profile(), of.bank, of.address, size)
                      : check_l1_range(profile(), of.core, of.address, size);
  }

  absl::Status write(const MemoryAddress& to, uint64_t offset, Bytes data) {
    return to.is_dram ? write_dram(to.bank, to.address + offset, data)
                      : write_l1(to.core, to.address + offset, data);
  }

  // A kernel of a launch on a lane may wait for a word of these bytes: such a kernel sees every
  // value that the word takes (word_waiters.h).
  static void write_bytes(CoreState& state, uint32_t address, Bytes data) {
    const bool is_word = data.size() == 4 && address % 4 == 0;
    if (!is_word && !state.waiters.has_any())
      return copy_bytes(state.l1 + address, data.data(), data.size());
    for (size_t begin = 0; begin < data.size();)
      begin += write_into_word(state, static_cast<uint32_t>(address + begin), data.subspan(begin));
  }

  // Stores the first of the bytes, as far as the word at the address goes, in one step. Returns
  // their number.
  static size_t write_into_word(CoreState& state, uint32_t address, Bytes data) {
    const size_t skipped = address % 4, size = std::min(4 - skipped, data.size());
    std::array<std::byte, 4> value = {}, mask = {};
    std::copy_n(data.begin(), size, value.begin() + skipped);
    std::fill_n(mask.begin() + skipped, size, std::byte{0xff});
    state.waiters.store(static_cast<uint32_t>(address - skipped), std::bit_cast<uint32_t>(value),
                        std::bit_cast<uint32_t>(mask));
    return size;
  }

  // A lane's scheduler is made by the lane's first launch and lives as long as the device.
  Scheduler& scheduler_of(uint32_t lane) {
    if (lane == 0) return scheduler_;
    MutexLock lock(&lanes_mutex_);
    std::unique_ptr<Scheduler>& scheduler = lanes_[lane];
    if (scheduler == nullptr) {
      scheduler = std::make_unique<Scheduler>(*machine_, settings_, chip_id_, lane, awake_);
    }
    return *scheduler;
  }

  // The order matters at the end of a device: links_ goes first, so that nothing arrives over a
  // wire any more, then the schedulers with their threads, and the machine after all that uses it.
  const CompileSettings compile_settings_;
  const std::unique_ptr<Machine> machine_;
  KernelLoader loader_;
  LaunchChecker checker_;
  const Settings settings_;
  const int chip_id_;
  std::atomic<uint32_t> awake_ = 0;  // workers that are awake in launches, of all schedulers
  Scheduler scheduler_;
  Mutex lanes_mutex_;
  std::map<uint32_t, std::unique_ptr<Scheduler>> lanes_ ABSL_GUARDED_BY(lanes_mutex_);
  Links links_;
};

// A random schedule delays transfers in a way of its own.
absl::Status check_delays(const Settings& settings) {
  if (settings.schedule.kind != Schedule::Kind::Random) return absl::OkStatus();
  if ((settings.checks & kernel_abi::kDelayTransfers) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the checks \"races\" and \"poison\" of LIGHTMETAL_CPU_DEVICE_CHECKS and the "
      "schedule ",
      settings.schedule.text(), " delay transfers in two ways: one of them is possible"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> open_cpu_device(const DeviceOptions& options) {
  LM_ASSIGN_OR_RETURN(settings, Settings::from_environment());
  if (options.schedule.has_value()) settings.schedule = *options.schedule;
  LM_RETURN_IF_ERROR(check_delays(settings));
  const kernel_abi::Services& services = services_for(settings.checks);
  if (!has_all_services(services))
    return absl::InternalError("the CPU device lacks a service of the kernel ABI");
  LM_ASSIGN_OR_RETURN(machine, Machine::create(options, services, settings.checks));
  return std::make_unique<CpuDevice>(std::move(machine), settings, options.chip_id);
}

}  // namespace lightmetal::device::cpu
