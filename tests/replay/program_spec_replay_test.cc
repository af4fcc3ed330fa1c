// Programs from specifications run: they do what programs of the other styles do, kernels find what
// is theirs by name, and their files replay.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"
#include "tests/support/program_specs.h"

namespace tt::tt_metal::spec_replay {
namespace {

using namespace experimental;
using lightmetal::testing::difference_of;
using lightmetal::testing::named_buffers_of;
using lightmetal::testing::NamedBuffers;
using lightmetal::testing::names_of;
using lightmetal::testing::open_file;
using testing::copying_args;
using testing::copying_spec;
using ::testing::ElementsAre;
using testing::expect_replays_alike;
using testing::kReader;
using testing::kResult;
using testing::kSource;
using testing::tiles_of;

// Each tile is added to itself on its way.
constexpr char kNamedReader[] = R"(
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
void kernel_main() {
  Noc noc;
  DataflowBuffer tiles(dfb::tiles);
  const auto source = TensorAccessor(tensor::source);
  for (uint32_t i = 0; i < get_arg(args::count); i += get_arg(args::step)) {
    tiles.reserve_back(get_arg(args::per_step));
    noc.async_read(source, tiles, tiles.get_entry_size(), {.page_id = get_arg(args::first) + i}, {});
    noc.async_read_barrier();
    tiles.push_back(get_arg(args::per_step));
  }
})";
constexpr char kNamedCompute[] = R"(
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/dataflow/dataflow_buffer.h"
void kernel_main() {
  DataflowBuffer tiles(dfb::tiles), results(dfb::results);
  compute_kernel_hw_startup(dfb::tiles, dfb::tiles, dfb::results);
  add_init(dfb::tiles, dfb::tiles);
  for (uint32_t i = 0; i < get_arg(args::count); ++i) {
    tiles.wait_front(1);
    results.reserve_back(1);
    tile_regs_acquire();
    add_tiles(dfb::tiles, dfb::tiles, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, dfb::results);
    tile_regs_release();
    tiles.pop_front(1);
    results.push_back(1);
  }
})";
constexpr char kNamedWriter[] = R"(
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
void kernel_main() {
  Noc noc;
  DataflowBuffer results(*dfb::get_token_if_present<"results">());
  const auto result = TensorAccessor(*tensor::get_token_if_present<"result">());
  static_assert(dfb::get_token_if_present<"mask">() == nullptr);
  if constexpr (tensor::get_token_if_present<"mask">() != nullptr) {
    const auto mask = TensorAccessor(*tensor::get_token_if_present<"mask">());
    noc.async_write(results, mask, 32, {}, {.page_id = 0});
  }
  for (uint32_t i = 0; i < get_arg(args::count); ++i) {
    results.wait_front(1);
    noc.async_write(results, result, results.get_entry_size(), {}, {.page_id = get_arg(args::first) + i});
    noc.async_write_barrier();
    results.pop_front(1);
  }
})";

// The same with arguments by their numbers, for the two other styles.
constexpr char kNumberedReader[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const auto source = TensorAccessor(TensorAccessorArgs<0>(), get_common_arg_val<uint32_t>(0));
  for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); ++i) {
    cb_reserve_back(0, 1);
    noc_async_read(source.get_noc_addr(get_arg_val<uint32_t>(0) + i), get_write_ptr(0), 2048);
    noc_async_read_barrier();
    cb_push_back(0, 1);
  }
})";
constexpr char kNumberedCompute[] = R"(
#include "compute_kernel_api/eltwise_binary.h"
namespace NAMESPACE {
void MAIN {
  binary_op_init_common(0, 0, 1);
  add_tiles_init(0, 0);
  for (uint32_t i = 0; i < get_arg_val<uint32_t>(0); ++i) {
    cb_wait_front(0, 1);
    cb_reserve_back(1, 1);
    tile_regs_acquire();
    add_tiles(0, 0, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 1);
    tile_regs_release();
    cb_pop_front(0, 1);
    cb_push_back(1, 1);
  }
}
})";
constexpr char kNumberedWriter[] = R"(
#include "dataflow_api.h"
void kernel_main() {
  const auto result = TensorAccessor(TensorAccessorArgs<0>(), get_common_arg_val<uint32_t>(0));
  for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); ++i) {
    cb_wait_front(1, 1);
    noc_async_write(get_read_ptr(1), result.get_noc_addr(get_arg_val<uint32_t>(0) + i), 2048);
    noc_async_write_barrier();
    cb_pop_front(1, 1);
  }
})";

const CoreRangeSet kCores(CoreRange({0, 0}, {1, 0}));

std::shared_ptr<distributed::MeshDevice> open_mesh() {
  unsetenv("LIGHTMETAL_DEVICE");
  return distributed::MeshDevice::create_unit_mesh(0);
}

std::vector<bfloat16> ramp() {
  std::vector<bfloat16> values;
  for (int i = 0; i < 64 * 64; ++i) values.emplace_back(static_cast<float>(i % 100));
  return values;
}

struct Tensors {
  explicit Tensors(distributed::MeshDevice& mesh)
      : source(MeshTensor::allocate_on_device(mesh, tiles_of(64, 64))),
        result(MeshTensor::allocate_on_device(mesh, tiles_of(64, 64))) {
    mesh.mesh_command_queue().enqueue_write_tensor(
        HostTensor::from_vector(ramp(), tiles_of(64, 64)), source);
  }
  MeshTensor source, result;
};

// ---- Three styles ----

Program specified(distributed::MeshDevice& mesh, const Tensors& tensors) {
  Program program =
      MakeProgramFromSpec(mesh, copying_spec(kNamedReader, kNamedCompute, kNamedWriter));
  SetProgramRunArgs(program, copying_args(tensors.source, tensors.result));
  return program;
}

CircularBufferConfig tiles_at(uint8_t index) {
  return CircularBufferConfig(4096, {{index, tt::DataFormat::Float16_b}})
      .set_page_size(index, 2048);
}

Program classic(distributed::MeshDevice&, const Tensors& tensors) {
  Program program = CreateProgram();
  CreateCircularBuffer(program, kCores, tiles_at(0));
  CreateCircularBuffer(program, kCores, tiles_at(1));
  const auto words = [](const MeshTensor& tensor) {
    return TensorAccessorArgs(tensor).get_compile_time_args();
  };
  CreateKernelFromString(program, kNumberedReader, kCores,
                         ReaderDataMovementConfig(words(tensors.source)));
  CreateKernelFromString(program, kNumberedCompute, kCores, ComputeConfig{});
  CreateKernelFromString(program, kNumberedWriter, kCores,
                         WriterDataMovementConfig(words(tensors.result)));
  const CoreCoord cores[] = {{0, 0}, {1, 0}};
  for (uint32_t i = 0; i < 2; ++i) {
    SetRuntimeArgs(program, 0, cores[i], {2 * i, 2});
    SetRuntimeArgs(program, 1, cores[i], {2});
    SetRuntimeArgs(program, 2, cores[i], {2 * i, 2});
  }
  SetCommonRuntimeArgs(program, 0, {static_cast<uint32_t>(tensors.source.address())});
  SetCommonRuntimeArgs(program, 2, {static_cast<uint32_t>(tensors.result.address())});
  return program;
}

Program described(distributed::MeshDevice&, const Tensors& tensors) {
  const auto mover = [&](const char* text, const MeshTensor& tensor,
                         KernelDescriptor::ConfigDescriptor config) {
    KernelDescriptor kernel{.kernel_source = text,
                            .source_type = KernelDescriptor::SourceType::SOURCE_CODE,
                            .core_ranges = kCores,
                            .compile_time_args = TensorAccessorArgs(tensor).get_compile_time_args(),
                            .runtime_args = {{CoreCoord(0, 0), {0, 2}}, {CoreCoord(1, 0), {2, 2}}},
                            .config = config};
    kernel.emplace_common_runtime_args({tensor.mesh_buffer().get_reference_buffer()});
    return kernel;
  };
  ProgramDescriptor descriptor;
  descriptor.kernels = {mover(kNumberedReader, tensors.source, ReaderConfigDescriptor{}),
                        {.kernel_source = kNumberedCompute,
                         .source_type = KernelDescriptor::SourceType::SOURCE_CODE,
                         .core_ranges = kCores,
                         .runtime_args = {{CoreCoord(0, 0), {2}}, {CoreCoord(1, 0), {2}}},
                         .config = ComputeConfigDescriptor{}},
                        mover(kNumberedWriter, tensors.result, WriterConfigDescriptor{})};
  for (uint8_t index = 0; index < 2; ++index) {
    descriptor.cbs.push_back({.total_size = 4096,
                              .core_ranges = kCores,
                              .format_descriptors = {{.buffer_index = index,
                                                      .data_format = tt::DataFormat::Float16_b,
                                                      .page_size = 2048}}});
  }
  return Program(descriptor);
}

using Style = Program (*)(distributed::MeshDevice&, const Tensors&);

std::vector<bfloat16> result_of(Style style) {
  const auto mesh = open_mesh();
  const Tensors tensors(*mesh);
  distributed::MeshWorkload workload;
  workload.add_program(distributed::MeshCoordinateRange(mesh->shape()), style(*mesh, tensors));
  auto& queue = mesh->mesh_command_queue();
  distributed::EnqueueMeshWorkload(queue, workload, false);
  return queue.enqueue_read_tensor(tensors.result).to_vector<bfloat16>();
}

std::vector<bfloat16> doubled() {
  std::vector<bfloat16> values = ramp();
  for (bfloat16& value : values) value = bfloat16(2 * value.to_float());
  return values;
}

TEST(ProgramSpecReplay, AllThreeStylesGiveEqualMemory) {
  EXPECT_EQ(result_of(specified), doubled());
  EXPECT_EQ(result_of(described), doubled());
  EXPECT_EQ(result_of(classic), doubled());
}

// What each program reads is a golden of its file.
TEST(ProgramSpecReplay, AllThreeStylesReplayAndAreCapturedAgainAlike) {
  for (const Style style : {specified, described, classic})
    expect_replays_alike([&] { EXPECT_EQ(result_of(style), doubled()); });
}

// The source and the result are made first, the scratchpad with the program.
const NamedBuffers kNamedBySpecified = {{{1, "common"}, {0, 1, 3}}, {{3, "common"}, {2}}};

TEST(ProgramSpecReplay, ItsFileNamesTensorsAndScratchpadsWhereArgumentsAreTheirs) {
  LightMetalBeginCapture({.read_goldens = true});
  result_of(specified);
  const auto file = open_file(LightMetalEndCapture());
  EXPECT_EQ(lightmetal::schema::verify(*file), absl::OkStatus());
  EXPECT_EQ(named_buffers_of(*file), kNamedBySpecified);
  EXPECT_THAT(names_of(*file), ::testing::Contains("KernelBinary"));
}

TEST(ProgramSpecReplay, ACaptureThatBeginsInTheMiddleHasTheProgram) {
  auto mesh = open_mesh();
  std::vector<uint8_t> recorded;
  {
    const Tensors tensors(*mesh);
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(mesh->shape()),
                         specified(*mesh, tensors));
    auto& queue = mesh->mesh_command_queue();
    distributed::Finish(queue);
    LightMetalBeginCapture({.read_goldens = true});
    distributed::EnqueueMeshWorkload(queue, workload, false);
    EXPECT_EQ(queue.enqueue_read_tensor(tensors.result).to_vector<bfloat16>(), doubled());
    recorded = LightMetalEndCapture().get_data();
  }
  mesh.reset();
  EXPECT_EQ(named_buffers_of(*open_file(recorded)), kNamedBySpecified);
  auto replay = lightmetal::Replay::load_bytes(recorded, {});
  ASSERT_TRUE(replay.ok()) << replay.status();
  LightMetalBeginCapture({.read_goldens = true});
  const auto result = (*replay)->run();
  const LightMetalBinary again = LightMetalEndCapture();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->matches());
  EXPECT_EQ(result->goldens_checked, 1u);
  EXPECT_EQ(difference_of(*open_file(recorded), *open_file(again)), "");
}

// ---- Buffers with several producers ----

// Fills the first of two entries.
constexpr char kFirstFiller[] = R"(
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
void kernel_main() {
  Noc noc;
  DataflowBuffer tiles(dfb::tiles);
  tiles.reserve_back(1);
  noc.async_read(TensorAccessor(tensor::source), tiles, tiles.get_entry_size(),
                 {.page_id = get_arg(args::first)}, {});
  noc.async_read_barrier();
  tiles.push_back(1);
})";
// Fills the second, then writes what was computed.
constexpr char kSecondFiller[] = R"(
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"
void kernel_main() {
  Noc noc;
  DataflowBuffer tiles(dfb::tiles), results(dfb::results);
  noc.async_read(TensorAccessor(tensor::source), tiles, tiles.get_entry_size(),
                 {.page_id = get_arg(args::first) + 1}, {.offset_bytes = tiles.get_entry_size()});
  noc.async_read_barrier();
  tiles.push_back(1);
  const auto result = TensorAccessor(tensor::result);
  for (uint32_t i = 0; i < 2; ++i) {
    results.wait_front(1);
    noc.async_write(results, result, results.get_entry_size(), {}, {.page_id = get_arg(args::first) + i});
    noc.async_write_barrier();
    results.pop_front(1);
  }
})";
constexpr char kOfBoth[] = R"(
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/dataflow/dataflow_buffer.h"
void kernel_main() {
  DataflowBuffer tiles(dfb::tiles), results(dfb::results);
  compute_kernel_hw_startup(dfb::tiles, dfb::tiles, dfb::results);
  add_init(dfb::tiles, dfb::tiles);
  tiles.wait_front(2);
  for (uint32_t i = 0; i < 2; ++i) {
    results.reserve_back(1);
    tile_regs_acquire();
    add_tiles(dfb::tiles, dfb::tiles, i, i, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, dfb::results);
    tile_regs_release();
    results.push_back(1);
  }
  tiles.pop_front(2);
})";

Program filled_by_two(distributed::MeshDevice& mesh, const Tensors& tensors) {
  ProgramSpec spec = copying_spec(kFirstFiller, kOfBoth, kSecondFiller);
  spec.dataflow_buffers[0].advanced_options.allow_instance_multi_binding = true;
  spec.kernels[2].dfb_bindings.push_back(ProducerOf(testing::kIn, "tiles"));
  spec.kernels[2].tensor_bindings.push_back({kSource, "source"});
  Program program = MakeProgramFromSpec(mesh, spec);
  SetProgramRunArgs(program, copying_args(tensors.source, tensors.result));
  return program;
}

TEST(ProgramSpecReplay, KernelsOfANodeFillABufferThatAllowsIt) {
  expect_replays_alike([] { EXPECT_EQ(result_of(filled_by_two), doubled()); });
}

// ---- Kernels and what is theirs ----

// A tensor of words, a row for each of `rows`.
TensorSpec words_of(uint32_t rows, uint32_t words) {
  return TensorSpec(Shape({rows, words}),
                    TensorLayout(DataType::UINT32, Layout::ROW_MAJOR, MemoryConfig()));
}

// A kernel that works in 64 bytes of a scratchpad and writes them to the row of its node.
constexpr char kWritesARow[] = R"(
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/scratchpad.h"
#include "api/semaphore.h"
#include "api/tensor/noc_traits.h"
#include "api/tensor/tensor_accessor.h"
void fill(Scratchpad<uint32_t>& row);
void kernel_main() {
  Scratchpad<uint32_t> row(scratch::row);
  fill(row);
  Noc noc;
  noc.async_write(row, TensorAccessor(tensor::rows), row.size_in_bytes(), {},
                  {.page_id = get_arg(args::row)});
  noc.async_write_barrier();
}
)";

// A kernel on nodes (0,0) and (1,0) that fills a row of 16 words by `body`.
ProgramSpec filling(const std::string& body) {
  ProgramSpec spec{.name = "fill"};
  spec.kernels = {
      {.unique_id = kReader,
       .source = KernelSpec::SourceCode{std::string(kWritesARow) +
                                        "void fill(Scratchpad<uint32_t>& row) {" + body + "}"},
       .scratchpad_bindings = {{testing::kPad, "row"}},
       .tensor_bindings = {{kResult, "rows"}},
       .runtime_arg_schema = {.runtime_arg_names = {"row"}},
       .hw_config = CreateReaderGen1DataMovementConfig()}};
  spec.scratchpads = {{.unique_id = testing::kPad, .size_per_node = 64}};
  spec.tensor_parameters = {{.unique_id = kResult, .spec = words_of(2, 16)}};
  spec.work_units = {testing::unit_of({kReader}, NodeRange({0, 0}, {1, 0}))};
  return spec;
}

ProgramRunArgs filling_args(const MeshTensor& rows) {
  return {.kernel_run_args = {{.kernel = kReader,
                               .runtime_arg_values = {{"row", {{{0, 0}, 0}, {{1, 0}, 1}}}}}},
          .tensor_args = {{kResult, rows}}};
}

std::vector<uint32_t> run(distributed::MeshDevice& mesh, distributed::MeshWorkload& workload,
                          const MeshTensor& tensor) {
  auto& queue = mesh.mesh_command_queue();
  distributed::EnqueueMeshWorkload(queue, workload, false);
  return queue.enqueue_read_tensor(tensor).to_vector<uint32_t>();
}

TEST(ProgramSpecReplay, KernelsFindVarargsBehindTheirArguments) {
  expect_replays_alike([] {
    const auto mesh = open_mesh();
    ProgramSpec spec = filling(
        "row[0] = get_vararg(0); row[1] = get_vararg(1); row[2] = get_common_vararg(0);"
        "constexpr uint32_t third = get_compile_time_vararg<1>(); row[3] = third;"
        "row[4] = get_compile_time_vararg(row[0] - 5); row[5] = get_num_compile_time_varargs();"
        "row[6] = get_arg(args::common); row[7] = get_arg(args::constant); row[8] = row.size();");
    spec.kernels[0].compile_time_args = {{"constant", 77}};
    spec.kernels[0].runtime_arg_schema.common_runtime_arg_names = {"common"};
    spec.kernels[0].advanced_options = {.num_runtime_varargs = 2,
                                        .num_common_runtime_varargs = 1,
                                        .compile_time_varargs = {30, 31}};
    const auto rows = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    auto workload = MakeMeshWorkloadFromSpec(*mesh, spec);
    ProgramRunArgs args = filling_args(rows);
    args.kernel_run_args[0].common_runtime_arg_values = {{"common", 9}};
    args.kernel_run_args[0].advanced_options = {
        .runtime_varargs = {{{0, 0}, {5, 6}}, {{1, 0}, {6, 8}}}, .common_runtime_varargs = {20}};
    SetProgramRunArgs(workload.get_programs().begin()->second, args);
    std::vector<uint32_t> words = run(*mesh, workload, rows);
    EXPECT_THAT(std::vector<uint32_t>(words.begin(), words.begin() + 9),
                ElementsAre(5, 6, 20, 31, 30, 2, 9, 77, 16));
    EXPECT_THAT(std::vector<uint32_t>(words.begin() + 16, words.begin() + 25),
                ElementsAre(6, 8, 20, 31, 31, 2, 9, 77, 16));
  });
}

TEST(ProgramSpecReplay, AnEntryFunctionTakesTheArgumentsByTheirNames) {
  expect_replays_alike([] {
    const auto mesh = open_mesh();
    ProgramSpec spec = filling("");
    spec.kernels[0].source = KernelSpec::SourceCode{R"(
      #include "api/dataflow/noc.h"
      #include "api/scratchpad.h"
      #include "api/tensor/noc_traits.h"
      #include "api/tensor/tensor_accessor.h"
      #include "experimental/kernel_args.h"
      template <uint32_t constant, uint32_t size>
      TT_KERNEL void fill(uint32_t common, uint32_t row) {
        Scratchpad<uint32_t> words(scratch::row);
        uint32_t values[size] = {common, row, constant};
        for (uint32_t i = 0; i < size; ++i) words[i] = values[i];
        Noc noc;
        noc.async_write(words, TensorAccessor(tensor::rows), words.size_in_bytes(), {}, {.page_id = row});
        noc.async_write_barrier();
      })"};
    spec.kernels[0].compile_time_args = {{"size", 3}, {"constant", 77}};
    spec.kernels[0].runtime_arg_schema.common_runtime_arg_names = {"common"};
    const auto rows = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    auto workload = MakeMeshWorkloadFromSpec(*mesh, spec);
    ProgramRunArgs args = filling_args(rows);
    args.kernel_run_args[0].common_runtime_arg_values = {{"common", 9}};
    SetProgramRunArgs(workload.get_programs().begin()->second, args);
    const std::vector<uint32_t> words = run(*mesh, workload, rows);
    EXPECT_THAT(std::vector<uint32_t>(words.begin() + 16, words.begin() + 19),
                ElementsAre(9, 1, 77));
  });
}

// Nothing writes the scratchpad between two launches.
TEST(ProgramSpecReplay, AScratchpadKeepsItsContentBetweenLaunches) {
  expect_replays_alike([] {
    const auto mesh = open_mesh();
    const auto rows = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    auto workload = MakeMeshWorkloadFromSpec(*mesh, filling("row[3] += 2 + get_arg(args::row);"));
    SetProgramRunArgs(workload.get_programs().begin()->second, filling_args(rows));
    const std::vector<uint32_t> first = run(*mesh, workload, rows);
    const std::vector<uint32_t> second = run(*mesh, workload, rows);
    EXPECT_EQ(second[3] - first[3], 2u);
    EXPECT_EQ(second[19] - first[19], 3u);
  });
}

TEST(ProgramSpecReplay, OtherTensorsAreUsedFromTheNextLaunchOn) {
  expect_replays_alike([] {
    const auto mesh = open_mesh();
    const auto first = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    const auto second = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    auto workload = MakeMeshWorkloadFromSpec(*mesh, filling("row[0] = 40 + get_arg(args::row);"));
    Program& program = workload.get_programs().begin()->second;
    SetProgramRunArgs(program, filling_args(first));
    run(*mesh, workload, first);
    UpdateTensorArgs(program, {{kResult, second}});
    EXPECT_EQ(run(*mesh, workload, second).at(16), 41u);
  });
}

// Node (0,0) waits for node (1,0), which writes into its row first.
TEST(ProgramSpecReplay, SemaphoresReachOtherNodes) {
  expect_replays_alike([] {
    const auto mesh = open_mesh();
    ProgramSpec spec = filling(R"(
      Semaphore turn(sem::turn);
      Noc noc;
      if (get_arg(args::row) == 1) {
        turn.up(noc, get_arg(args::x), get_arg(args::y), 3);
        noc.async_atomic_barrier();
      } else {
        turn.down(2);
      }
      row[0] = turn.value();)");
    spec.semaphores = {{.unique_id = testing::kTurn,
                        .target_nodes = NodeRange({0, 0}, {1, 0}),
                        .advanced_options = {.initial_value = 1}}};
    spec.kernels[0].semaphore_bindings = {{testing::kTurn, "turn"}};
    spec.kernels[0].runtime_arg_schema.common_runtime_arg_names = {"x", "y"};
    const auto rows = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    auto workload = MakeMeshWorkloadFromSpec(*mesh, spec);
    const CoreCoord target = mesh->worker_core_from_logical_core({0, 0});
    ProgramRunArgs args = filling_args(rows);
    args.kernel_run_args[0].common_runtime_arg_values = {{"x", static_cast<uint32_t>(target.x)},
                                                         {"y", static_cast<uint32_t>(target.y)}};
    SetProgramRunArgs(workload.get_programs().begin()->second, args);
    const std::vector<uint32_t> words = run(*mesh, workload, rows);
    EXPECT_EQ(words[0], 2u);   // 1 and 3, less 2
    EXPECT_EQ(words[16], 1u);  // its own one
  });
}

// A queue in the memory of a sharded tensor, which one kernel both fills and empties.
TEST(ProgramSpecReplay, ABufferThatBorrowsSeesItsTensor) {
  expect_replays_alike([] {
    const auto mesh = open_mesh();
    const TensorSpec shards =
        TensorSpec(Shape({2, 16}),
                   TensorLayout(DataType::UINT32, Layout::ROW_MAJOR, MemoryConfig(BufferType::L1)))
            .height_sharded(kCores);
    ProgramSpec spec = filling(R"(
      DataflowBuffer own(dfb::own);
      own.reserve_back(1);
      own.push_back(1);
      own.wait_front(1);
      const auto words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(own.get_read_ptr());
      for (uint32_t i = 0; i < 16; ++i) row[i] = words[i] + 1;
      own.pop_front(1);)");
    const DFBSpecName own{"own"};
    spec.kernels[0].dfb_bindings = {ProducerOf(own, "own"), ConsumerOf(own, "own")};
    spec.dataflow_buffers = {
        {.unique_id = own, .entry_size = 64, .num_entries = 1, .borrowed_from = kSource}};
    spec.tensor_parameters.push_back({.unique_id = kSource, .spec = shards});
    auto& queue = mesh->mesh_command_queue();
    const auto make = [&](uint32_t first) {
      std::vector<uint32_t> words(32);
      for (uint32_t i = 0; i < 32; ++i) words[i] = first + i;
      auto tensor = MeshTensor::allocate_on_device(*mesh, shards);
      queue.enqueue_write_tensor(HostTensor::from_vector(words, shards), tensor);
      return tensor;
    };
    const MeshTensor small = make(100), large = make(1000);
    const auto rows = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    auto workload = MakeMeshWorkloadFromSpec(*mesh, spec);
    Program& program = workload.get_programs().begin()->second;
    ProgramRunArgs args = filling_args(rows);
    args.tensor_args.insert({kSource, small});
    SetProgramRunArgs(program, args);
    EXPECT_EQ(run(*mesh, workload, rows).at(17), 118u);
    UpdateProgramRunArgs(program, {.tensor_args = {{kSource, large}}});
    EXPECT_EQ(run(*mesh, workload, rows).at(17), 1018u);
  });
}

TEST(ProgramSpecReplay, TensorsOfASequenceAreThoseOfTheirNames) {
  expect_replays_alike([] {
    const auto mesh = open_mesh();
    ProgramSpec spec = filling(R"(
      const auto all = make_tensor_accessors(tensor::all);
      row[0] = std::get<0>(all).get_bank_base_address();
      row[1] = std::get<1>(all).get_bank_base_address();
      row[2] = std::get<1>(all).get_aligned_page_size();)");
    spec.tensor_parameters.push_back({.unique_id = kSource,
                                      .spec = words_of(2, 64),
                                      .relaxations = {.dynamic_tensor_shape = true}});
    spec.kernels[0].tensor_bindings.insert(spec.kernels[0].tensor_bindings.begin(),
                                           {kSource, "source"});
    spec.kernels[0].advanced_options.tensor_binding_sequences = {{"all", {"rows", "source"}}};
    const auto rows = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    const auto source = MeshTensor::allocate_on_device(*mesh, words_of(2, 32));
    auto workload = MakeMeshWorkloadFromSpec(*mesh, spec);
    ProgramRunArgs args = filling_args(rows);
    args.tensor_args.insert({kSource, source});
    SetProgramRunArgs(workload.get_programs().begin()->second, args);
    const std::vector<uint32_t> words = run(*mesh, workload, rows);
    EXPECT_EQ(words[0], rows.address());
    EXPECT_EQ(words[1], source.address());
    EXPECT_EQ(words[2], 128u);
  });
}

// One program runs on both devices of a mesh, with the scratchpads at one address.
TEST(ProgramSpecReplay, AProgramRunsOnEveryDeviceOfAMesh) {
  unsetenv("LIGHTMETAL_DEVICE");
  expect_replays_alike([] {
    const auto mesh = distributed::MeshDevice::create(
        distributed::MeshDeviceConfig(distributed::MeshShape(1, 2)));
    const auto rows = MeshTensor::allocate_on_device(*mesh, words_of(2, 16));
    auto workload = MakeMeshWorkloadFromSpec(*mesh, filling("row[0] = 6 + get_arg(args::row);"));
    SetProgramRunArgs(workload.get_programs().begin()->second, filling_args(rows));
    auto& queue = mesh->mesh_command_queue();
    distributed::EnqueueMeshWorkload(queue, workload, true);
    for (uint32_t device = 0; device < 2; ++device) {
      std::vector<uint32_t> words;
      Buffer* part = rows.mesh_buffer().get_device_buffer({0, device});
      EnqueueReadBuffer(mesh->get_device(0, device)->command_queue(), *part, words, true);
      EXPECT_EQ(words.at(16), 7u);
    }
  });
}

}  // namespace
}  // namespace tt::tt_metal::spec_replay
