// Sharded buffers on a device: regions, shards, and circular buffers in their memory.
#include <tt-metalium/global_semaphore.hpp>

#include "tests/support/cpu_api_test_kit.h"

namespace tt::tt_metal {
namespace {

using testing::add_data_movement;
using testing::expect_refused;
using testing::expect_replays_alike;

constexpr uint32_t kPage = 32;  // bytes

struct Layout {
  TensorMemoryLayout layout;
  std::array<uint32_t, 2> shard;   // pages
  std::array<uint32_t, 2> tensor;  // pages
  CoreRange grid;
  ShardOrientation orientation;
};

// Last shards that are partly used among them.
const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {{TensorMemoryLayout::HEIGHT_SHARDED,
                                           {2, 3},
                                           {5, 3},
                                           CoreRange({0, 0}, {2, 0}),
                                           ShardOrientation::ROW_MAJOR},
                                          {TensorMemoryLayout::WIDTH_SHARDED,
                                           {4, 2},
                                           {4, 5},
                                           CoreRange({1, 1}, {1, 3}),
                                           ShardOrientation::COL_MAJOR},
                                          {TensorMemoryLayout::BLOCK_SHARDED,
                                           {2, 2},
                                           {3, 3},
                                           CoreRange({2, 2}, {3, 3}),
                                           ShardOrientation::ROW_MAJOR},
                                          {TensorMemoryLayout::BLOCK_SHARDED,
                                           {2, 2},
                                           {3, 3},
                                           CoreRange({2, 2}, {3, 3}),
                                           ShardOrientation::COL_MAJOR}};
  return all;
}

std::shared_ptr<Buffer> create(IDevice* device, const Layout& layout) {
  const uint32_t pages = layout.tensor[0] * layout.tensor[1];
  return CreateBuffer(ShardedBufferConfig{
      .device = device,
      .size = pages * kPage,
      .page_size = kPage,
      .buffer_type = BufferType::L1,
      .buffer_layout = layout.layout,
      .shard_parameters =
          ShardSpecBuffer(layout.grid, layout.shard, layout.orientation, {1, 1}, layout.tensor)});
}

std::vector<uint32_t> ascending(size_t count, uint32_t first = 0) {
  std::vector<uint32_t> words(count);
  for (size_t i = 0; i < count; ++i) words[i] = first + static_cast<uint32_t>(i);
  return words;
}

class ShardedBufferTest : public testing::CpuApiTest {};

TEST_F(ShardedBufferTest, EveryRegionOfPagesIsWrittenAndRead) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(fmt::format("{}", layout.layout));
    auto buffer = create(device(), layout);
    const uint32_t pages = buffer->num_pages(), words = kPage / 4;
    std::vector<uint32_t> expected = ascending(pages * words), found;
    EnqueueWriteBuffer(queue(), buffer, expected, false);
    for (uint32_t first = 0; first < pages; ++first) {
      for (uint32_t count = 1; count <= pages - first; ++count) {
        const BufferRegion region(first * kPage, count * kPage);
        EnqueueReadSubBuffer(queue(), buffer, found, region, true);
        ASSERT_EQ(found, std::vector<uint32_t>(expected.begin() + first * words,
                                               expected.begin() + (first + count) * words));
      }
      const std::vector<uint32_t> page = ascending(words, 1000 * first);
      EnqueueWriteSubBuffer(queue(), buffer, page, BufferRegion(first * kPage, kPage), false);
      std::copy(page.begin(), page.end(), expected.begin() + first * words);
    }
    EnqueueReadBuffer(queue(), buffer, found, true);
    EXPECT_EQ(found, expected);
    expect_refused(
        [&] { EnqueueReadSubBuffer(queue(), buffer, found, BufferRegion(4, kPage), true); },
        "must begin and end at pages");
  }
}

// Host order, shard order and the cores' memory agree.
TEST_F(ShardedBufferTest, ShardsAreWhatTheCoresHold) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(fmt::format("{}", layout.layout));
    auto buffer = create(device(), layout);
    const uint32_t words = kPage / 4;
    EnqueueWriteBuffer(queue(), buffer, ascending(buffer->num_pages() * words, 1), true);
    const auto mapping = buffer->get_buffer_page_mapping();
    for (uint32_t shard = 0; shard < mapping->all_cores_.size(); ++shard) {
      std::vector<uint32_t> found;
      detail::ReadShard(*buffer, found, shard);
      const uint32_t pages = layout.shard[0] * layout.shard[1];
      ASSERT_EQ(found.size(), pages * words);
      const auto memory = l1_words(mapping->all_cores_[shard], buffer->address(), pages * words);
      for (uint32_t page = 0; page < pages; ++page) {
        const auto host = mapping->dev_page_to_host_page_mapping_[shard * pages + page];
        const uint32_t first = found[page * words];
        EXPECT_EQ(first, host ? *host * words + 1 : 0) << "shard " << shard << " page " << page;
        if (host) {
          EXPECT_EQ(memory[page * words], first);
        }
      }
    }
  }
}

// The pattern of vector addition on shards: circular buffers over the inputs, filled by the host.
TEST_F(ShardedBufferTest, CircularBuffersLieInShards) {
  const Layout layout = {TensorMemoryLayout::HEIGHT_SHARDED,
                         {2, 1},
                         {8, 1},
                         CoreRange({0, 0}, {3, 0}),
                         ShardOrientation::ROW_MAJOR};
  auto in = create(device(), layout), out = create(device(), layout),
       later = create(device(), layout);
  EnqueueWriteBuffer(queue(), in, ascending(64, 5), false);
  Program program = CreateProgram();
  const auto config = [](uint8_t index, const Buffer& buffer) {
    return CircularBufferConfig(2 * kPage, {{index, DataFormat::Float16_b}}, buffer)
        .set_page_size(index, kPage);
  };
  CreateCircularBuffer(program, layout.grid, config(0, *in));
  const CBHandle target = CreateCircularBuffer(program, layout.grid, config(16, *out));
  add_data_movement(
      program,
      "cb_push_back(0, 2); cb_wait_front(0, 2); cb_reserve_back(16, 1);\n"
      "auto* from = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(0));\n"
      "auto* to = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(16));\n"
      "for (uint32_t i = 0; i < get_compile_time_arg_val(0); ++i) to[i] = from[i] * 2;",
      layout.grid, {8});
  EnqueueProgram(queue(), program, false);
  std::vector<uint32_t> found;
  EnqueueReadBuffer(queue(), out, found, true);
  EXPECT_EQ(found[0], 10u);
  EXPECT_EQ(found[3 * 16], 2 * (5 + 48u));
  UpdateDynamicCircularBufferAddressAndTotalSize(program, target, *later, kPage);
  EXPECT_EQ(GetCircularBufferConfig(program, target).total_size(), kPage);
  EnqueueProgram(queue(), program, false);
  EnqueueReadBuffer(queue(), later, found, true);
  EXPECT_EQ(found[16], 2 * (5 + 16u));
}

TEST_F(ShardedBufferTest, IndicesOfOneConfigurationShareMemoryAndNotCounters) {
  Program program = CreateProgram();
  CircularBufferConfig config(4 * kPage, {{0, DataFormat::Float16_b}, {1, DataFormat::Float32}});
  config.set_page_size(0, kPage).set_page_size(1, 2 * kPage);
  CreateCircularBuffer(program, CoreCoord(1, 0), config);
  add_data_movement(program,
                    "auto* out = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x80000);\n"
                    "out[0] = get_write_ptr(0) == get_write_ptr(1);\n"
                    "cb_push_back(0, 3);\n"
                    "out[1] = cb_pages_available_at_front(0, 3);\n"
                    "out[2] = cb_pages_available_at_front(1, 1);\n"
                    "out[3] = cb_pages_reservable_at_back(1, 2);",
                    CoreCoord(1, 0));
  EnqueueProgram(queue(), program, true);
  EXPECT_THAT(l1_words({1, 0}, 0x80000, 4), ::testing::ElementsAre(1, 1, 0, 1));
}

TEST_F(ShardedBufferTest, EverythingIsReplayed) {
  expect_replays_alike([] {
    IDevice* device = CreateDevice(0);
    CommandQueue& queue = device->command_queue();
    {
      std::vector<uint32_t> found;
      for (const Layout& layout : layouts()) {
        auto buffer = create(device, layout);
        EnqueueWriteBuffer(queue, buffer, ascending(buffer->num_pages() * kPage / 4), false);
        EnqueueWriteSubBuffer(queue, buffer, ascending(8, 99), BufferRegion(kPage, kPage), false);
        EnqueueReadSubBuffer(queue, buffer, found, BufferRegion(0, 3 * kPage), true);
        detail::ReadShard(*buffer, found, 1);
      }
      const auto semaphore =
          CreateGlobalSemaphore(device, CoreRangeSet(CoreRange({0, 0}, {1, 1})), 3);
      semaphore.reset_semaphore_value(8);
      Finish(queue);
      detail::ReadFromDeviceL1(device, CoreCoord(1, 1), static_cast<uint32_t>(semaphore.address()),
                               4, found);
      EXPECT_EQ(found[0], 8u);
    }
    CloseDevice(device);
  });
}

}  // namespace
}  // namespace tt::tt_metal
