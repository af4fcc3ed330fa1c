// Replays that are captured give the file that they replay, where that is not plain to see.
#include "cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using testing::add_data_movement;
using testing::expect_replays_alike;

constexpr uint32_t kPage = 64;  // bytes

std::vector<uint32_t> counting() {
  std::vector<uint32_t> words(kPage / 4);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i;
  return words;
}

TEST(CapturedReplay, ABufferInASingleBankReplays) {
  expect_replays_alike([] {
    IDevice* device = CreateDevice(0);
    for (const BufferType type : {BufferType::DRAM, BufferType::L1}) {
      auto buffer = Buffer::create(device, kPage, kPage, type, TensorMemoryLayout::SINGLE_BANK);
      EnqueueWriteBuffer(device->command_queue(), buffer, counting(), false);
      std::vector<uint32_t> found;
      EnqueueReadBuffer(device->command_queue(), buffer, found, true);
      EXPECT_EQ(found, counting());
    }
    CloseDevice(device);
  });
}

// The launch itself is in no file: the trace holds it.
TEST(CapturedReplay, ArgumentsWrittenForALaunchIntoADeviceTraceAreRecordedAgain) {
  expect_replays_alike([] {
    IDevice* device = CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, 1 << 20);
    const CoreCoord core(1, 0);
    {
      Program program = CreateProgram();
      const KernelHandle kernel =
          add_data_movement(program,
                            "*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000) =\n"
                            "    get_arg_val<uint32_t>(0) + get_common_arg_val<uint32_t>(0);",
                            core);
      SetRuntimeArgs(program, kernel, core, {1});
      SetCommonRuntimeArgs(program, kernel, {10});
      const uint32_t trace = BeginTraceCapture(device, 0);
      GetRuntimeArgs(program, kernel, core)[0] = 2;
      GetCommonRuntimeArgs(program, kernel)[0] = 20;
      EnqueueProgram(device->command_queue(), program, false);
      EndTraceCapture(device, 0, trace);
      ReplayTrace(device, 0, trace, true);
      std::vector<uint32_t> found;
      detail::ReadFromDeviceL1(device, core, 0x80000, 4, found);
      EXPECT_EQ(found[0], 22u);
      ReleaseTrace(device, trace);
    }
    CloseDevice(device);
  });
}

}  // namespace
}  // namespace tt::tt_metal
