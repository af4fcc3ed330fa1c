// Less common overloads that upstream has had: other types of the same arguments,
// and arguments with defaults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <tt-metalium/device_pool.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/distributed_host_buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/runtime_args_data.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor/tensor_apis.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "tests/support/accumulating_program.h"

namespace tt::tt_metal {
namespace {

using ::lightmetal::testing::AccumulatingProgram;
using ::lightmetal::testing::counting_buffer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TensorSpec rows_in(BufferType memory, DataType dtype = DataType::UINT32) {
  return TensorSpec(Shape{4, 16},
                    TensorLayout(dtype, Layout::ROW_MAJOR,
                                 MemoryConfig(TensorMemoryLayout::INTERLEAVED, memory)));
}

class Overloads : public ::testing::Test {
 protected:
  void SetUp() override { mesh_ = distributed::MeshDevice::create_unit_mesh(0); }
  void TearDown() override { mesh_->close(); }

  IDevice* device() { return mesh_->get_devices().front(); }
  std::shared_ptr<distributed::MeshDevice> mesh_;
};

TEST_F(Overloads, BytesAreWrittenAndReadBesideTheQueues) {
  const auto buffer = counting_buffer(device(), 1);
  std::vector<uint8_t> bytes(64), back(64), shard(64);
  std::iota(bytes.begin(), bytes.end(), uint8_t{7});
  detail::WriteToBuffer(*buffer, tt::stl::Span<const uint8_t>(bytes));
  detail::ReadFromBuffer(*buffer, back.data());
  EXPECT_EQ(back, bytes);
  const auto sharded = CreateBuffer(ShardedBufferConfig{
      .device = device(),
      .size = 128,
      .page_size = 64,
      .shard_parameters = ShardSpecBuffer(CoreRangeSet(CoreRange({0, 0}, {1, 0})), {1, 16},
                                          ShardOrientation::ROW_MAJOR, {1, 16}, {2, 1})});
  std::vector<uint8_t> both(bytes);
  both.insert(both.end(), 64, uint8_t{9});
  detail::WriteToBuffer(*sharded, tt::stl::Span<const uint8_t>(both));
  detail::ReadShard(*sharded, shard.data(), 1);
  EXPECT_EQ(shard, std::vector<uint8_t>(64, 9));
}

// A payload of more than 32 MiB is written in pieces.
TEST_F(Overloads, ALargePayloadReachesEachPage) {
  constexpr uint32_t kPage = 12'288, kPages = 3500, kWords = kPage / 4;
  const auto buffer = CreateBuffer(InterleavedBufferConfig{.device = device(),
                                                           .size = uint64_t{kPages} * kPage,
                                                           .page_size = kPage,
                                                           .buffer_type = BufferType::DRAM});
  const auto words = std::make_shared<std::vector<uint32_t>>(kPages * kWords);
  std::iota(words->begin(), words->end(), 0u);
  EnqueueWriteBuffer(device()->command_queue(), *buffer, words, true);
  std::vector<uint32_t> back;
  detail::ReadFromBuffer(*buffer, back);
  ASSERT_EQ(back.size(), words->size());
  for (uint32_t page = 0; page < kPages; ++page) {
    ASSERT_EQ(back[page * kWords], page * kWords);
    ASSERT_EQ(back[page * kWords + kWords - 1], page * kWords + kWords - 1);
    ASSERT_EQ((*words)[page * kWords], page * kWords) << "given back to the system";
  }
}

TEST_F(Overloads, LaunchesBesideTheQueuesTakeAllTheirOptions) {
  const auto buffer = counting_buffer(device(), 1);
  AccumulatingProgram accumulate(buffer);
  const auto program = std::make_shared<Program>(std::move(accumulate.program));
  detail::LaunchProgram(device(), program, /*wait_until_cores_done=*/false,
                        /*force_slow_dispatch=*/true);
  detail::WaitProgramDone(device(), *program, /*read_device_profiler_results=*/false);
  std::vector<uint32_t> words;
  detail::ReadFromBuffer(*buffer, words);
  EXPECT_EQ(words.at(3), 13u);
}

TEST_F(Overloads, CircularBuffersLieInTensors) {
  const auto tensor = MeshTensor::allocate_on_device(*mesh_, rows_in(BufferType::L1));
  const CircularBufferConfig config = CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}})
                                          .set_page_size(0, 64)
                                          .set_globally_allocated_address(tensor);
  EXPECT_EQ(config.globally_allocated_address(), tensor.address());
  CircularBufferConfig larger(64, {{0, tt::DataFormat::UInt32}});
  larger.set_globally_allocated_address_and_total_size(tensor, 128);
  EXPECT_EQ(larger.total_size(), 128u);
  EXPECT_EQ(larger.globally_allocated_address(), tensor.address());

  Program program;
  const CBHandle handle = CreateCircularBuffer(program, CoreCoord{0, 0}, config);
  const auto other = MeshTensor::allocate_on_device(*mesh_, rows_in(BufferType::L1));
  UpdateDynamicCircularBufferAddress(program, handle, other);
  EXPECT_EQ(GetCircularBufferConfig(program, handle).globally_allocated_address(), other.address());
  UpdateDynamicCircularBufferAddressAndTotalSize(program, handle, tensor, 128);
  EXPECT_EQ(GetCircularBufferConfig(program, handle).globally_allocated_address(),
            tensor.address());
  EXPECT_EQ(GetCircularBufferConfig(program, handle).total_size(), 128u);
}

CBDescriptor one_page() {
  return {.total_size = 64,
          .core_ranges = CoreRangeSet(CoreRange({0, 0})),
          .format_descriptors = {{.data_format = tt::DataFormat::UInt32, .page_size = 64}}};
}

TEST_F(Overloads, DescriptorsTakeTensors) {
  const auto tensor = MeshTensor::allocate_on_device(*mesh_, rows_in(BufferType::L1));
  Buffer* const buffer = tensor.mesh_buffer().get_reference_buffer();
  const auto address = static_cast<uint32_t>(tensor.address());
  KernelDescriptor kernel{.kernel_source = "void kernel_main() {}",
                          .source_type = KernelDescriptor::SourceType::SOURCE_CODE,
                          .core_ranges = CoreRangeSet(CoreRange({0, 0})),
                          .config = ReaderConfigDescriptor{}};
  kernel.emplace_runtime_args({0, 0}, {5u, std::cref(tensor)});
  kernel.emplace_common_runtime_args({std::cref(tensor), 6u});
  KernelDescriptor::RTArgList list;
  list.push_back(tensor);
  kernel.emplace_common_runtime_args(list);
  EXPECT_THAT(kernel.runtime_args.at(0).second, ElementsAre(5u, address));
  EXPECT_THAT(kernel.common_runtime_args, ElementsAre(address, 6u, address));
  ASSERT_EQ(kernel.buffer_bindings.size(), 1u);
  EXPECT_EQ(kernel.buffer_bindings[0].buffer, buffer);
  EXPECT_EQ(kernel.common_buffer_bindings.at(1).arg_idx, 2u);

  ProgramDescriptor descriptor{.kernels = {kernel}, .cbs = {one_page()}};
  descriptor.cbs[0].tensor = &tensor;
  Program program(descriptor);
  EXPECT_EQ(program.circular_buffers().at(0)->config().globally_allocated_address(),
            tensor.address());
  descriptor.cbs[0].buffer = buffer;
  EXPECT_THAT(
      [&] { Program both(descriptor); },
      ThrowsMessage<std::runtime_error>(HasSubstr("in a buffer or in a tensor, not in both")));
}

TEST(ProgramDescriptorTest, AnAddedSemaphoreHasAnIdThatIsFreeOnAllItsCores) {
  ProgramDescriptor descriptor;
  const CoreRangeSet left(CoreRange({0, 0})), right(CoreRange({1, 0})),
      both(CoreRange({0, 0}, {1, 0}));
  EXPECT_EQ(descriptor.add_semaphore(left, 1), 0u);
  EXPECT_EQ(descriptor.add_semaphore(right, 2), 0u);
  EXPECT_EQ(descriptor.add_semaphore(both, 3), 1u);
  EXPECT_EQ(descriptor.semaphores.at(2).initial_value, 3u);
  for (uint32_t id = 2; id < NUM_SEMAPHORES; ++id) EXPECT_EQ(descriptor.add_semaphore(left, 0), id);
  EXPECT_THAT([&] { descriptor.add_semaphore(both, 0); },
              ThrowsMessage<std::runtime_error>(HasSubstr("is taken on one of the cores")));
}

TEST(HostTensorTest, ThePaddingHasTheValueThatIsGiven) {
  const TensorSpec spec(Shape{1, 2}, TensorLayout(DataType::FLOAT32, Layout::TILE, MemoryConfig()));
  const auto tensor = HostTensor::from_vector(std::vector<float>{1, 2}, spec, -3);
  const HostBuffer buffer = host_buffer::get_host_buffer(tensor);
  const auto elements = buffer.view_as<float>();
  EXPECT_EQ(elements[0], 1.0f);
  EXPECT_EQ(elements[1], 2.0f);
  EXPECT_EQ(std::ranges::count(elements, -3.0f), 32 * 32 - 2);
  EXPECT_THAT(tensor.to_vector<float>(), ElementsAre(1.0f, 2.0f));
}

// The value is rounded as the elements are.
TEST(HostTensorTest, ThePaddingIsConvertedToTheDataType) {
  const TensorSpec spec(Shape{1, 1},
                        TensorLayout(DataType::BFLOAT16, Layout::TILE, MemoryConfig()));
  const std::vector<float> one = {1};
  const auto tensor = HostTensor::from_span(std::span<const float>(one), spec, 1.001f);
  const HostBuffer buffer = host_buffer::get_host_buffer(tensor);
  EXPECT_EQ(static_cast<float>(buffer.view_as<::bfloat16>()[1023]), 1.0f);
}

// Upstream's test_memory_pin.cpp of September 2025 counts the same.
TEST(MemoryPinTest, EachCopyHasAShareOfItsOwn) {
  int shares = 0, made = 0;
  const auto new_pin = [&] { return MemoryPin([&] { ++shares, ++made; }, [&] { --shares; }); };
  {
    MemoryPin first = new_pin(), copy(first), assigned;
    EXPECT_EQ(shares, 2);
    assigned = copy;
    EXPECT_EQ(shares, 3);
    const MemoryPin moved(std::move(copy));
    EXPECT_EQ(shares, 3);
    EXPECT_EQ(copy, nullptr);
    assigned = new_pin();
    EXPECT_EQ(shares, 3);
    assigned = std::move(first);
    EXPECT_EQ(shares, 2);
    EXPECT_EQ(made, 4);
  }
  EXPECT_EQ(shares, 0);
}

TEST(MemoryPinTest, EachCopyHasAShareInAResource) {
  const auto resource = std::make_shared<int>(42);
  const MemoryPin pin(resource);
  EXPECT_EQ(resource.use_count(), 2);
  {
    const MemoryPin copy = pin;
    EXPECT_EQ(resource.use_count(), 3);
  }
  EXPECT_EQ(resource.use_count(), 2);
}

TEST(MemoryPinTest, CallbacksAreCalledOnceBeforeTheMemoryGoes) {
  std::vector<int> order;
  const auto free = [&](const int* memory) {
    delete memory;
    order.push_back(3);
  };
  std::optional<MemoryPin> pin(std::shared_ptr<int>(new int, free));
  pin->add_final_release_callback([&] { order.push_back(1); });
  std::optional<MemoryPin> copy(*pin);
  copy->add_final_release_callback([&] { order.push_back(2); });
  pin.reset();
  EXPECT_THAT(order, ElementsAre());
  copy.reset();
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
  EXPECT_THROW(MemoryPin().add_final_release_callback([] {}), std::runtime_error);
}

TEST_F(Overloads, ALayoutSaysWhatItConsumesOnADevice) {
  const TensorSpec spec = rows_in(BufferType::DRAM);
  EXPECT_EQ(spec.compute_consumed_memory_bytes_per_bank(*device()),
            spec.compute_consumed_memory_bytes_per_bank(32, 12));
  EXPECT_EQ(spec.tensor_layout().compute_page_size_bytes(Shape2D(1, 8)), 32u);
}

TEST_F(Overloads, ViewsOfAMeshAreMadeOfIt) {
  const distributed::MeshDeviceView view(*mesh_);
  EXPECT_EQ(view.shape(), distributed::MeshShape(1, 1));
  EXPECT_EQ(DistributedHostBuffer::create(view).shape(), distributed::MeshShape(1, 1));
}

TEST(OpeningTest, OptionsThatNothingHereNeedsAreAccepted) {
  const DispatchCoreConfig dispatch;
  CloseDevice(CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, DEFAULT_TRACE_REGION_SIZE, dispatch, {},
                           /*worker_l1_size=*/1 << 20));
  const auto devices =
      detail::CreateDevices({0, 1}, 1, DEFAULT_L1_SMALL_SIZE, DEFAULT_TRACE_REGION_SIZE, dispatch,
                            {}, /*worker_l1_size=*/1 << 20, false, true, false);
  EXPECT_EQ(devices.size(), 2u);
  detail::CloseDevices(devices);
  tt::DevicePool::initialize({0}, 1, DEFAULT_L1_SMALL_SIZE, DEFAULT_TRACE_REGION_SIZE, dispatch, {},
                             /*worker_l1_size=*/1 << 20, false, true, false);
  EXPECT_TRUE(tt::DevicePool::instance().close_device(0));
}

TEST(TensorSpecTest, OtherMemoryKeepsTheTensor) {
  const ShardSpec shards(CoreRangeSet(CoreRange({0, 0}, {1, 0})), {2, 16});
  const MemoryConfig sharded =
      MemoryConfig(TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1).with_shard_spec(shards);
  const TensorSpec spec = rows_in(BufferType::DRAM).with_memory_config(sharded);
  EXPECT_EQ(spec.memory_config().shard_spec(), shards);
  EXPECT_EQ(spec.logical_shape(), (Shape{4, 16}));
  EXPECT_EQ(spec.tensor_layout().get_logical_shard_shape(), Shape2D(2, 16));
  const MemoryConfig& from = spec.memory_config();
  const auto again = MemoryConfig::create_with_prepopulated_shard_specs(
      from.memory_layout(), from.buffer_type(), from.shard_spec(), from.nd_shard_spec(),
      from.created_with_nd_shard_spec());
  EXPECT_EQ(again, from);
  EXPECT_EQ(again.nd_shard_spec(), from.nd_shard_spec());
}

TEST(CoreRangeSetTest, IsMadeOfCores) {
  const std::vector<CoreCoord> cores = {{0, 0}, {2, 1}};
  EXPECT_EQ(CoreRangeSet(cores),
            CoreRangeSet(std::set<CoreRange>{CoreRange({0, 0}), CoreRange({2, 1})}));
}

TEST(ShapeTest, IsARangeOfExtents) {
  uint32_t sum = 0;
  for (const Shape::coord_type extent : Shape{2, 3, 4}) sum += extent;
  EXPECT_EQ(sum, 9u);
}

TEST(RuntimeArgsDataTest, SaysWhichIndicesItHas) {
  uint32_t words[2] = {};
  const RuntimeArgsData args{.rt_args_data = words, .rt_args_count = 2};
  EXPECT_TRUE(args.in_bounds(1));
  EXPECT_FALSE(args.in_bounds(2));
}

}  // namespace
}  // namespace tt::tt_metal
