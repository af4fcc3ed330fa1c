#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <stdexcept>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "tests/support/captured_file.h"

// What those tests share that run host programs on the CPU device and replay them.
namespace tt::tt_metal::testing {

// Expects that `statement` throws a std::runtime_error whose text holds each of the given parts.
template <typename Statement, typename... Parts>
void expect_refused(Statement statement, const Parts&... parts) {
  try {
    statement();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr(parts)...));
  }
}

// A test with a CPU device, which it closes at its end.
class CpuApiTest : public ::testing::Test {
 protected:
  CpuApiTest() { unsetenv("LIGHTMETAL_DEVICE"); }
  ~CpuApiTest() override {
    unsetenv("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS");
    if (device_ != nullptr && device_->is_initialized()) CloseDevice(device_);
  }

  IDevice* open(uint8_t queues = 1) { return device_ = CreateDevice(0, queues); }
  IDevice* device() { return device_ != nullptr ? device_ : open(); }
  CommandQueue& queue() { return device()->command_queue(); }

  std::vector<uint32_t> l1_words(const CoreCoord& core, DeviceAddr address, uint32_t count) {
    std::vector<uint32_t> words;
    detail::ReadFromDeviceL1(device(), core, static_cast<uint32_t>(address), count * 4, words);
    return words;
  }

 private:
  IDevice* device_ = nullptr;
};

inline KernelHandle add_data_movement(
    Program& program, const std::string& body,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores,
    const std::vector<uint32_t>& compile_args = {},
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0) {
  return CreateKernelFromString(
      program,
      "#include \"dataflow_api.h\"\n#include \"remote_circular_buffer_api.h\"\n"
      "void kernel_main() {\n" +
          body + "\n}\n",
      cores,
      DataMovementConfig{.processor = processor,
                         .noc = processor == DataMovementProcessor::RISCV_0 ? NOC::RISCV_0_default
                                                                            : NOC::RISCV_1_default,
                         .compile_args = compile_args});
}

// Captures `program`, which opens and closes its devices, keeps what it reads, replays the file
// while capturing, and expects the same reads and the same file.
inline void expect_replays_alike(const std::function<void()>& program) {
  // Without the origin, which has the time.
  LightMetalBeginCapture({.read_goldens = true, .record_origin = false});
  program();
  const std::vector<uint8_t> recorded = LightMetalEndCapture().get_data();
  auto replay = lightmetal::Replay::load_bytes(recorded, {});
  ASSERT_TRUE(replay.ok()) << replay.status();
  LightMetalBeginCapture({.read_goldens = true, .record_origin = false});
  const auto result = (*replay)->run();
  const std::vector<uint8_t> again = LightMetalEndCapture().get_data();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(result->goldens_checked, 0u);
  EXPECT_TRUE(result->matches());
  EXPECT_TRUE(recorded == again) << "the replay that is captured gives another file: "
                                 << lightmetal::testing::difference_of(
                                        *lightmetal::testing::open_file(recorded),
                                        *lightmetal::testing::open_file(again));
  // A replay object can run more than once.
  const auto second = (*replay)->run();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(second->matches());
}

}  // namespace tt::tt_metal::testing
