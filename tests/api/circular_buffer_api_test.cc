#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr uint32_t kBase = 0x19000;  // where circular buffers begin
constexpr auto kFormat = tt::DataFormat::Float16_b;

CircularBufferConfig config_of(uint32_t total_size, uint32_t page_size, uint8_t index = 0) {
  return CircularBufferConfig(total_size, {{index, kFormat}}).set_page_size(index, page_size);
}

class CircularBufferApiTest : public WatchedTest {
 protected:
  CircularBufferApiTest() { add_kernel(program_, CoreRange({0, 0}, {3, 0})); }

  // What the core's kernel was told of index `index` in the last launch.
  device::CircularBufferPlan launched(uint8_t index, uint32_t x = 0) {
    EnqueueProgram(queue(), program_, true);
    const auto launches = watched().launches();
    for (const auto& plan : launches.back().launch.plan->cores.at(x).circular_buffers) {
      if (plan.index == index) return plan;
    }
    ADD_FAILURE() << "core " << x << " has no circular buffer " << int{index};
    return {};
  }

  Program program_;
};

TEST_F(CircularBufferApiTest, ATotalSizeOfZeroIsRefused) {
  expect_throws([] { CircularBufferConfig(0, {{0, kFormat}}); }, "must be non-zero");
  expect_throws([] { config_of(64, 64).set_total_size(0); }, "must be non-zero");
}

TEST_F(CircularBufferApiTest, APageSizeDividesTheTotalSize) {
  expect_throws([] { config_of(100, 64); }, "100 B", "64 B");
}

TEST_F(CircularBufferApiTest, APageSizeIsAnyNumberButZero) {
  EXPECT_EQ(config_of(36, 18).page_sizes()[0], 18);
  EXPECT_EQ(config_of(3, 1).page_sizes()[0], 1);
  expect_throws([] { config_of(60, 0); }, "0 B");
}

// As many as the largest architecture has: what a device lacks is refused at the launch.
TEST_F(CircularBufferApiTest, IndicesGoTo63) {
  expect_throws([] { config_of(64, 64, 64); }, "(64)");
  EXPECT_EQ(config_of(64, 64, 63).page_sizes()[63], 64);
}

TEST_F(CircularBufferApiTest, APageSizeNeedsAnIndexOfTheConfiguration) {
  expect_throws([] { config_of(64, 64, 1).set_page_size(2, 64); }, "index 2");
}

TEST_F(CircularBufferApiTest, AnIndexWithoutPageSizeIsRefused) {
  expect_throws(
      [&] {
        CreateCircularBuffer(program_, CoreCoord{0, 0}, CircularBufferConfig(64, {{5, kFormat}}));
      },
      "index 5 has no page size");
  expect_throws(
      [&] {
        CreateCircularBuffer(program_, CoreCoord{0, 0}, CircularBufferConfig(64));
      },
      "has no index");
}

TEST_F(CircularBufferApiTest, ACoreHasAnIndexOnce) {
  CreateCircularBuffer(program_, CoreRange({0, 0}, {1, 0}), config_of(64, 64, 4));
  expect_throws(
      [&] {
        CreateCircularBuffer(program_, CoreRange({1, 0}, {2, 0}), config_of(64, 64, 4));
      },
      "index 4", "(x=1,y=0)");
  CreateCircularBuffer(program_, CoreCoord{2, 0}, config_of(64, 64, 4));
}

TEST_F(CircularBufferApiTest, HandlesDifferAcrossPrograms) {
  Program other;
  EXPECT_NE(CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(64, 64)),
            CreateCircularBuffer(other, CoreCoord{0, 0}, config_of(64, 64)));
  expect_throws([&] { GetCircularBufferConfig(other, 0); }, "No circular buffer with id 0");
}

TEST_F(CircularBufferApiTest, BuildersAddIndices) {
  CircularBufferConfig config(4096);
  config.index(2).set_data_format(tt::DataFormat::Float32).set_page_size(1024);
  config.remote_index(31).set_page_size(4096).set_data_format(kFormat);
  EXPECT_TRUE(config.local_buffer_indices().contains(2));
  EXPECT_TRUE(config.remote_buffer_indices().contains(31));
  EXPECT_THAT(config.buffer_indices(), SizeIs(2));
  EXPECT_EQ(config.data_formats()[2], tt::DataFormat::Float32);
}

TEST_F(CircularBufferApiTest, RemoteIndicesNeedAGlobalCircularBuffer) {
  CircularBufferConfig config(4096);
  config.remote_index(31).set_page_size(4096).set_data_format(kFormat);
  EXPECT_THAT(
      [&] {
        CreateCircularBuffer(program_, CoreCoord{0, 0}, config);
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("needs a global circular buffer")));
}

TEST_F(CircularBufferApiTest, TileDimensionsAreKept) {
  const CircularBufferConfig config = config_of(1024, 512).set_tile_dims(0, Tile({16, 32}));
  EXPECT_EQ(config.tiles()[0]->get_height(), 16);
}

TEST_F(CircularBufferApiTest, AddressesFollowOneAnother) {
  CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(100, 20, 0));
  CreateCircularBuffer(program_, CoreRange({0, 0}, {1, 0}), config_of(64, 64, 1));
  CreateCircularBuffer(program_, CoreCoord{1, 0}, config_of(64, 64, 2));
  CreateCircularBuffer(program_, CoreCoord{2, 0}, config_of(64, 64, 2));
  EXPECT_EQ(launched(0).address, kBase);
  EXPECT_EQ(launched(1).address, kBase + 112);  // 100, rounded up to 16
  EXPECT_EQ(launched(1, 1).address, kBase + 112);
  EXPECT_EQ(launched(2, 1).address, kBase + 176);
  EXPECT_EQ(launched(2, 2).address, kBase);
  EXPECT_EQ(program_.circular_buffers().at(1)->address(), kBase + 112);
}

TEST_F(CircularBufferApiTest, AnAddressIsNotThereBeforeTheProgramIsEnqueued) {
  CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(64, 64));
  expect_throws([&] { program_.circular_buffers().at(0)->address(); }, "no address yet");
  Program other;
  CreateCircularBuffer(other, CoreCoord{0, 0}, config_of(64, 64));
  program_.allocate_circular_buffers(device());
  other.allocate_circular_buffers();
  EXPECT_EQ(program_.circular_buffers().at(0)->address(), kBase);
  EXPECT_EQ(other.circular_buffers().at(0)->address(), kBase);
}

TEST_F(CircularBufferApiTest, IndicesOfOneConfigurationShareTheMemory) {
  CircularBufferConfig config(8192, {{16, kFormat}, {24, tt::DataFormat::Float32}});
  config.set_page_size(16, 2048).set_page_size(24, 4096);
  CreateCircularBuffer(program_, CoreCoord{0, 0}, config);
  EXPECT_EQ(launched(16).address, launched(24).address);
  EXPECT_EQ(launched(16).page_size, 2048);
  EXPECT_EQ(launched(24).page_size, 4096);
  EXPECT_EQ(launched(24).format, tt::DataFormat::Float32);
}

TEST_F(CircularBufferApiTest, BeyondL1IsRefusedWithTheNumbers) {
  CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(1'499'136, 64));
  expect_throws([&] { EnqueueProgram(queue(), program_, false); },
                "Statically allocated circular buffers", std::to_string(kBase + 1'499'136),
                "beyond max L1 size of 1499136 B");
}

TEST_F(CircularBufferApiTest, TheL1SmallRegionIsNoRoomForCircularBuffers) {
  open(0, 1, /*l1_small_size=*/1'000'000);
  CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(500'000, 16));
  expect_throws([&] { EnqueueProgram(queue(), program_, false); },
                "beyond max L1 size of 499136 B");
}

TEST_F(CircularBufferApiTest, AClashWithAnL1BufferIsRefusedUntilTheBufferGoes) {
  CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(1'200'000, 16));
  EnqueueProgram(queue(), program_, true);
  auto buffer = l1(64 * 262'144, 262'144);
  expect_throws([&] { EnqueueProgram(queue(), program_, false); },
                "Statically allocated circular buffers in program", "clash with L1 buffers",
                std::to_string(buffer->address()), std::to_string(kBase + 1'200'000));
  buffer.reset();
  EnqueueProgram(queue(), program_, true);
}

TEST_F(CircularBufferApiTest, UpdatesTakeEffectAtTheNextLaunch) {
  const CBHandle handle = CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(4096, 1024));
  EXPECT_EQ(launched(0).size, 4096);
  UpdateCircularBufferTotalSize(program_, handle, 8192);
  UpdateCircularBufferPageSize(program_, handle, 0, 2048);
  EXPECT_EQ(launched(0).size, 8192);
  EXPECT_EQ(launched(0).page_size, 2048);
  EXPECT_EQ(GetCircularBufferConfig(program_, handle).total_size(), 8192);
}

TEST_F(CircularBufferApiTest, ARefusedUpdateChangesNothing) {
  const CBHandle handle = CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(4096, 1024));
  expect_throws([&] { UpdateCircularBufferPageSize(program_, handle, 0, 1000); }, "4096 B",
                "1000 B");
  expect_throws([&] { UpdateCircularBufferPageSize(program_, handle, 1, 1024); }, "index 1");
  EXPECT_EQ(launched(0).page_size, 1024);
}

TEST_F(CircularBufferApiTest, ATotalSizeThatNoLongerFitsThePageIsRefusedAtTheLaunch) {
  const CBHandle handle = CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(4096, 1024));
  UpdateCircularBufferTotalSize(program_, handle, 3000);
  expect_throws([&] { EnqueueProgram(queue(), program_, false); }, "3000 B", "1024 B");
}

TEST_F(CircularBufferApiTest, ADynamicCircularBufferLiesInItsBuffer) {
  const auto at_the_end_of_l1 = l1(64 * 2048, 2048);
  const auto buffer = l1(4096, 2048);
  const CBHandle handle = CreateCircularBuffer(
      program_, CoreCoord{0, 0}, config_of(2048, 2048).set_globally_allocated_address(*buffer));
  EXPECT_EQ(launched(0).address, buffer->address());
  const auto other = l1(8192, 2048);
  UpdateDynamicCircularBufferAddress(program_, handle, *other);
  EXPECT_EQ(launched(0).address, other->address());
  UpdateDynamicCircularBufferAddressAndTotalSize(program_, handle, *buffer, 4096);
  EXPECT_EQ(launched(0).size, 4096);
  EXPECT_EQ(GetCircularBufferConfig(program_, handle).globally_allocated_buffer_id(),
            buffer->unique_id());
}

TEST_F(CircularBufferApiTest, ADynamicCircularBufferMayBeginBehindTheBeginningOfItsBuffer) {
  const auto at_the_end_of_l1 = l1(64 * 2048, 2048);
  const auto buffer = l1(4096, 2048);
  const CBHandle handle = CreateCircularBuffer(
      program_, CoreCoord{0, 0},
      config_of(1024, 1024).set_address_offset(16).set_globally_allocated_address(*buffer));
  EXPECT_EQ(launched(0).address, buffer->address() + 16);
  UpdateDynamicCircularBufferAddress(program_, handle, *buffer, 3072);
  EXPECT_EQ(launched(0).address, buffer->address() + 3072);
  const CircularBufferConfig& now = GetCircularBufferConfig(program_, handle);
  EXPECT_EQ(now.globally_allocated_address(), buffer->address() + 3072);
  EXPECT_EQ(now.globally_allocated_buffer_size(), 1024u);
  expect_throws([&] { UpdateDynamicCircularBufferAddress(program_, handle, *buffer, 3088); },
                "1024 B", "1008 B");
  expect_throws([&] { UpdateDynamicCircularBufferAddress(program_, handle, *buffer, 8); },
                "a multiple of 16 B");
  expect_throws([&] { UpdateDynamicCircularBufferAddress(program_, handle, *buffer, 4096); },
                "leaves the associated L1 buffer of 4096 B");
  expect_throws([&] { UpdateCircularBufferTotalSize(program_, handle, 2048); }, "1024 B");
  EXPECT_EQ(launched(0).address, buffer->address() + 3072);
  UpdateDynamicCircularBufferAddress(program_, handle, *buffer);
  EXPECT_EQ(launched(0).address, buffer->address());
}

TEST_F(CircularBufferApiTest, ADynamicCircularBufferThatGetsASizeBeginsWithItsBuffer) {
  const auto at_the_end_of_l1 = l1(64 * 2048, 2048);
  const auto buffer = l1(4096, 2048);
  const CBHandle handle = CreateCircularBuffer(
      program_, CoreCoord{0, 0},
      config_of(1024, 1024).set_address_offset(1024).set_globally_allocated_address(*buffer));
  EXPECT_EQ(launched(0).address, buffer->address() + 1024);
  UpdateDynamicCircularBufferAddressAndTotalSize(program_, handle, *buffer, 4096);
  EXPECT_EQ(launched(0).address, buffer->address());
  EXPECT_EQ(launched(0).size, 4096u);
}

// An interleaved buffer counts whole, though a bank has only some of its pages.
TEST_F(CircularBufferApiTest, ADynamicCircularBufferDoesNotPassTheEndOfL1) {
  const auto buffer = l1(4096, 2048);
  CreateCircularBuffer(program_, CoreCoord{0, 0},
                       config_of(4096, 2048).set_globally_allocated_address(*buffer));
  expect_throws([&] { EnqueueProgram(queue(), program_, true); },
                "the memory that it was given ends at", "beyond the end of L1");
}

TEST_F(CircularBufferApiTest, ADynamicCircularBufferIsNotLargerThanItsBuffer) {
  const auto buffer = l1(4096, 2048);
  expect_throws([&] { config_of(8192, 2048).set_globally_allocated_address(*buffer); }, "8192 B",
                "4096 B");
  CircularBufferConfig config = config_of(4096, 2048).set_globally_allocated_address(*buffer);
  expect_throws([&] { config.set_total_size(6144); }, "6144 B", "4096 B");
  expect_throws([&] { config.set_globally_allocated_address_and_total_size(*buffer, 6144); },
                "6144 B");
  EXPECT_EQ(config.total_size(), 4096);
}

TEST_F(CircularBufferApiTest, ADynamicCircularBufferIsNotLargerThanAShard) {
  const CoreRangeSet cores(CoreRange({0, 0}, {3, 0}));
  const auto buffer = CreateBuffer(ShardedBufferConfig{
      .device = device(),
      .size = 4 * 2 * 2048,
      .page_size = 2048,
      .buffer_type = BufferType::L1,
      .buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED,
      .shard_parameters =
          ShardSpecBuffer(cores, {64, 32}, ShardOrientation::ROW_MAJOR, {32, 32}, {8, 1})});
  expect_throws([&] { config_of(3 * 2048, 2048).set_globally_allocated_address(*buffer); },
                "6144 B", "4096 B");
  CreateCircularBuffer(program_, cores,
                       config_of(2 * 2048, 2048).set_globally_allocated_address(*buffer));
  EXPECT_EQ(launched(0).address, buffer->address());
}

TEST_F(CircularBufferApiTest, TheRegionOfCircularBuffersIsCheckedAsALaunchDoes) {
  CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(1'200'000, 16));
  expect_throws([&] { detail::ValidateCircularBufferRegion(program_, device()); },
                "has no address yet");
  program_.allocate_circular_buffers(device());
  detail::ValidateCircularBufferRegion(program_, device());
  program_.impl().validate_circular_buffer_region(device());  // the name of the middle of 2025
  const auto buffer = l1(64 * 262'144, 262'144);
  expect_throws([&] { detail::ValidateCircularBufferRegion(program_, device()); },
                "clash with L1 buffers", std::to_string(kBase + 1'200'000));
  expect_throws([&] { program_.impl().validate_circular_buffer_region(device()); },
                "clash with L1 buffers");
}

TEST_F(CircularBufferApiTest, ADynamicCircularBufferNeedsAnL1Buffer) {
  const auto buffer = dram(4096, 2048);
  expect_throws([&] { config_of(2048, 2048).set_globally_allocated_address(*buffer); },
                "Only L1 buffers");
}

TEST_F(CircularBufferApiTest, ADynamicCircularBufferMayLieInADeallocatedBuffer) {
  const auto buffer = l1(2048, 2048);
  DeallocateBuffer(*buffer);
  const CircularBufferConfig config(2048, {{0, kFormat}}, *buffer);
  CreateCircularBuffer(program_, CoreCoord{0, 0},
                       CircularBufferConfig(config).set_page_size(0, 2048));
  EXPECT_EQ(launched(0).address, buffer->address());
}

TEST_F(CircularBufferApiTest, ADynamicCircularBufferTakesNoStaticMemory) {
  const auto buffer = l1(2048, 2048);
  CreateCircularBuffer(program_, CoreCoord{0, 0},
                       config_of(2048, 2048, 0).set_globally_allocated_address(*buffer));
  CreateCircularBuffer(program_, CoreCoord{0, 0}, config_of(64, 64, 1));
  EXPECT_EQ(launched(1).address, kBase);
}

}  // namespace
}  // namespace tt::tt_metal::testing
