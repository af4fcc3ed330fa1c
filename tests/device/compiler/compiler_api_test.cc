#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/data_format.h"
#include "tests/device/compiler/compiler_test_kit.h"

namespace lightmetal::device::cpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// ---- Circular buffers ----

TEST_F(Compiler, CircularBufferPointersWrapAndWaitsGoToTheDeviceOnlyWhenTheyMust) {
  const auto object = compile_body(R"(
    auto* out = (volatile uint32_t*)0x30000;
    cb_reserve_back(0, 4);
    out[0] = get_write_ptr(0);
    cb_push_back(0, 3);
    cb_wait_front(0, 2);
    out[1] = get_read_ptr(0);
    cb_pop_front(0, 2);
    out[2] = get_read_ptr(0);
    cb_push_back(0, 1);
    out[3] = get_write_ptr(0);
    out[4] = cb_pages_available_at_front(0, 2);
    out[5] = cb_pages_available_at_front(0, 3);
    out[6] = get_write_ptr(9);
    cb_wait_front(0, 4);)");
  LoneKernel run;
  run.add_buffer(0, 1024, 4);
  EXPECT_THAT(run.run(object).outputs(7),
              testing::ElementsAre(0x10000, 0x10000, 0x10800, 0x10000, 1, 0, 0));
  EXPECT_EQ(run.yields(), 1);
  EXPECT_EQ(run.calls(), "wait 0 4; ");
}

TEST_F(Compiler, CircularBufferInterfacesCountUnitsOf16BytesInComputeKernels) {
  for (const auto processor : {Processor::kRiscv0, Processor::kCompute}) {
    const uint32_t unit = processor == Processor::kCompute ? 16 : 1;
    const auto object = compile(source(R"(
      #include "remote_circular_buffer_api.h"
      void kernel_main() {
        auto* out = reinterpret_cast<volatile uint32_t*>(0x30000);
        auto& cb = get_local_cb_interface(3);
        cb.fifo_rd_ptr += 2 * cb.fifo_page_size;
        cb.fifo_wr_ptr = cb.fifo_limit - cb.fifo_page_size;
        out[0] = cb.fifo_page_size; out[1] = cb.fifo_size; out[2] = cb.fifo_limit;
        out[3] = cb.fifo_rd_ptr; out[4] = cb.fifo_wr_ptr; out[5] = cb.fifo_num_pages;
        out[6] = cb.fifo_page_size << cb_addr_shift;
      })",
                                       processor));
    LoneKernel kernel;
    kernel.add_buffer(3, 2048, 4);
    EXPECT_THAT(kernel.run(object).outputs(7),
                ElementsAre(2048 / unit, 8192 / unit, 0x12000 / unit, 0x11000 / unit,
                            0x11800 / unit, 4, 2048));
    EXPECT_EQ(kernel.context()->cb[3].read_ptr, 0x11000);
    EXPECT_EQ(kernel.context()->cb[3].write_ptr, 0x11800);
  }
}

TEST_F(Compiler, PushAcrossTheEndOfACircularBufferFails) {
  LoneKernel run;
  run.add_buffer(3, 1024, 4);
  EXPECT_THAT(run.run(compile_body("cb_push_back(3, 3); cb_pop_front(3, 3); cb_push_back(3, 2);"))
                  .failure(),
              HasSubstr("circular buffer 3: pages pushed or popped at once cross its end"));
}

TEST_F(Compiler, MissingCircularBufferFails) {
  LoneKernel run;
  EXPECT_THAT(run.run(compile_body("cb_wait_front(12, 1);")).failure(),
              HasSubstr("circular buffer 12: this core has none"));
}

// ---- What kernels call ----

TEST_F(Compiler, HeadersOfAllYearsAreThere) {
  compile(source(R"(
    #include <stdint.h>
    #include <cstdint>
    #include "dataflow_api.h"
    #include "api/dataflow/dataflow_api.h"
    #include "debug/dprint.h"
    #include "api/debug/dprint.h"
    #include "debug/assert.h"
    #include "debug/waypoint.h"
    #include "debug/ring_buffer.h"
    #include "hostdevcommon/common_values.hpp"
    #include "hostdevcommon/kernel_structs.h"
    #include "risc_attribs.h"
    #include "tools/profiler/kernel_profiler.hpp"
    void kernel_main() {
      DeviceZoneScopedN("zone");
      WAYPOINT("HERE");
      static_assert(VALID == 1 && INVALID == 0);
    })"));
  compile(source(R"(
    #include "compute_kernel_api.h"
    #include "compute_kernel_api/cb_api.h"
    #include "compute_kernel_api/common.h"
    #include "compute_kernel_api/eltwise_binary.h"
    #include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
    #include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"
    #include "compute_kernel_api/matmul.h"
    #include "compute_kernel_api/pack.h"
    #include "compute_kernel_api/reg_api.h"
    #include "compute_kernel_api/tile_move_copy.h"
    #include "api/compute/common.h"
    #include "api/compute/eltwise_unary/exp.h"
    #include "api/compute/tile_move_copy.h"
    void kernel_main() {})",
                 Processor::kCompute));
}

TEST_F(Compiler, OldAndNewComputeSignaturesCompile) {
  compile(source(R"(
    void kernel_main() {
      binary_op_init_common(0, 1);
      binary_op_init_common(0, 1, 16);
      binary_op_specific_init<true, EltwiseBinaryType::ELWADD>();
      binary_op_specific_init<false>(0);
      binary_tiles_init<true, EltwiseBinaryType::ELWMUL>(0, 1);
      binary_dest_reuse_tiles_init<EltwiseBinaryType::ELWADD, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(0);
      binary_dest_reuse_tiles<EltwiseBinaryType::ELWADD, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1, 0, 0);
      add_tiles_init(); add_tiles_init(0, 1); add_tiles_init(0, 1, true); sub_tiles_init(); mul_tiles_init(0, 1);
      mm_init(); mm_init(0, 1, 16); mm_init(0, 1, 16, 0); mm_init_short(); mm_init_short(0, 1, 0);
      copy_tile_to_dst_init_short(); copy_tile_to_dst_init_short(0, 0); copy_tile_init(); copy_tile_init(3);
      copy_tile_to_dst_init_short_with_dt(0, 1);
      init_sfpu(0); init_sfpu(0, 16); unary_op_init_common(0); unary_op_init_common(0, 16);
      acquire_dst(tt::DstMode::Half); release_dst(tt::DstMode::Half); acquire_dst(); release_dst();
      exp_tile_init(); exp_tile_init<true>(); exp_tile(0); exp_tile<true>(0); gelu_tile(0); rsqrt_tile<false>(0);
      pack_reconfig_data_format(16); reconfig_data_format(0, 1); reconfig_data_format_srca(0, 1);
      PACK((llk_pack_relu_config(ReluType::ZERO_RELU)));
      matmul_block(0, 1, 0, 0, 0, false, 2, 2, 4);
    })",
                 Processor::kCompute));
}

TEST_F(Compiler, DataMovementSignaturesCompile) {
  compile(source(R"(
    void kernel_main() {
      const InterleavedAddrGen<true> dram = {.bank_base_address = 32, .page_size = 64};
      const InterleavedAddrGenFast<false> l1 = {.bank_base_address = 0, .page_size = 2048, .data_format = DataFormat::Float16_b};
      const InterleavedPow2AddrGen<true> pow2 = {.bank_base_address = 32, .log_base_2_of_page_size = 6};
      const InterleavedPow2AddrGenFast<true> pow2_fast = {.bank_base_address = 32, .log_base_2_of_page_size = 6};
      uint64_t a = get_noc_addr(1, 2, 3) + get_noc_addr(4) + get_noc_addr(0, dram) + get_noc_addr(0, l1, 4) + get_noc_addr(0, pow2);
      a += get_noc_addr_from_bank_id<true>(0, 0) + get_noc_multicast_addr(1, 1, 2, 2, 0x100) + get_noc_addr(0, pow2_fast);
      noc_async_read(a, 0, 4); noc_async_read<64>(a, 0, 4); noc_async_read(a, 0, 4, 1);
      noc_async_write(0, a, 4); noc_async_write<64>(0, a, 4);
      noc_async_read_tile(0, l1, 0); noc_async_write_tile(0, l1, 0); l1.noc_async_read_tile(0, 0);
      noc_async_read_page(0, pow2_fast, 0); noc_async_write_page(0, pow2_fast, 0, 64);
      noc_async_write_multicast(0, a, 4, 3); noc_async_write_multicast(0, a, 4, 3, false, true);
      noc_async_write_multicast_loopback_src(0, a, 4, 3);
      noc_async_read_barrier(); noc_async_write_barrier(); noc_async_writes_flushed(); noc_async_atomic_barrier();
      volatile tt_l1_ptr uint32_t* s = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
      noc_semaphore_set(s, 0); noc_semaphore_inc(a, 1); noc_semaphore_wait(s, 1); noc_semaphore_wait_min(s, 1);
      noc_semaphore_set_multicast(get_semaphore(1), a, 3); noc_semaphore_set_multicast(get_semaphore(1), a, 3, false);
      noc_semaphore_set_remote(0, a); noc_inline_dw_write(a, 1); noc_inline_dw_write(a, 1, 0xf, 0);
      noc_async_read_one_packet_set_state(a, 4); noc_async_read_one_packet_with_state(0, 0);
      noc_async_write_one_packet_set_state(a, 4); noc_async_write_one_packet_with_state(0, 0);
      uint32_t x = my_x[noc_index] + my_y[0] + get_absolute_logical_x() + get_relative_logical_y() + get_arg_addr(1) + get_common_arg_addr(0);
      x += get_arg_val<uint32_t>(0) + get_arg_val<int32_t>(1) + get_common_arg_val<float>(0) + MEM_ZEROS_BASE + NUM_DRAM_BANKS;
      *(volatile uint32_t*)0x30000 = x;
    })"));
}

TEST_F(Compiler, TilesOfNoFormatHaveNoPages) {
  LoneKernel run;
  const auto object = compile_body(R"(
    const InterleavedAddrGenFast<true> tiles = {.bank_base_address = 32, .page_size = 2048, .data_format = get_dataformat(3)};
    noc_async_read_tile(5, tiles, 64);)");
  EXPECT_THAT(run.run(object).failure(), HasSubstr("data_format is Invalid"));
}

TEST_F(Compiler, AddressGeneratorsFindPagesInTheirBanks) {
  const auto object = compile_body(R"(
    const InterleavedAddrGen<true> pages = {.bank_base_address = 1024, .page_size = 40};
    noc_async_read(get_noc_addr(7, pages, 8), 16, 40);
    const InterleavedAddrGenFast<true> tiles = {.bank_base_address = 32, .page_size = 2048, .data_format = DataFormat::Float16_b};
    noc_async_read_tile(5, tiles, 64);)");
  LoneKernel run;
  EXPECT_EQ(run.run(object).calls(),
            "read " + std::to_string((uint64_t{2} << 36) + 1024 + 2 * 64 + 8) + " 16 40; read " +
                std::to_string((uint64_t{3} << 36) + 32 + 2048) + " 64 2048; ");
}

TEST_F(Compiler, ComputeKernelInNamespaceRuns) {
  const auto object = compile(source(R"(
    #include "compute_kernel_api/common.h"
    #include "compute_kernel_api/matmul.h"
    #include "compute_kernel_api/eltwise_unary/exp.h"
    namespace NAMESPACE {
    void MAIN {
      mm_init();
      tile_regs_acquire();
      matmul_tiles(0, 1, 2, 3, 4, 1);
      MATH((exp_tile(5)));
      tile_regs_commit();
      tile_regs_wait();
      PACK(pack_tile(4, 16));
      pack_tile(5, 16);
      pack_tile<true>(6, 16, 7);
      tile_regs_release();
      cb_push_back(16, 2);
      pack_tile(8, 16);
    }
    })",
                                     Processor::kCompute));
  LoneKernel run;
  run.add_buffer(16, 2048, 4);
  EXPECT_EQ(
      run.run(object).calls(),
      "acquire; matmul 0 1 2 3 4 1; unary 0 5; commit; pack 4 16 0; pack 5 16 1; pack 6 16 7; "
      "release; pack 8 16 0; ");
}

TEST_F(Compiler, ComputeKernelMayBePlainKernelMain) {
  const auto object =
      compile(source("void kernel_main() { mm_init(0, 1, 16, 1); matmul_tiles(0, 1, 2, 3, 4); }",
                     Processor::kCompute));
  LoneKernel run;
  EXPECT_EQ(run.run(object).calls(), "matmul 0 1 2 3 4 1; ");
}

TEST_F(Compiler, FailedAssertNamesItsPlace) {
  const auto object =
      compile(source("#include \"debug/assert.h\"\n\nvoid kernel_main() { "
                     "ASSERT(get_arg_val<uint32_t>(0) == 4); }"));
  LoneKernel good({4});
  EXPECT_EQ(good.run(object).failure(), "");
  LoneKernel bad({5});
  EXPECT_EQ(bad.run(object).failure(),
            "example.cpp:3: ASSERT(get_arg_val<uint32_t>(0) == 4) failed");
}

TEST_F(Compiler, PrintsAreFormattedAsAStreamDoes) {
  KernelSource kernel = source(R"(
    #include "debug/dprint.h"
    void kernel_main() {
      uint8_t byte = 200; int16_t small = -3; uint64_t large = 1ull << 40; volatile uint32_t word = 7;
      DPRINT << "text " << 'c' << byte << ' ' << small << ' ' << large << ' ' << word << ' ' << true << ENDL();
      DPRINT << HEX() << 255 << ' ' << -1 << DEC() << ' ' << SETW(5) << 42 << 7 << SETW(0) << ENDL();
      DPRINT << 1.5f << ' ' << 0.1f << ' ' << 123456.0f << ' ' << 1234567.0f << ' ' << 1e-5f << ' ' << 0.0001f << ' ' << -0.0f << ENDL();
      DPRINT << 1e20f << ' ' << 3e-39f << ' ' << 1.0f / 0.0f << ' ' << 100.0f << ' ' << 999999.5f << ENDL();
      DPRINT << F32(2.5f) << ' ' << BF16(0x3fc0) << ' ' << SETPRECISION(3) << 3.14159f << ' ' << FIXED() << 2.0f << ' ' << 0.9996f << ENDL();
      DPRINT << DEFAULTFLOAT() << SETPRECISION(6) << 2.0f << ' ' << -0.0f / 0.0f << ' ' << -1e30f * 1e30f << FIXED() << ' ' << SETPRECISION(0) << 2.5f << ' ' << 3.5f << ' ' << 1e20f << ENDL();
      DPRINT << OCT() << 64 << ' ' << -1 << BIN() << ' ' << U32(5) << DEC() << ' ' << -7 << '[' << SETW(4, false) << 1 << 2 << SETW(3) << "ab" << "cdef" << 'g' << SETW(0) << ']' << ENDL();
      DPRINT << LONG << ENDL();
      DPRINT_DATA0(DPRINT << "zero");
      DPRINT_DATA1(DPRINT << "one");
    })");
  // Longer than what the kernel hands over at once, and exactly as long.
  const std::string exact(256, 'e'), longer(600, 'l');
  kernel.defines = {{"LONG", '"' + exact + "\" << \"" + longer + '"'}};
  const auto object = compile(kernel);
  LoneKernel run;
  EXPECT_EQ(run.run(object).printed(),
            "text c200 -3 1099511627776 7 1\n"
            "ff ffffffff    42    7\n"
            "1.5 0.1 123456 1.23457e+06 1e-05 0.0001 -0\n"
            "1e+20 3e-39 inf 100 1e+06\n"
            "2.5 1.5 3.14 2.000 1.000\n"
            "2 nan -inf 2 4 1e+20\n"
            "100 37777777777 101 -7[   12 abcdef  g]\n" +
                exact + longer + "\nzero");
}

TEST_F(Compiler, PlaceholdersAreFilledAsStdFormatDoes) {
  const auto object = compile(source(R"(
    #include "api/debug/dprint.h"
    enum class Colour : uint8_t { kRed = 3 };
    void kernel_main() {
      const char* text = "text";
      DPRINT("{} {} {}|", 42u, -7, uint64_t{1} << 40); DPRINT("{{}} {1} {0}\n", 'c', text);
      DPRINT("{:x} {:#X} {:#b} {:o} {:#x}|{:+} {: }\n", 255, 255, 5, 8, -16, 3, 4);
      DPRINT("[{:5}][{:<5}][{:^5}][{:*>5}][{:05}][{:#06x}]\n", 42, 42, 42, 42, -42, 42);
      DPRINT("[{:6}][{:>6}][{:.2}][{:5c}][{:d}]\n", text, text, text, 'c', 'a');
      DPRINT("{} {} {:.3f} {:8.2f}| {:+.1f} {}\n", 1.5f, 0.1, 3.14159f, -2.5, 2.0f, -0.0f);
      DPRINT("{} {} {} {}\n", true, Colour::kRed, bf16_t(0x3fc0), CTSTR("ct"));
      DPRINT("{} {} {}\n", BF16(0x3fc0), reinterpret_cast<volatile uint32_t*>(0x30000), F32(2.5f));
      if (text != nullptr) DEVICE_PRINT("one\n"); else DEVICE_PRINT("other\n");
      DPRINT_DATA0("zero {}\n", 0); DPRINT_DATA0("alone\n"); DPRINT_DATA1("one {}\n", 1);
      DPRINT_DATA0({ DPRINT << "old" << ENDL(); });
      DPRINT("{:}> {:x}>\n", 1, 255);
    })"));
  LoneKernel run;
  EXPECT_EQ(run.run(object).printed(),
            "42 -7 1099511627776|{} text c\n"
            "ff 0XFF 0b101 10 -0x10|+3  4\n"
            "[   42][42   ][ 42  ][***42][-0042][0x002a]\n"
            "[text  ][  text][te][c    ][97]\n"
            "1.5 0.1 3.142    -2.50| +2.0 -0\n"
            "true 3 1.5 ct\n"
            "1.5 0x30000 2.5\n"
            "one\nzero 0\nalone\nold\n1> ff>\n");
}

TEST_F(Compiler, PlaceholdersAndArgumentsThatDoNotMatchDoNotCompile) {
  for (const char* call : {"DPRINT(\"{} {}\", 1)", "DPRINT(\"{}\", 1, 2)", "DPRINT(\"{1}\", 1)"}) {
    SCOPED_TRACE(call);
    const auto object = compile_kernel(source("#include \"api/debug/dprint.h\"\nvoid kernel_main() "
                                              "{ " +
                                              std::string(call) + "; }"),
                                       {});
    EXPECT_THAT(std::string(object.status().message()),
                HasSubstr("the placeholders are not as many as the arguments"));
  }
}

TEST_F(Compiler, PointersArePrintedAsTheDevicesAddresses) {
  const auto object = compile(source(R"(
    #include "debug/dprint.h"
    void kernel_main() {
      auto* words = (volatile tt_l1_ptr uint32_t*)0x30000;
      DPRINT << words << ' ' << HEX() << words + 1 << ' ' << (void*)0x30008 << DEC() << ENDL();
      char text[] = "text";
      DPRINT << text << ' ' << (volatile char*)0x30001 << ENDL();
    })"));
  LoneKernel run;
  EXPECT_EQ(run.run(object).printed(), "196608 30004 30008\ntext 196609\n");
}

TEST_F(Compiler, TileSlicePrintsRowsOfATile) {
  const auto object = compile(source(R"(
    #include "debug/dprint.h"
    void kernel_main() {
      auto* tile = (uint16_t*)get_write_ptr(0);
      for (uint32_t i = 0; i < 1024; ++i) tile[i] = 0x3f80;
      tile[256] = 0x4000;
      DPRINT << TileSlice(0, 0, SliceRange::hw0_32_16());
      DPRINT << TSLICE(0, 0, SliceRange{.h0 = 0, .h1 = 1, .hs = 1, .w0 = 15, .w1 = 17, .ws = 1}, TSLICE_INPUT_CB, TSLICE_WR_PTR, true, true);
    })"));
  LoneKernel run;
  run.add_buffer(0, 2048, 2);
  EXPECT_EQ(run.run(object).printed(), "1 2 \n1 1 \n1 2 \n");
}

struct ShownFormat {
  DataFormat format;
  std::vector<uint32_t> first, second;  // the words at the begins of rows 0 and 1
  const char* shown;                    // two elements of each row
};

const ShownFormat kShownFormats[] = {
    {DataFormat::Float32, {0x3fc00000, 0xc0000000}, {0x42c80000, 0}, "1.5 -2 \n100 0 \n"},
    {DataFormat::Bfp8_b, {0xa040}, {0x4060}, "1 -0.5 \n3 2 \n"},
    {DataFormat::Bfp4_b, {0xa4}, {0x6c}, "1 -0.5 \n-2 3 \n"},
    {DataFormat::Int32, {0xffffffff, 7}, {0x80000000, 0}, "-1 7 \n-2147483648 0 \n"},
    {DataFormat::UInt32, {0xffffffff, 7}, {0x80000000, 0}, "4294967295 7 \n2147483648 0 \n"},
    {DataFormat::UInt16, {0x0007ffff}, {0x00018000}, "65535 7 \n32768 1 \n"},
    {DataFormat::UInt8, {0x07ff}, {0x0180}, "255 7 \n128 1 \n"}};

// A tile in circular buffer `index`. Block formats begin with the exponents of rows: 127 for row 0,
// 128 for row 1.
void add_tile(LoneKernel& run, uint32_t index, const ShownFormat& shown) {
  const uint32_t size = tile_bytes(shown.format), exponents = size % 512;
  run.add_buffer(index, size, 1);
  auto& cb = run.context()->cb[index];
  cb.format = static_cast<uint32_t>(shown.format);
  cb.base = cb.read_ptr = cb.write_ptr = 0x10000 + 0x1000 * index;
  cb.limit = cb.base + size;
  if (exponents != 0) run.l1().words(cb.base)[0] = 128 << 8 | 127;
  const uint32_t row_bytes = (size - exponents) / 64;
  std::ranges::copy(shown.first, run.l1().words(cb.base + exponents));
  std::ranges::copy(shown.second, run.l1().words(cb.base + exponents + row_bytes));
}

TEST_F(Compiler, TileSlicePrintsElementsOfEachFormat) {
  const auto object = compile(source(R"(
    #include "debug/dprint.h"
    void kernel_main() {
      for (uint8_t cb = 0; cb < get_arg_val<uint32_t>(0); ++cb)
        DPRINT << TileSlice(cb, 0, SliceRange{.h0 = 0, .h1 = 2, .hs = 1, .w0 = 0, .w1 = 2, .ws = 1});
    })"));
  LoneKernel run({static_cast<uint32_t>(std::size(kShownFormats))});
  std::string expected;
  uint32_t index = 0;
  for (const ShownFormat& shown : kShownFormats) {
    add_tile(run, index++, shown);
    expected += shown.shown;
  }
  EXPECT_EQ(run.run(object).printed(), expected);
}

TEST_F(Compiler, TileSliceLooksAtThePageAndInTheOrderThatItIsGiven) {
  KernelSource kernel = source(R"(
    #include "debug/dprint.h"
    void kernel_main() {
      auto* words = (uint32_t*)get_write_ptr(0);
      for (uint32_t i = 0; i < 2048; ++i) words[i] = i;
      lightmetal::kernel::circular_buffer(0).write_ptr += 4096;
      const SliceRange range{.h0 = 0, .h1 = 2, .hs = 1, .w0 = 0, .w1 = 1, .ws = 1};
      DPRINT << TileSlice(0, 1, range);
      DPRINT << TileSlice(0, 0, range, TSLICE_OUTPUT_CB, TSLICE_WR_PTR);
      DPRINT << TileSlice(0, 0, range, false) << ENDL();
      DPRINT << TileSlice(0, 0, range, true, false);
      DPRINT << TileSlice(0, 2, range);
    })");
  LoneKernel run;
  run.add_buffer(0, 4096, 2);
  run.context()->cb[0].format = static_cast<uint32_t>(DataFormat::UInt32);
  EXPECT_EQ(run.run(compile(kernel)).printed(), "1024 \n1040 \n1024 \n1040 \n0 16 \n0 \n32 \n");
  EXPECT_THAT(run.failure(), HasSubstr("circular buffer 0: TileSlice looks past its end"));
}

TEST_F(Compiler, TileSliceIsAnArgumentOfAFormat) {
  const auto object = compile(source(R"(
    #include "debug/dprint.h"
    void kernel_main() {
      auto* tile = (uint16_t*)CB_WR_PTR(0);
      for (uint32_t i = 0; i < 1024; ++i) tile[i] = 0x3f80;
      tile[256] = 0x4000;
      DPRINT("tile {}:\n{}", 0, TileSlice(0, 0, SliceRange::hw0_32_16()));
      DPRINT("{} {} {}\n", CB_PAGE_COUNT(0), CB_PAGE_SIZE(0), CB_RD_LIM(0) - CB_RD_PTR(0));
    })"));
  LoneKernel run;
  run.add_buffer(0, 2048, 2);
  EXPECT_EQ(run.run(object).printed(), "tile 0:\n1 2 \n1 1 \n2 2048 4096\n");
}

TEST_F(Compiler, TileSliceKnowsTheShapeOfATile) {
  KernelSource kernel = source(R"(
    #include "debug/dprint.h"
    void kernel_main() {
      auto* tile = (uint16_t*)get_write_ptr(0);
      for (uint32_t i = 0; i < 128; ++i) tile[i] = 0x3f80;
      tile[64] = 0x4000;  // the first row of the second face
      tile[48] = 0x4040;  // the last row of the first face
      DPRINT << TileSlice(0, 0, SliceRange::hw0_32_16());
      DPRINT << TileSlice(0, 0, SliceRange::h0_32_w0());
    })");
  kernel.circular_buffers = {{0, DataFormat::Float16_b, 4, 32}};
  LoneKernel run;
  run.add_buffer(0, 256, 1);
  EXPECT_EQ(run.run(compile(kernel)).printed(), "1 2 \n1 \n1 \n1 \n3 \n");
}

}  // namespace
}  // namespace lightmetal::device::cpu
