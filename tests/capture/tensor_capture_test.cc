// Programs with tensors, captured and replayed on the CPU device. A file knows nothing of tensors.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "tests/support/captured_file.h"
#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;

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

}  // namespace
}  // namespace tt::tt_metal::testing
