// Programs from specifications: what is made of them. Their kernels run in
// tests/replay/program_spec_replay_test.cc.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <sstream>
#include <thread>
#include <tt-metalium/distributed.hpp>

#include "api/src/metal2/kernel_names.h"
#include "tests/api/program_spec_kit.h"
#include "tests/support/process.h"

namespace tt::tt_metal::testing::spec {
namespace {

using namespace experimental;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

// ---- What is made ----

TEST_F(ProgramSpecTest, KernelsAreThoseOfTheClassicCalls) {
  ProgramSpec spec = copying();
  spec.kernels[0].compiler_options = {
      .include_paths = {"folder"}, .defines = {{"A", "1"}}, .opt_level = KernelBuildOptLevel::Os};
  auto& compute = std::get<ComputeHardwareConfig>(spec.kernels[1].hw_config);
  compute = {.fpu_math_fidelity = MathFidelity::LoFi,
             .sfpu_precision_mode = Precision::Approximate,
             .enable_32_bit_dest = true,
             .double_buffer_dest = false,
             .unpack_modes = {{kIn, UnpackMode::UnpackToDest}},
             .config_1xx = ComputeHardwareConfig::Compute1XXConfig{.bfp_pack_precision_mode =
                                                                       Precision::Precise}};
  const Program program = make(spec);
  ASSERT_EQ(program.num_kernels(), 3u);
  EXPECT_TRUE(program.is_compiled());
  const auto& reader = std::get<DataMovementConfig>(program.get_kernel(0)->config());
  EXPECT_EQ(reader.processor, DataMovementProcessor::RISCV_1);
  EXPECT_EQ(reader.noc, NOC::NOC_0);
  EXPECT_THAT(reader.defines, ElementsAre(Pair("A", "1")));
  EXPECT_THAT(reader.compiler_include_paths, ElementsAre("folder"));
  EXPECT_EQ(reader.opt_level, KernelBuildOptLevel::Os);
  EXPECT_EQ(reader.named_compile_args.at("per_step"), 1u);
  EXPECT_EQ(program.get_kernel(0)->core_range_set(), CoreRangeSet(CoreRange({0, 0}, {1, 0})));
  const auto& made = std::get<ComputeConfig>(program.get_kernel(1)->config());
  EXPECT_EQ(made.math_fidelity, MathFidelity::LoFi);
  EXPECT_TRUE(made.fp32_dest_acc_en && made.dst_full_sync_en && made.math_approx_mode &&
              made.bfp8_pack_precise);
  EXPECT_EQ(made.unpack_to_dest_mode.at(0), UnpackToDestMode::UnpackToDestFp32);
  EXPECT_EQ(made.unpack_to_dest_mode.at(1), UnpackToDestMode::Default);
  EXPECT_EQ(made.opt_level, KernelBuildOptLevel::O2);
  EXPECT_EQ(std::get<DataMovementConfig>(program.get_kernel(2)->config()).noc, NOC::NOC_1);
}

// One compute kernel, in the words of each month.
ComputeHardwareConfig compute_of_june() {
  return {.math_fidelity = MathFidelity::LoFi,
          .fp32_dest_acc_en = true,
          .dst_full_sync_en = true,
          .bfp8_pack_precise = true,
          .math_approx_mode = true,
          .unpack_to_dest_mode = {{kIn, UnpackToDestMode::UnpackToDestFp32}}};
}
ComputeHardwareConfig compute_of_early_july() {
  return ComputeGen1Config{.math_fidelity = MathFidelity::LoFi,
                           .fp32_dest_acc_en = true,
                           .dst_full_sync_en = true,
                           .math_approx_mode = true,
                           .bfp8_pack_precise = true,
                           .unpack_to_dest_mode = {{kIn, UnpackToDestMode::UnpackToDestFp32}}};
}
ComputeHardwareConfig compute_of_late_july() {
  return ComputeGen1Config{.fpu_math_fidelity = MathFidelity::LoFi,
                           .sfpu_precision_mode = Precision::Approximate,
                           .bfp_pack_precision_mode = Precision::Precise,
                           .enable_32_bit_dest = true,
                           .double_buffer_dest = false,
                           .unpack_modes = {{kIn, UnpackMode::UnpackToDest}}};
}

TEST_F(ProgramSpecTest, ComputeConfigurationsOfEachMonthMakeOneKernel) {
  for (const auto& config : {compute_of_june(), compute_of_early_july(), compute_of_late_july()}) {
    ProgramSpec spec = copying();
    spec.kernels[1].hw_config = config;
    const Program program = make(spec);
    const auto& made = std::get<ComputeConfig>(program.get_kernel(1)->config());
    EXPECT_EQ(made.math_fidelity, MathFidelity::LoFi);
    EXPECT_TRUE(made.fp32_dest_acc_en && made.dst_full_sync_en && made.math_approx_mode &&
                made.bfp8_pack_precise);
    EXPECT_EQ(made.unpack_to_dest_mode.at(0), UnpackToDestMode::UnpackToDestFp32);
    EXPECT_EQ(made.unpack_to_dest_mode.at(1), UnpackToDestMode::Default);
  }
}

// A Float32 buffer without an entry is unpacked to the registers, as June's default says.
TEST_F(ProgramSpecTest, UnpackModesOfJuneNeedNoEntryForEachBuffer) {
  ProgramSpec spec = copying();
  spec.dataflow_buffers[0].data_format_metadata = tt::DataFormat::Float32;
  spec.kernels[1].hw_config = ComputeHardwareConfig{.fp32_dest_acc_en = true};
  EXPECT_TRUE(make(spec).is_compiled());
}

TEST_F(ProgramSpecTest, MovementConfigurationsOfEachMonthMakeOneKernel) {
  using Config = DataMovementHardwareConfig;
  constexpr Config::Gen1Config kOfReader{.processor = DataMovementProcessor::RISCV_1,
                                         .noc = NOC::NOC_0};
  const std::vector<Config> forms = {
      {.role = DataMovementRoleHint::READER},
      {.gen1_config = kOfReader},
      DataMovementGen1Config{.processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_0},
      {.role = DataMovementRoleHint::WRITER, .gen1_config = kOfReader},
      {.config_1xx = kOfReader, .role = DataMovementRoleHint::WRITER},
      {.config_1xx = kOfReader, .gen1_config = Config::Gen1Config{}},
      CreateReader1xxDataMovementConfig(),
      CreateReaderGen1DataMovementConfig()};
  for (const Config& form : forms) {
    ProgramSpec spec = copying();
    spec.kernels[0].hw_config = form;
    const Program program = make(spec);
    const auto& made = std::get<DataMovementConfig>(program.get_kernel(0)->config());
    EXPECT_EQ(made.processor, DataMovementProcessor::RISCV_1);
    EXPECT_EQ(made.noc, NOC::NOC_0);
  }
}

TEST_F(ProgramSpecTest, AWriterOfJuneIsTheWriterOfLaterMonths) {
  for (const auto& form : {DataMovementHardwareConfig{.role = DataMovementRoleHint::WRITER},
                           CreateWriter1xxDataMovementConfig()}) {
    ProgramSpec spec = copying();
    spec.kernels[2].hw_config = form;
    const Program program = make(spec);
    const auto& made = std::get<DataMovementConfig>(program.get_kernel(2)->config());
    EXPECT_EQ(made.processor, DataMovementProcessor::RISCV_0);
    EXPECT_EQ(made.noc, NOC::NOC_1);
  }
}

TEST_F(ProgramSpecTest, WhatIsOfEarlierMonthsAndNotThereIsRefused) {
  ProgramSpec between = copying();
  between.cross_node_dataflow_buffers.emplace_back();
  expect_throws([&] { make(between); }, "has dataflow buffers between nodes, which are not there");
  ProgramSpec faces = copying();
  faces.dataflow_buffers[0].unpack_face_geometry_metadata = FaceGeometry{};
  expect_throws([&] { make(faces); }, "has faces of its own: there are those of its tile");
  ProgramSpec quasar = copying();
  quasar.kernels[0].hw_config = DataMovementGen2Config{};
  expect_throws([&] { make(quasar); }, "moves data and has no config_1xx");
}

// Node by node, as in June, or by name.
TEST_F(ProgramSpecTest, ArgumentsOfANodeAreThoseByName) {
  KernelRunArgs::RuntimeArgValues by_node = {
      {.node = {0, 0}, .args = {{"first", 1}, {"count", 2}}}};
  by_node.push_back({.node = {1, 0}, .args = {{"first", 3}, {"count", 4}}});
  const KernelRunArgs::RuntimeArgValues by_name = {
      {"first", {{NodeCoord{0, 0}, 1u}, {NodeCoord{1, 0}, 3u}}},
      {"count", {{NodeCoord{0, 0}, 2u}, {NodeCoord{1, 0}, 4u}}}};
  EXPECT_EQ(by_node, by_name);
}

// What the two forms say of a tensor is relaxed.
TEST_F(ProgramSpecTest, TensorOptionsOfJulyRelaxAsLaterOnes) {
  ProgramSpec spec = copying();
  spec.tensor_parameters[0].advanced_options.match_padded_shape_only = true;
  Program program = make(spec);
  const MeshTensor other = tensor(tiles_of(63, 64)), result = tensor();
  SetProgramRunArgs(program, copying_args(other, result));
  const MeshTensor wider = tensor(tiles_of(64, 96));
  EXPECT_THROW(SetProgramRunArgs(program, copying_args(wider, result)), std::runtime_error);
  spec.tensor_parameters[0].advanced_options = {.dynamic_tensor_shape = true};
  Program dynamic = make(spec);
  SetProgramRunArgs(dynamic, copying_args(wider, result));
  spec.tensor_parameters[0].advanced_options = {};
  Program strict = make(spec);
  EXPECT_THROW(SetProgramRunArgs(strict, copying_args(other, result)), std::runtime_error);
}

TEST_F(ProgramSpecTest, AKernelOfSeveralWorkUnitsRunsOnAllTheirNodes) {
  ProgramSpec spec = copying();
  KernelSpec other = spec.kernels[1];
  other.unique_id = KernelSpecName{"other"};
  spec.kernels.push_back(other);
  spec.work_units = {unit_of({kReader, kCompute, kWriter}, NodeCoord{0, 0}),
                     unit_of({kReader, other.unique_id, kWriter}, NodeRange({1, 0}, {1, 1}))};
  const Program program = make(spec);
  EXPECT_EQ(program.get_kernel(0)->core_range_set().num_cores(), 3u);
  EXPECT_EQ(program.get_kernel(1)->core_range_set().num_cores(), 1u);
  EXPECT_EQ(program.get_kernel(3)->core_range_set(), CoreRangeSet(CoreRange({1, 0}, {1, 1})));
  EXPECT_EQ(program.circular_buffers()[0]->core_ranges().num_cores(), 3u);
}

TEST_F(ProgramSpecTest, WhatReachesALimitIsMade) {
  ProgramSpec spec = copying();
  spec.kernels[0].semaphore_bindings[0].accessor_name = std::string(64, 'a');
  spec.dataflow_buffers[0].entry_size = 16;
  spec.dataflow_buffers[0].num_entries = 65535;
  for (int i = 0; i < 15; ++i) {
    spec.semaphores.push_back(
        {.unique_id = SemaphoreSpecName{std::to_string(i)}, .target_nodes = NodeCoord{1, 0}});
  }
  for (int i = 0; i < 30; ++i) {
    const DFBSpecName own{"own" + std::to_string(i)};
    spec.dataflow_buffers.push_back(tile_queue(own));
    spec.kernels[0].dfb_bindings.push_back(ProducerOf(own, *own));
    spec.kernels[0].dfb_bindings.push_back(ConsumerOf(own, *own));
  }
  const Program program = make(spec);
  EXPECT_EQ(program.num_semaphores(), 16u);
  EXPECT_THAT(program.circular_buffers(), SizeIs(32));
  EXPECT_EQ(program.circular_buffers()[0]->num_pages(0), 65535u);
}

// Dataflow buffers of different nodes share an index.
TEST_F(ProgramSpecTest, AnIndexIsTakenOnceOnEachNode) {
  ProgramSpec spec{.name = "loops"};
  const NodeRange nodes[] = {{{0, 0}, {1, 0}}, {{2, 0}, {2, 0}}};
  for (int i = 0; i < 2; ++i) {
    const DFBSpecName own{"own" + std::to_string(i)};
    const KernelSpecName name{"kernel" + std::to_string(i)};
    spec.kernels.push_back({.unique_id = name,
                            .source = KernelSpec::SourceCode{kEmpty},
                            .dfb_bindings = {ProducerOf(own, "own"), ConsumerOf(own, "own")},
                            .hw_config = CreateReaderGen1DataMovementConfig()});
    spec.dataflow_buffers.push_back(tile_queue(own, 3));
    spec.work_units.push_back(unit_of({name}, nodes[i]));
  }
  const Program program = make(spec);
  ASSERT_THAT(program.circular_buffers(), SizeIs(2));
  EXPECT_TRUE(program.circular_buffers()[0]->uses_buffer_index(0));
  EXPECT_TRUE(program.circular_buffers()[1]->uses_buffer_index(0));
  EXPECT_EQ(program.circular_buffers()[1]->size(), 3u * 2048);
  EXPECT_EQ(program.circular_buffers()[1]->core_ranges(), CoreRangeSet(nodes[1]));
}

TEST_F(ProgramSpecTest, AliasesAreOneCircularBuffer) {
  ProgramSpec spec = copying();
  spec.dataflow_buffers[0].advanced_options.alias_with = {kOut};
  spec.dataflow_buffers[1].advanced_options.alias_with = {kIn};
  spec.dataflow_buffers[1].entry_size = 1024;
  spec.dataflow_buffers[1].num_entries = 4;
  const Program program = make(spec);
  ASSERT_THAT(program.circular_buffers(), SizeIs(1));
  EXPECT_EQ(program.circular_buffers()[0]->page_size(0), 2048u);
  EXPECT_EQ(program.circular_buffers()[0]->page_size(1), 1024u);
}

TEST_F(ProgramSpecTest, ArgumentsLieInTheOrderOfTheirKinds) {
  ProgramSpec spec = copying();
  spec.kernels[0].advanced_options = {.num_runtime_varargs = 2, .num_common_runtime_varargs = 1};
  spec.kernels[0].advanced_options.num_runtime_varargs_per_node = {{NodeCoord(1, 0), 1}};
  Program program = make(spec);
  const MeshTensor source = tensor(), result = tensor();
  ProgramRunArgs args = copying_args(source, result);
  args.kernel_run_args[0].advanced_options = {.runtime_varargs = {{{0, 0}, {7, 8}}, {{1, 0}, {9}}},
                                              .common_runtime_varargs = {5}};
  SetProgramRunArgs(program, args);
  EXPECT_THAT(program.get_kernel(0)->runtime_args({0, 0}), ElementsAre(0, 2, 7, 8));
  EXPECT_THAT(program.get_kernel(0)->runtime_args({1, 0}), ElementsAre(2, 2, 9));
  const std::vector<uint32_t> words = common(program, 0);
  ASSERT_THAT(words, SizeIs(4));
  EXPECT_EQ(words[0], 1u);
  EXPECT_EQ(words[1], address_of(source));
  EXPECT_NE(words[2], 0u);  // the scratchpad
  EXPECT_EQ(words[3], 5u);
  EXPECT_THAT(common(program, 2), ElementsAre(address_of(result)));
}

// The reader has two varargs on each node, and one that is common.
ProgramSpec with_varargs(ProgramSpec spec) {
  spec.kernels[0].advanced_options = {.num_runtime_varargs = 2, .num_common_runtime_varargs = 1};
  return spec;
}
ProgramRunArgs with_varargs(ProgramRunArgs args) {
  args.kernel_run_args[0].advanced_options = {
      .runtime_varargs = {{{0, 0}, {7, 8}}, {{1, 0}, {9, 10}}}, .common_runtime_varargs = {5}};
  return args;
}

TEST_F(ProgramSpecTest, VarargsAreGivenWholeAndUpdatedAlone) {
  Program program = make(with_varargs(copying()));
  const MeshTensor source = tensor(), result = tensor();
  const ProgramRunArgs whole = with_varargs(copying_args(source, result));
  const auto refuse = [&](const char* sentence, auto change) {
    ProgramRunArgs args = whole;
    change(args.kernel_run_args[0].advanced_options);
    expect_throws([&] { SetProgramRunArgs(program, args); }, sentence);
  };
  refuse("is given no varargs for node (x=1,y=0): it has 2", [](auto& of) {
    of.runtime_varargs.erase({1, 0});
  });
  refuse("is given 1 varargs for node (x=1,y=0): it has 2", [](auto& of) {
    of.runtime_varargs[{1, 0}].pop_back();
  });
  refuse("is given 0 common varargs: it has 1",
         [](auto& of) { of.common_runtime_varargs.clear(); });
  SetProgramRunArgs(program, whole);
  const auto update = [&](const AdvancedKernelRunArgs& of) {
    UpdateProgramRunArgs(program,
                         {.kernel_run_args = {{.kernel = kReader, .advanced_options = of}}});
  };
  update({.runtime_varargs = {{{1, 0}, {11, 12}}}});
  EXPECT_THAT(program.get_kernel(0)->runtime_args({0, 0}), ElementsAre(0, 2, 7, 8));
  EXPECT_THAT(program.get_kernel(0)->runtime_args({1, 0}), ElementsAre(2, 2, 11, 12));
  EXPECT_EQ(common(program, 0).back(), 5u);
  update({.common_runtime_varargs = {6}});
  EXPECT_EQ(common(program, 0).back(), 6u);
  EXPECT_EQ(common(program, 0)[1], address_of(source));
}

TEST_F(ProgramSpecTest, UpdatesChangeWhatTheyNameAndNothingElse) {
  Program program = make(copying());
  const MeshTensor source = tensor(), result = tensor(), other = tensor();
  const ProgramRunArgs args = copying_args(source, result);
  expect_throws([&] { UpdateProgramRunArgs(program, args); },
                "which SetProgramRunArgs has not given any");
  expect_throws([&] { UpdateTensorArgs(program, args.tensor_args); }, "UpdateTensorArgs changes");
  SetProgramRunArgs(program, args);
  UpdateProgramRunArgs(
      program, {.kernel_run_args = {
                    {.kernel = kReader,
                     .runtime_arg_values = MakeRuntimeArgsForSingleNode({1, 0}, {{"count", 1}})}}});
  EXPECT_THAT(program.get_kernel(0)->runtime_args({0, 0}), ElementsAre(0, 2));
  EXPECT_THAT(program.get_kernel(0)->runtime_args({1, 0}), ElementsAre(2, 1));
  EXPECT_EQ(common(program, 0)[1], address_of(source));
  UpdateProgramRunArgs(program, {.tensor_args = {{kResult, other}}});
  EXPECT_THAT(common(program, 2), ElementsAre(address_of(other)));
  UpdateTensorArgs(program, {{kSource, other}, {kResult, source}});
  EXPECT_EQ(common(program, 0)[0], 1u);
  EXPECT_EQ(common(program, 0)[1], address_of(other));
  EXPECT_THAT(common(program, 2), ElementsAre(address_of(source)));
  expect_throws([&] { UpdateTensorArgs(program, {{kSource, other}}); }, "no tensor \"result\"");
}

// A tensor may end before it is replaced, as long as nothing is launched with it.
TEST_F(ProgramSpecTest, ATensorThatIsKeptMayBeGone) {
  Program program = make(copying());
  const MeshTensor source = tensor();
  auto gone = std::make_unique<MeshTensor>(tensor());
  SetProgramRunArgs(program, copying_args(*gone, source));
  const uint32_t address = address_of(*gone);
  gone.reset();
  UpdateProgramRunArgs(
      program,
      {.kernel_run_args = {{.kernel = kReader, .common_runtime_arg_values = {{"step", 4}}}}});
  EXPECT_EQ(common(program, 0)[0], 4u);
  EXPECT_EQ(common(program, 0)[1], address);
}

using distributed::MeshCoordinateRange;

std::shared_ptr<distributed::MeshDevice> two_devices() {
  return distributed::MeshDevice::create(
      distributed::MeshDeviceConfig(distributed::MeshShape(1, 2)));
}
size_t l1_of(distributed::MeshDevice& mesh, uint32_t column) {
  const auto& allocator = mesh.get_device(0, column)->allocator();
  return allocator->get_statistics(BufferType::L1).total_allocated_bytes;
}

TEST_F(ProgramSpecTest, ScratchpadsLieOnlyWhereTheirProgramIs) {
  const auto whole = two_devices();
  const size_t before = l1_of(*whole, 0);
  const MeshCoordinateRange left({0, 0}, {0, 0}), right({0, 1}, {0, 1});
  auto workload = MakeMeshWorkloadFromSpecs(*whole, {{right, copying()}});
  EXPECT_EQ(l1_of(*whole, 0), before);
  EXPECT_GT(l1_of(*whole, 1), before);
  // So the program runs nowhere else.
  const MeshTensor source = MeshTensor::allocate_on_device(*whole, tiles_of(64, 64)),
                   result = MeshTensor::allocate_on_device(*whole, tiles_of(64, 64));
  Program& program = workload.get_programs().at(right);
  SetProgramRunArgs(program, copying_args(source, result));
  distributed::MeshWorkload elsewhere;
  elsewhere.add_program(left, std::move(program));
  expect_throws(
      [&] { distributed::EnqueueMeshWorkload(whole->mesh_command_queue(), elsewhere, true); },
      "Program \"copy\" cannot be launched on device 0, for which it was not made");
  EXPECT_THAT(watched().launches(), SizeIs(0));
}

TEST_F(ProgramSpecTest, TensorsLieOnAllDevicesOfTheirProgram) {
  const auto whole = two_devices();
  const auto half = whole->create_submesh(distributed::MeshShape(1, 1));
  const MeshTensor wide = MeshTensor::allocate_on_device(*whole, tiles_of(64, 64)),
                   narrow = MeshTensor::allocate_on_device(*half, tiles_of(64, 64));
  Program program = MakeProgramFromSpec(*whole, copying());
  expect_throws([&] { SetProgramRunArgs(program, copying_args(wide, narrow)); },
                "Program \"copy\", tensor parameter \"result\" is given a tensor of another mesh "
                "device: it does not lie on device 1");
  SetProgramRunArgs(program, copying_args(wide, wide));
  expect_throws(
      [&] {
        UpdateTensorArgs(program, {{kSource, narrow}, {kResult, wide}});
      },
      "tensor parameter \"source\" is given a tensor of another mesh device");
  Program of_half = MakeProgramFromSpec(*half, copying());
  SetProgramRunArgs(of_half, copying_args(wide, narrow));
}

TEST_F(ProgramSpecTest, ScratchpadsLastAsLongAsTheirProgram) {
  const size_t before = l1_in_use();
  {
    Program program = make(copying());
    EXPECT_GT(l1_in_use(), before);
    const Program moved = std::move(program);
    EXPECT_GT(l1_in_use(), before);
  }
  EXPECT_EQ(l1_in_use(), before);
}

// A program of a scratchpad and nothing else that ends while its launch runs.
class EndingProgramTest : public ProgramSpecTest {
 protected:
  static ProgramSpec with_scratchpad() {
    ProgramSpec spec{.name = "scratch"};
    spec.kernels = {{.unique_id = kReader,
                     .source = KernelSpec::SourceCode{kEmpty},
                     .scratchpad_bindings = {{kPad, "pad"}},
                     .hw_config = CreateReaderGen1DataMovementConfig()}};
    spec.scratchpads = {{.unique_id = kPad, .size_per_node = 100}};
    spec.work_units = {unit_of({kReader}, NodeCoord{0, 0})};
    return spec;
  }

  // Expects that the memory is the program's as long as the launch runs, which ends with `status`.
  // `launch_and_end` launches the program, waits for nothing, and ends it.
  void expect_memory_until_the_end(const std::function<void()>& launch_and_end,
                                   const absl::Status& status = absl::OkStatus()) {
    const size_t before = l1_in_use();
    std::atomic<bool> runs = false, may_end = false, has_ended = false;
    size_t at_end = 0;
    watched().on_launch([&](const device::Launch&) {
      runs = true;
      while (!may_end) std::this_thread::yield();
      at_end = l1_in_use();
      has_ended = true;
      return status;
    });
    std::thread program(launch_and_end);
    while (!runs) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which the program could end
    may_end = true;
    program.join();
    while (!has_ended) std::this_thread::yield();
    EXPECT_GT(at_end, before);
    EXPECT_EQ(l1_in_use(), before);
  }
  void enqueue_and_end() {
    auto workload = MakeMeshWorkloadFromSpec(mesh(), with_scratchpad());
    distributed::EnqueueMeshWorkload(mesh().mesh_command_queue(), workload, false);
  }
};

TEST_F(EndingProgramTest, ScratchpadsLastUntilTheLastLaunchIsDone) {
  mesh();
  expect_memory_until_the_end([&] { enqueue_and_end(); });
}

TEST_F(EndingProgramTest, ScratchpadsLastUntilALaunchBesideTheQueuesIsDone) {
  mesh();
  expect_memory_until_the_end([&] { LaunchProgramAsync(mesh(), make(with_scratchpad())); });
}

// The first queue's launch is done long before.
TEST_F(EndingProgramTest, ScratchpadsLastUntilTheLaunchesOfAllQueuesAreDone) {
  mesh(/*queues=*/2);
  const size_t before = l1_in_use();
  std::atomic<int> launches = 0;
  std::atomic<bool> may_end = false;
  std::atomic<size_t> at_end = 0;
  watched().on_launch([&](const device::Launch&) {
    const bool is_first = ++launches == 1;
    while (!is_first && !may_end) std::this_thread::yield();
    at_end = l1_in_use();
    return absl::OkStatus();
  });
  std::thread program([&] {
    auto workload = MakeMeshWorkloadFromSpec(mesh(), with_scratchpad());
    distributed::EnqueueMeshWorkload(mesh().mesh_command_queue(0), workload, true);
    distributed::EnqueueMeshWorkload(mesh().mesh_command_queue(1), workload, false);
  });
  while (launches < 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which the program could end
  may_end = true;
  program.join();
  distributed::Finish(mesh().mesh_command_queue(1));
  EXPECT_GT(at_end.load(), before);
  EXPECT_EQ(l1_in_use(), before);
}

TEST_F(EndingProgramTest, TheErrorOfItsLaunchIsForTheNextCallThatWaits) {
  mesh();
  expect_memory_until_the_end([&] { enqueue_and_end(); }, absl::InternalError("launch failed"));
  expect_throws([&] { distributed::Finish(mesh().mesh_command_queue()); }, "launch failed");
}

TEST_F(ProgramSpecTest, ABufferThatBorrowsLiesInItsTensor) {
  ProgramSpec spec = copying();
  const TensorSpec in_l1 =
      tiles_of(64, 64, BufferType::L1).height_sharded(CoreRangeSet(CoreRange({0, 0}, {1, 0})));
  spec.tensor_parameters[0].spec = in_l1;
  spec.dataflow_buffers[0].borrowed_from = kSource;
  Program program = make(spec);
  const MeshTensor first = tensor(in_l1), second = tensor(in_l1), result = tensor();
  SetProgramRunArgs(program, copying_args(first, result));
  EXPECT_EQ(program.circular_buffers()[0]->address(), first.address());
  UpdateTensorArgs(program, {{kSource, second}, {kResult, result}});
  EXPECT_EQ(program.circular_buffers()[0]->address(), second.address());
  // Sizes come with the tensor alone, be they those of before: the tensor may be gone.
  const DFBRunOverrides smaller{.dfb = kIn, .num_entries = 1},
      alike{.dfb = kIn, .entry_size = 1024, .num_entries = 4};
  for (const DFBRunOverrides& sizes : {smaller, alike}) {
    expect_throws([&] { UpdateProgramRunArgs(program, {.dfb_run_overrides = {sizes}}); },
                  "given sizes without tensor \"source\"");
  }
  UpdateProgramRunArgs(program,
                       {.tensor_args = {{kSource, first}}, .dfb_run_overrides = {smaller}});
  EXPECT_EQ(program.circular_buffers()[0]->address(), first.address());
  EXPECT_EQ(program.circular_buffers()[0]->size(), 2048u);
  const DFBRunOverrides larger{.dfb = kIn, .num_entries = 3};
  expect_throws(
      [&] {
        UpdateProgramRunArgs(program,
                             {.tensor_args = {{kSource, first}}, .dfb_run_overrides = {larger}});
      },
      "dataflow buffer \"in\" has 6144 B", "room for 4096 B");
}

TEST_F(ProgramSpecTest, OtherSizesStay) {
  Program program = make(copying());
  const MeshTensor source = tensor(), result = tensor();
  ProgramRunArgs args = copying_args(source, result);
  args.dfb_run_overrides = {{.dfb = kIn, .entry_size = 3072, .num_entries = 5}};
  SetProgramRunArgs(program, args);
  const auto& in = program.circular_buffers()[0];
  EXPECT_EQ(in->size(), 5u * 3072);
  EXPECT_EQ(in->page_size(0), 3072u);
  SetProgramRunArgs(program, copying_args(source, result));
  EXPECT_EQ(in->size(), 5u * 3072);
  UpdateProgramRunArgs(program, {.dfb_run_overrides = {{.dfb = kIn, .num_entries = 1}}});
  EXPECT_EQ(in->size(), 3072u);
}

TEST_F(ProgramSpecTest, ASizeThatIsNotGivenStaysAsItWas) {
  Program program = make(copying());
  const MeshTensor source = tensor(), result = tensor();
  SetProgramRunArgs(program, copying_args(source, result));
  const auto& in = program.circular_buffers()[0];
  const auto sizes_after = [&](const DFBRunOverrides& sizes) {
    UpdateProgramRunArgs(program, {.dfb_run_overrides = {sizes}});
    return std::pair(in->page_size(0), in->size());
  };
  EXPECT_THAT(sizes_after({.dfb = kIn, .entry_size = 1024}), Pair(1024, 2 * 1024));
  EXPECT_THAT(sizes_after({.dfb = kIn, .num_entries = 3}), Pair(1024, 3 * 1024));
  EXPECT_THAT(sizes_after({.dfb = kIn, .entry_size = 4096}), Pair(4096, 3 * 4096));
  EXPECT_THAT(sizes_after({.dfb = kIn}), Pair(4096, 3 * 4096));
}

TEST_F(ProgramSpecTest, AliasesGetOtherSizesTogether) {
  ProgramSpec spec = copying();
  spec.dataflow_buffers[0].advanced_options.alias_with = {kOut};
  spec.dataflow_buffers[1].advanced_options.alias_with = {kIn};
  Program program = make(spec);
  const MeshTensor source = tensor(), result = tensor();
  ProgramRunArgs args = copying_args(source, result);
  args.dfb_run_overrides = {{.dfb = kIn, .num_entries = 3}};
  expect_throws([&] { SetProgramRunArgs(program, args); },
                "dataflow buffer \"in\" is given 6144 B and its alias \"out\" 4096 B");
  args.dfb_run_overrides.push_back({.dfb = kOut, .entry_size = 1024, .num_entries = 6});
  SetProgramRunArgs(program, args);
  const auto& shared = program.circular_buffers()[0];
  EXPECT_EQ(shared->size(), 6144u);
  EXPECT_EQ(shared->page_size(0), 2048u);
  EXPECT_EQ(shared->page_size(1), 1024u);
}

TEST_F(ProgramSpecTest, AWorkloadHasAProgramForEachRange) {
  auto whole =
      distributed::MeshDevice::create(distributed::MeshDeviceConfig(distributed::MeshShape(1, 2)));
  const distributed::MeshCoordinateRange left({0, 0}, {0, 0}), right({0, 1}, {0, 1});
  ProgramSpec other = copying();
  other.kernels[0].compile_time_args = {{"per_step", 2}};
  auto workload = MakeMeshWorkloadFromSpecs(*whole, {{left, copying()}, {right, other}});
  ASSERT_THAT(workload.get_programs(), SizeIs(2));
  const auto value = [&](const distributed::MeshCoordinateRange& range) {
    const auto& config = workload.get_programs().at(range).get_kernel(0)->config();
    return std::get<DataMovementConfig>(config).named_compile_args.at("per_step");
  };
  EXPECT_EQ(value(left), 1u);
  EXPECT_EQ(value(right), 2u);
  // None is launched unless all can be.
  const auto source = MeshTensor::allocate_on_device(*whole, tiles_of(64, 64)),
             result = MeshTensor::allocate_on_device(*whole, tiles_of(64, 64));
  SetProgramRunArgs(workload.get_programs().at(left), copying_args(source, result));
  expect_throws(
      [&] { distributed::EnqueueMeshWorkload(whole->mesh_command_queue(), workload, true); },
      "cannot be launched: SetProgramRunArgs has not given it");
  EXPECT_THAT(watched().launches(), SizeIs(0));
  EXPECT_THAT(MakeMeshWorkloadFromSpec(*whole, copying()).get_programs(), SizeIs(1));
}

TEST_F(ProgramSpecTest, ALaunchNeedsTheArguments) {
  auto workload = MakeMeshWorkloadFromSpec(mesh(), copying());
  auto& queue = mesh().mesh_command_queue();
  expect_throws([&] { distributed::EnqueueMeshWorkload(queue, workload, true); },
                "Program \"copy\" cannot be launched: SetProgramRunArgs has not given it");
  const MeshTensor source = tensor(), result = tensor();
  SetProgramRunArgs(workload.get_programs().begin()->second, copying_args(source, result));
  distributed::EnqueueMeshWorkload(queue, workload, true);
  EXPECT_THAT(watched().launches(), SizeIs(1));
}

TEST_F(ProgramSpecTest, AProgramWithoutArgumentsNeedsNone) {
  ProgramSpec spec = copying();
  spec.kernels = {{.unique_id = kReader,
                   .source = KernelSpec::SourceCode{kEmpty},
                   .scratchpad_bindings = {{kPad, "pad"}},
                   .hw_config = CreateReaderGen1DataMovementConfig()}};
  spec.dataflow_buffers = {};
  spec.tensor_parameters = {};
  spec.work_units = {unit_of({kReader}, NodeCoord{0, 0})};
  auto workload = MakeMeshWorkloadFromSpec(mesh(), spec);
  distributed::EnqueueMeshWorkload(mesh().mesh_command_queue(), workload, true);
  EXPECT_THAT(watched().common_args(), ElementsAre(::testing::Ne(0u)));
}

// ---- What kernels see ----

TEST_F(ProgramSpecTest, AnEntryFunctionGetsAKernelMain) {
  ProgramSpec spec = copying();
  const std::string text = R"text(
    #define NOISE TT_KERNEL /* void f( */ \
      more TT_KERNEL
    // TT_KERNEL void g()
    const char* said = "TT_KERNEL void h()";
    template <const uint32_t per_step>
    TT_KERNEL void read(uint32_t step, [[maybe_unused]] const uint32_t first, std::uint32_t count) {}
  )text";
  spec.kernels.resize(1);
  spec.kernels[0].source = KernelSpec::SourceCode{text};
  spec.kernels[0].dfb_bindings.push_back(ConsumerOf(kIn, "tiles"));
  spec.dataflow_buffers.resize(1);
  spec.tensor_parameters.pop_back();
  spec.work_units[0].kernels = {kReader};
  make(spec);
  EXPECT_EQ(watched().last_source().text,
            text +
                "\n#line 1 \"kernel_main_generated.h\"\nvoid kernel_main() { "
                "read<get_arg(args::per_step)>(get_arg(args::step), get_arg(args::first), "
                "get_arg(args::count)); }\n");
}

// A kernel of itself alone, with the names that the reader of copying() has.
ProgramSpec reading_alone(const std::string& text) {
  ProgramSpec spec = copying_spec(text, kEmpty, kEmpty);
  spec.kernels.resize(1);
  spec.kernels[0].dfb_bindings.push_back(ConsumerOf(kIn, "tiles"));
  spec.dataflow_buffers.resize(1);
  spec.tensor_parameters.pop_back();
  spec.work_units[0].kernels = {kReader};
  return spec;
}

TEST_F(ProgramSpecTest, AnEntryFunctionIsFoundAmongWhatOnlyLooksLikeOne) {
  const std::pair<std::string, std::string> rows[] = {
      {"/* TT_KERNEL void no() */ TT_KERNEL void yes() {}", "yes()"},
      {"/*/ TT_KERNEL void no() */ TT_KERNEL void yes() {} // it's one", "yes()"},
      {"char quote = '\"'; TT_KERNEL void yes() {} char other = '\"';", "yes()"},
      {"char quote = '\\''; TT_KERNEL void yes() {}", "yes()"},
      {"int many = 1'000; TT_KERNEL void yes() {} char one = '1';", "yes()"},
      {"auto text = \"\\\" TT_KERNEL void no()\"; TT_KERNEL void yes() {}", "yes()"},
      {"auto text = R\"x( TT_KERNEL )\" void no() )x\"; TT_KERNEL void yes() {}", "yes()"},
      {"// it goes on \\\n TT_KERNEL void no()\nTT_KERNEL void yes() {}", "yes()"},
      {"TT_KERNEL void yes(uint32_t first = both(1, 2), uint32_t count = {}) {}",
       "yes(get_arg(args::first), get_arg(args::count))"},
      {"template <typename T> T twice(T t); TT_KERNEL void yes(uint32_t count) {}",
       "yes(get_arg(args::count))"},
  };
  for (const auto& [text, call] : rows) {
    make(reading_alone(text));
    EXPECT_THAT(watched().last_source().text,
                ::testing::EndsWith("kernel_main() { " + call + "; }\n"))
        << text;
  }
}

TEST_F(ProgramSpecTest, AKernelSeesItsNamesBeforeItsText) {
  ProgramSpec spec = copying();
  spec.kernels.resize(1);
  spec.kernels[0].dfb_bindings.push_back(ConsumerOf(kIn, "tiles"));
  spec.kernels[0].advanced_options.compile_time_varargs = {11, 12};
  spec.kernels[0].advanced_options.tensor_binding_sequences = {{"all", {"source"}}};
  spec.dataflow_buffers.resize(1);
  spec.tensor_parameters.pop_back();
  spec.work_units[0].kernels = {kReader};
  make(spec);
  const auto source = watched().last_source();
  EXPECT_EQ(source.text, kEmpty);
  EXPECT_THAT(source.compile_args, ElementsAre(2, 2048, 11, 12));
  EXPECT_THAT(
      source.declarations,
      AllOf(HasSubstr("namespace dfb {\nconstexpr ::DFBBindingToken<> tiles{0, "
                      "::binding_details::LLKMetadata{5, 16, 16, 2, 2}};\ntemplate <"),
            HasSubstr("constexpr ::SemaphoreBindingToken turn{0, ::SemScope::EXTERNAL};"),
            HasSubstr("TensorBindingToken<0, 4>; constexpr source_t source{"),
            HasSubstr("constexpr auto all = std::make_tuple(source);"),
            HasSubstr("constexpr ::ScratchpadBindingToken pad{2, 100};"),
            HasSubstr("RtaArg<uint32_t> first{0};"), HasSubstr("RtaArg<uint32_t> count{4};"),
            HasSubstr("CrtaArg<uint32_t> step{0};"), HasSubstr("CtaVal<uint32_t> per_step{1};"),
            HasSubstr("get_arg_val<uint32_t>(2 + i)"),
            HasSubstr("get_common_arg_val<uint32_t>(3 + i)"), HasSubstr("get_ct_arg<2 + i>()")));
}

// ---- Tensors ----

TEST_F(ProgramSpecTest, ATensorMustBeTheDeclaredOne) {
  Program program = make(copying());
  const MeshTensor source = tensor(), larger = tensor(tiles_of(64, 96));
  expect_throws([&] { SetProgramRunArgs(program, copying_args(source, larger)); },
                "tensor parameter \"result\" is BFLOAT16 of Shape([64, 64])", "Shape([64, 96])");
  SetProgramRunArgs(program, copying_args(source, larger), /*skip_validation=*/true);
  EXPECT_THAT(common(program, 2), ElementsAre(address_of(larger)));
}

TEST_F(ProgramSpecTest, ARelaxedParameterTakesOtherShapes) {
  ProgramSpec spec = copying();
  spec.tensor_parameters[0].relaxations.match_padded_shape_only = true;
  spec.tensor_parameters[1].relaxations.dynamic_tensor_shape = true;
  Program program = make(spec);
  const MeshTensor narrow = tensor(tiles_of(64, 40)), larger = tensor(tiles_of(64, 96));
  SetProgramRunArgs(program, copying_args(narrow, larger));
  expect_throws([&] { SetProgramRunArgs(program, copying_args(larger, narrow)); },
                "tensor parameter \"source\"");
}

// The page size of rows that may have any length comes with the tensor.
TEST_F(ProgramSpecTest, WhatOfATensorVariesIsAnArgument) {
  const auto rows = [](uint32_t width) {
    return TensorSpec(Shape({4, width}),
                      TensorLayout(DataType::BFLOAT16, Layout::ROW_MAJOR, MemoryConfig()));
  };
  ProgramSpec spec = copying();
  spec.tensor_parameters[0] = {
      .unique_id = kSource, .spec = rows(64), .relaxations = {.dynamic_tensor_shape = true}};
  Program program = make(spec);
  const MeshTensor source = tensor(rows(64)), wider = tensor(rows(128)), result = tensor();
  SetProgramRunArgs(program, copying_args(source, result));
  const std::vector<uint32_t> before = common(program, 0);
  EXPECT_THAT(before, SizeIs(4));
  EXPECT_EQ(before[2], 128u);
  UpdateProgramRunArgs(program, {.tensor_args = {{kSource, wider}}});
  EXPECT_EQ(common(program, 0)[1], address_of(wider));
  EXPECT_EQ(common(program, 0)[2], 256u);
  EXPECT_EQ(common(program, 0)[3], before[3]);
}

// The blocks of a smaller tensor are on fewer cores, which kernels know as constants.
TEST_F(ProgramSpecTest, ATensorOfAnyShapeIsInTheShardsOfTheDeclaredOne) {
  const auto blocks = [](uint32_t rows) {
    const ShardSpec shards(CoreRangeSet(CoreRange({0, 0}, {1, 1})), {32, 32});
    return TensorSpec(
        Shape({rows, 64}),
        TensorLayout(DataType::BFLOAT16, Layout::TILE,
                     MemoryConfig(TensorMemoryLayout::BLOCK_SHARDED, BufferType::L1, shards)));
  };
  ProgramSpec spec = copying();
  spec.tensor_parameters[0] = {
      .unique_id = kSource, .spec = blocks(64), .relaxations = {.dynamic_tensor_shape = true}};
  Program program = make(spec);
  const MeshTensor whole = tensor(blocks(64)), half = tensor(blocks(32)), result = tensor();
  SetProgramRunArgs(program, copying_args(whole, result));
  expect_throws([&] { SetProgramRunArgs(program, copying_args(half, result)); },
                "tensor parameter \"source\" is given a tensor of Shape([32, 64]), whose pages lie "
                "in other shards");
}

TEST(TensorMatch, IsWhatTheRelaxationSays) {
  const TensorSpec square = tiles_of(64, 64);
  const auto match = [&](const TensorSpec& other, TensorSpecRelaxations relaxation) {
    const bool equal_hash = hash_tensorspec_with_relaxation(square, relaxation) ==
                            hash_tensorspec_with_relaxation(other, relaxation);
    const bool matches = tensorspecs_match_with_relaxation(square, other, relaxation);
    EXPECT_TRUE(equal_hash || !matches);
    return matches;
  };
  const TensorSpec deep(Shape({2, 64, 64}), square.tensor_layout());
  EXPECT_TRUE(match(tiles_of(64, 64), {}));
  EXPECT_FALSE(match(tiles_of(64, 40), {}));
  EXPECT_TRUE(match(tiles_of(64, 40), {.match_padded_shape_only = true}));
  EXPECT_FALSE(match(tiles_of(64, 96), {.match_padded_shape_only = true}));
  EXPECT_TRUE(match(tiles_of(64, 96), {.dynamic_tensor_shape = true}));
  EXPECT_FALSE(match(deep, {.dynamic_tensor_shape = true}));
  EXPECT_TRUE(match(deep, {.dynamic_tensor_shape = true, .relax_logical_rank = true}));
  EXPECT_FALSE(match(tiles_of(64, 64, BufferType::L1), {.dynamic_tensor_shape = true}));
}

TEST(TensorMatch, PagesOfOneSizeCanBeAskedFor) {
  const auto rows = [](uint32_t width, DataType type = DataType::UINT16) {
    return TensorSpec(Shape({4, width}), TensorLayout(type, Layout::ROW_MAJOR, MemoryConfig()));
  };
  const TensorSpecRelaxations any{.dynamic_tensor_shape = true};
  const TensorSpecRelaxations alike{.dynamic_tensor_shape = true, .match_page_size = true};
  EXPECT_TRUE(tensorspecs_match_with_relaxation(rows(64), rows(96), any));
  EXPECT_FALSE(tensorspecs_match_with_relaxation(rows(64), rows(96), alike));
  EXPECT_TRUE(tensorspecs_match_with_relaxation(tiles_of(64, 64), tiles_of(64, 96), alike));
  EXPECT_FALSE(tensorspecs_match_with_relaxation(rows(64), rows(32, DataType::UINT32), alike));
}

// ---- Values ----

TEST_F(ProgramSpecTest, ArgumentsOfDifferentNamesCanBeMerged) {
  const MeshTensor source = tensor(), result = tensor();
  const ProgramRunArgs whole = copying_args(source, result);
  ProgramRunArgs base = whole, rest[] = {whole};
  base.kernel_run_args.resize(1);
  base.kernel_run_args[0].runtime_arg_values.erase("count");
  base.tensor_args.erase(kResult);
  rest[0].kernel_run_args[0].runtime_arg_values.erase("first");
  rest[0].kernel_run_args[0].common_runtime_arg_values.clear();
  rest[0].tensor_args.erase(kSource);
  Program program = make(copying());
  SetProgramRunArgs(program, MergeProgramRunArgs(base, rest));
  EXPECT_THAT(program.get_kernel(0)->runtime_args({1, 0}), ElementsAre(2, 2));
  expect_throws([&] { MergeProgramRunArgs(whole, rest); },
                "kernel \"reader\", argument \"count\" is given twice for node (x=0,y=0)");
  rest[0].kernel_run_args.clear();
  expect_throws([&] { MergeProgramRunArgs(whole, rest); }, "tensor \"result\" is given twice");
  EXPECT_THAT(MergeProgramRunArgs(whole, rest, /*skip_validation=*/true).tensor_args, SizeIs(2));
}

// The arguments, a kind in each part.
std::vector<ProgramRunArgs> in_parts(const ProgramRunArgs& whole) {
  const KernelRunArgs& reader = whole.kernel_run_args[0];
  std::vector<ProgramRunArgs> parts(7);
  for (size_t i = 0; i < 4; ++i) parts[i].kernel_run_args = {{.kernel = kReader}};
  parts[0].kernel_run_args[0].runtime_arg_values = reader.runtime_arg_values;
  parts[1].kernel_run_args[0].common_runtime_arg_values = reader.common_runtime_arg_values;
  const auto advanced = [&](size_t part) -> AdvancedKernelRunArgs& {
    return parts[part].kernel_run_args[0].advanced_options;
  };
  advanced(2).runtime_varargs = reader.advanced_options.runtime_varargs;
  advanced(3).common_runtime_varargs = reader.advanced_options.common_runtime_varargs;
  parts[4].kernel_run_args = {whole.kernel_run_args[1], whole.kernel_run_args[2]};
  parts[5].tensor_args = whole.tensor_args;
  parts[6].dfb_run_overrides = whole.dfb_run_overrides;
  return parts;
}

TEST_F(ProgramSpecTest, ArgumentsOfEachKindAreMergedInAnyOrderAndOnce) {
  const MeshTensor source = tensor(), result = tensor();
  ProgramRunArgs whole = with_varargs(copying_args(source, result));
  whole.dfb_run_overrides = {{.dfb = kIn, .num_entries = 3}};
  std::vector<ProgramRunArgs> parts = in_parts(whole);
  const char* const refusals[] = {"kernel \"reader\", argument \"first\" is given twice",
                                  "kernel \"reader\", common argument \"step\" is given twice",
                                  "varargs of node \"(x=0,y=0)\" is given twice",
                                  "kernel \"reader\", common varargs are given twice",
                                  "kernel \"compute\", argument \"count\" is given twice",
                                  "tensor \"source\" is given twice",
                                  "sizes of dataflow buffer \"in\" are given twice"};
  for (size_t i = 0; i < parts.size(); ++i) {
    expect_throws([&] { MergeProgramRunArgs(whole, {&parts[i], 1}); }, refusals[i]);
  }
  for (int order = 0; order < 2; ++order) {
    Program program = make(with_varargs(copying()));
    SetProgramRunArgs(program, MergeProgramRunArgs({}, parts));
    EXPECT_THAT(program.get_kernel(0)->runtime_args({1, 0}), ElementsAre(2, 2, 9, 10));
    EXPECT_THAT(common(program, 0), ElementsAre(1, address_of(source), ::testing::_, 5));
    EXPECT_THAT(common(program, 2), ElementsAre(address_of(result)));
    EXPECT_EQ(program.circular_buffers()[0]->size(), 3u * 2048);
    std::ranges::reverse(parts);
  }
}

TEST_F(ProgramSpecTest, WhereMergingChecksNothingTheFirstArgumentsCount) {
  const MeshTensor source = tensor(), result = tensor();
  ProgramRunArgs first = with_varargs(copying_args(source, result)), second = first;
  first.dfb_run_overrides = {{.dfb = kIn, .num_entries = 3}};
  second.dfb_run_overrides = {{.dfb = kIn, .num_entries = 4}};
  second.kernel_run_args[0].common_runtime_arg_values["step"] = 2;
  second.kernel_run_args[0].advanced_options.common_runtime_varargs = {6};
  Program program = make(with_varargs(copying()));
  SetProgramRunArgs(program, MergeProgramRunArgs(first, {&second, 1}, /*skip_validation=*/true));
  EXPECT_THAT(common(program, 0), ElementsAre(1, address_of(source), ::testing::_, 5));
  EXPECT_EQ(program.circular_buffers()[0]->size(), 3u * 2048);
}

TEST(Table, HasEachKeyOnce) {
  Table<std::string, uint32_t> table = {{"a", 1}, {"b", 2}};
  EXPECT_FALSE(table.insert({"a", 3}).second);
  EXPECT_TRUE(table.emplace("c", 3).second);
  table["a"] = 7;
  EXPECT_EQ(*table.get("a"), 7u);
  EXPECT_EQ(table.get("x"), nullptr);
  EXPECT_EQ(table.erase("b"), 1u);
  EXPECT_EQ(table.erase("b"), 0u);
  EXPECT_EQ(table, (Table<std::string, uint32_t>{{"c", 3}, {"a", 7}}));
  EXPECT_NE(table, (Table<std::string, uint32_t>{{"c", 3}}));
  Table<std::string, uint32_t> copy;
  copy = table;
  EXPECT_EQ(copy, table);
  const std::map<std::string, uint32_t> map(copy.begin(), copy.end());
  EXPECT_EQ((Table<std::string, uint32_t>(map)), table);
  expect_throws([] { Table<int, int>{{1, 1}, {1, 2}}; }, "the same key twice");
}

// What scripts/kernels_of_today makes up for the kernels of a package has the same form.
TEST(KernelNames, AreTheHeadersThatKernelsOfOthersAreCompiledWith) {
  const auto made_up = lightmetal::testing::run_process(
      {"/usr/bin/env", "python3", "-c",
       "import sys; sys.path.insert(0, '" LIGHTMETAL_SOURCE_FOLDER
       "/scripts'); import kernel_bindings as made; "
       "text = 'dfb::in dfb::out sem::go tensor::src tensor::dst scratch::pad args::a args::b "
       "args::c'; print(made.bindings_header(text) + made.args_header(text, {'a', 'b'}, {'c': "
       "7}))"});
  const metal2::KernelNames names{.dataflow_buffers = {{"in", 0}, {"out", 1}},
                                  .semaphores = {{"go", 0}},
                                  .tensors = {{"src", 0, 0}, {"dst", 2, 1}},
                                  .scratchpads = {{"pad", 0, 4096}},
                                  .runtime_args = {"a", "b"},
                                  .constants = {{"c", 7}}};
  const std::string ours = metal2::bindings_header(names) + metal2::args_header(names);
  std::istringstream lines(made_up.output);
  size_t declarations = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto begins = [&](const char* with) { return line.starts_with(with); };
    if (!begins("constexpr ::") && !begins("using ") && !begins("namespace ") &&
        !begins("FORCE_INLINE "))
      continue;
    EXPECT_THAT(ours, HasSubstr(line + "\n"));
    ++declarations;
  }
  EXPECT_EQ(declarations, 16u) << made_up.output << made_up.errors;
}

}  // namespace
}  // namespace tt::tt_metal::testing::spec
