// The scenarios that upstream's Light Metal tests walk through, with kernels of our own: each is
// run under a capture, and the file is replayed on a device that the replay opens and on one that
// the test holds.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/device.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/lightmetal_binary.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/lightmetal_replay.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

namespace tt::tt_metal {
namespace {

constexpr size_t kTraceRegionSize = 4096;
const std::string kKernels = LIGHTMETAL_TEST_KERNELS;

enum class ReplayDevice { Managed, Callers };

class LightMetalScenario : public ::testing::TestWithParam<ReplayDevice> {
 protected:
  void SetUp() override {
    device_ = open_device();
    LightMetalBeginCapture();
  }

  void TearDown() override {
    LightMetalBinary binary = LightMetalEndCapture();
    ASSERT_FALSE(binary.is_empty());
    CloseDevice(device_);
    if (GetParam() == ReplayDevice::Managed) {
      EXPECT_TRUE(LightMetalReplay(std::move(binary)).run());
      return;
    }
    IDevice* device = open_device();
    EXPECT_TRUE(LightMetalReplay(std::move(binary), device).run());
    CloseDevice(device);
  }

  static IDevice* open_device() {
    return CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, kTraceRegionSize);
  }

  CommandQueue& cq() { return device_->command_queue(); }

  std::shared_ptr<Buffer> make_buffer(DeviceAddr size, BufferType type) {
    return Buffer::create(device_, size, size, type, TensorMemoryLayout::INTERLEAVED);
  }

  static std::vector<uint32_t> ramp(size_t bytes, uint32_t first) {
    std::vector<uint32_t> words(bytes / sizeof(uint32_t));
    std::iota(words.begin(), words.end(), first);
    return words;
  }

  void write(Buffer& buffer, const std::vector<uint32_t>& words) {
    EnqueueWriteBuffer(cq(), buffer, words.data(), /*blocking=*/true);
  }

  // What is in the buffer now; recorded as its golden.
  std::vector<uint32_t> read_as_golden(Buffer& buffer) {
    std::vector<uint32_t> words(buffer.size() / sizeof(uint32_t));
    LightMetalCompareToCapture(cq(), buffer, words.data());
    return words;
  }

  IDevice* device_ = nullptr;
};

TEST_P(LightMetalScenario, CreateBufferInterleavedEnqueueWriteRead) {
  std::vector<std::shared_ptr<Buffer>> kept;
  for (uint32_t loop = 0; loop < 5; ++loop) {
    auto buffer = CreateBuffer(BufferConfig{.device = device_,
                                            .size = 64,
                                            .page_size = 64,
                                            .buffer_layout = TensorMemoryLayout::INTERLEAVED});
    const std::vector<uint32_t> input = ramp(64, loop * 100);
    write(*buffer, input);
    EXPECT_EQ(read_as_golden(*buffer), input);
    if (loop > 1) kept.push_back(buffer);
  }
  for (auto& buffer : kept) DeallocateBuffer(*buffer);
}

class Sharded {
 public:
  static ShardedBufferConfig config(IDevice* device, TensorMemoryLayout layout) {
    // Two cores, each with 2x2 tiles of bfloat16.
    const bool by_height = layout == TensorMemoryLayout::HEIGHT_SHARDED;
    const std::array<uint32_t, 2> pages =
        by_height ? std::array<uint32_t, 2>{4, 2} : std::array<uint32_t, 2>{2, 4};
    return {.device = device,
            .size = 8 * kPage,
            .page_size = kPage,
            .buffer_type = BufferType::L1,
            .buffer_layout = layout,
            .shard_parameters = ShardSpecBuffer(CoreRangeSet(CoreRange({0, 0}, {0, 1})), {64, 64},
                                                ShardOrientation::ROW_MAJOR, {32, 32}, pages)};
  }
  static constexpr uint32_t kPage = 2048;
};

TEST_P(LightMetalScenario, CreateBufferHeightShardEnqueueWriteRead) {
  for (uint32_t loop = 0; loop < 5; ++loop) {
    auto buffer = CreateBuffer(Sharded::config(device_, TensorMemoryLayout::HEIGHT_SHARDED));
    const std::vector<uint32_t> input = ramp(buffer->size(), loop * 1000);
    write(*buffer, input);
    EXPECT_EQ(read_as_golden(*buffer), input);
  }
}

TEST_P(LightMetalScenario, CreateBufferWidthShardEnqueueWriteRead) {
  for (uint32_t loop = 0; loop < 5; ++loop) {
    auto buffer = CreateBuffer(Sharded::config(device_, TensorMemoryLayout::WIDTH_SHARDED));
    const std::vector<uint32_t> input = ramp(buffer->size(), loop * 1000);
    write(*buffer, input);
    EXPECT_EQ(read_as_golden(*buffer), input);
  }
}

// Without its frees in the file the replay runs out of L1.
TEST_P(LightMetalScenario, BufferDeallocationsScope) {
  for (int loop = 0; loop < 100; ++loop) {
    auto buffer = make_buffer(256 * 1024, BufferType::L1);
    EXPECT_TRUE(buffer->is_allocated());
  }
}

TEST_P(LightMetalScenario, CreateBufferAndDeallocate) {
  for (int loop = 0; loop < 5; ++loop) {
    auto buffer = make_buffer(64, BufferType::DRAM);
    DeallocateBuffer(*buffer);
    EXPECT_FALSE(buffer->is_allocated());
  }
}

class SingleDataMovement : public LightMetalScenario {
 protected:
  static constexpr uint32_t kSize = 64;

  void run(bool args_per_core) {
    auto source = make_buffer(kSize, BufferType::DRAM),
         result = make_buffer(kSize, BufferType::DRAM);
    auto scratch = make_buffer(kSize, BufferType::L1);
    Program program;
    const CoreCoord core{0, 0};
    const KernelHandle kernel =
        CreateKernel(program, kKernels + "/dram_loopback.cpp", core,
                     DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                        .noc = NOC::RISCV_0_default});
    const std::vector<uint32_t> args{
        scratch->address(), source->address(), 0, result->address(), 0, kSize};
    if (args_per_core) {
      SetRuntimeArgs(program, kernel, std::vector<CoreCoord>{core},
                     std::vector<std::vector<uint32_t>>{args});
    } else {
      SetRuntimeArgs(program, kernel, core, args);
    }
    const std::vector<uint32_t> input = ramp(kSize, 7);
    write(*source, input);
    EnqueueProgram(cq(), program, /*blocking=*/true);
    EXPECT_EQ(read_as_golden(*result), input);
    Finish(cq());
  }
};

TEST_P(SingleDataMovement, SingleRISCDataMovement) { run(/*args_per_core=*/false); }
TEST_P(SingleDataMovement, SingleRISCDataMovementRtArgsPerCoreVec) { run(/*args_per_core=*/true); }

// A program of reader, exp and writer on one core. The buffers hold one tile; the kernels'
// arguments name them symbolically.
class ThreeKernels : public LightMetalScenario {
 protected:
  static constexpr uint32_t kTile = 2048;
  enum class InputBuffer { Static, Dynamic, DynamicDeallocatedEarly };

  void make_kernels(Program& program, const std::shared_ptr<Buffer>& input,
                    const std::shared_ptr<Buffer>& output) {
    const CoreCoord core{0, 0};
    const KernelHandle reader =
        CreateKernel(program, kKernels + "/read_unary.cpp", core,
                     DataMovementConfig{.processor = DataMovementProcessor::RISCV_1,
                                        .noc = NOC::RISCV_1_default});
    const KernelHandle writer =
        CreateKernel(program, kKernels + "/write_unary.cpp", core,
                     DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                        .noc = NOC::RISCV_0_default});
    CreateKernel(program, kKernels + "/eltwise_unary.cpp", core,
                 ComputeConfig{.compile_args = {1, 1},
                               .defines = {{"SFPU_OP_EXP_INCLUDE", "1"},
                                           {"SFPU_OP_CHAIN_0", "exp_tile_init(); exp_tile(0);"}}});
    set_args(program, reader, input);
    set_args(program, writer, output);
  }

  void set_args(Program& program, KernelHandle kernel, const std::shared_ptr<Buffer>& buffer) {
    auto args = std::make_shared<RuntimeArgs>(RuntimeArgs{buffer.get(), 0u, 1u});
    SetRuntimeArgs(device_, detail::GetKernel(program, kernel), CoreCoord{0, 0}, args);
  }

  static void make_circular_buffer(Program& program, uint8_t index, Buffer* memory) {
    CircularBufferConfig config(kTile, {{index, DataFormat::Float16_b}});
    config.set_page_size(index, kTile);
    if (memory) config.set_globally_allocated_address(*memory);
    CreateCircularBuffer(program, CoreCoord{0, 0}, config);
  }

  void run(InputBuffer kind) {
    auto input = make_buffer(kTile, BufferType::DRAM),
         output = make_buffer(kTile, BufferType::DRAM);
    std::shared_ptr<Buffer> memory;
    if (kind != InputBuffer::Static) memory = make_buffer(kTile, BufferType::L1);
    if (kind == InputBuffer::DynamicDeallocatedEarly) DeallocateBuffer(*memory);
    Program outer;
    {
      Program program = CreateProgram();
      make_circular_buffer(program, 0, memory.get());
      make_circular_buffer(program, 16, nullptr);
      make_kernels(program, input, output);
      outer = std::move(program);
    }
    const std::vector<uint32_t> values = create_random_vector_of_bfloat16(kTile, 2.0f, 42, -1.0f);
    write(*input, values);
    EnqueueProgram(cq(), outer, /*blocking=*/true);
    LightMetalCompareToCapture(cq(), *output);
    check_exp(values, *output);
  }

  // exp of a bfloat16, rounded to bfloat16, is within 2^-8 of the exact value.
  void check_exp(const std::vector<uint32_t>& input, Buffer& output) {
    std::vector<uint32_t> found;
    EnqueueReadBuffer(cq(), output, found, /*blocking=*/true);
    const std::vector<bfloat16> x = unpack_uint32_vec_into_bfloat16_vec(input);
    const std::vector<bfloat16> y = unpack_uint32_vec_into_bfloat16_vec(found);
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = std::exp(static_cast<double>(x[i].to_float()));
      ASSERT_NEAR(y[i].to_float(), expected, expected / 256) << "element " << i;
    }
  }
};

TEST_P(ThreeKernels, ThreeRISCDataMovementCompute) { run(InputBuffer::Static); }
TEST_P(ThreeKernels, ThreeRISCDataMovementComputeDynamicCB) { run(InputBuffer::Dynamic); }
TEST_P(ThreeKernels, ThreeRISCDataMovementComputeDynamicCBDeallocEarly) {
  run(InputBuffer::DynamicDeallocatedEarly);
}

// A 64-byte buffer fed to kernels that move whole tiles: they reach past its end, inside the bank.
TEST_P(ThreeKernels, TilesReachPastTheEndOfSmallBuffers) {
  auto input = make_buffer(64, BufferType::DRAM), output = make_buffer(64, BufferType::DRAM);
  Program program = CreateProgram();
  make_circular_buffer(program, 0, nullptr);
  make_circular_buffer(program, 16, nullptr);
  make_kernels(program, input, output);
  write(*input, ramp(64, 0));
  EnqueueProgram(cq(), program, /*blocking=*/true);
  LightMetalCompareToCapture(cq(), *output);
}

class TraceScenario : public ThreeKernels {
 protected:
  Program make_exp_program(const std::shared_ptr<Buffer>& input,
                           const std::shared_ptr<Buffer>& output) {
    Program program = CreateProgram();
    make_circular_buffer(program, 0, nullptr);
    make_circular_buffer(program, 16, nullptr);
    make_kernels(program, input, output);
    return program;
  }

  // Runs the programs eagerly, spoils the output, then lets a trace of them make it again.
  void run(std::vector<Program>& programs, Buffer& output) {
    for (Program& program : programs) EnqueueProgram(cq(), program, /*blocking=*/true);
    std::vector<uint32_t> eager = read_as_golden(output);
    const std::vector<uint32_t> junk = ramp(kTile, 0xdead0000);
    write(output, junk);
    EXPECT_EQ(read_as_golden(output), junk);

    const uint32_t trace = BeginTraceCapture(device_, cq().id());
    for (Program& program : programs) EnqueueProgram(cq(), program, /*blocking=*/false);
    EndTraceCapture(device_, cq().id(), trace);
    ReplayTrace(device_, cq().id(), trace, /*blocking=*/true);

    LightMetalCompareToGolden(cq(), output, eager.data());
    std::vector<uint32_t> traced;
    EnqueueReadBuffer(cq(), output, traced, /*blocking=*/true);
    EXPECT_EQ(traced, eager);
    Finish(cq());
    ReleaseTrace(device_, trace);
  }
};

TEST_P(TraceScenario, SingleProgramTraceCapture) {
  auto input = make_buffer(kTile, BufferType::DRAM), output = make_buffer(kTile, BufferType::DRAM);
  write(*input, create_random_vector_of_bfloat16(kTile, 2.0f, 42, -1.0f));
  std::vector<Program> programs;
  programs.push_back(make_exp_program(input, output));
  run(programs, *output);
}

TEST_P(TraceScenario, TwoProgramTraceCapture) {
  auto input = make_buffer(kTile, BufferType::DRAM), between = make_buffer(kTile, BufferType::DRAM),
       output = make_buffer(kTile, BufferType::DRAM);
  write(*input, create_random_vector_of_bfloat16(kTile, 2.0f, 42, -1.0f));
  std::vector<Program> programs;
  programs.push_back(make_exp_program(input, between));
  programs.push_back(make_exp_program(between, output));
  run(programs, *output);
}

// The twin that must fail: a golden that the replay cannot meet makes it say so.
TEST(LightMetalScenarioTwin, AGoldenThatDoesNotHoldFailsTheReplay) {
  IDevice* device = CreateDevice(0);
  LightMetalBeginCapture();
  auto buffer = Buffer::create(device, 64, 64, BufferType::DRAM);
  std::vector<uint32_t> words(16, 1);
  EnqueueWriteBuffer(device->command_queue(), *buffer, words.data(), true);
  words[3] = 2;
  LightMetalCompareToGolden(device->command_queue(), *buffer, words.data());
  LightMetalBinary binary = LightMetalEndCapture();
  buffer.reset();
  CloseDevice(device);
  EXPECT_FALSE(LightMetalReplay(std::move(binary)).run());
}

const auto kBothDevices = ::testing::Values(ReplayDevice::Managed, ReplayDevice::Callers);
const auto kName = [](const auto& info) {
  return std::string(info.param == ReplayDevice::Managed ? "ReplayManagesDevice" : "CallersDevice");
};
INSTANTIATE_TEST_SUITE_P(Both, LightMetalScenario, kBothDevices, kName);
INSTANTIATE_TEST_SUITE_P(Both, SingleDataMovement, kBothDevices, kName);
INSTANTIATE_TEST_SUITE_P(Both, ThreeKernels, kBothDevices, kName);
INSTANTIATE_TEST_SUITE_P(Both, TraceScenario, kBothDevices, kName);

}  // namespace
}  // namespace tt::tt_metal
