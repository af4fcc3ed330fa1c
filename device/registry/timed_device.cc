#include "device/registry/timed_device.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/timeline.h"

namespace lightmetal::device {
namespace {

using timeline::Kind;
using timeline::Span;

// "reader.cpp, compute.cpp": kernels by the names of their files, each once.
std::string names_of(const LaunchPlan& plan) {
  std::vector<absl::string_view> names;
  for (const KernelPlan& kernel : plan.kernels) {
    absl::string_view name = kernel.name;
    name.remove_prefix(name.rfind('/') + 1);  // of no '/', 0
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return absl::StrJoin(names, ", ");
}

class TimedDevice final : public Device {
 public:
  TimedDevice(std::unique_ptr<Device> device, int chip) : device_(std::move(device)), chip_(chip) {}

  const DeviceProfile& profile() const override { return device_->profile(); }

  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    return transfer(Kind::kWrite, data.size(),
                    [&] { return device_->write_dram(bank, address, data); });
  }
  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    return transfer(Kind::kRead, data.size(),
                    [&] { return device_->read_dram(bank, address, data); });
  }
  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    return transfer(Kind::kWrite, data.size(),
                    [&] { return device_->write_l1(core, address, data); });
  }
  absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    return transfer(Kind::kRead, data.size(),
                    [&] { return device_->read_l1(core, address, data); });
  }
  absl::Status write_ethernet_l1(Core core, uint64_t address, Bytes data) override {
    return transfer(Kind::kWrite, data.size(),
                    [&] { return device_->write_ethernet_l1(core, address, data); });
  }
  absl::Status read_ethernet_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    return transfer(Kind::kRead, data.size(),
                    [&] { return device_->read_ethernet_l1(core, address, data); });
  }

  absl::StatusOr<KernelObject> compile(const KernelSource& source) override {
    return device_->compile(source);
  }
  absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                     const std::string& name) override {
    return device_->load(object, name);
  }

  absl::Status launch(const Launch& launch) override {
    if (!timeline::is_on()) return device_->launch(launch);
    Span span{.kind = Kind::kLaunch,
              .plan = launch.plan->id,
              .lane = launch.plan->lane,
              .cores = static_cast<uint32_t>(launch.plan->cores.size()),
              .name = names_of(*launch.plan)};
    return noted(std::move(span), [&] { return device_->launch(launch); });
  }
  absl::Status launch_all(absl::Span<const Launch* const> launches) override {
    return timeline::is_on() ? Device::launch_all(launches) : device_->launch_all(launches);
  }
  absl::Status copy(const MemoryAddress& from, const MemoryAddress& to, uint64_t size) override {
    return transfer(Kind::kWrite, size, [&] { return device_->copy(from, to, size); });
  }
  absl::StatusOr<std::vector<MemoryPart>> written(absl::Span<const MemoryPart> parts) override {
    return device_->written(parts);
  }

 private:
  template <class Work>
  absl::Status transfer(Kind kind, uint64_t bytes, const Work& work) const {
    if (!timeline::is_on()) return work();
    return noted({.kind = kind, .bytes = bytes}, work);
  }

  template <class Work>
  absl::Status noted(Span span, const Work& work) const {
    span.chip = chip_;
    span.begin = timeline::now();
    absl::Status status = work();
    span.end = timeline::now();
    timeline::add(std::move(span));
    return status;
  }

  const std::unique_ptr<Device> device_;
  const int chip_;
};

}  // namespace

std::unique_ptr<Device> timed(std::unique_ptr<Device> device, int chip) {
  return std::make_unique<TimedDevice>(std::move(device), chip);
}

}  // namespace lightmetal::device
