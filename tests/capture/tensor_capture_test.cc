// Programs with tensors, captured and replayed on the CPU device. A file knows nothing of tensors.
#include <functional>
#include <string>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;
using ::testing::ElementsAre;

constexpr uint32_t kPages = 6;

TensorSpec spec() {
  return TensorSpec(Shape({60, 90}),
                    TensorLayout(DataType::BFLOAT16, Layout::TILE, MemoryConfig()));
}

// A program that copies the pages of a tensor into another one.
mesh::MeshWorkload copying(const mesh::MeshDevice& device, const MeshTensor& from,
                           const MeshTensor& to) {
  constexpr CoreCoord kCore{0, 0};
  Program program = CreateProgram();
  const uint32_t page_size = from.mesh_buffer().page_size();
  CreateCircularBuffer(program, kCore,
                       CircularBufferConfig(page_size, {{CBIndex::c_0, DataFormat::Float16_b}})
                           .set_page_size(CBIndex::c_0, page_size));
  std::vector<uint32_t> compile_args;
  TensorAccessorArgs(from).append_to(compile_args);
  TensorAccessorArgs(to).append_to(compile_args);
  const KernelHandle kernel = add_data_movement(
      program,
      "  constexpr auto from_args = TensorAccessorArgs<0>();\n"
      "  constexpr auto to_args = "
      "TensorAccessorArgs<from_args.next_compile_time_args_offset()>();\n"
      "  const uint32_t size = get_arg_val<uint32_t>(2);\n"
      "  const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0), size);\n"
      "  const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1), size);\n"
      "  const uint32_t l1 = get_write_ptr(0);\n"
      "  for (uint32_t page = 0; page < get_arg_val<uint32_t>(3); ++page) {\n"
      "    noc_async_read_tile(page, from, l1);\n"
      "    noc_async_read_barrier();\n"
      "    noc_async_write_tile(page, to, l1);\n"
      "    noc_async_write_barrier();\n"
      "  }\n",
      kCore, compile_args);
  SetRuntimeArgs(program, kernel, kCore,
                 {static_cast<uint32_t>(from.address()), static_cast<uint32_t>(to.address()),
                  page_size, kPages});
  mesh::MeshWorkload workload;
  workload.add_program(mesh::MeshCoordinateRange(device.shape()), std::move(program));
  return workload;
}

// Writes a tensor, copies it into shards in L1, and reads both.
void run_on_tensors() {
  auto device = mesh::MeshDevice::create_unit_mesh(0);
  mesh::MeshCommandQueue& queue = device->mesh_command_queue();
  std::vector<float> values;
  for (size_t i = 0; i < spec().logical_shape().volume(); ++i) {
    values.push_back(static_cast<float>(i % 256));
  }
  {
    const MeshTensor from = queue.enqueue_write_tensor(HostTensor::from_vector(values, spec()));
    const TensorSpec in_shards =
        TensorSpec(spec().logical_shape(),
                   TensorLayout(DataType::BFLOAT16, Layout::TILE, MemoryConfig(BufferType::L1)))
            .block_sharded(CoreRange({0, 0}, {2, 1}));
    const MeshTensor to = MeshTensor::allocate_on_device(*device, in_shards);
    ASSERT_EQ(from.mesh_buffer().num_pages(), kPages);
    mesh::MeshWorkload workload = copying(*device, from, to);
    mesh::EnqueueMeshWorkload(queue, workload, false);
    EXPECT_EQ(queue.enqueue_read_tensor(to).to_vector<float>(), values);
    EXPECT_EQ(queue.enqueue_read_tensor(from).to_vector<float>(), values);
  }
  device->close();
}

class TensorCapture : public CpuApiTest {};

TEST_F(TensorCapture, AProgramWithTensorsReplaysAlikeAndGivesTheSameFileAgain) {
  expect_replays_alike(run_on_tensors);
}

TEST_F(TensorCapture, TensorsAreRecordedAsTheirBuffersWithTheirElementType) {
  LightMetalBeginCapture({.read_goldens = true, .record_origin = false});
  run_on_tensors();
  const auto file = lightmetal::testing::open_file(LightMetalEndCapture());
  size_t buffers = 0, writes = 0, reads = 0;
  for (const auto& command : lightmetal::testing::commands_of(*file)) {
    using lightmetal::schema::ElementType;
    if (command.call.AsBufferCreate() != nullptr) ++buffers;
    if (const auto* write = command.call.AsEnqueueWriteBuffer()) {
      EXPECT_EQ(write->element_type, ElementType::BFloat16);
      ++writes;
    }
    if (const auto* read = command.call.AsEnqueueReadBuffer()) {
      EXPECT_EQ(read->element_type, ElementType::BFloat16);
      ++reads;
    }
  }
  EXPECT_EQ(buffers, 2u);
  EXPECT_EQ(writes, 1u);
  EXPECT_EQ(reads, 2u);
}

// ---- Names of tensors ----

MeshTensor tensor_of(mesh::MeshDevice& device, const Shape& shape, DataType type, Layout layout) {
  return MeshTensor::allocate_on_device(
      device, TensorSpec(shape, TensorLayout(type, layout, MemoryConfig())));
}

// The names that the program gives, each as "role name type shape order".
std::vector<std::string> recorded_names(const std::function<void()>& program) {
  LightMetalBeginCapture({.record_origin = false});
  program();
  std::vector<std::string> names;
  const auto file = lightmetal::testing::open_file(LightMetalEndCapture());
  for (const auto& command : lightmetal::testing::commands_of(*file)) {
    const auto* bind = command.call.AsBindTensor();
    if (bind == nullptr) continue;
    const auto& tensor = *bind->tensor;
    names.push_back(absl::StrCat(
        EnumNameBindingRole(bind->role), " ", bind->name, " ", EnumNameElementType(tensor.type),
        " ", absl::StrJoin(tensor.shape, "x"), " ", EnumNameTensorOrder(tensor.order)));
  }
  return names;
}

TEST_F(TensorCapture, ATensorThatIsNamedIsRecordedWithoutItsPadding) {
  EXPECT_THAT(
      recorded_names([] {
        auto device = mesh::MeshDevice::create_unit_mesh(0);
        {
          const auto x = tensor_of(*device, Shape({2, 33, 5}), DataType::BFLOAT16, Layout::TILE),
                     y = tensor_of(*device, Shape({4, 16}), DataType::INT32, Layout::ROW_MAJOR),
                     w = tensor_of(*device, Shape({16}), DataType::UINT16, Layout::ROW_MAJOR),
                     s = tensor_of(*device, Shape({64}), DataType::UINT8, Layout::ROW_MAJOR);
          LightMetalBindInput("x", x);
          LightMetalBindOutput("y", y);
          LightMetalBindConstant("w", w);
          LightMetalBindInOut("s", s);
        }
        device->close();
      }),
      ElementsAre("Input x BFloat16 2x33x5 Tile", "Output y Int32 4x16 RowMajor",
                  "Constant w UInt16 16 RowMajor", "InOut s UInt8 64 RowMajor"));
}

TEST_F(TensorCapture, OnSeveralDevicesEachPartHasANumber) {
  EXPECT_THAT(
      recorded_names([] {
        auto device = mesh::MeshDevice::create(mesh::MeshDeviceConfig(mesh::MeshShape(1, 2)));
        {
          const auto t = tensor_of(*device, Shape({32, 32}), DataType::FLOAT32, Layout::TILE);
          LightMetalBindInOut("t", t);
          const auto buffer = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                                       {.page_size = 64}, device.get());
          const lightmetal::TensorDesc words{{4, 4}, lightmetal::TensorType::UInt32};
          LightMetalBindOutput("b", buffer, words);
        }
        device->close();
      }),
      ElementsAre("InOut t[0] Float32 32x32 Tile", "InOut t[1] Float32 32x32 Tile",
                  "Output b[0] UInt32 4x4 RowMajor", "Output b[1] UInt32 4x4 RowMajor"));
}

TEST_F(TensorCapture, OnlyATensorWhoseElementsHaveASizeIsNamed) {
  auto device = mesh::MeshDevice::create_unit_mesh(0);
  {
    const auto blocks = tensor_of(*device, Shape({32, 32}), DataType::BFLOAT8_B, Layout::TILE);
    expect_refused([&] { LightMetalBindInput("x", blocks); },
                   "Cannot bind a tensor of data type BFLOAT8_B to x");
    const std::shared_ptr<mesh::MeshBuffer> null;
    expect_refused([&] { LightMetalBindInput("x", null, lightmetal::TensorDesc{}); },
                   "The mesh buffer is a null pointer");
    expect_refused([&] { LightMetalAllowMove(null); }, "The mesh buffer is a null pointer");
  }
  device->close();
}

TEST_F(TensorCapture, EachPartThatMayMoveIsRecorded) {
  LightMetalBeginCapture({.record_origin = false});
  {
    auto device = mesh::MeshDevice::create(mesh::MeshDeviceConfig(mesh::MeshShape(1, 2)));
    const auto tensor = tensor_of(*device, Shape({32, 32}), DataType::FLOAT32, Layout::TILE);
    const auto buffer = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                                 {.page_size = 64}, device.get());
    LightMetalAllowMove(tensor);
    LightMetalAllowMove(buffer);
  }
  std::vector<uint64_t> movable;
  const auto file = lightmetal::testing::open_file(LightMetalEndCapture());
  for (const auto& command : lightmetal::testing::commands_of(*file)) {
    if (const auto* of = command.call.AsBufferMovable()) movable.push_back(of->buffer);
  }
  EXPECT_THAT(movable, ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace tt::tt_metal::testing
