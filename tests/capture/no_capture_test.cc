// The host API built without capture.
#include <gtest/gtest.h>

#include <lightmetal/capture.hpp>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <vector>

namespace tt::tt_metal {
namespace {

TEST(WithoutCapture, BeginSaysSoAndEndReturnsAnEmptyBinary) {
  EXPECT_FALSE(lightmetal::capture_is_compiled_in());
  ::testing::internal::CaptureStdout();
  LightMetalBeginCapture();
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("compiled out"), std::string::npos);
  EXPECT_TRUE(LightMetalEndCapture().is_empty());
}

TEST(WithoutCapture, EverythingElseWorks) {
  IDevice* device = CreateDevice(0);
  auto buffer =
      CreateBuffer(InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
  std::vector<uint32_t> data(16, 3), read(16);
  EnqueueWriteBuffer(device->command_queue(), buffer, data, true);
  LightMetalCompareToCapture(device->command_queue(), buffer, read.data());
  EXPECT_EQ(read, data);
  LightMetalCompareToGolden(device->command_queue(), buffer, data);
  CloseDevice(device);
}

}  // namespace
}  // namespace tt::tt_metal
