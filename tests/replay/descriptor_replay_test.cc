// Programs from descriptors: they do what the classic calls do, and their files replay.
#include <tt-metalium/program_descriptors.hpp>
#include <tuple>
#include <utility>

#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using lightmetal::testing::commands_of;
using lightmetal::testing::names_of;
using lightmetal::testing::open_file;
using testing::expect_replays_alike;

constexpr uint32_t kWords = 16;
constexpr uint32_t kBytes = kWords * sizeof(uint32_t);
const CoreCoord kCore(1, 0);

// Copies a DRAM page into a circular buffer that lies in an L1 buffer, and from there, with a
// number added that comes from arguments of all kinds, to another page.
constexpr char kAdding[] = R"(
#include "dataflow_api.h"
struct Named { const char* name; uint32_t value; };
constexpr Named kNamed[] = {KERNEL_COMPILE_TIME_ARG_MAP};
void kernel_main() {
  const InterleavedAddrGen<true> in = {get_arg_val<uint32_t>(0), BYTES};
  const InterleavedAddrGen<true> out = {get_common_arg_val<uint32_t>(0), BYTES};
  cb_reserve_back(0, 1);
  const uint32_t at = get_write_ptr(0);
  noc_async_read(get_noc_addr(0, in), at, BYTES);
  noc_async_read_barrier();
  volatile tt_l1_ptr uint32_t* semaphore =
      reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(7));
  volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(at);
  for (uint32_t i = 0; i < BYTES / 4; ++i)
    words[i] += kNamed[0].value + get_compile_time_arg_val(0) + get_arg_val<uint32_t>(1) + *semaphore;
  noc_async_write(at, get_noc_addr(0, out), BYTES);
  noc_async_write_barrier();
})";

std::vector<uint32_t> counted() {
  std::vector<uint32_t> words(kWords);
  for (uint32_t i = 0; i < kWords; ++i) words[i] = i;
  return words;
}

struct Buffers {
  explicit Buffers(IDevice* device)
      : in(CreateBuffer({.device = device, .size = kBytes, .page_size = kBytes})),
        out(CreateBuffer({.device = device, .size = kBytes, .page_size = kBytes})),
        shared(CreateBuffer({.device = device,
                             .size = 2 * kBytes,
                             .page_size = 2 * kBytes,
                             .buffer_type = BufferType::L1})) {
    EnqueueWriteBuffer(device->command_queue(), in, counted(), false);
  }
  std::shared_ptr<Buffer> in, out, shared;
};

ProgramDescriptor descriptor_of(const Buffers& buffers) {
  KernelDescriptor kernel{.kernel_source = kAdding,
                          .source_type = KernelDescriptor::SourceType::SOURCE_CODE,
                          .core_ranges = CoreRangeSet(CoreRange(kCore)),
                          .compile_time_args = {100},
                          .named_compile_time_args = {{"named", 1000}},
                          .defines = {{"BYTES", std::to_string(kBytes)}},
                          .opt_level = KernelBuildOptLevel::O3,
                          .config = ReaderConfigDescriptor{}};
  kernel.emplace_runtime_args(kCore, {buffers.in.get(), 20u});
  kernel.emplace_common_runtime_args({buffers.out.get()});
  ProgramDescriptor descriptor;
  descriptor.kernels = {kernel};
  descriptor.semaphores = {{.id = 7, .core_ranges = kernel.core_ranges, .initial_value = 3}};
  descriptor.cbs = {{.total_size = kBytes,
                     .core_ranges = kernel.core_ranges,
                     .format_descriptors = {{.buffer_index = 0, .page_size = kBytes}},
                     .buffer = buffers.shared.get(),
                     .address_offset = kBytes}};
  return descriptor;
}

// What is in memory when the program has run: the page that it wrote, and the L1 buffer.
std::vector<uint32_t> memory_after(IDevice* device, const Buffers& buffers, Program& program) {
  CommandQueue& queue = device->command_queue();
  EnqueueProgram(queue, program, false);
  std::vector<uint32_t> words, shared;
  EnqueueReadBuffer(queue, buffers.out, words, true);
  detail::ReadFromDeviceL1(device, kCore, static_cast<uint32_t>(buffers.shared->address()),
                           2 * kBytes, shared);
  words.insert(words.end(), shared.begin() + kWords, shared.end());
  return words;
}

std::vector<uint32_t> expected() {
  std::vector<uint32_t> words;
  for (int copy = 0; copy < 2; ++copy) {
    for (uint32_t i = 0; i < kWords; ++i) words.push_back(i + 1123);
  }
  return words;
}

void run_described() {
  IDevice* device = CreateDevice(0);
  {
    const Buffers buffers(device);
    Program program(descriptor_of(buffers));
    EXPECT_EQ(memory_after(device, buffers, program), expected());
  }
  CloseDevice(device);
}

TEST(DescriptorReplay, AProgramFromADescriptorReplaysAndIsCapturedAgainAlike) {
  unsetenv("LIGHTMETAL_DEVICE");
  expect_replays_alike(run_described);
}

TEST(DescriptorReplay, ItsFileNamesBuffersWhereArgumentsAreBuffers) {
  unsetenv("LIGHTMETAL_DEVICE");
  LightMetalBeginCapture({.read_goldens = true});
  run_described();
  const auto file = open_file(LightMetalEndCapture());
  EXPECT_EQ(lightmetal::schema::verify(*file), absl::OkStatus());
  uint64_t in = 0, out = 0, shared = 0;
  for (const auto& command : commands_of(*file)) {
    if (const auto* of_cores = command.call.AsSetRuntimeArgsSymbolicPerCore())
      in = of_cores->args[0]->args[0]->buffer;
    if (const auto* common = command.call.AsSetCommonRuntimeArgsSymbolic())
      out = common->args->args[0]->buffer;
    if (const auto* moved = command.call.AsUpdateDynamicCircularBufferAddressOffset())
      shared = moved->buffer;
  }
  EXPECT_EQ(in, 1u);
  EXPECT_EQ(out, 2u);
  EXPECT_EQ(shared, 3u);
}

// Both captures hold the same commands but for what only a descriptor can say.
TEST(DescriptorReplay, TheClassicCallsGiveEqualMemory) {
  unsetenv("LIGHTMETAL_DEVICE");
  IDevice* device = CreateDevice(0);
  {
    const Buffers buffers(device);
    Program program = CreateProgram();
    for (int i = 0; i < 7; ++i) CreateSemaphore(program, CoreRange(kCore), 0);
    EXPECT_EQ(CreateSemaphore(program, CoreRange(kCore), 3), 7u);
    CreateCircularBuffer(
        program, kCore,
        CircularBufferConfig(kBytes, {{0, tt::DataFormat::Float32}})
            .set_page_size(0, kBytes)
            .set_globally_allocated_address_and_total_size(*buffers.shared, kBytes, kBytes));
    const KernelHandle kernel = CreateKernelFromString(
        program, kAdding, kCore,
        ReaderDataMovementConfig({100}, {{"BYTES", std::to_string(kBytes)}}, {{"named", 1000}}));
    SetRuntimeArgs(program, kernel, kCore, {static_cast<uint32_t>(buffers.in->address()), 20});
    SetCommonRuntimeArgs(program, kernel, {static_cast<uint32_t>(buffers.out->address())});
    EXPECT_EQ(memory_after(device, buffers, program), expected());
  }
  CloseDevice(device);
}

TEST(DescriptorReplay, ACaptureThatBeginsInTheMiddleHasTheProgram) {
  unsetenv("LIGHTMETAL_DEVICE");
  IDevice* device = CreateDevice(0);
  std::vector<uint8_t> recorded;
  {
    const Buffers buffers(device);
    Program program(descriptor_of(buffers));
    Finish(device->command_queue());
    LightMetalBeginCapture({.read_goldens = true});
    EXPECT_EQ(memory_after(device, buffers, program), expected());
    recorded = LightMetalEndCapture().get_data();
  }
  CloseDevice(device);
  const auto file = open_file(recorded);
  EXPECT_EQ(lightmetal::schema::verify(*file), absl::OkStatus());
  EXPECT_THAT(names_of(*file), ::testing::Contains("UpdateDynamicCircularBufferAddressOffset"));
  auto replay = lightmetal::Replay::load_bytes(recorded, {});
  ASSERT_TRUE(replay.ok()) << replay.status();
  const auto result = (*replay)->run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->matches());
  EXPECT_EQ(result->goldens_checked, 2u);
}

TEST(DescriptorReplay, WhatConfiguresAKernelIsInTheFile) {
  unsetenv("LIGHTMETAL_DEVICE");
  LightMetalBeginCapture();
  {
    Program program = CreateProgram();
    const auto add = [&](const CoreCoord& core, const DataMovementConfig& config) {
      CreateKernelFromString(program, "void kernel_main() {}", core, config);
    };
    add({0, 0}, {.named_compile_args = {{"b", 2}, {"a", 1}},
                 .opt_level = KernelBuildOptLevel::Oz,
                 .compiler_include_paths = {"x", "/y"}});
    add({1, 0}, {});
  }
  const auto commands = commands_of(*open_file(LightMetalEndCapture()));
  const auto* first = commands.at(1).call.AsKernelCreate();
  const auto* second = commands.at(2).call.AsKernelCreate();
  ASSERT_TRUE(first != nullptr && second != nullptr);
  ASSERT_EQ(first->named_compile_args.size(), 2u);
  EXPECT_EQ(first->named_compile_args[0]->name, "a");
  EXPECT_EQ(first->named_compile_args[1]->value, 2u);
  EXPECT_EQ(first->opt_level, lightmetal::schema::KernelOptLevel::Oz);
  EXPECT_THAT(first->compiler_include_paths, ::testing::ElementsAre("x", "/y"));
  EXPECT_TRUE(second->named_compile_args.empty());
  EXPECT_FALSE(second->opt_level.has_value());
}

// The configurations of the kernels that a program creates, in their order.
std::vector<lightmetal::schema::KernelConfigUnion> recorded_configurations(
    const std::vector<Kernel::Config>& configs) {
  LightMetalBeginCapture();
  {
    Program program = CreateProgram();
    for (size_t i = 0; i < configs.size(); ++i)
      CreateKernelFromString(program, "void kernel_main() {}", CoreCoord(0, i), configs[i]);
  }
  std::vector<lightmetal::schema::KernelConfigUnion> recorded;
  for (auto& command : commands_of(*open_file(LightMetalEndCapture()))) {
    if (auto* created = command.call.AsKernelCreate())
      recorded.push_back(std::move(created->config));
  }
  return recorded;
}

TEST(DescriptorReplay, EachFieldOfAComputeConfigurationIsInItsOwnFieldOfTheFile) {
  using enum UnpackToDestMode;
  const auto recorded = recorded_configurations(
      {ComputeConfig{.math_fidelity = MathFidelity::HiFi2}, ComputeConfig{.fp32_dest_acc_en = true},
       ComputeConfig{.dst_full_sync_en = true}, ComputeConfig{.bfp8_pack_precise = true},
       ComputeConfig{.math_approx_mode = true},
       ComputeConfig{.unpack_to_dest_mode = {Default, UnpackToDestFp32}}});
  ASSERT_EQ(recorded.size(), 6u);
  for (size_t i = 0; i < recorded.size(); ++i) {
    const auto* config = recorded[i].AsComputeConfig();
    ASSERT_NE(config, nullptr);
    const auto fidelity = i == 0 ? MathFidelity::HiFi2 : MathFidelity::HiFi4;
    EXPECT_EQ(config->math_fidelity, static_cast<uint8_t>(fidelity));
    EXPECT_EQ(config->fp32_dest_acc_en, i == 1);
    EXPECT_EQ(config->dst_full_sync_en, i == 2);
    EXPECT_EQ(config->bfp8_pack_precise, i == 3);
    EXPECT_EQ(config->math_approx_mode, i == 4);
    const std::vector<bool> modes = {false, true};
    EXPECT_EQ(config->unpack_to_dest_fp32, i == 5 ? modes : std::vector<bool>());
  }
}

TEST(DescriptorReplay, ConfigurationsOfMoversAreInTheFileAsTheyWereGiven) {
  using lightmetal::schema::Processor;
  const auto recorded = recorded_configurations(
      {DataMovementConfig{.processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_0},
       DataMovementConfig{.noc = NOC::NOC_1, .noc_mode = NOC_MODE::DM_DYNAMIC_NOC},
       EthernetConfig{.eth_mode = Eth::IDLE, .noc = NOC::NOC_1}});
  ASSERT_EQ(recorded.size(), 3u);
  const auto* first = recorded[0].AsDataMovementConfig();
  const auto* second = recorded[1].AsDataMovementConfig();
  const auto* ethernet = recorded[2].AsEthernetConfig();
  ASSERT_TRUE(first != nullptr && second != nullptr && ethernet != nullptr);
  EXPECT_EQ(first->processor, Processor::Riscv1);
  EXPECT_EQ(first->noc, 0);
  EXPECT_EQ(first->noc_mode, NOC_MODE::DM_DEDICATED_NOC);
  EXPECT_EQ(second->processor, Processor::Riscv0);
  EXPECT_EQ(second->noc, 1);
  EXPECT_EQ(second->noc_mode, NOC_MODE::DM_DYNAMIC_NOC);
  EXPECT_EQ(ethernet->eth_mode, Eth::IDLE);
  EXPECT_EQ(ethernet->noc, 1);
}

TEST(DescriptorReplay, TilesOfACircularBufferAreInTheFile) {
  LightMetalBeginCapture();
  {
    Program program = CreateProgram();
    CircularBufferConfig config(4096);
    config.index(5).set_page_size(1024).set_tile_dims(Tile({16, 32}, /*transpose_tile=*/true));
    config.index(2).set_page_size(2048).set_tile_dims(Tile({32, 16}));
    config.index(3).set_page_size(4096);
    CreateCircularBuffer(program, kCore, config);
  }
  using Row = std::tuple<int, uint32_t, uint32_t, uint32_t, bool>;
  std::vector<Row> rows;
  for (const auto& command : commands_of(*open_file(LightMetalEndCapture()))) {
    const auto* created = command.call.AsCircularBufferCreate();
    if (created == nullptr) continue;
    for (const auto& index : created->config->indices)
      rows.emplace_back(index->index, index->page_size, index->tile_height, index->tile_width,
                        index->transpose_tile);
  }
  EXPECT_THAT(rows, ::testing::ElementsAre(Row(2, 2048, 32, 16, false), Row(3, 4096, 0, 0, false),
                                           Row(5, 1024, 16, 32, true)));
}

}  // namespace
}  // namespace tt::tt_metal
