// Two devices side by side, of which one computes something else once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <lightmetal/divergence.hpp>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "device/registry/registry.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/captured_file.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::HasSubstr;

// The CPU device, which turns a bit of bank 0 of its DRAM behind one of its launches.
class FaultyDevice final : public device::Device {
 public:
  FaultyDevice(std::unique_ptr<device::Device> device, int launch, uint64_t address)
      : device_(std::move(device)), launch_(launch), address_(address) {}

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
  absl::StatusOr<device::KernelObject> compile(const device::KernelSource& source) override {
    return device_->compile(source);
  }
  absl::StatusOr<std::shared_ptr<device::LoadedKernel>> load(const device::KernelObject& object,
                                                             const std::string& name) override {
    return device_->load(object, name);
  }
  absl::Status launch(const device::Launch& launch) override {
    absl::Status status = device_->launch(launch);
    if (--launch_ != 0) return status;
    std::array<std::byte, 1> byte;
    status.Update(device_->read_dram(0, address_, absl::MakeSpan(byte)));
    byte[0] ^= std::byte{1};
    status.Update(device_->write_dram(0, address_, byte));
    return status;
  }

 private:
  const std::unique_ptr<device::Device> device_;
  int launch_;
  const uint64_t address_;
};

class DivergenceTest : public ::testing::Test {
 protected:
  static constexpr int kPrograms = 12;

  // Twelve programs on one buffer, which is read at the end alone, beside a buffer that none uses.
  DivergenceTest() {
    tm::LightMetalBeginCapture({.read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0);
    {
      auto unused = testing::counting_buffer(device, 1);
      auto buffer = testing::counting_buffer(device, 1);
      std::vector<std::unique_ptr<testing::AccumulatingProgram>> programs;
      for (int i = 0; i < kPrograms; ++i) {
        programs.push_back(std::make_unique<testing::AccumulatingProgram>(buffer));
        tm::EnqueueProgram(device->command_queue(), programs.back()->program, false);
      }
      testing::words_in(buffer);
      address_ = buffer->address();
    }
    tm::CloseDevice(device);
    file_ = testing::open_file(tm::LightMetalEndCapture());
  }

  // Makes "faulty" the CPU device with a fault behind that launch, of word 3 of the buffer.
  void make_fault(int launch) const {
    device::register_device("faulty",
                            [launch, address = address_ + 12](const device::DeviceOptions& options)
                                -> absl::StatusOr<std::unique_ptr<device::Device>> {
                              auto device = device::open_device("cpu", options);
                              if (!device.ok()) return device.status();
                              return std::make_unique<FaultyDevice>(*std::move(device), launch,
                                                                    address);
                            });
  }

  uint64_t address_ = 0;
  testing::FilePointer file_;
};

TEST_F(DivergenceTest, TheLaunchIsNamedBehindWhichADeviceHoldsSomethingElse) {
  for (const bool bisect : {false, true}) {
    for (const int launch : {1, 7, 12}) {
      make_fault(launch);
      const auto report = find_divergence(file_, {.reference_backend = "faulty", .bisect = bisect});
      ASSERT_TRUE(report.ok()) << report.status();
      ASSERT_TRUE(report->first.has_value());
      const Divergence& first = *report->first;
      EXPECT_EQ(first.launch, static_cast<uint64_t>(launch));
      EXPECT_EQ(first.program, static_cast<uint64_t>(launch));
      EXPECT_EQ(first.launches, static_cast<uint64_t>(kPrograms));
      EXPECT_EQ(first.since, first.command);
      EXPECT_EQ(first.difference.buffer, 2u);
      EXPECT_EQ(first.difference.different, 1u);
      EXPECT_EQ(first.difference.first.at(0).index, 3u);
      EXPECT_THAT(first.text(), HasSubstr("EnqueueProgram of program "));
    }
  }
}

TEST_F(DivergenceTest, TheFaultyDeviceCanBeTheOneThatReplaysTheFile) {
  make_fault(5);
  DivergenceOptions options;
  options.load.backend = "faulty";
  const auto report = find_divergence(file_, options);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_TRUE(report->first.has_value());
  EXPECT_EQ(report->first->launch, 5u);
}

TEST_F(DivergenceTest, EqualDevicesDoNotDiverge) {
  make_fault(kPrograms + 1);
  const auto report = find_divergence(file_, {.reference_backend = "faulty"});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->first.has_value());
  EXPECT_EQ(report->launches, static_cast<uint64_t>(kPrograms));
  EXPECT_EQ(report->buffers_compared, static_cast<uint64_t>(2 * kPrograms));
  EXPECT_EQ(report->reads_compared, 1u);
}

}  // namespace
}  // namespace lightmetal
