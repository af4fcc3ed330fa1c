#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "device/device.h"

namespace lightmetal::testing {

// Passes each call on to another device, for a test to change one of them. Launches that belong
// together are passed on one by one, through launch().
class PassingDevice : public device::Device {
 public:
  explicit PassingDevice(std::unique_ptr<device::Device> device) : device_(std::move(device)) {}

  const DeviceProfile& profile() const override { return device_->profile(); }
  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    return device_->write_dram(bank, address, data);
  }
  absl::Status read_dram(uint32_t bank, uint64_t address, absl::Span<std::byte> data) override {
    return device_->read_dram(bank, address, data);
  }
  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    return device_->write_l1(core, address, data);
  }
  absl::Status read_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    return device_->read_l1(core, address, data);
  }
  absl::Status write_ethernet_l1(Core core, uint64_t address, Bytes data) override {
    return device_->write_ethernet_l1(core, address, data);
  }
  absl::Status read_ethernet_l1(Core core, uint64_t address, absl::Span<std::byte> data) override {
    return device_->read_ethernet_l1(core, address, data);
  }
  absl::Status copy(const device::MemoryAddress& from, const device::MemoryAddress& to,
                    uint64_t size) override {
    return device_->copy(from, to, size);
  }
  absl::StatusOr<device::KernelObject> compile(const device::KernelSource& source) override {
    return device_->compile(source);
  }
  absl::StatusOr<std::shared_ptr<device::LoadedKernel>> load(const device::KernelObject& object,
                                                             const std::string& name) override {
    return device_->load(object, name);
  }
  absl::Status launch(const device::Launch& launch) override { return device_->launch(launch); }

 protected:
  const std::unique_ptr<device::Device> device_;
};

}  // namespace lightmetal::testing
