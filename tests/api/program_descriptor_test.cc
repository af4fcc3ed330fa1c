#include <set>
#include <tt-metalium/global_circular_buffer.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <utility>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const CoreRangeSet kCores(CoreRange({0, 0}, {1, 0}));

class ProgramDescriptorTest : public WatchedTest {
 protected:
  static KernelDescriptor kernel(KernelDescriptor::ConfigDescriptor config = {}) {
    return {.kernel_source = "void kernel_main() {}",
            .source_type = KernelDescriptor::SourceType::SOURCE_CODE,
            .core_ranges = kCores,
            .config = std::move(config)};
  }
  static ProgramDescriptor described(KernelDescriptor kernel) {
    ProgramDescriptor descriptor;
    descriptor.kernels.push_back(std::move(kernel));
    return descriptor;
  }
  static CBDescriptor circular_buffer(uint8_t index, uint32_t pages) {
    return {
        .total_size = pages * 2048,
        .core_ranges = kCores,
        .format_descriptors = {
            {.buffer_index = index, .data_format = tt::DataFormat::Float16_b, .page_size = 2048}}};
  }
  static std::vector<uint32_t> args(const Program& program, const CoreCoord& core) {
    return program.get_kernel(0)->runtime_args(core);
  }
};

TEST_F(ProgramDescriptorTest, AKernelIsTheOneOfTheClassicCalls) {
  KernelDescriptor described_kernel = kernel(ComputeConfigDescriptor{
      .math_fidelity = MathFidelity::LoFi, .fp32_dest_acc_en = true, .math_approx_mode = true});
  described_kernel.compile_time_args = {1, 2};
  described_kernel.named_compile_time_args = {{"tiles", 3}, {"tiles", 3}};
  described_kernel.defines = {{"A", "1"}, {"A", "2"}, {"B", "3"}};
  described_kernel.opt_level = KernelBuildOptLevel::Os;
  described_kernel.compiler_include_paths = {"folder"};
  Program program(described(described_kernel));
  const auto made = program.get_kernel(0);
  EXPECT_EQ(made->core_range_set(), kCores);
  EXPECT_TRUE(made->is_from_string());
  const auto& config = std::get<ComputeConfig>(made->config());
  EXPECT_EQ(config.math_fidelity, MathFidelity::LoFi);
  EXPECT_TRUE(config.fp32_dest_acc_en);
  EXPECT_TRUE(config.math_approx_mode);
  EXPECT_FALSE(config.dst_full_sync_en);
  EXPECT_THAT(config.compile_args, ElementsAre(1, 2));
  EXPECT_THAT(config.named_compile_args, ElementsAre(::testing::Pair("tiles", 3u)));
  EXPECT_THAT(config.defines, ElementsAre(::testing::Pair("A", "1"), ::testing::Pair("B", "3")));
  EXPECT_EQ(config.opt_level, KernelBuildOptLevel::Os);
  EXPECT_THAT(config.compiler_include_paths, ElementsAre("folder"));
}

TEST_F(ProgramDescriptorTest, EachKindOfKernelHasTheDefaultsOfItsConfiguration) {
  ProgramDescriptor descriptor;
  descriptor.kernels = {kernel(ReaderConfigDescriptor{}), kernel(WriterConfigDescriptor{}),
                        kernel(ComputeConfigDescriptor{})};
  Program program(descriptor);
  const auto mover = [&](KernelHandle handle) {
    return std::get<DataMovementConfig>(program.get_kernel(handle)->config());
  };
  EXPECT_EQ(mover(0).processor, ReaderDataMovementConfig().processor);
  EXPECT_EQ(mover(0).noc, ReaderDataMovementConfig().noc);
  EXPECT_EQ(mover(0).opt_level, KernelBuildOptLevel::O2);
  EXPECT_EQ(mover(1).processor, WriterDataMovementConfig().processor);
  EXPECT_EQ(mover(1).noc, WriterDataMovementConfig().noc);
  EXPECT_EQ(std::get<ComputeConfig>(program.get_kernel(2)->config()).opt_level,
            KernelBuildOptLevel::O3);
  const Program chosen(described(kernel(DataMovementConfigDescriptor{
      .processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_1})));
  EXPECT_EQ(chosen.get_kernel(0)->processor(), KernelProcessor::RISCV_1);
  const Program ethernet(described(kernel(EthernetConfigDescriptor{.eth_mode = Eth::RECEIVER})));
  const auto& config = std::get<EthernetConfig>(ethernet.get_kernel(0)->config());
  EXPECT_EQ(config.eth_mode, Eth::RECEIVER);
  EXPECT_EQ(config.opt_level, KernelBuildOptLevel::Os);
}

// Each flag of a compute kernel alone, and what the other kinds have besides.
TEST_F(ProgramDescriptorTest, EachFieldOfAConfigurationReachesItsOwn) {
  using From = ComputeConfigDescriptor;
  using To = ComputeConfig;
  const std::pair<bool From::*, bool To::*> flags[] = {
      {&From::fp32_dest_acc_en, &To::fp32_dest_acc_en},
      {&From::dst_full_sync_en, &To::dst_full_sync_en},
      {&From::bfp8_pack_precise, &To::bfp8_pack_precise},
      {&From::math_approx_mode, &To::math_approx_mode}};
  for (const auto& [set, unused] : flags) {
    From from{.unpack_to_dest_mode = {UnpackToDestMode::UnpackToDestFp32}};
    from.*set = true;
    const Program program(described(kernel(from)));
    const auto& made = std::get<To>(program.get_kernel(0)->config());
    for (const auto& [flag, of_made] : flags) EXPECT_EQ(made.*of_made, flag == set);
    EXPECT_THAT(made.unpack_to_dest_mode, ElementsAre(UnpackToDestMode::UnpackToDestFp32));
  }
  const Program mover(described(kernel(
      DataMovementConfigDescriptor{.noc = NOC::NOC_1, .noc_mode = NOC_MODE::DM_DYNAMIC_NOC})));
  const auto& moves = std::get<DataMovementConfig>(mover.get_kernel(0)->config());
  EXPECT_EQ(moves.noc, NOC::NOC_1);
  EXPECT_EQ(moves.noc_mode, NOC_MODE::DM_DYNAMIC_NOC);
  const Program ethernet(
      described(kernel(EthernetConfigDescriptor{.eth_mode = Eth::IDLE, .noc = NOC::NOC_1})));
  const auto& idle = std::get<EthernetConfig>(ethernet.get_kernel(0)->config());
  EXPECT_EQ(idle.eth_mode, Eth::IDLE);
  EXPECT_EQ(idle.noc, NOC::NOC_1);
}

TEST_F(ProgramDescriptorTest, ArgumentsAreThoseOfTheCores) {
  KernelDescriptor described_kernel = kernel();
  described_kernel.runtime_args = {{CoreCoord(1, 0), {5}}, {CoreCoord(0, 0), {1, 2}}};
  described_kernel.common_runtime_args = {7, 8};
  Program program(described(described_kernel));
  EXPECT_THAT(args(program, {0, 0}), ElementsAre(1, 2));
  EXPECT_THAT(args(program, {1, 0}), ElementsAre(5));
  EXPECT_THAT(program.get_kernel(0)->common_runtime_args(), ElementsAre(7, 8));
}

TEST_F(ProgramDescriptorTest, ABufferAmongTheArgumentsIsItsAddressAndIsNoted) {
  const auto buffer = l1(2048, 2048);
  Buffer* const none = nullptr;
  KernelDescriptor kernel = ProgramDescriptorTest::kernel();
  kernel.emplace_runtime_args({0, 0}, {3u, buffer.get(), none});
  KernelDescriptor::RTArgList list;
  list.reserve(3);
  list.push_back(buffer.get());
  list.push_back(4u);
  list.append({5, 6});
  kernel.emplace_runtime_args({1, 0}, list);
  kernel.emplace_common_runtime_args({1u, 2u});
  kernel.emplace_common_runtime_args({buffer.get()});
  EXPECT_THAT(kernel.runtime_args[0].second, ElementsAre(3, buffer->address(), 0));
  EXPECT_THAT(kernel.runtime_args[1].second, ElementsAre(buffer->address(), 4, 5, 6));
  ASSERT_THAT(kernel.buffer_bindings, SizeIs(2));
  EXPECT_EQ(kernel.buffer_bindings[0].core, CoreCoord(0, 0));
  EXPECT_EQ(kernel.buffer_bindings[0].arg_idx, 1u);
  EXPECT_EQ(kernel.buffer_bindings[1].buffer, buffer.get());
  ASSERT_THAT(kernel.common_buffer_bindings, SizeIs(1));
  EXPECT_EQ(kernel.common_buffer_bindings[0].arg_idx, 2u);
  Program program(described(kernel));
  EXPECT_THAT(args(program, {0, 0}), ElementsAre(3, buffer->address(), 0));
  EXPECT_THAT(program.get_kernel(0)->common_runtime_args(), ElementsAre(1, 2, buffer->address()));
}

// Whoever writes over a word that stood for a buffer wants the word.
TEST_F(ProgramDescriptorTest, AWordThatWasChangedCounts) {
  const auto buffer = l1(2048, 2048);
  KernelDescriptor kernel = ProgramDescriptorTest::kernel();
  kernel.emplace_runtime_args({0, 0}, {buffer.get(), buffer.get()});
  kernel.runtime_args[0].second[0] = 9;
  kernel.buffer_bindings.push_back({.core = {0, 0}, .arg_idx = 7, .buffer = buffer.get()});
  kernel.buffer_bindings.push_back({.core = {1, 0}, .arg_idx = 0, .buffer = buffer.get()});
  Program program(described(kernel));
  EXPECT_THAT(args(program, {0, 0}), ElementsAre(9, buffer->address()));
  EXPECT_THAT(args(program, {1, 0}), IsEmpty());
}

TEST_F(ProgramDescriptorTest, SemaphoresHaveTheIdsThatWereChosen) {
  ProgramDescriptor descriptor;
  descriptor.semaphores = {
      {.id = 5, .core_ranges = kCores, .initial_value = 2},
      {.id = 0, .core_ranges = CoreRangeSet(CoreRange({0, 0})), .initial_value = 1}};
  Program program(descriptor);
  ASSERT_THAT(program.semaphores(), SizeIs(2));
  EXPECT_EQ(program.semaphores()[0].id(), 5u);
  EXPECT_EQ(program.semaphores()[0].initial_value(), 2u);
  EXPECT_EQ(CreateSemaphore(program, kCores, 0), 1u);
  descriptor.semaphores.push_back({.id = 5, .core_ranges = kCores});
  expect_throws([&] { Program{descriptor}; }, "Cannot add semaphore 5 on cores", "of this id");
  descriptor.semaphores.back().id = 16;
  expect_throws([&] { Program{descriptor}; }, "Semaphore id 16 exceeds");
}

TEST_F(ProgramDescriptorTest, AFreeSemaphoreIdIsOneThatTheCoreDoesNotHave) {
  ProgramDescriptor descriptor;
  EXPECT_EQ(descriptor.find_available_semaphore_id({0, 0}, CoreType::WORKER), 0u);
  descriptor.semaphores.push_back({.id = 0, .core_ranges = kCores});
  EXPECT_EQ(descriptor.find_available_semaphore_id({0, 0}, CoreType::WORKER), 1u);
  EXPECT_EQ(descriptor.find_available_semaphore_id({2, 0}, CoreType::WORKER), 0u);
  EXPECT_EQ(descriptor.find_available_semaphore_id({0, 0}, CoreType::ETH), 0u);
  for (uint32_t id = 1; id < NUM_SEMAPHORES; ++id)
    descriptor.semaphores.push_back({.id = id, .core_ranges = kCores});
  EXPECT_EQ(descriptor.find_available_semaphore_id({1, 0}, CoreType::WORKER), std::nullopt);
}

TEST_F(ProgramDescriptorTest, CircularBuffersAreThoseOfTheClassicCalls) {
  const auto buffer = l1(8192, 2048);
  ProgramDescriptor descriptor;
  descriptor.cbs = {circular_buffer(3, 4), circular_buffer(4, 1), circular_buffer(5, 1)};
  descriptor.cbs[0].format_descriptors[0].tile = TileDescriptor(Tile({16, 32}));
  descriptor.cbs[1].format_descriptors[0].tile = TileDescriptor(32, 16, /*transpose=*/true);
  descriptor.cbs[1].buffer = descriptor.cbs[2].buffer = buffer.get();
  descriptor.cbs[2].address_offset = 4096;
  const Program program(descriptor);
  const auto& made = program.circular_buffers();
  ASSERT_THAT(made, SizeIs(3));
  EXPECT_EQ(made[0]->size(), 8192u);
  EXPECT_EQ(made[0]->page_size(3), 2048u);
  EXPECT_EQ(made[0]->tile(3), Tile({16, 32}));
  EXPECT_EQ(made[1]->tile(4), Tile({32, 16}, /*transpose_tile=*/true));
  EXPECT_FALSE(made[0]->globally_allocated());
  EXPECT_EQ(made[1]->address(), buffer->address());
  EXPECT_EQ(made[2]->address(), buffer->address() + 4096);
  descriptor.cbs[0].format_descriptors[0].page_size = 0;
  expect_throws([&] { Program{descriptor}; }, "Page size 0 B", "must be non-zero");
}

TEST_F(ProgramDescriptorTest, ACircularBufferMayLieInAGlobalOne) {
  const auto global = experimental::CreateGlobalCircularBuffer(
      device(), {{CoreCoord(0, 0), CoreRangeSet(CoreRange({1, 0}))}}, 4096);
  const auto buffer = l1(4096, 2048);
  ProgramDescriptor descriptor;
  descriptor.cbs = {circular_buffer(3, 1)};
  descriptor.cbs[0].remote_format_descriptors = {{.buffer_index = 31, .page_size = 2048}};
  descriptor.cbs[0].global_circular_buffer = &global;
  EXPECT_THAT(Program(descriptor).circular_buffers()[0]->remote_buffer_indices(), ElementsAre(31));
  descriptor.cbs[0].buffer = buffer.get();
  expect_throws([&] { Program{descriptor}; }, "both in a buffer and in a global circular buffer");
  descriptor.cbs[0].buffer = nullptr;
  descriptor.cbs[0].address_offset = 64;
  expect_throws([&] { Program{descriptor}; }, "begins where that begins, not 64 B behind");
  descriptor.cbs[0].address_offset = 0;
  descriptor.cbs[0].global_circular_buffer = nullptr;
  expect_throws([&] { Program{descriptor}; }, "needs a global circular buffer");
}

TEST_F(ProgramDescriptorTest, NewArgumentsAndBuffersCanBeApplied) {
  const auto first = l1(2048, 2048), second = l1(4096, 2048);
  const auto with = [&](Buffer* buffer, uint32_t offset) {
    KernelDescriptor reading = kernel();
    reading.emplace_runtime_args({0, 0}, {buffer, offset});
    reading.emplace_common_runtime_args({buffer});
    ProgramDescriptor descriptor = described(reading);
    descriptor.cbs = {circular_buffer(0, 1)};
    descriptor.cbs[0].buffer = buffer;
    descriptor.cbs[0].address_offset = offset;
    return descriptor;
  };
  Program program(with(first.get(), 0));
  EnqueueProgram(queue(), program, true);
  for (const uint32_t offset : {2048u, 0u}) {
    apply_descriptor_runtime_args(program, with(second.get(), offset));
    EXPECT_THAT(args(program, {0, 0}), ElementsAre(second->address(), offset));
    EXPECT_THAT(program.get_kernel(0)->common_runtime_args(), ElementsAre(second->address()));
    EXPECT_EQ(program.circular_buffers()[0]->address(), second->address() + offset);
  }
  Program empty;
  expect_throws([&] { apply_descriptor_runtime_args(empty, with(first.get(), 0)); },
                "of 1 kernels and 1 circular buffers", "of 0 and 0");
}

TEST_F(ProgramDescriptorTest, DescriptorsOfDifferentCoresCanBeMerged) {
  ProgramDescriptor first = described(kernel());
  first.semaphores = {{.id = 1, .core_ranges = kCores}};
  ProgramDescriptor second = first;
  second.cbs = {circular_buffer(0, 1)};
  const CoreRangeSet others(CoreRange({0, 1}, {1, 1}));
  second.kernels[0].core_ranges = second.semaphores[0].core_ranges = others;
  expect_throws(
      [&] {
        merge_program_descriptors({first, second});
      },
      "they share cores", "(x=0,y=0)");
  second.cbs[0].core_ranges = others;
  expect_throws(
      [&] {
        merge_program_descriptors({first, second, first});
      },
      "they share cores", "(x=0,y=0)");
  const ProgramDescriptor merged = merge_program_descriptors({first, second});
  EXPECT_THAT(merged.semaphores, SizeIs(2));
  EXPECT_THAT(merged.cbs, SizeIs(1));
  const Program program(merged);
  EXPECT_EQ(program.get_kernel(1)->core_range_set(), others);
}

TEST_F(ProgramDescriptorTest, TheHashIsOfTheProgramAndNotOfItsArguments) {
  const std::hash<ProgramDescriptor> hash;
  ProgramDescriptor descriptor = described(kernel(ComputeConfigDescriptor{}));
  descriptor.kernels[0].runtime_args = {{CoreCoord(0, 0), {1}}};
  descriptor.cbs = {circular_buffer(0, 1)};
  descriptor.semaphores = {{.id = 1, .core_ranges = kCores}};
  ProgramDescriptor other = descriptor;
  EXPECT_EQ(hash(other), hash(descriptor));
  other.kernels[0].runtime_args[0].second[0] = 2;
  EXPECT_EQ(hash(other), hash(descriptor));
  const auto differs = [&](auto change) {
    ProgramDescriptor changed = descriptor;
    change(changed);
    return hash(changed) != hash(descriptor);
  };
  EXPECT_TRUE(differs([](auto& d) { d.kernels[0].runtime_args[0].second.push_back(2); }));
  EXPECT_TRUE(differs([](auto& d) { d.kernels[0].kernel_source += " "; }));
  EXPECT_TRUE(differs([](auto& d) { d.kernels[0].named_compile_time_args = {{"a", 1}}; }));
  EXPECT_TRUE(differs([](auto& d) { d.kernels[0].config = ReaderConfigDescriptor{}; }));
  EXPECT_TRUE(differs([](auto& d) { d.cbs[0].total_size *= 2; }));
  EXPECT_TRUE(differs([](auto& d) { d.semaphores[0].initial_value = 1; }));
  EXPECT_TRUE(differs([](auto& d) { d.kernels[0].core_ranges = CoreRangeSet(CoreRange({4, 4})); }));
  descriptor.custom_program_hash = 77;
  EXPECT_EQ(hash(descriptor), 77u);
}

TEST_F(ProgramDescriptorTest, TheHashIsOfAllThatAProgramIsMadeOf) {
  using Change = void (*)(ProgramDescriptor&);
  const Change changes[] = {
      [](ProgramDescriptor&) {},
      [](ProgramDescriptor& d) { d.kernels[0].compile_time_args = {1}; },
      [](ProgramDescriptor& d) {
        d.kernels[0].defines = {{"A", "1"}};
      },
      [](ProgramDescriptor& d) { d.kernels[0].opt_level = KernelBuildOptLevel::Oz; },
      [](ProgramDescriptor& d) { d.kernels[0].compiler_include_paths = {"folder"}; },
      [](ProgramDescriptor& d) { d.kernels[0].common_runtime_args = {1}; },
      [](ProgramDescriptor& d) { d.cbs[0].address_offset = 16; },
      [](ProgramDescriptor& d) { d.cbs[0].format_descriptors[0].page_size = 1024; },
      [](ProgramDescriptor& d) { d.semaphores[0].core_type = CoreType::ETH; }};
  const std::hash<ProgramDescriptor> hash;
  std::set<size_t> hashes;
  for (const Change change : changes) {
    ProgramDescriptor descriptor = described(kernel());
    descriptor.cbs = {circular_buffer(0, 1)};
    descriptor.semaphores = {{.id = 1, .core_ranges = kCores}};
    change(descriptor);
    hashes.insert(hash(descriptor));
  }
  EXPECT_THAT(hashes, SizeIs(std::size(changes)));
}

// Each description differs from each other one.
TEST_F(ProgramDescriptorTest, TheHashTellsConfigurationsAndTilesApart) {
  using Compute = ComputeConfigDescriptor;
  using Mover = DataMovementConfigDescriptor;
  const KernelDescriptor::ConfigDescriptor configs[] = {
      Compute{},
      Compute{.math_fidelity = MathFidelity::LoFi},
      Compute{.fp32_dest_acc_en = true},
      Compute{.dst_full_sync_en = true},
      Compute{.unpack_to_dest_mode = {UnpackToDestMode::UnpackToDestFp32}},
      Compute{.bfp8_pack_precise = true},
      Compute{.math_approx_mode = true},
      Mover{},
      Mover{.processor = DataMovementProcessor::RISCV_1},
      Mover{.noc = NOC::NOC_1},
      Mover{.noc_mode = NOC_MODE::DM_DYNAMIC_NOC},
      EthernetConfigDescriptor{},
      EthernetConfigDescriptor{.eth_mode = Eth::IDLE}};
  const std::hash<ProgramDescriptor> hash;
  std::set<size_t> hashes;
  for (const auto& config : configs) hashes.insert(hash(described(kernel(config))));
  for (const TileDescriptor& tile : {TileDescriptor(16, 32, false), TileDescriptor(32, 16, false),
                                     TileDescriptor(32, 32, true)}) {
    ProgramDescriptor descriptor;
    descriptor.cbs = {circular_buffer(0, 1)};
    descriptor.cbs[0].format_descriptors[0].tile = tile;
    hashes.insert(hash(descriptor));
  }
  EXPECT_THAT(hashes, SizeIs(std::size(configs) + 3));
}

TEST_F(ProgramDescriptorTest, ATileIsDescribedByItsShape) {
  const TileDescriptor whole;
  EXPECT_EQ(whole, TileDescriptor(Tile()));
  EXPECT_EQ(TileDescriptor(16, 32, true), TileDescriptor(Tile({16, 32}, true)));
  const std::hash<TileDescriptor> hash;
  EXPECT_NE(hash(whole), hash(TileDescriptor(16, 32, false)));
}

}  // namespace
}  // namespace tt::tt_metal::testing
