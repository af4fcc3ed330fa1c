// lightmetal_runner run --schedule split: unpack, math and pack of compute kernels as three
// processors, in a program and in the replay of its file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <lightmetal/capture.hpp>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;

constexpr CoreCoord kCore = {0, 0};
constexpr uint32_t kTiles = 3;
constexpr uint32_t kTileBytes = 4096;

constexpr char kReader[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  for (uint32_t i = 0; i < 3; ++i) {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0) + i * 4096), get_write_ptr(0), 4096);
    noc_async_read_barrier();
    cb_push_back(0, 1);
  }
})";

constexpr char kWriter[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  for (uint32_t i = 0; i < 3; ++i) {
    cb_wait_front(16, 1);
    noc_async_write(get_read_ptr(16), get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(0) + i * 4096), 4096);
    noc_async_write_barrier();
    cb_pop_front(16, 1);
  }
})";

// The math commits three sections before the text comes to packing, and tells the packer by a
// mailbox which tile of DST each is in.
constexpr char kRunsAhead[] = R"(
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"
namespace NAMESPACE {
void MAIN {
  unary_op_init_common(0, 16);
  cb_wait_front(0, 3);
  for (uint32_t i = 0; i < 3; ++i) {
    tile_regs_acquire();
    copy_tile(0, i, i);
    MATH((mailbox_write(ckernel::ThreadId::PackThreadId, i)));
    tile_regs_commit();
  }
  for (uint32_t i = 0; i < 3; ++i) {
    uint32_t tile = 0;
    PACK(tile = mailbox_read(ckernel::ThreadId::MathThreadId);)
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(tile, 16);
    tile_regs_release();
    cb_push_back(16, 1);
  }
  cb_pop_front(0, 3);
}
})";

constexpr char kInTurn[] = R"(
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"
namespace NAMESPACE {
void MAIN {
  unary_op_init_common(0, 16);
  for (uint32_t i = 0; i < 3; ++i) {
    cb_wait_front(0, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    cb_pop_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
  }
}
})";

std::shared_ptr<tm::Buffer> buffer_on(tm::IDevice* device) {
  return tm::CreateBuffer(tm::InterleavedBufferConfig{.device = device,
                                                      .size = kTiles * kTileBytes,
                                                      .page_size = kTiles * kTileBytes,
                                                      .buffer_type = tm::BufferType::DRAM});
}

void add_circular_buffer(tm::Program& program, uint8_t index, uint32_t tiles) {
  tm::CreateCircularBuffer(
      program, kCore,
      tm::CircularBufferConfig(tiles * kTileBytes, {{index, tt::DataFormat::Float32}})
          .set_page_size(index, kTileBytes));
}

// Copies a buffer by way of `compute`, and returns the copy.
std::vector<uint32_t> copy_on(tm::IDevice* device, const char* compute,
                              const std::vector<uint32_t>& data) {
  const auto source = buffer_on(device), target = buffer_on(device);
  tm::Program program = tm::CreateProgram();
  add_circular_buffer(program, 0, kTiles);
  add_circular_buffer(program, 16, 1);
  const auto reader = tm::CreateKernelFromString(
      program, kReader, kCore,
      tm::DataMovementConfig{.processor = tm::DataMovementProcessor::RISCV_0});
  const auto writer = tm::CreateKernelFromString(
      program, kWriter, kCore,
      tm::DataMovementConfig{.processor = tm::DataMovementProcessor::RISCV_1,
                             .noc = tm::NOC::RISCV_1_default});
  tm::CreateKernelFromString(program, compute, kCore, tm::ComputeConfig{.fp32_dest_acc_en = true});
  tm::SetRuntimeArgs(program, reader, kCore, {static_cast<uint32_t>(source->address())});
  tm::SetRuntimeArgs(program, writer, kCore, {static_cast<uint32_t>(target->address())});
  tm::EnqueueWriteBuffer(device->command_queue(), source, data, false);
  tm::EnqueueProgram(device->command_queue(), program, /*blocking=*/true);
  std::vector<uint32_t> copy;
  tm::EnqueueReadBuffer(device->command_queue(), target, copy, true);
  return copy;
}

class SplitSchedule : public ::testing::Test {
 protected:
  // The file of a program that runs `compute` on a device with this schedule.
  std::string capture(const char* compute, const char* schedule) {
    setenv("LIGHTMETAL_CPU_DEVICE_SCHEDULE", schedule, 1);
    const std::string path = folder_.path("file.lmb");
    std::vector<uint32_t> data(kTiles * kTileBytes / 4);
    for (size_t i = 0; i < data.size(); ++i) data[i] = 0x3f800000 + static_cast<uint32_t>(i);
    tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
    tm::IDevice* device = tm::CreateDevice(0);
    EXPECT_EQ(copy_on(device, compute, data), data);
    tm::CloseDevice(device);
    tm::LightMetalEndCapture();
    unsetenv("LIGHTMETAL_CPU_DEVICE_SCHEDULE");
    return path;
  }

  static ProcessResult run(const std::string& file, std::vector<std::string> options) {
    options.insert(options.begin(), {LIGHTMETAL_RUNNER, "run", file});
    return run_process(options, {.environment = {{"PATH", ""}}, .empty_environment = true});
  }

  TemporaryFolder folder_;
};

TEST_F(SplitSchedule, AProgramThatRunsAheadIsCapturedAndReplayed) {
  const std::string file = capture(kRunsAhead, "split");
  std::vector<std::vector<std::string>> choices = {
      {"--schedule", "split"}, {"--schedule", "fixed,split"}, {"--schedule", "random:5,split"}};
  // A sanitized runner cannot enter the sandbox.
  if (!LIGHTMETAL_SANITIZED) choices.push_back({"--schedule", "split", "--sandbox"});
  for (const std::vector<std::string>& options : choices) {
    const ProcessResult result = run(file, options);
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("1 golden matched"));
  }
}

TEST_F(SplitSchedule, WithoutItTheSameFileSaysWhatTheKernelNeeds) {
  const ProcessResult result = run(capture(kRunsAhead, "split"), {});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.errors, HasSubstr("open the device with the schedule \"split\""));
}

TEST_F(SplitSchedule, AFileWithPartsReplaysWithoutThemAsWell) {
  const std::string file = capture(kInTurn, "split");
  for (const char* schedule : {"free", "fixed", "split"})
    EXPECT_EQ(run(file, {"--schedule", schedule}).exit_code, 0) << schedule;
}

TEST_F(SplitSchedule, AFileWithoutPartsIsRefusedWithTheReason) {
  const std::string file = capture(kInTurn, "free");
  EXPECT_EQ(run(file, {}).exit_code, 0);
  const ProcessResult result = run(file, {"--schedule", "split"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("was compiled without parts"),
                                   HasSubstr("LIGHTMETAL_CPU_DEVICE_SCHEDULE")));
}

TEST_F(SplitSchedule, BackendsWithoutSchedulesRefuseIt) {
  const ProcessResult result =
      run(capture(kInTurn, "free"), {"--device", "null", "--schedule", "split"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.errors, HasSubstr("the backend \"null\" has no schedule \"split\""));
}

}  // namespace
}  // namespace lightmetal
