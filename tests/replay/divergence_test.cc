// Two devices side by side, of which one computes something else once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <lightmetal/divergence.hpp>
#include <map>
#include <memory>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "device/registry/registry.h"
#include "tests/support/accumulating_program.h"
#include "tests/support/captured_file.h"
#include "tests/support/passing_device.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::HasSubstr;

// The CPU device, which turns a bit of bank 0 of its DRAM behind one of its launches.
class FaultyDevice final : public testing::PassingDevice {
 public:
  FaultyDevice(std::unique_ptr<device::Device> device, int launch, uint64_t address)
      : PassingDevice(std::move(device)), launch_(launch), address_(address) {}

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

TEST_F(DivergenceTest, AReferenceThatNamesOtherObjectsOrEndsElsewhereIsAnotherProgram) {
  const auto names = testing::names_of(*file_);
  const size_t read = std::ranges::find(names, "EnqueueReadBuffer") - names.begin();
  const auto other = testing::rewritten(*file_, [](schema::CommandT& command, schema::Writer&) {
    if (auto* change = command.call.AsEnqueueReadBuffer()) change->buffer = 1;
  });
  const auto shorter = testing::written_like(*file_, [&](schema::Writer& writer) {
    const auto commands = testing::encoded_commands_of(*file_);
    for (size_t i = 0; i + 1 < commands.size(); ++i)
      EXPECT_TRUE(writer.append_command(bytes_of(commands[i].data(), commands[i].size())).ok());
  });
  const auto refusal_of = [](const testing::FilePointer& file,
                             const testing::FilePointer& reference) {
    const absl::Status status = find_divergence(file, {.reference = reference}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    return std::string(status.message());
  };
  EXPECT_THAT(refusal_of(file_, testing::open_file(other)),
              HasSubstr(absl::StrCat(": command ", read,
                                     " is EnqueueReadBuffer there and "
                                     "EnqueueReadBuffer here, or names other objects")));
  const std::string last = absl::StrCat(": command ", names.size() - 1, " is ");
  EXPECT_THAT(refusal_of(file_, testing::open_file(shorter)),
              HasSubstr(last + "the end there and CloseDevice here"));
  EXPECT_THAT(refusal_of(testing::open_file(shorter), file_),
              HasSubstr(last + "CloseDevice there and the end here"));
}

TEST_F(DivergenceTest, PoliciesHoldForTheirCommandsAlone) {
  make_fault(kPrograms);
  const auto names = testing::names_of(*file_);
  const auto command_of = [&](const char* name) {
    return static_cast<uint64_t>(std::ranges::find(names.rbegin(), names.rend(), name).base() -
                                 names.begin() - 1);
  };
  const ComparePolicy near = *ComparePolicy::parse("atol:1,as:float32");
  const uint64_t launch = command_of("EnqueueProgram"), read = command_of("EnqueueReadBuffer");
  const auto first_with = [&](std::map<uint64_t, ComparePolicy> policies) {
    const auto report = find_divergence(
        file_, {.run = {.command_policies = std::move(policies)}, .reference_backend = "faulty"});
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() && report->first ? report->first->command : 0;
  };
  EXPECT_EQ(first_with({{launch, near}, {read, near}}), 0u);
  EXPECT_EQ(first_with({{launch, near}}), read);
  EXPECT_EQ(first_with({{read, near}}), launch);
}

TEST_F(DivergenceTest, BothSidesTellHowFarTheyAre) {
  std::vector<uint64_t> told, expected;
  DivergenceOptions options;
  options.run.on_progress = [&](uint64_t command, uint64_t commands) {
    EXPECT_EQ(commands, file_->num_commands());
    told.push_back(command);
  };
  ASSERT_TRUE(find_divergence(file_, options).ok());
  for (int side = 0; side < 2; ++side) {
    for (uint64_t command = 0; command < file_->num_commands(); ++command)
      expected.push_back(command);
  }
  EXPECT_EQ(told, expected);
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
