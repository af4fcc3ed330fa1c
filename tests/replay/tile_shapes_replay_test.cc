// Programs with tiles that are not 32x32: the host tilizes tensors by them, kernels compute with
// them, and their files replay.
#include <cmath>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "schema/verify/verify.h"
#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal::tile_shapes {
namespace {

using lightmetal::testing::open_file;
using testing::expect_replays_alike;

constexpr uint32_t kM = 32, kK = 64, kN = 64;  // two rows of left tiles, two of right ones

// All tiles of two tensors, which are in the order of their circular buffers' pages.
constexpr char kRead[] = R"(
void read(uint32_t cb, uint32_t pages, const auto& tensor) {
  cb_reserve_back(cb, pages);
  uint32_t target = get_write_ptr(cb);
  for (uint32_t i = 0; i < pages; ++i, target += get_tile_size(cb))
    noc_async_read(tensor.get_noc_addr(i), target, get_tile_size(cb));
  noc_async_read_barrier();
  cb_push_back(cb, pages);
}
void kernel_main() {
  constexpr auto left = TensorAccessorArgs<0>();
  constexpr auto right = TensorAccessorArgs<left.next_compile_time_args_offset()>();
  read(0, get_arg_val<uint32_t>(2), TensorAccessor(left, get_arg_val<uint32_t>(0), get_tile_size(0)));
  read(1, get_arg_val<uint32_t>(3), TensorAccessor(right, get_arg_val<uint32_t>(1), get_tile_size(1)));
})";
constexpr char kMultiply[] = R"(
#include "compute_kernel_api/matmul.h"
void kernel_main() {
  const uint32_t rows = get_arg_val<uint32_t>(0), inner = get_arg_val<uint32_t>(1), columns = get_arg_val<uint32_t>(2);
  mm_init(0, 1, 16);
  cb_wait_front(0, rows * inner);
  cb_wait_front(1, inner * columns);
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      tile_regs_acquire();
      for (uint32_t k = 0; k < inner; ++k) matmul_tiles(0, 1, row * inner + k, k * columns + column, 0);
      tile_regs_commit();
      tile_regs_wait();
      cb_reserve_back(16, 1);
      pack_tile(0, 16);
      cb_push_back(16, 1);
      tile_regs_release();
    }
  }
})";
constexpr char kWrite[] = R"(
void kernel_main() {
  const auto result = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), get_tile_size(16));
  for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); ++i) {
    cb_wait_front(16, 1);
    noc_async_write(get_read_ptr(16), result.get_noc_addr(i), get_tile_size(16));
    noc_async_write_barrier();
    cb_pop_front(16, 1);
  }
})";

struct Shapes {
  Tile left, right, result;
  DataType type = DataType::BFLOAT16;
};

TensorSpec spec_of(uint32_t rows, uint32_t columns, const Tile& tile, DataType type) {
  return TensorSpec(Shape({rows, columns}),
                    TensorLayout(type, PageConfig(Layout::TILE, tile), MemoryConfig()));
}

// Whole numbers, which all types hold.
std::vector<float> values_of(uint32_t count, uint32_t step) {
  std::vector<float> values(count);
  for (uint32_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * step % 7) - 3;
  return values;
}

struct Tensors {
  Tensors(distributed::MeshDevice& mesh, const Shapes& shapes)
      : left(upload(mesh, values_of(kM * kK, 3), spec_of(kM, kK, shapes.left, shapes.type))),
        right(upload(mesh, values_of(kK * kN, 5), spec_of(kK, kN, shapes.right, shapes.type))),
        result(MeshTensor::allocate_on_device(
            mesh, spec_of(kM, kN, shapes.result, DataType::BFLOAT16))) {}

  static MeshTensor upload(distributed::MeshDevice& mesh, const std::vector<float>& values,
                           const TensorSpec& spec) {
    return mesh.mesh_command_queue().enqueue_write_tensor(HostTensor::from_vector(values, spec));
  }

  MeshTensor left, right, result;
};

void add_buffer(Program& program, uint8_t index, uint32_t pages, const Tile& tile, DataType type) {
  const tt::DataFormat format = datatype_to_dataformat_converter(type);
  const uint32_t size = tile.get_tile_size(format);
  CreateCircularBuffer(program, CoreCoord(0, 0),
                       CircularBufferConfig(pages * size, {{index, format}})
                           .set_page_size(index, size)
                           .set_tile_dims(index, tile));
}

uint32_t pages_of(uint32_t rows, uint32_t columns, const Tile& tile) {
  return rows / tile.get_height() * (columns / tile.get_width());
}

Program multiplying(const Shapes& shapes, const Tensors& tensors) {
  const uint32_t left = pages_of(kM, kK, shapes.left), right = pages_of(kK, kN, shapes.right);
  const CoreCoord core(0, 0);
  Program program = CreateProgram();
  add_buffer(program, 0, left, shapes.left, shapes.type);
  add_buffer(program, 1, right, shapes.right, shapes.type);
  add_buffer(program, 16, 2, shapes.result, DataType::BFLOAT16);
  std::vector<uint32_t> accessors = TensorAccessorArgs(tensors.left).get_compile_time_args();
  TensorAccessorArgs(tensors.right).append_to(accessors);
  const auto read =
      CreateKernelFromString(program, kRead, core, ReaderDataMovementConfig(accessors));
  const auto multiply = CreateKernelFromString(program, kMultiply, core, ComputeConfig{});
  const auto write = CreateKernelFromString(
      program, kWrite, core,
      WriterDataMovementConfig(TensorAccessorArgs(tensors.result).get_compile_time_args()));
  const auto address = [](const MeshTensor& tensor) {
    return static_cast<uint32_t>(tensor.address());
  };
  SetRuntimeArgs(program, read, core, {address(tensors.left), address(tensors.right), left, right});
  SetRuntimeArgs(
      program, multiply, core,
      {kM / shapes.left.get_height(), kK / shapes.left.get_width(), kN / shapes.right.get_width()});
  SetRuntimeArgs(program, write, core, {address(tensors.result), pages_of(kM, kN, shapes.result)});
  return program;
}

// Launched once, or captured as a device trace that is replayed.
std::vector<float> product(const Shapes& shapes, bool traced) {
  unsetenv("LIGHTMETAL_DEVICE");
  const auto mesh = distributed::MeshDevice::create_unit_mesh(0, DEFAULT_L1_SMALL_SIZE, 1 << 20);
  const Tensors tensors(*mesh, shapes);
  distributed::MeshWorkload workload;
  workload.add_program(distributed::MeshCoordinateRange(mesh->shape()),
                       multiplying(shapes, tensors));
  auto& queue = mesh->mesh_command_queue();
  if (traced) {
    const auto id = distributed::BeginTraceCapture(mesh.get(), 0);
    distributed::EnqueueMeshWorkload(queue, workload, false);
    mesh->end_mesh_trace(0, id);
    mesh->replay_mesh_trace(0, id, false);
  } else {
    distributed::EnqueueMeshWorkload(queue, workload, false);
  }
  return queue.enqueue_read_tensor(tensors.result).to_vector<float>();
}

std::vector<float> expected_product() {
  const auto a = values_of(kM * kK, 3), b = values_of(kK * kN, 5);
  std::vector<float> expected(kM * kN);
  for (uint32_t row = 0; row < kM; ++row) {
    for (uint32_t column = 0; column < kN; ++column) {
      double sum = 0;
      for (uint32_t k = 0; k < kK; ++k) sum += double{a[row * kK + k]} * b[k * kN + column];
      expected[row * kN + column] = bfloat16(static_cast<float>(sum)).to_float();
    }
  }
  return expected;
}

TEST(TileShapesReplay, AProductOfSmallTilesReplaysAndIsCapturedAgainAlike) {
  const Shapes all[] = {
      {Tile({16, 32}), Tile({32, 32}), Tile({16, 32})},
      {Tile({8, 32}), Tile({32, 32}), Tile({8, 32}), DataType::BFLOAT8_B},
      {Tile({32, 32}), Tile({32, 16}), Tile({32, 16})},
      {Tile({16, 16}), Tile({16, 32}), Tile({16, 32})},
  };
  for (const Shapes& shapes : all)
    expect_replays_alike([&] { EXPECT_EQ(product(shapes, false), expected_product()); });
}

// A trace in a file has no tiles' shapes: the kernels know them.
TEST(TileShapesReplay, ATraceOfSmallTilesReplaysAlike) {
  const Shapes shapes{Tile({32, 32}), Tile({32, 16}), Tile({32, 16})};
  expect_replays_alike([&] { EXPECT_EQ(product(shapes, true), expected_product()); });
}

TEST(TileShapesReplay, ItsFileNamesTheShapes) {
  LightMetalBeginCapture({.read_goldens = true});
  product({Tile({16, 32}), Tile({32, 32}), Tile({16, 32})}, false);
  const auto file = open_file(LightMetalEndCapture());
  EXPECT_EQ(lightmetal::schema::verify(*file), absl::OkStatus());
  std::vector<std::pair<uint32_t, uint32_t>> shapes;
  for (const auto& command : lightmetal::testing::commands_of(*file)) {
    const auto* made = command.call.AsCircularBufferCreate();
    if (made == nullptr) continue;
    const auto& index = *made->config->indices.at(0);
    shapes.emplace_back(index.tile_height, index.tile_width);
  }
  EXPECT_EQ(shapes, (std::vector<std::pair<uint32_t, uint32_t>>{{16, 32}, {32, 32}, {16, 32}}));
}

}  // namespace
}  // namespace tt::tt_metal::tile_shapes
