// One test for each of the ancestor's known bugs, named after what must hold. Those that need a
// scenario of their own stand in scenarios_test.cc (frees at scope's end, access past small
// buffers) and examples_test.cc (replay without sources).
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_binary.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/file/reader.h"
#include "schema/show/dump.h"
#include "schema/verify/verify.h"

namespace tt::tt_metal {
namespace {

// Writes its common argument, plus the core's own argument, to L1 at the address of its second own
// argument.
constexpr char kStoreKernel[] = R"(
void kernel_main() {
  volatile uint32_t* target = (volatile uint32_t*)get_arg_val<uint32_t>(1);
  *target = get_common_arg_val<uint32_t>(0) + get_arg_val<uint32_t>(0);
})";

const DataMovementConfig kRiscv0{.processor = DataMovementProcessor::RISCV_0,
                                 .noc = NOC::RISCV_0_default};

std::shared_ptr<const lightmetal::schema::File> open_file(const LightMetalBinary& binary) {
  const auto bytes = lightmetal::bytes_of(binary.get_data().data(), binary.get_data().size());
  auto file = lightmetal::schema::File::from_bytes({bytes.begin(), bytes.end()});
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : nullptr;
}

std::string dump_of(const LightMetalBinary& binary) {
  std::string text;
  const absl::Status status =
      lightmetal::schema::dump(*open_file(binary), {}, [&](absl::string_view line) {
        absl::StrAppend(&text, line, "\n");
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return text;
}

class UpstreamBug : public ::testing::Test {
 protected:
  void SetUp() override { device_ = CreateDevice(0); }
  void TearDown() override { CloseDevice(device_); }

  CommandQueue& cq() { return device_->command_queue(); }

  std::shared_ptr<Buffer> make_buffer(DeviceAddr size, BufferType type = BufferType::DRAM) {
    return Buffer::create(device_, size, size, type);
  }

  static LightMetalBinary capture(const std::function<void()>& run) {
    LightMetalBeginCapture();
    run();
    LightMetalBinary binary = LightMetalEndCapture();
    EXPECT_FALSE(binary.is_empty());
    return binary;
  }

  // Replays on a second device of the same process.
  static bool replays(LightMetalBinary binary, IDevice* device) {
    return LightMetalReplay(std::move(binary), device).run();
  }

  bool captures_and_replays(const std::function<void()>& run) {
    LightMetalBinary binary = capture(run);
    CloseDevice(device_);
    device_ = CreateDevice(0);
    return replays(std::move(binary), device_);
  }

  IDevice* device_ = nullptr;
};

template <class T>
class UpstreamBugPayload : public UpstreamBug {};
using HostTypes = ::testing::Types<uint8_t, uint16_t, int32_t, uint32_t, float, bfloat16>;
TYPED_TEST_SUITE(UpstreamBugPayload, HostTypes);

// Bug 1: payloads were widened, truncated or refused.
TYPED_TEST(UpstreamBugPayload, KeepsItsBytesInEveryHostType) {
  EXPECT_TRUE(this->captures_and_replays([&] {
    auto buffer = this->make_buffer(64);
    std::vector<uint8_t> bytes(64);
    std::iota(bytes.begin(), bytes.end(), uint8_t{130});
    std::vector<TypeParam> values(64 / sizeof(TypeParam));
    std::memcpy(static_cast<void*>(values.data()), bytes.data(), 64);
    EnqueueWriteBuffer(this->cq(), buffer, values, /*blocking=*/false);
    std::vector<uint8_t> found;
    EnqueueReadBuffer(this->cq(), buffer, found, /*blocking=*/true);
    EXPECT_EQ(found, bytes);
    LightMetalCompareToGolden(this->cq(), buffer, bytes.data());
  }));
}

TEST_F(UpstreamBug, PayloadsOfSharedVectorsKeepTheirBytes) {
  EXPECT_TRUE(captures_and_replays([&] {
    auto buffer = make_buffer(8);
    const auto values =
        std::make_shared<std::vector<uint16_t>>(std::vector<uint16_t>{1, 0xffff, 3, 0x8000});
    EnqueueWriteBuffer(cq(), buffer, values, /*blocking=*/false);
    LightMetalCompareToGolden(cq(), buffer, values->data());
  }));
}

// Bug 2: sizes were signed 32-bit numbers.
TEST_F(UpstreamBug, BuffersBeyondTwoGibibytesReplay) {
  constexpr DeviceAddr kSize = DeviceAddr{5} << 30, kPage = 1 << 20;
  EXPECT_TRUE(captures_and_replays([&] {
    auto buffer = Buffer::create(device_, kSize, kPage, BufferType::DRAM);
    std::vector<uint32_t> page(kPage / 4, 7);
    EnqueueWriteSubBuffer(cq(), *buffer, page, BufferRegion(kSize - kPage, kPage),
                          /*blocking=*/true);
    std::vector<uint32_t> found(kPage / 4);
    EnqueueReadSubBuffer(cq(), *buffer, found, BufferRegion(kSize - kPage, kPage),
                         /*blocking=*/true);
    EXPECT_EQ(found, page);
  }));
}

// Bug 3: objects were known by their addresses.
TEST_F(UpstreamBug, AMovedProgramIsTheSameProgram) {
  EXPECT_TRUE(captures_and_replays([&] {
    auto memory = make_buffer(16, BufferType::L1);
    Program first = CreateProgram();
    const KernelHandle kernel =
        CreateKernelFromString(first, kStoreKernel, CoreCoord{0, 0}, kRiscv0);
    Program second = std::move(first);
    first = CreateProgram();
    SetRuntimeArgs(second, kernel, CoreCoord{0, 0}, {40, memory->address()});
    SetCommonRuntimeArgs(second, kernel, {2});
    Program third;
    third = std::move(second);
    EnqueueProgram(cq(), third, /*blocking=*/true);
    std::vector<uint32_t> golden{42, 0, 0, 0};
    LightMetalCompareToGolden(cq(), memory, golden.data());
  }));
}

TEST_F(UpstreamBug, BuffersAtAReusedAddressAreDistinct) {
  LightMetalBinary binary = capture([&] {
    DeviceAddr address = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      auto buffer = make_buffer(64);
      EXPECT_TRUE(i == 0 || buffer->address() == address);
      address = buffer->address();
    }
  });
  const std::string dump = dump_of(binary);
  EXPECT_NE(dump.find("BufferCreate  id=3"), std::string::npos) << dump;
  EXPECT_TRUE(replays(std::move(binary), device_));
}

// Bug 4: deallocation and destruction were one event.
TEST_F(UpstreamBug, ADeallocatedBufferLivesUntilItIsDestroyed) {
  LightMetalBinary binary = capture([&] {
    auto buffer = make_buffer(1024, BufferType::L1);
    DeallocateBuffer(*buffer);
    Program program = CreateProgram();
    CreateCircularBuffer(
        program, CoreCoord{0, 0},
        CircularBufferConfig(1024, {{0, DataFormat::Float16_b}}, *buffer).set_page_size(0, 1024));
  });
  const std::string dump = dump_of(binary);
  const size_t deallocated = dump.find("BufferDeallocate"),
               used = dump.find("CircularBufferCreate"), destroyed = dump.find("BufferDestroy");
  EXPECT_LT(deallocated, used) << dump;
  EXPECT_LT(used, destroyed) << dump;
  EXPECT_TRUE(replays(std::move(binary), device_));
}

// Bug 5: what the API makes for itself was captured, or broke captures that began before the device
// was opened.
TEST_F(UpstreamBug, BuffersTheApiMakesForItselfAreNotCaptured) {
  LightMetalBinary binary = capture([&] {
    const GlobalSemaphore semaphore =
        CreateGlobalSemaphore(device_, CoreRangeSet(CoreRange({0, 0}, {1, 1})), 5);
  });
  EXPECT_EQ(dump_of(binary).find("BufferCreate"), std::string::npos);
  EXPECT_TRUE(replays(std::move(binary), device_));
}

TEST_F(UpstreamBug, ACaptureMayBeginBeforeTheDeviceIsOpened) {
  CloseDevice(device_);
  LightMetalBinary binary = capture([&] {
    device_ = CreateDevice(0);
    auto buffer = make_buffer(64);
    std::vector<uint32_t> words(16, 3);
    EnqueueWriteBuffer(cq(), buffer, words, /*blocking=*/false);
    LightMetalCompareToCapture(cq(), buffer);
  });
  CloseDevice(device_);
  EXPECT_TRUE(LightMetalReplay(std::move(binary)).run());
  device_ = CreateDevice(0);
}

// Bug 6: lists came back empty, or twice as long with defaults in front.
TEST_F(UpstreamBug, ArgumentsPerCoreReachTheirCoresAlone) {
  EXPECT_TRUE(captures_and_replays([&] {
    auto memory = Buffer::create(device_, 64 * 16, 16, BufferType::L1);  // one page in each core
    std::vector<uint32_t> zeros(64 * 4, 0);
    EnqueueWriteBuffer(cq(), memory, zeros, /*blocking=*/false);
    Program program = CreateProgram();
    const std::vector<CoreCoord> cores{{1, 0}, {2, 0}};
    const KernelHandle kernel =
        CreateKernelFromString(program, kStoreKernel, CoreRange({1, 0}, {2, 0}), kRiscv0);
    SetRuntimeArgs(program, kernel, cores, {{10, memory->address()}, {20, memory->address()}});
    SetCommonRuntimeArgs(program, kernel, {1});
    EnqueueProgram(cq(), program, /*blocking=*/false);
    std::vector<uint32_t> golden(64 * 4, 0);
    golden[4] = 11;
    golden[8] = 21;
    LightMetalCompareToGolden(cq(), memory, golden.data());
    std::vector<uint32_t> found;
    EnqueueReadBuffer(cq(), memory, found, /*blocking=*/true);
    EXPECT_EQ(found, golden);
  }));
}

TEST_F(UpstreamBug, SubDevicesOfFinishAreKept) {
  LightMetalBinary binary = capture([&] {
    const std::vector<SubDeviceId> sub_devices{SubDeviceId{0}};
    Finish(cq(), sub_devices);
  });
  EXPECT_NE(dump_of(binary).find("sub_devices=[0]"), std::string::npos) << dump_of(binary);
}

// Bug 7: no version, no description of the device.
TEST_F(UpstreamBug, TheFileSaysItsVersionAndItsDevices) {
  LightMetalBinary binary = capture([] {});
  const auto file = open_file(binary);
  EXPECT_EQ(file->session().version_major, lightmetal::schema::kVersionMajor);
  const std::string dump = dump_of(binary);
  EXPECT_NE(dump.find("wormhole_b0"), std::string::npos) << dump;
  EXPECT_NE(dump.find("l1_size=1499136"), std::string::npos) << dump;
}

// Bug 9: one device, one queue.
TEST_F(UpstreamBug, SeveralDevicesAndQueuesReplay) {
  CloseDevice(device_);
  LightMetalBinary binary = capture([&] {
    std::vector<IDevice*> devices{CreateDevice(0, 2), CreateDevice(1, 2)};
    std::vector<std::shared_ptr<Buffer>> buffers;
    for (IDevice* device : devices) {
      for (size_t queue = 0; queue < 2; ++queue) {
        buffers.push_back(Buffer::create(device, 64, 64, BufferType::DRAM));
        std::vector<uint32_t> words(16, static_cast<uint32_t>(buffers.size()));
        EnqueueWriteBuffer(device->command_queue(queue), buffers.back(), words, /*blocking=*/false);
        LightMetalCompareToCapture(device->command_queue(queue), buffers.back());
      }
    }
    for (IDevice* device : devices) CloseDevice(device);
  });
  EXPECT_TRUE(LightMetalReplay(std::move(binary)).run());
  device_ = CreateDevice(0);
}

// Bug 12: a replay that failed left its device open.
TEST_F(UpstreamBug, AFailedReplayClosesItsDevice) {
  CloseDevice(device_);
  LightMetalBinary binary = capture([&] {
    device_ = CreateDevice(0);
    auto buffer = make_buffer(64);
    std::vector<uint32_t> golden(16, 1);
    LightMetalCompareToGolden(cq(), buffer, golden.data());
    buffer.reset();
    CloseDevice(device_);
  });
  EXPECT_FALSE(LightMetalReplay(std::move(binary)).run());
  device_ = CreateDevice(0);
  EXPECT_EQ(device_->id(), 0);
}

// Direct writes through references passed by unseen.
TEST_F(UpstreamBug, WritesThroughRuntimeArgumentReferencesAreCaptured) {
  EXPECT_TRUE(captures_and_replays([&] {
    auto memory = make_buffer(16, BufferType::L1);
    Program program = CreateProgram();
    const KernelHandle kernel =
        CreateKernelFromString(program, kStoreKernel, CoreCoord{0, 0}, kRiscv0);
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {1, memory->address()});
    SetCommonRuntimeArgs(program, kernel, {1});
    EnqueueProgram(cq(), program, /*blocking=*/true);
    GetRuntimeArgs(program, kernel, CoreCoord{0, 0})[0] = 100;
    GetCommonRuntimeArgs(program, kernel)[0] = 5;
    EnqueueProgram(cq(), program, /*blocking=*/true);
    std::vector<uint32_t> golden{105, 0, 0, 0};
    LightMetalCompareToGolden(cq(), memory, golden.data());
    std::vector<uint32_t> found;
    EnqueueReadBuffer(cq(), memory, found, /*blocking=*/true);
    EXPECT_EQ(found, golden);
  }));
}

// Calls that upstream never captured.
TEST_F(UpstreamBug, CallsThatWereNeverCapturedReplay) {
  EXPECT_TRUE(captures_and_replays([&] {
    auto memory = make_buffer(16, BufferType::L1);
    std::vector<uint32_t> words{1, 2, 3, 4};
    detail::WriteToBuffer(memory, words);
    std::vector<uint32_t> l1{9};
    detail::WriteToDeviceL1(device_, CoreCoord{0, 0}, memory->address() + 12, l1);
    Program program = CreateProgram();
    CreateSemaphore(program, CoreRange({0, 0}, {0, 0}), 3);
    const KernelHandle kernel =
        CreateKernelFromString(program, kStoreKernel, CoreCoord{0, 0}, kRiscv0);
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {1, memory->address()});
    SetCommonRuntimeArgs(program, kernel, {6});
    detail::LaunchProgram(device_, program);
    auto event = std::make_shared<Event>();
    EnqueueRecordEvent(cq(), event);
    EventSynchronize(event);
    Synchronize(device_);
    std::vector<uint32_t> golden{7, 2, 3, 9};
    LightMetalCompareToGolden(cq(), memory, golden.data());
    std::vector<uint32_t> found;
    detail::ReadFromBuffer(memory, found);
    EXPECT_EQ(found, golden);
  }));
}

}  // namespace
}  // namespace tt::tt_metal
