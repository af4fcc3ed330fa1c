// Tensors on a mesh, and how they get there and back.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor/tensor_apis.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

namespace mesh = distributed;

class MeshTensorTest : public WatchedTest {
 protected:
  mesh::MeshDevice& unit() {
    if (mesh_ == nullptr) mesh_ = mesh::MeshDevice::create_unit_mesh(0);
    return *mesh_;
  }
  mesh::MeshCommandQueue& queue() { return unit().mesh_command_queue(); }

  static TensorSpec spec(const Shape& shape = Shape({40, 40}),
                         const PageConfig& page = Layout::TILE,
                         const MemoryConfig& memory = MemoryConfig(),
                         DataType dtype = DataType::BFLOAT16) {
    return TensorSpec(shape, TensorLayout(dtype, page, memory));
  }
  static std::vector<bfloat16> values(size_t count) {
    std::vector<bfloat16> result;
    for (size_t i = 0; i < count; ++i) result.emplace_back(static_cast<float>(i % 251));
    return result;
  }
  size_t allocated(BufferType type) {
    return unit().allocator()->get_statistics(type).total_allocated_bytes;
  }

  std::shared_ptr<mesh::MeshDevice> mesh_;
};

TEST_F(MeshTensorTest, ATensorOwnsItsMemory) {
  const size_t before = allocated(BufferType::DRAM);
  {
    MeshTensor tensor = MeshTensor::allocate_on_device(unit(), spec());
    EXPECT_GT(allocated(BufferType::DRAM), before);
    EXPECT_EQ(&tensor.device(), &unit());
    EXPECT_EQ(tensor.mesh_buffer().size(), 4u * 2048);
    EXPECT_EQ(tensor.mesh_buffer().page_size(), 2048u);
    EXPECT_EQ(tensor.address(), tensor.mesh_buffer().address());
    EXPECT_EQ(tensor.padded_shape(), Shape({64, 64}));
    EXPECT_EQ(tensor.dtype(), DataType::BFLOAT16);
    EXPECT_EQ(tensor.element_size(), 2u);
    const DeviceAddr address = tensor.address();
    const MeshTensor moved = std::move(tensor);
    EXPECT_EQ(moved.address(), address);
    EXPECT_TRUE(tensor.is_valueless_after_move());
    expect_throws([&] { tensor.address(); }, "moved from");
    expect_throws([&] { tensor.dtype(); }, "moved from");
  }
  EXPECT_EQ(allocated(BufferType::DRAM), before);
}

TEST_F(MeshTensorTest, AnAssignedTensorFreesWhatItHad) {
  const size_t before = allocated(BufferType::DRAM);
  MeshTensor tensor = MeshTensor::allocate_on_device(unit(), spec(Shape({320, 320})));
  const size_t large = allocated(BufferType::DRAM);
  tensor = MeshTensor::allocate_on_device(unit(), spec(Shape({32, 32})));
  EXPECT_LT(allocated(BufferType::DRAM), large);
  EXPECT_GT(allocated(BufferType::DRAM), before);
}

TEST_F(MeshTensorTest, ABufferBecomesATensorThatFitsIt) {
  const auto make = [&](DeviceAddr size, DeviceAddr page_size) {
    return mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = size},
                                    {.page_size = page_size}, &unit());
  };
  const auto buffer = make(4 * 2048, 2048);
  const DeviceAddr address = buffer->address();
  const MeshTensor tensor = MeshTensor::from_buffer(std::move(*buffer), spec());
  EXPECT_EQ(tensor.address(), address);
  expect_throws([&] { MeshTensor::from_buffer(std::move(*make(2048, 2048)), spec()); },
                "takes 8192 B in pages of 2048 B");
  expect_throws([&] { MeshTensor::from_buffer(std::move(*make(8192, 1024)), spec()); },
                "in pages of 1024 B");
  expect_throws(
      [&] {
        MeshTensor::from_buffer(std::move(*make(8192, 2048)),
                                spec(Shape({40, 40}), Layout::TILE, MemoryConfig(BufferType::L1)));
      },
      "does not lie in");
}

TEST_F(MeshTensorTest, ABufferThatIsAMatrixOrFreedBecomesNoTensor) {
  const mesh::ShardedBufferConfig matrix{
      .global_size = 8192, .global_buffer_shape = {64, 64}, .shard_shape = {64, 64}};
  const auto shared = mesh::MeshBuffer::create(matrix, {.page_size = 2048}, &unit());
  expect_throws([&] { MeshTensor::from_buffer(std::move(*shared), spec()); }, "must be replicated");
  const auto freed = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 8192},
                                              {.page_size = 2048}, &unit());
  freed->deallocate();
  expect_throws([&] { MeshTensor::from_buffer(std::move(*freed), spec()); }, "must be allocated");
}

TEST_F(MeshTensorTest, WhatIsWrittenIsRead) {
  const auto elements = values(40 * 40);
  MeshTensor tensor = MeshTensor::allocate_on_device(unit(), spec());
  queue().enqueue_write_tensor(HostTensor::from_vector(elements, spec()), tensor);
  const HostTensor read = queue().enqueue_read_tensor(tensor);
  EXPECT_EQ(read.tensor_spec(), spec());
  EXPECT_EQ(read.to_vector<bfloat16>(), elements);
}

// The bytes on the device are those of the tensor as it is laid out.
TEST_F(MeshTensorTest, TheDeviceHoldsTiles) {
  const HostTensor host = HostTensor::from_vector(values(64 * 32), spec(Shape({64, 32})));
  const MeshTensor tensor = queue().enqueue_write_tensor(host);
  std::vector<bfloat16> bytes;
  EnqueueReadBuffer(queue().device_queue(), *tensor.mesh_buffer().get_reference_buffer(), bytes,
                    true);
  const auto laid_out = host_buffer::get_as<bfloat16>(host);
  EXPECT_EQ(bytes, std::vector<bfloat16>(laid_out.begin(), laid_out.end()));
}

TEST_F(MeshTensorTest, ShardedTensorsComeBack) {
  const CoreRangeSet grid(CoreRange({0, 0}, {1, 2}));
  const TensorSpec interleaved = spec(Shape({2, 80, 100}));
  const TensorSpec row_major = spec(Shape({6, 96}), Layout::ROW_MAJOR);
  const TensorSpec specs[] = {
      interleaved.height_sharded(grid),
      interleaved.width_sharded(grid),
      interleaved.block_sharded(CoreRange({1, 1}, {2, 3}), ShardOrientation::COL_MAJOR),
      interleaved.sharded_across_dims({0}, grid),
      row_major.height_sharded(grid),
      row_major.width_sharded(CoreRangeSet(CoreRange({0, 0}, {3, 0})))};
  for (const TensorSpec& in_dram : specs) {
    const auto elements = values(in_dram.logical_shape().volume());
    const MeshTensor tensor = queue().enqueue_write_tensor(
        HostTensor::from_vector(elements, interleaved.logical_shape() == in_dram.logical_shape()
                                              ? interleaved
                                              : row_major),
        MemoryConfig(in_dram.memory_config().memory_layout(), BufferType::L1,
                     in_dram.memory_config().shard_spec()));
    EXPECT_TRUE(tensor.is_sharded());
    EXPECT_EQ(tensor.mesh_buffer().get_reference_buffer()->buffer_type(), BufferType::L1);
    EXPECT_EQ(queue().enqueue_read_tensor(tensor).to_vector<bfloat16>(), elements)
        << tensor.memory_config();
  }
}

// Shards of rows pad the width, so the tensor is laid out once more on its way.
TEST_F(MeshTensorTest, ATensorIsPaddedAsItsTargetIs) {
  const auto elements = values(4 * 100);
  const MemoryConfig memory(TensorMemoryLayout::WIDTH_SHARDED, BufferType::L1,
                            ShardSpec(CoreRangeSet(CoreRange({0, 0}, {3, 0})), {4, 32}));
  const HostTensor host =
      HostTensor::from_vector(elements, spec(Shape({4, 100}), Layout::ROW_MAJOR));
  const MeshTensor tensor = queue().enqueue_write_tensor(host, memory);
  EXPECT_EQ(tensor.padded_shape(), Shape({4, 128}));
  EXPECT_EQ(queue().enqueue_read_tensor(tensor).to_vector<bfloat16>(), elements);
  HostTensor narrow = HostTensor::allocate_for_overwrite(host.tensor_spec());
  expect_throws([&] { queue().enqueue_read_tensor(tensor, narrow); }, "padded to Shape([4, 128])");
}

TEST_F(MeshTensorTest, ATensorKeepsTheAlignmentThatItWasGivenInOtherMemory) {
  const TensorSpec aligned(Shape({4, 100}), TensorLayout(DataType::BFLOAT16, Layout::ROW_MAJOR,
                                                         MemoryConfig(), Alignment({128})));
  const MeshTensor tensor = queue().enqueue_write_tensor(
      HostTensor::from_vector(values(4 * 100), aligned), MemoryConfig(BufferType::L1));
  EXPECT_EQ(tensor.padded_shape(), Shape({4, 128}));
  EXPECT_EQ(queue().enqueue_read_tensor(tensor).to_vector<bfloat16>(), values(4 * 100));
}

TEST_F(MeshTensorTest, ATensorOfAnotherKindIsRefused) {
  MeshTensor tensor = MeshTensor::allocate_on_device(unit(), spec());
  const auto write = [&](const TensorSpec& other) {
    queue().enqueue_write_tensor(HostTensor::allocate_for_overwrite(other), tensor);
  };
  expect_throws([&] { write(spec(Shape({40, 41}))); }, "Shape([40, 41])", "is not one of");
  expect_throws([&] { write(spec(Shape({40, 40}), Layout::ROW_MAJOR)); }, "ROW_MAJOR layout");
  expect_throws(
      [&] {
        write(spec(Shape({40, 40}), Layout::TILE, MemoryConfig(), DataType::UINT16));
      },
      "UINT16");
  expect_throws(
      [&] {
        MeshTensor::allocate_on_device(unit(), spec(Shape({2, 3}), Layout::ROW_MAJOR));
      },
      "Page size 6 must be divisible by 4");
}

TEST_F(MeshTensorTest, ReadsInPlaceFillTheShardsThatAreThere) {
  const MeshTensor tensor =
      queue().enqueue_write_tensor(HostTensor::from_vector(values(1600), spec()));
  HostTensor host = HostTensor::allocate_for_overwrite(spec());
  const HostTensor copy = host;
  queue().enqueue_read_tensor(tensor, host, /*blocking=*/false);
  queue().finish();
  EXPECT_EQ(copy.to_vector<bfloat16>(), values(1600));
}

TEST_F(MeshTensorTest, ShardsOfAMeshAreWrittenAndRead) {
  const auto buffer = mesh::MeshBuffer::create(mesh::ReplicatedBufferConfig{.size = 64},
                                               {.page_size = 64}, &unit());
  const auto words = [](const DistributedHostBuffer& host) {
    const HostBuffer shard = host.get_shard(mesh::MeshCoordinate(0, 0)).value();
    const auto elements = shard.view_as<uint32_t>();
    return std::vector<uint32_t>(elements.begin(), elements.end());
  };
  const auto shards = [](const mesh::MeshShape& shape, size_t words, uint32_t value) {
    auto result = DistributedHostBuffer::create(shape);
    result.emplace_shard(mesh::MeshCoordinate(0, 0),
                         [&] { return HostBuffer(std::vector<uint32_t>(words, value)); });
    return result;
  };
  queue().enqueue_write(buffer, shards(mesh::MeshShape(1, 1), 16, 7), false);
  DistributedHostBuffer read = shards(mesh::MeshShape(1, 1), 16, 0);
  queue().enqueue_read(buffer, read, std::unordered_set<mesh::MeshCoordinate>(), true);
  EXPECT_EQ(words(read), std::vector<uint32_t>(16, 0));
  queue().enqueue_read(buffer, read, std::nullopt, true);
  EXPECT_EQ(words(read), std::vector<uint32_t>(16, 7));
  expect_throws([&] { queue().enqueue_write(buffer, shards(mesh::MeshShape(1, 2), 16, 0), false); },
                "do not fit a mesh of");
  expect_throws([&] { queue().enqueue_write(buffer, shards(mesh::MeshShape(1, 1), 8, 0), false); },
                "has 32 B");
  expect_throws(
      [&] { queue().enqueue_write(nullptr, shards(mesh::MeshShape(1, 1), 16, 0), false); },
      "null pointer");
}

TEST_F(MeshTensorTest, KernelsAreToldWhereItsPagesLie) {
  const MeshTensor tensor = MeshTensor::allocate_on_device(
      unit(), spec().height_sharded(CoreRangeSet(CoreRange({0, 0}, {1, 0}))));
  EXPECT_EQ(TensorAccessorArgs(tensor).get_compile_time_args(),
            TensorAccessorArgs(tensor.mesh_buffer()).get_compile_time_args());
}

TEST_F(MeshTensorTest, AnEmptyTensorTakesNothing) {
  const TensorSpec empty = spec(Shape({0, 32}));
  const MeshTensor tensor =
      queue().enqueue_write_tensor(HostTensor::from_vector(std::vector<bfloat16>(), empty));
  EXPECT_TRUE(queue().enqueue_read_tensor(tensor).to_vector<bfloat16>().empty());
}

}  // namespace
}  // namespace tt::tt_metal::testing
