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

  IDevice* const device_ = CreateDevice(0);
};

// Copies all pages of a buffer into an interleaved one, in order.
constexpr char kCopy[] = R"(
  void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<1, 0>();
    constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset(),
                                                from_args.next_common_runtime_args_offset()>();
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
};

TEST_F(TensorAccessorOnDevice, FindsThePagesOfEveryLayout) {
  for (const tensor_accessor::ArgConfig config :
       {tensor_accessor::ArgConfig::None, tensor_accessor::ArgConfig::Runtime}) {
    for (const Layout& layout : kLayouts) {
      SCOPED_TRACE(layout.name);
      const auto from = make(layout), copy = make(kLayouts[0].pages == layout.pages
                                                      ? kLayouts[0]
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
  }
}

// Leaves what the accessor says of the buffer at 0x100000, then copies of two shards.
constexpr char kShards[] = R"(
  void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    static_assert(args.is_sharded && !args.is_dram && args.num_common_runtime_args() == 0);
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

TEST_F(TensorAccessorOnDevice, RuntimeArgumentsNeedAVector) {
  const auto buffer = make(kLayouts[2]);
  std::vector<uint32_t> args;
  const TensorAccessorArgs accessor(*buffer, tensor_accessor::ArgConfig::Runtime);
  EXPECT_EQ(accessor.get_compile_time_args().size(), 1);
  EXPECT_THROW(accessor.append_to(args), std::runtime_error);
  EXPECT_THROW(TensorAccessorArgs(static_cast<const Buffer*>(nullptr)), std::runtime_error);
}

}  // namespace
}  // namespace tt::tt_metal
