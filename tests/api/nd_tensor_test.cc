// Tensors in shards of any rank: on a device, in kernels through TensorAccessor, captured,
// replayed.
#include <algorithm>
#include <numeric>
#include <random>
#include <tt-metalium/buffer_distribution_spec.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "tests/support/cpu_api_test_kit.h"
#include "tests/support/number_in_environment.h"

namespace tt::tt_metal {
namespace {

using distributed::MeshDevice;
using tensor_accessor::ArgConfig;
using ::testing::ElementsAre;

CoreRangeSet grid(size_t x, size_t y) { return CoreRange({0, 0}, {x - 1, y - 1}); }

TensorSpec spec_of(const Shape& shape, Layout layout, const MemoryConfig& memory,
                   DataType dtype = DataType::UINT16) {
  return TensorSpec(shape, TensorLayout(dtype, PageConfig(layout), memory));
}

// ---- Both forms of shards ----

TEST(NdTensors, BlocksOfAMatrixHaveAFormInAllDimensions) {
  struct Row {
    Shape shape;
    TensorMemoryLayout layout;
    std::array<uint32_t, 2> shard;
    Layout pages;
    Shape expected;
  };
  using enum TensorMemoryLayout;
  const Row rows[] = {
      {Shape({2, 64, 64}), BLOCK_SHARDED, {32, 32}, Layout::TILE, Shape({32, 32})},
      {Shape({2, 64, 64}), BLOCK_SHARDED, {96, 32}, Layout::TILE, Shape({96, 32})},
      {Shape({2, 4, 4}), BLOCK_SHARDED, {2, 2}, Layout::ROW_MAJOR, Shape({2, 2})},
      {Shape({4}), BLOCK_SHARDED, {1, 2}, Layout::ROW_MAJOR, Shape({2})},
      {Shape(), BLOCK_SHARDED, {1, 1}, Layout::ROW_MAJOR, Shape({1})},
      {Shape({2, 64, 64}), HEIGHT_SHARDED, {96, 64}, Layout::TILE, Shape({96, 64})},
      {Shape({2, 3, 4}), HEIGHT_SHARDED, {4, 4}, Layout::ROW_MAJOR, Shape({4, 4})},
      {Shape({2, 64, 64}), WIDTH_SHARDED, {128, 96}, Layout::TILE, Shape({128, 96})},
      {Shape({2, 3, 4}), WIDTH_SHARDED, {6, 5}, Layout::ROW_MAJOR, Shape({6, 5})},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{} {}", row.shape, row.layout));
    const MemoryConfig memory(row.layout, BufferType::L1, ShardSpec(grid(7, 7), row.shard));
    const TensorSpec spec = spec_of(row.shape, row.pages, memory);
    const auto& nd = spec.memory_config().nd_shard_spec();
    ASSERT_TRUE(nd.has_value());
    EXPECT_EQ(nd->shard_shape, row.expected);
    EXPECT_EQ(nd->grid, grid(7, 7));
    EXPECT_FALSE(spec.memory_config().created_with_nd_shard_spec());
    EXPECT_TRUE(spec.compute_buffer_sharding_args().buffer_distribution_spec().has_value());
  }
}

TEST(NdTensors, ShardsInAllDimensionsHaveAFormAsBlocksWhereTheyAreSome) {
  struct Row {
    Shape shape, shard;
    Layout pages;
    CoreRangeSet cores;
    TensorMemoryLayout layout;
    std::vector<uint32_t> expected;  // empty: no block
    ShardDistributionStrategy strategy = ShardDistributionStrategy::ROUND_ROBIN_1D;
  };
  using enum TensorMemoryLayout;
  constexpr Layout T = Layout::TILE, R = Layout::ROW_MAJOR;
  const Row rows[] = {
      {Shape({2, 64, 64}), Shape({1, 32, 32}), T, grid(2, 4), BLOCK_SHARDED, {32, 32}},
      {Shape({2, 64, 64}), Shape({1, 32, 32}), T, grid(2, 5), BLOCK_SHARDED, {32, 32}},
      {Shape({2, 64, 64}), Shape({1, 32, 32}), T, grid(3, 4), ND_SHARDED, {}},
      {Shape({2, 64, 64}),
       Shape({1, 32, 32}),
       T,
       grid(3, 4),
       BLOCK_SHARDED,
       {32, 32},
       ShardDistributionStrategy::GRID_2D},
      {Shape({2, 2, 4}), Shape({1, 1, 2}), R, grid(2, 4), BLOCK_SHARDED, {1, 2}},
      {Shape({4, 4}), Shape({2, 2}), R, grid(2, 2), BLOCK_SHARDED, {2, 2}},
      {Shape({128}), Shape({32, 64}), T, grid(7, 7), WIDTH_SHARDED, {32, 64}},
      {Shape({4}), Shape({2}), R, grid(7, 7), WIDTH_SHARDED, {1, 2}},
      {Shape(), Shape({32, 64}), T, grid(7, 7), WIDTH_SHARDED, {32, 64}},
      {Shape({2, 3, 4}), Shape({2, 3, 2}), R, grid(7, 7), WIDTH_SHARDED, {6, 2}},
      {Shape({2, 3, 4}), Shape({1, 1, 4}), R, grid(7, 7), HEIGHT_SHARDED, {1, 4}},
      {Shape({2, 4, 4}), Shape({1, 2, 4}), R, grid(7, 7), HEIGHT_SHARDED, {2, 4}},
      // With fewer dimensions than the tensor a shard is of the matrix.
      {Shape({2, 48, 64}), Shape({32, 64}), R, grid(4, 1), HEIGHT_SHARDED, {32, 64}},
      {Shape({64, 64, 64}), Shape({64, 32, 32}), T, grid(2, 2), ND_SHARDED, {}},
      {Shape({2, 2, 2}), Shape({2, 1, 1}), R, grid(2, 2), ND_SHARDED, {}},
      // More blocks along a row than cores, or than cores in all.
      {Shape({960, 2560}), Shape({640, 320}), T, grid(7, 7), ND_SHARDED, {}},
      {Shape({960, 2560}), Shape({960, 320}), T, grid(7, 7), WIDTH_SHARDED, {960, 320}},
      {Shape({3, 50}), Shape({3, 1}), R, grid(7, 7), ND_SHARDED, {}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{} in {}", row.shape, row.shard));
    const NdShardSpec nd{row.shard, row.cores, ShardOrientation::ROW_MAJOR, row.strategy};
    const MemoryConfig memory =
        spec_of(row.shape, row.pages, MemoryConfig(BufferType::L1, nd)).memory_config();
    EXPECT_EQ(memory.memory_layout(), row.layout);
    ASSERT_EQ(memory.shard_spec().has_value(), !row.expected.empty());
    if (!row.expected.empty()) {
      EXPECT_THAT(memory.shard_spec()->shape, ElementsAre(row.expected[0], row.expected[1]));
    }
  }
}

TEST(NdTensors, ABankTakesAllShardsOfItsCore) {
  const TensorSpec spec =
      spec_of(Shape({4, 7, 64, 64}), Layout::TILE,
              MemoryConfig(BufferType::L1, NdShardSpec{Shape({2, 2, 32, 32}), grid(1, 3)}),
              DataType::UINT8);
  EXPECT_EQ(spec.compute_packed_buffer_size_bytes(), 112u * 1024);
  // 2x4x2x2 shards on three cores: eleven on the first.
  EXPECT_EQ(spec.compute_consumed_memory_bytes_per_bank(16, 64), 11u * 4 * 1024);
}

// ---- On a device ----

class NdTensorTest : public ::testing::Test {
 protected:
  NdTensorTest() { unsetenv("LIGHTMETAL_DEVICE"); }
  ~NdTensorTest() override { mesh_->close(); }

  distributed::MeshCommandQueue& queue() { return mesh_->mesh_command_queue(); }

  // Runs a kernel for data movement on a core.
  void run(const std::string& kernel, const CoreCoord& core, const std::vector<uint32_t>& compile,
           const std::vector<uint32_t>& common, const std::vector<uint32_t>& args) {
    Program program = CreateProgram();
    const KernelHandle handle = CreateKernelFromString(
        program, kernel, core,
        DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .compile_args = compile});
    if (!common.empty()) SetCommonRuntimeArgs(program, handle, common);
    SetRuntimeArgs(program, handle, core, args);
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(mesh_->shape()), std::move(program));
    distributed::EnqueueMeshWorkload(queue(), workload, true);
  }

  const std::shared_ptr<MeshDevice> mesh_ = MeshDevice::create_unit_mesh(0);
};

TEST_F(NdTensorTest, ComesBackFromShardsOfAnyShape) {
  struct Row {
    Shape shape, shard;
    Layout pages;
  };
  const Row rows[] = {
      {Shape({5, 96, 96}), Shape({2, 32, 32}), Layout::TILE},
      {Shape({5, 96, 96}), Shape({1, 64, 64}), Layout::TILE},
      {Shape({5, 96, 96}), Shape({3, 32, 96}), Layout::ROW_MAJOR},
      {Shape({101, 133, 165}), Shape({32, 32, 32}), Layout::TILE},
      {Shape({3, 133, 165}), Shape({3, 32, 160}), Layout::TILE},
      {Shape({30, 40, 50}), Shape({10, 10, 10}), Layout::ROW_MAJOR},
      {Shape({35, 45, 55}), Shape({10, 10, 10}), Layout::ROW_MAJOR},
      {Shape({3, 5, 8}), Shape({2, 2, 2}), Layout::ROW_MAJOR},
      {Shape({5, 6, 8}), Shape({4, 8}), Layout::ROW_MAJOR},
  };
  for (const Row& row : rows) {
    for (const BufferType type : {BufferType::L1, BufferType::DRAM}) {
      for (const auto orientation : {ShardOrientation::ROW_MAJOR, ShardOrientation::COL_MAJOR}) {
        SCOPED_TRACE(fmt::format("{} in {} in {}, {}", row.shape, row.shard, type, orientation));
        const CoreRangeSet cores = type == BufferType::L1 ? grid(7, 7) : grid(12, 1);
        const TensorSpec spec = spec_of(
            row.shape, row.pages, MemoryConfig(type, NdShardSpec{row.shard, cores, orientation}));
        std::vector<uint16_t> values(row.shape.volume());
        std::iota(values.begin(), values.end(), uint16_t{0});
        const MeshTensor tensor =
            queue().enqueue_write_tensor(HostTensor::from_vector(values, spec));
        EXPECT_TRUE(
            tensor.mesh_buffer().get_reference_buffer()->buffer_distribution_spec().has_value());
        EXPECT_EQ(queue().enqueue_read_tensor(tensor).to_vector<uint16_t>(), values);
      }
    }
  }
}

// ---- In kernels ----

// Copies page by page from the first tensor to the second, or back if argument 3 is set.
constexpr char kCopy[] = R"(
  #include "api/dataflow/dataflow_api.h"
  #include "api/tensor/tensor_accessor.h"
  void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<0, 0>();
    const auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>(
        from_args.next_common_runtime_args_offset());
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0));
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1));
    const bool is_back = get_arg_val<uint32_t>(3);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(2); ++page) {
      if (is_back) noc_async_read_page(page, to, 0x100000);
      else noc_async_read_page(page, from, 0x100000);
      noc_async_read_barrier();
      if (is_back) noc_async_write_page(page, from, 0x100000);
      else noc_async_write_page(page, to, 0x100000);
      noc_async_write_barrier();
    }
  })";

// All that may be said at run time of a tensor in shards, in every combination that is allowed.
std::vector<ArgConfig> configs_of_shards() {
  std::vector<ArgConfig> configs;
  for (uint32_t bits = 0; bits < 32; ++bits) {
    const auto config = static_cast<ArgConfig>(bits << 2);
    const auto shapes = ArgConfig::RuntimeTensorShape | ArgConfig::RuntimeShardShape;
    if (has(config, ArgConfig::RuntimeRank) && (config & shapes) != shapes) continue;
    if (has(config, ArgConfig::RuntimeNumBanks) && !has(config, ArgConfig::RuntimeBankCoords))
      continue;
    configs.push_back(config);
  }
  return configs;
}

struct Random {
  std::mt19937 engine;
  uint32_t up_to(uint32_t most) { return 1 + engine() % most; }
  bool chance(uint32_t percent) { return engine() % 100 < percent; }
};

uint32_t seed_of_test() {
  const uint32_t seed = number_in_environment("LIGHTMETAL_RANDOM_SEED", std::random_device()());
  std::cout << "LIGHTMETAL_RANDOM_SEED=" << seed << "\n";
  return seed;
}

constexpr uint32_t kPage = 64;

std::vector<uint32_t> random_words(Random& random, uint32_t pages) {
  std::vector<uint32_t> words(size_t{pages} * kPage / 4);
  for (uint32_t& word : words) word = static_cast<uint32_t>(random.engine());
  return words;
}

// A distribution of that many pages, over the cores of a memory.
BufferDistributionSpec random_distribution(Random& random, BufferType type,
                                           const Shape& tensor_shape) {
  Shape::Container shard;
  for (const uint32_t extent : tensor_shape.view()) shard.push_back(random.up_to(extent + 1));
  const uint32_t x = random.up_to(type == BufferType::L1 ? 4 : 12);
  const uint32_t y = type == BufferType::L1 ? random.up_to(4) : 1;
  const BufferDistributionSpec spec(
      tensor_shape, Shape(shard), grid(x, y),
      random.chance(50) ? ShardOrientation::ROW_MAJOR : ShardOrientation::COL_MAJOR);
  if (random.chance(70) || spec.num_shards() % spec.num_cores() != 0) return spec;
  return {tensor_shape, Shape(shard), spec.cores(), ShardDistributionStrategy::CONTIGUOUS_1D};
}

class NdAccessorTest : public NdTensorTest {
 protected:
  std::shared_ptr<Buffer> make(BufferType type, uint32_t pages,
                               const BufferShardingArgs& sharding = {}) {
    return Buffer::create(mesh_->get_devices().front(), DeviceAddr{pages} * kPage, kPage, type,
                          sharding);
  }

  // There and back.
  void expect_copied(Buffer& one, Buffer& other, ArgConfig config, Random& random) {
    std::vector<uint32_t> compile, common, found;
    TensorAccessorArgs(one, config).append_to(compile, common);
    TensorAccessorArgs(other, config).append_to(compile, common);
    for (const bool is_back : {false, true}) {
      const std::vector<uint32_t> data = random_words(random, one.num_pages());
      detail::WriteToBuffer(is_back ? other : one, data);
      run(kCopy, CoreCoord(5, 5), compile, common,
          {one.address(), other.address(), one.num_pages(), is_back});
      detail::ReadFromBuffer(is_back ? one : other, found);
      EXPECT_EQ(found, data);
    }
  }
};

TEST_F(NdAccessorTest, FindsEachPageWhateverIsSaidAtRunTime) {
  Random random{std::mt19937(seed_of_test())};
  for (const ArgConfig config : configs_of_shards()) {
    Shape::Container extents;
    for (uint32_t i = random.up_to(5); i != 0; --i) extents.push_back(random.up_to(4));
    const Shape shape(extents);
    const auto pages = static_cast<uint32_t>(shape.volume());
    const BufferType type = random.chance(60) ? BufferType::L1 : BufferType::DRAM;
    const BufferDistributionSpec spec = random_distribution(random, type, shape);
    SCOPED_TRACE(fmt::format("config {}, {} in {} on {} cores, {}, {}", static_cast<int>(config),
                             spec.tensor_shape_in_pages(), spec.shard_shape_in_pages(),
                             spec.num_cores(), type,
                             internal::name_of(spec.shard_distribution_strategy())));
    const auto sharded = make(type, pages, spec), rows = make(BufferType::DRAM, pages);
    expect_copied(*sharded, *rows, config, random);
  }
}

// Each core copies its own shards, as the reshard of 2025 does: the pages of a shard by its
// coordinates.
constexpr char kCopyShards[] = R"(
  #include "accessor/tensor_accessor.h"
  #include "dataflow_api.h"
  template <typename DSpec, typename Visit>
  void visit_pages(const TensorAccessor<DSpec>& accessor, uint32_t shard, const Visit& visit) {
    const auto& dspec = accessor.dspec();
    constexpr uint32_t rank = DSpec::rank_ct;
    std::array<uint32_t, rank> first;
    uint32_t rest = shard;
    for (int i = rank - 1; i >= 0; --i) {
      first[i] = rest % dspec.shard_grid()[i] * dspec.shard_shape()[i];
      rest /= dspec.shard_grid()[i];
    }
    for (uint32_t place = 0; place < dspec.shard_volume(); ++place) {
      uint32_t left = place, page = 0, stride = 1;
      bool is_in_tensor = true;
      for (int i = rank - 1; i >= 0; --i) {
        const uint32_t at = first[i] + left % dspec.shard_shape()[i];
        left /= dspec.shard_shape()[i];
        is_in_tensor = is_in_tensor && at < dspec.tensor_shape()[i];
        page += at * stride;
        stride *= dspec.tensor_shape()[i];
      }
      if (is_in_tensor) visit(page);
    }
  }
  void kernel_main() {
    auto from_args = TensorAccessorArgs<0, 0>();
    auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset(),
                                      from_args.next_common_runtime_args_offset()>();
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0), 64);
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1), 64);
    const uint32_t shards = from.dspec().num_shards();
    for (uint32_t shard = get_arg_val<uint32_t>(2); shard < shards; shard += from.dspec().num_banks()) {
      ASSERT(from.is_local_shard(shard));
      uint32_t count = 0;
      visit_pages(from, shard, [&](uint32_t page) {
        ASSERT(from.is_local_page(page));
        noc_async_write_page(page, to, from.get_noc_addr(page));
        noc_async_writes_flushed();
        ++count;
      });
      for (const auto& page : from.shard_pages(shard)) {
        ASSERT(page.noc_addr() == from.get_noc_addr(page.page_id()));
        --count;
      }
      if (count != 0) while (true) {}
    }
    noc_async_write_barrier();
  })";

TEST_F(NdAccessorTest, ACoreKnowsItsOwnShards) {
  Random random{std::mt19937(seed_of_test())};
  for (int round = 0; round < 3; ++round) {
    const Shape shape({random.up_to(4), random.up_to(4), random.up_to(6)});
    const auto pages = static_cast<uint32_t>(shape.volume());
    Shape::Container shard;
    for (const uint32_t extent : shape.view()) shard.push_back(random.up_to(extent));
    const BufferDistributionSpec spec(shape, Shape(shard), grid(random.up_to(3), 2),
                                      ShardOrientation::ROW_MAJOR);
    SCOPED_TRACE(fmt::format("{} in {} on {} cores", shape, Shape(shard), spec.num_cores()));
    const auto sharded = make(BufferType::L1, pages, spec), rows = make(BufferType::DRAM, pages);
    const std::vector<uint32_t> data = random_words(random, pages);
    detail::WriteToBuffer(*sharded, data);
    std::vector<uint32_t> compile, found;
    TensorAccessorArgs(*sharded).append_to(compile);
    TensorAccessorArgs(*rows).append_to(compile);
    for (uint32_t core = 0; core < spec.num_cores_with_data(); ++core) {
      run(kCopyShards, spec.cores()[core], compile, {},
          {sharded->address(), rows->address(), core});
    }
    detail::ReadFromBuffer(*rows, found);
    EXPECT_EQ(found, data);
  }
}

TEST_F(NdAccessorTest, ConsecutiveShardsInABankAreSaidWithTheNumberOfBanks) {
  const BufferDistributionSpec spec(Shape({8}), Shape({2}), {{0, 0}, {1, 0}},
                                    ShardDistributionStrategy::CONTIGUOUS_1D);
  const auto buffer = make(BufferType::DRAM, 8, spec);
  const std::vector<uint32_t> compile = {1 | 2, kPage, 1, 1u << 31 | 2, 8, 2, 1 << 16};
  EXPECT_EQ(TensorAccessorArgs(*buffer).get_compile_time_args(), compile);
  EXPECT_THAT(TensorAccessorArgs(*buffer, ArgConfig::Runtime).get_common_runtime_args(),
              ElementsAre(1, 1u << 31 | 2, 8, 2, 1 << 16));
}

// ---- Capture and replay ----

TEST(NdTensorCapture, ReplaysAlike) {
  Random random{std::mt19937(seed_of_test())};
  for (int round = 0; round < 3; ++round) {
    testing::expect_replays_alike([&] {
      const auto mesh = MeshDevice::create_unit_mesh(0);
      auto& queue = mesh->mesh_command_queue();
      const Shape shape({random.up_to(4), random.up_to(5), 8 * random.up_to(6)});
      Shape::Container shard;
      for (const uint32_t extent : shape.view()) shard.push_back(random.up_to(extent));
      shard.back() = (shard.back() + 1) / 2 * 2;
      const MemoryConfig memory(BufferType::L1, NdShardSpec{Shape(shard), grid(3, 2)});
      const TensorSpec in_shards = spec_of(shape, Layout::ROW_MAJOR, memory);
      std::vector<uint16_t> values(shape.volume());
      for (uint16_t& value : values) value = static_cast<uint16_t>(random.engine());
      const MeshTensor from =
          queue.enqueue_write_tensor(HostTensor::from_vector(values, in_shards));
      const MeshTensor to = MeshTensor::allocate_on_device(*mesh, in_shards);
      Program program = CreateProgram();
      std::vector<uint32_t> compile, common;
      TensorAccessorArgs(from, ArgConfig::Runtime).append_to(compile, common);
      TensorAccessorArgs(to, ArgConfig::Runtime).append_to(compile, common);
      const KernelHandle kernel = CreateKernelFromString(
          program, kCopy, CoreCoord(5, 5), DataMovementConfig{.compile_args = compile});
      SetCommonRuntimeArgs(program, kernel, common);
      SetRuntimeArgs(program, kernel, CoreCoord(5, 5),
                     {static_cast<uint32_t>(from.address()), static_cast<uint32_t>(to.address()),
                      from.mesh_buffer().num_pages(), 0});
      distributed::MeshWorkload workload;
      workload.add_program(distributed::MeshCoordinateRange(mesh->shape()), std::move(program));
      distributed::EnqueueMeshWorkload(queue, workload, true);
      EXPECT_EQ(queue.enqueue_read_tensor(to).to_vector<uint16_t>(), values);
      mesh->close();
    });
  }
}

}  // namespace
}  // namespace tt::tt_metal
