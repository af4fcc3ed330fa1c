// Replays that are captured give the file that they replay, where that is not plain to see.
#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

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

constexpr char kNothing[] = "void kernel_main() {}";

// Kernels whose configurations have nothing that is there by default.
void create_configured_kernels(Program& program) {
  CreateKernelFromString(program, kNothing, CoreCoord(1, 0),
                         DataMovementConfig{.processor = DataMovementProcessor::RISCV_1,
                                            .noc = NOC::NOC_1,
                                            .noc_mode = NOC_MODE::DM_DYNAMIC_NOC,
                                            .compile_args = {7, 8},
                                            .defines = {{"A", "1"}, {"B", "2"}},
                                            .named_compile_args = {{"n", 5}},
                                            .opt_level = KernelBuildOptLevel::Ofast,
                                            .compiler_include_paths = {"one", "two"}});
  const auto compute = [&](uint32_t column, const ComputeConfig& config) {
    CreateKernelFromString(program, kNothing, CoreCoord(column, 1), config);
  };
  compute(0, {.math_fidelity = MathFidelity::HiFi2, .fp32_dest_acc_en = true});
  compute(1, {.dst_full_sync_en = true, .bfp8_pack_precise = true});
  compute(2, {.math_approx_mode = true, .opt_level = KernelBuildOptLevel::O1});
  compute(3,
          {.unpack_to_dest_mode = {UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32}});
  CreateKernelFromString(program, kNothing, CoreCoord(0, 2),
                         EthernetConfig{.eth_mode = Eth::RECEIVER, .noc = NOC::NOC_1});
  CreateKernelFromString(program, kNothing, CoreCoord(0, 3), EthernetConfig{.eth_mode = Eth::IDLE});
  CreateCircularBuffer(program, CoreCoord(2, 2),
                       CircularBufferConfig(4096, {{9, tt::DataFormat::Bfp8_b}})
                           .set_page_size(9, 1024)
                           .set_tile_dims(9, Tile({16, 32}, /*transpose_tile=*/true)));
}

TEST(CapturedReplay, WhatIsNotThereByDefaultIsRecordedAgain) {
  expect_replays_alike([] {
    IDevice* device = CreateDevice(0, 2, /*l1_small_size=*/4096, /*trace_region_size=*/1 << 20,
                                   DispatchCoreConfig(DispatchCoreType::ETH), {1, 0, 2});
    {
      Program program = CreateProgram();
      create_configured_kernels(program);
      std::vector<std::shared_ptr<Buffer>> buffers;
      for (const auto type : {BufferType::DRAM, BufferType::L1, BufferType::L1_SMALL}) {
        for (const std::optional<bool> bottom_up : {std::optional<bool>(), {true}, {false}})
          buffers.push_back(Buffer::create(device, kPage, kPage, type, std::nullopt, bottom_up));
      }
      std::vector<uint32_t> found;
      EnqueueReadBuffer(device->command_queue(1), buffers.front(), found, true);
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

// The file has the write of the pages that the vector reaches into.
TEST(CapturedReplay, AVectorThatIsShorterThanItsBufferIsWrittenAgainAsFarAsItGoes) {
  expect_replays_alike([] {
    IDevice* device = CreateDevice(0);
    CommandQueue& queue = device->command_queue();
    {
      auto buffer = CreateBuffer(InterleavedBufferConfig{.device = device,
                                                         .size = 4 * kPage,
                                                         .page_size = kPage,
                                                         .buffer_type = BufferType::DRAM});
      std::vector<uint32_t> sevens(kPage, 7), found;  // all four pages
      EnqueueWriteBuffer(queue, buffer, sevens, false);
      std::vector<uint32_t> page_and_word = counting();
      page_and_word.push_back(100);
      EnqueueWriteBuffer(queue, buffer, page_and_word, false);
      EnqueueWriteBuffer(queue, buffer, std::make_shared<std::vector<uint8_t>>(2, 1), true);
      EnqueueWriteBuffer(queue, buffer, std::vector<uint32_t>(), false);
      EnqueueWriteSubBuffer(queue, buffer, std::vector<uint32_t>{9}, BufferRegion(128, 128), false);
      EnqueueReadBuffer(queue, buffer, found, true);
      EXPECT_EQ(found[0], 0x0101u);
      EXPECT_EQ(found[1], 0u);
      EXPECT_EQ(found[16], 100u);
      EXPECT_EQ(found[17], 0u);
      EXPECT_EQ(found[32], 9u);
      EXPECT_EQ(found[33], 0u);
      EXPECT_EQ(found[48], 7u);
    }
    CloseDevice(device);
  });
}

// A kernel reads DRAM bank 3 at coordinates that are runtime arguments; what it read is a golden.
void read_by_coordinates() {
  IDevice* device = CreateDevice(0);
  const CoreCoord core(0, 0), dram = device->dram_core_from_dram_channel(3);
  std::vector<uint32_t> written = counting(), found;
  detail::WriteToDeviceDRAMChannel(device, 3, 0x10000, written);
  {
    Program program = CreateProgram();
    const KernelHandle kernel = add_data_movement(program, R"(
        noc_async_read(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x10000),
                       0x80000, 64);
        noc_async_read_barrier();)",
                                                  core);
    SetRuntimeArgs(program, kernel, core,
                   {static_cast<uint32_t>(dram.x), static_cast<uint32_t>(dram.y)});
    EnqueueProgram(device->command_queue(), program, true);
    detail::ReadFromDeviceL1(device, core, 0x80000, kPage, found);
  }
  EXPECT_EQ(found, counting());
  CloseDevice(device);
}

std::vector<uint8_t> captured_by_coordinates() {
  LightMetalBeginCapture({.read_goldens = true});
  read_by_coordinates();
  return LightMetalEndCapture().get_data();
}

bool has_dram_cores(const std::vector<uint8_t>& file) {
  for (const auto& command :
       lightmetal::testing::commands_of(*lightmetal::testing::open_file(file))) {
    if (const auto* create = command.call.AsCreateDevice())
      return !create->profile->dram_cores.empty();
  }
  return false;
}

// As a library wrote it that had the banks in row 0 and did not say so.
std::vector<uint8_t> as_before_coordinates(const std::vector<uint8_t>& file) {
  namespace schema = lightmetal::schema;
  const auto change = [](schema::CommandT& command, schema::Writer&) {
    if (auto* create = command.call.AsCreateDevice()) create->profile->dram_cores.clear();
    auto* args = command.call.AsSetRuntimeArgs();
    if (args != nullptr) args->args = {3, 0};
  };
  return lightmetal::testing::rewritten(*lightmetal::testing::open_file(file), change);
}

TEST(CapturedReplay, RecordedCoordinatesOfDramLeadWhereTheyLedInEveryFile) {
  const std::vector<uint8_t> present = captured_by_coordinates();
  const std::vector<uint8_t> before = as_before_coordinates(present);
  for (const auto* file : {&present, &before}) {
    auto replay = lightmetal::Replay::load_bytes(*file, {});
    ASSERT_TRUE(replay.ok()) << replay.status();
    LightMetalBeginCapture({.read_goldens = true});
    const auto result = (*replay)->run();
    const std::vector<uint8_t> again = LightMetalEndCapture().get_data();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_GT(result->goldens_checked, 0u);
    EXPECT_TRUE(result->matches());
    EXPECT_EQ(has_dram_cores(again), file == &present);
  }
  expect_replays_alike([] { read_by_coordinates(); });
}

TEST(CapturedReplay, ADeviceWithDramAtOtherCoordinatesThanRecordedIsRefused) {
  const std::vector<uint8_t> before = as_before_coordinates(captured_by_coordinates());
  IDevice* device = CreateDevice(0);
  auto replay = lightmetal::Replay::load_bytes(before, {.device = device});
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_THAT(std::string((*replay)->run().status().message()),
              ::testing::HasSubstr(
                  "where DRAM bank 0 is on the NoC was recorded as (0, 0) and is (0, 11)"));
  CloseDevice(device);
}

}  // namespace
}  // namespace tt::tt_metal
