#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

// TensorAccessor of kernels finds each page where the host put it, for buffers of every layout.
namespace tt::tt_metal {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kPageSize = 64;
constexpr uint32_t kWords = kPageSize / 4;

struct Layout {
  const char* name;
  BufferType type;
  TensorMemoryLayout layout;
  std::array<uint32_t, 2> pages;        // of the tensor
  std::array<uint32_t, 2> shard_pages;  // of one shard
  CoreRange cores = CoreRange(CoreCoord(0, 0));
  ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
};

class TensorAccessorOnDevice : public ::testing::Test {
 protected:
  ~TensorAccessorOnDevice() override { CloseDevice(device_); }

  std::shared_ptr<Buffer> make(const Layout& layout) {
    const DeviceAddr size = DeviceAddr{layout.pages[0]} * layout.pages[1] * kPageSize;
    if (layout.layout == TensorMemoryLayout::INTERLEAVED) {
      return Buffer::create(device_, size, kPageSize, layout.type);
    }
    const ShardSpecBuffer shards(CoreRangeSet(layout.cores),
                                 {layout.shard_pages[0], layout.shard_pages[1] * kWords},
                                 layout.orientation, {1, kWords}, layout.pages);
    return Buffer::create(device_, size, kPageSize, layout.type, layout.layout, shards);
  }

  std::vector<uint32_t> fill(Buffer& buffer, uint32_t first) {
    std::vector<uint32_t> values(buffer.size() / 4);
    std::iota(values.begin(), values.end(), first);
    detail::WriteToBuffer(buffer, values);
    return values;
  }

  void run(const std::string& kernel, const std::vector<uint32_t>& compile_args,
           const std::vector<uint32_t>& common_args, const std::vector<uint32_t>& args) {
    Program program = CreateProgram();
    const KernelHandle handle =
        CreateKernelFromString(program, kernel, CoreCoord(1, 1),
                               DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                                  .compile_args = compile_args});
    SetRuntimeArgs(program, handle, CoreCoord(1, 1), args);
    if (!common_args.empty()) SetCommonRuntimeArgs(program, handle, common_args);
    detail::LaunchProgram(device_, program);
  }

  void copy_there_and_back(const Layout& layout, tensor_accessor::ArgConfig config);

  IDevice* const device_ = CreateDevice(0);
};

// Copies all pages of a buffer into an interleaved one, in order.
constexpr char kCopy[] = R"(
  void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<1, 0>();
    const auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>(
        from_args.next_common_runtime_args_offset());
    static_assert(get_compile_time_arg_val(0) == 4711);
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(3));
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(3));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(2); ++page) {
      noc_async_read_page(page, from, 0x100000);
      noc_async_read_barrier();
      noc_async_write_page(page, to, 0x100000);
      noc_async_write_barrier();
    }
  })";

const Layout kLayouts[] = {
    {"DRAM, interleaved", BufferType::DRAM, TensorMemoryLayout::INTERLEAVED, {5, 7}, {}},
    {"L1, interleaved", BufferType::L1, TensorMemoryLayout::INTERLEAVED, {9, 17}, {}},
    {"height sharded",
     BufferType::L1,
     TensorMemoryLayout::HEIGHT_SHARDED,
     {10, 3},
     {4, 3},
     CoreRange(CoreCoord(0, 0), CoreCoord(2, 0))},
    {"height sharded by columns",
     BufferType::L1,
     TensorMemoryLayout::HEIGHT_SHARDED,
     {8, 2},
     {2, 2},
     CoreRange(CoreCoord(1, 1), CoreCoord(2, 2)),
     ShardOrientation::COL_MAJOR},
    {"width sharded",
     BufferType::L1,
     TensorMemoryLayout::WIDTH_SHARDED,
     {3, 10},
     {3, 4},
     CoreRange(CoreCoord(0, 0), CoreCoord(0, 2))},
    {"block sharded",
     BufferType::L1,
     TensorMemoryLayout::BLOCK_SHARDED,
     {5, 7},
     {2, 3},
     CoreRange(CoreCoord(0, 0), CoreCoord(2, 2))},
    {"block sharded by columns",
     BufferType::L1,
     TensorMemoryLayout::BLOCK_SHARDED,
     {4, 6},
     {2, 3},
     CoreRange(CoreCoord(2, 1), CoreCoord(3, 2)),
     ShardOrientation::COL_MAJOR},
    {"height sharded, narrower than the tensor",
     BufferType::L1,
     TensorMemoryLayout::HEIGHT_SHARDED,
     {4, 4},
     {2, 2},
     CoreRange(CoreCoord(0, 0), CoreCoord(3, 0))},
};

constexpr auto kShapes =
    tensor_accessor::ArgConfig::RuntimeTensorShape | tensor_accessor::ArgConfig::RuntimeShardShape;
using Config = tensor_accessor::ArgConfig;

// Those that are tried with every layout, and those that are tried with one of them.
constexpr Config kConfigs[] = {Config::None, Config::Runtime};
constexpr Config kMoreConfigs[] = {Config::RuntimeBankCoords, Config::RuntimeTensorShape, kShapes,
                                   kShapes | Config::RuntimeRank,
                                   Config::RuntimeBankCoords | Config::RuntimeNumBanks};

// Copies a buffer to an interleaved one and, with other values, back.
void TensorAccessorOnDevice::copy_there_and_back(const Layout& layout, Config config) {
  SCOPED_TRACE(layout.name);
  SCOPED_TRACE(static_cast<int>(config));
  const auto from = make(layout),
             copy = make(kLayouts[0].pages == layout.pages ? kLayouts[0]
                                                           : Layout{"",
                                                                    BufferType::DRAM,
                                                                    TensorMemoryLayout::INTERLEAVED,
                                                                    layout.pages,
                                                                    {}});
  const std::vector<uint32_t> values = fill(*from, 1000);
  fill(*copy, 0);
  std::vector<uint32_t> compile_args = {4711}, common_args;
  TensorAccessorArgs(from, config).append_to(compile_args, common_args);
  TensorAccessorArgs(*copy, config).append_to(compile_args, common_args);
  run(kCopy, compile_args, common_args,
      {from->address(), copy->address(), from->num_pages(), kPageSize});
  std::vector<uint32_t> result;
  detail::ReadFromBuffer(*copy, result);
  EXPECT_EQ(result, values);
  // And back: what is written lands where the host reads it.
  std::vector<uint32_t> back_args = {4711}, back_common;
  TensorAccessorArgs(*copy, config).append_to(back_args, back_common);
  TensorAccessorArgs(from.get(), config).append_to(back_args, back_common);
  const std::vector<uint32_t> others = fill(*copy, 500000);
  run(kCopy, back_args, back_common,
      {copy->address(), from->address(), from->num_pages(), kPageSize});
  detail::ReadFromBuffer(*from, result);
  EXPECT_EQ(result, others);
}

TEST_F(TensorAccessorOnDevice, FindsThePagesOfEveryLayout) {
  for (const Layout& layout : kLayouts) {
    for (const Config config : kConfigs) copy_there_and_back(layout, config);
  }
  for (const Config config : kMoreConfigs) copy_there_and_back(kLayouts[5], config);
}

// Leaves what the accessor says of the buffer at 0x100000, then copies of two shards.
constexpr char kShards[] = R"(
  void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    static_assert(args.is_sharded && !args.is_dram && args.num_common_runtime_args() == 0);
    static_assert(args.next_compile_time_args_offset() == 13 && args.AlignedPageSize == 64);
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    auto* out = reinterpret_cast<volatile uint32_t*>(0x100000);
    *out++ = tensor.num_shards();
    *out++ = tensor.dspec().shard_volume();
    *out++ = tensor.tensor_volume();
    *out++ = tensor.get_aligned_page_size();
    *out++ = tensor.is_local_shard(4) && !tensor.is_local_shard(3);
    *out++ = tensor.is_local_page(17) && !tensor.is_local_page(0);
    *out++ = tensor.is_local_bank(my_x[0], my_y[0]) && tensor.is_local_addr(get_noc_addr(0));
    *out++ = tensor.get_bank_and_offset(17).bank_page_offset;
    *out++ = tensor.get_shard_noc_addr(4, 8) == get_noc_addr(get_arg_val<uint32_t>(0) + 8);
    for (const auto& page : tensor.shard_pages(4)) *out++ = page.page_id();
    for (const auto& page : tensor.pages(3, 6)) {
      const bool right = page.noc_addr() == tensor.get_noc_addr(page.page_id());
      *out++ = page.page_id() + (right ? 100 : 0);
    }
    for (const auto& page : tensor.shard_pages(8)) *out++ = page.page_id();
    for (const auto& page : tensor.pages(6, 3)) *out++ = page.page_id();  // none
    noc_async_read_shard(2, tensor, 0x101000);
    noc_async_read_barrier();
    noc_async_write_shard(0, tensor, 0x101000);
    noc_async_write_barrier();
  })";

TEST_F(TensorAccessorOnDevice, KnowsTheShardsOfABlockShardedBuffer) {
  const auto buffer = make(kLayouts[5]);  // 5x7 pages in blocks of 2x3 on 3x3 cores
  const std::vector<uint32_t> values = fill(*buffer, 0);
  std::vector<uint32_t> args;
  TensorAccessorArgs(*buffer).append_to(args);
  run(kShards, args, {}, {buffer->address()});
  std::vector<uint32_t> found;
  detail::ReadFromDeviceL1(device_, CoreCoord(1, 1), 0x100000, 4 * 19, found);
  // Shard 4 is the block in the middle: rows 2 and 3, columns 3 to 5. Shard 8 is cut off at both
  // borders.
  EXPECT_EQ(found, (std::vector<uint32_t>{9, 6, 35, 64, 1, 1, 1, 0, 1, 17, 18, 19, 24, 25, 26, 103,
                                          104, 105, 34}));
  // The block in the upper right corner is one page wide: pages 6 and 13, padded; now it is the
  // first block, too.
  std::vector<uint32_t> result;
  detail::ReadFromBuffer(*buffer, result);
  EXPECT_EQ(result[0], values[6 * kWords]);
  EXPECT_EQ(result[7 * kWords], values[13 * kWords]);
  EXPECT_EQ(result[3 * kWords], values[3 * kWords]);
}

TEST_F(TensorAccessorOnDevice, PageOutsideTheBufferFailsTheLaunch) {
  const auto buffer = make(kLayouts[2]);
  std::vector<uint32_t> args;
  TensorAccessorArgs(*buffer).append_to(args);
  const char* kernel =
      "void kernel_main() { const auto t = TensorAccessor(TensorAccessorArgs<0>(), "
      "get_arg_val<uint32_t>(0)); noc_async_read_page(36, t, 0x100000); }";
  try {
    run(kernel, args, {}, {buffer->address()});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the page or shard lies outside the buffer"));
  }
}

TEST_F(TensorAccessorOnDevice, ArgumentsAreTheWordsOfSpring2026) {
  const auto words = [&](const Layout& layout, tensor_accessor::ArgConfig config) {
    const TensorAccessorArgs args(make(layout), config);
    return std::pair(args.get_compile_time_args(), args.get_common_runtime_args());
  };
  const auto packed = [&](uint32_t x, uint32_t y) {
    const CoreCoord core = device_->worker_core_from_logical_core({x, y});
    return static_cast<uint32_t>(core.x << 8 | core.y);
  };
  using Words = std::vector<uint32_t>;
  EXPECT_EQ(words(kLayouts[0], Config::None), std::pair(Words({2, 64}), Words()));
  EXPECT_EQ(words(kLayouts[1], kShapes), std::pair(Words({0, 64}), Words()));
  EXPECT_EQ(words(kLayouts[0], Config::Runtime), std::pair(Words({2 | 128}), Words({64})));
  const uint32_t two = packed(0, 0) | packed(1, 0) << 16, one = packed(2, 0);
  EXPECT_EQ(words(kLayouts[2], Config::None),
            std::pair(Words({1, 64, 2, 3, 10, 3, 4, 3, two, one}), Words()));
  EXPECT_EQ(words(kLayouts[2], kShapes),
            std::pair(Words({1 | 16 | 32, 64, 2, 3, two, one}), Words({10, 3, 4, 3})));
  EXPECT_EQ(words(kLayouts[2], Config::Runtime),
            std::pair(Words({1 | 124, 64}), Words({2, 3, 10, 3, 4, 3, two, one})));
  // Shards that take the pages in order have one dimension.
  EXPECT_EQ(words(kLayouts[7], Config::RuntimeBankCoords),
            std::pair(Words({1 | 64, 64, 1, 4, 16, 4}), Words({two, one | packed(3, 0) << 16})));
  EXPECT_THROW(words(kLayouts[2], Config::RuntimeRank), std::runtime_error);
  EXPECT_THROW(words(kLayouts[2], Config::RuntimeNumBanks), std::runtime_error);
}

// In the style of 2026: a tensor by its name, through the NoC as an object. Common argument 1 is
// the address, as the host's build says in the name.
constexpr char kByName[] = R"(
  #include "api/dataflow/noc.h"
  #include "api/core_local_mem.h"
  #include "api/tensor/noc_traits.h"
  namespace tensor {
  using from_t = ::tensor_accessor::TensorBindingToken<0, 4>;
  constexpr from_t from{::binding_details::LLKMetadata{}};
  }
  void kernel_main() {
    const TensorAccessor from(tensor::from);
    Noc noc;
    CoreLocalMem<uint32_t> copy(0x100000), results(0x108000);
    for (const auto& page : from.pages())
      noc.async_read(page, copy, 64, {}, {.offset_bytes = page.page_id() * 64});
    noc.async_read_barrier();
    uint32_t n = 0;
    for (uint32_t shard = 0; shard < from.dspec().num_shards(); ++shard) {
      auto pages = from.shard_pages(shard);
      for (auto page = pages.begin(); page != pages.end(); ++page)
        results[n++] = shard * 10000 + page->page_in_shard() * 100 + page->page_id();
    }
    for (const auto& page : from.shard_pages(2, 1, 4)) results[n++] = page.shard_id() * 100 + page.page_id();
    results[n++] = from.dspec().tensor_shape()[1] * 100 + from.dspec().shard_shape()[0] * 10 + from.dspec().rank();
    const uint32_t place[] = {3, 4};
    results[n++] = from.get_noc_addr(place) == from.get_noc_addr(3 * 7 + 4);
    results[n++] = ShardView(from).get_noc_addr(1, 8, 0) == from.get_shard_noc_addr(1, 8);
    noc.async_read(PageView(from), copy, 4, {.page_id = 9, .offset_bytes = 60}, {.offset_bytes = 0x4000});
    noc.async_read(ShardView(from), copy, 4, {.shard_id = 1, .offset_bytes = 4}, {.offset_bytes = 0x4004});
    AbstractTensorAccessorWrapper any(from);
    noc.async_read(any, copy, 4, {.page_id = 34}, {.offset_bytes = 0x4008});
    noc.async_read_barrier();
    copy += 0x1000;
    for (uint32_t i = 0; i < 3; ++i) results[n++] = copy[i];
    noc.async_write(results, from, 4, {}, {.page_id = 8, .offset_bytes = 4});
    noc.async_write_barrier();
  })";

TEST_F(TensorAccessorOnDevice, TensorsByNameAreEndpointsOfTheNoc) {
  const auto buffer = make(kLayouts[5]);  // 5x7 pages in blocks of 2x3 on 3x3 cores
  std::vector<uint32_t> values = fill(*buffer, 0);
  std::vector<uint32_t> args;
  TensorAccessorArgs(*buffer).append_to(args);
  run(kByName, args, {4711, buffer->address()}, {});
  std::vector<uint32_t> found;
  detail::ReadFromDeviceL1(device_, CoreCoord(1, 1), 0x100000, buffer->size(), found);
  EXPECT_EQ(found, values);
  std::vector<uint32_t> expected;
  for (uint32_t shard = 0; shard < 9; ++shard) {
    for (uint32_t page = 0; page < 6; ++page) {
      const uint32_t row = shard / 3 * 2 + page / 3, column = shard % 3 * 3 + page % 3;
      if (row < 5 && column < 7) expected.push_back(shard * 10000 + page * 100 + row * 7 + column);
    }
  }
  // Of shard 2, pages 1 to 3: the first two only pad it.
  expected.insert(expected.end(), {213, 722, 1, 1, 9 * kWords + 15, 3 * kWords + 1, 34 * kWords});
  detail::ReadFromDeviceL1(device_, CoreCoord(1, 1), 0x108000,
                           static_cast<uint32_t>(4 * expected.size()), found);
  EXPECT_EQ(found, expected);
  values[8 * kWords + 1] = expected[0];
  std::vector<uint32_t> result;
  detail::ReadFromBuffer(*buffer, result);
  EXPECT_EQ(result, values);
}

TEST_F(TensorAccessorOnDevice, RuntimeArgumentsNeedAVector) {
  const auto buffer = make(kLayouts[2]);
  std::vector<uint32_t> args;
  const TensorAccessorArgs accessor(*buffer, tensor_accessor::ArgConfig::Runtime);
  EXPECT_EQ(accessor.get_compile_time_args().size(), 2);
  EXPECT_THROW(accessor.append_to(args), std::runtime_error);
}

TEST(TensorAccessorWords, NoBufferIsTwoWordsThatAreZero) {
  const std::vector<uint32_t> none = {0, 0};
  EXPECT_EQ(TensorAccessorArgs().get_compile_time_args(), none);
  EXPECT_EQ(TensorAccessorArgs(static_cast<const Buffer*>(nullptr),
                               tensor_accessor::ArgConfig::RuntimePageSize)
                .get_compile_time_args(),
            none);
  EXPECT_EQ(TensorAccessorArgs(std::shared_ptr<Buffer>()).get_compile_time_args(), none);
}

TEST(TensorAccessorWords, AnInterleavedBufferOfNoBufferHasNoSizeOfAPage) {
  const auto dram = static_cast<uint32_t>(tensor_accessor::ArgConfig::IsDram);
  EXPECT_EQ(TensorAccessorArgs::create_dram_interleaved().get_compile_time_args(),
            (std::vector<uint32_t>{dram, 0}));
  EXPECT_EQ(TensorAccessorArgs::create_l1_interleaved().get_compile_time_args(),
            (std::vector<uint32_t>{0, 0}));
}

}  // namespace
}  // namespace tt::tt_metal
