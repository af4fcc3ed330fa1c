// Kernels that nobody here wrote: what they find without asking, and where they find the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/device/compiler/compiler_test_kit.h"

namespace lightmetal::device::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OutsideKernel : public Compiler {
 protected:
  OutsideKernel() { setenv("TT_METAL_HOME", home().c_str(), 1); }
  ~OutsideKernel() override { unsetenv("TT_METAL_HOME"); }

  fs::path home() const { return folder_ / "home"; }

  void add_header(const fs::path& name, const std::string& text) const {
    fs::create_directories((home() / name).parent_path());
    write_text(home() / name, text);
  }
};

TEST_F(OutsideKernel, FindsHeadersOfATreeBelowTtMetalHome) {
  add_header("of_home.hpp", "#define A 1\n");
  add_header("tt_metal/hw/inc/of_device.h", "#define B 2\n");
  add_header("tt_metal/api/tt-metalium/of_host.hpp", "#define C 3\n");
  add_header("tt_metal/include/compute_kernel_api/of_compute.h", "#define D 4\n");
  add_header("tt_metal/hostdevcommon/api/hostdevcommon/of_both.h", "#define E 5\n");
  add_header("ttnn/cpp/ttnn/operations/of_ttnn.hpp", "#define F 6\n");
  compile(source(R"(
    #include "of_home.hpp"
    #include "of_device.h"
    #include <tt-metalium/of_host.hpp>
    #include "compute_kernel_api/of_compute.h"
    #include "hostdevcommon/of_both.h"
    #include "ttnn/operations/of_ttnn.hpp"
    #include "cpp/ttnn/operations/of_ttnn.hpp"
    #include "ttnn/cpp/ttnn/operations/of_ttnn.hpp"
    static_assert(A + B + C + D + E + F == 21);
    void kernel_main() {})"));
}

// A tree's own would declare again what kernels have.
TEST_F(OutsideKernel, HasOurAddressMapBeforeThatOfATree) {
  add_header("tt_metal/hostdevcommon/api/hostdevcommon/common_runtime_address_map.h",
             "#error the tree's\n");
  compile(source(R"(
    #include "hostdevcommon/common_runtime_address_map.h"
    static_assert(VALID == 1 && INVALID == 0);
    void kernel_main() {})"));
}

// Both have 32 bits on the device.
TEST_F(OutsideKernel, ComparesAWordWithASize) {
  compile(source(R"(
    constexpr uint32_t kWord = 7;
    static_assert(std::min(kWord, 2 * sizeof(uint32_t)) == 7);
    static_assert(std::max(sizeof(uint16_t) * 8, kWord) == 16);
    static_assert(__is_same(decltype(std::min(kWord, sizeof(int))), uint32_t));
    static_assert(__is_same(decltype(std::min(kWord, kWord)), const uint32_t&));
    void kernel_main() {})"));
}

// The package has all of it below `ttnn`; TT_METAL_HOME is that folder or the one around it.
TEST_F(OutsideKernel, FindsHeadersOfAPythonPackage) {
  add_header("ttnn/cpp/ttnn/operations/of_ttnn.hpp", "#define A 1\n");
  add_header("ttnn/tt_metal/hw/inc/of_device.h", "#define B 2\n");
  add_header("ttnn/ttnn/deprecated/of_old.hpp", "#define D 4\n");
  add_header("ttnn/ttnn/cpp/ttnn/deprecated/of_older.hpp", "#define E 5\n");
  add_header("ttnn/tt_metal/api/tt-metalium/of_host.hpp", "#define C 3\n");
  const std::string text = R"(
    #include "ttnn/operations/of_ttnn.hpp"
    #include "cpp/ttnn/operations/of_ttnn.hpp"
    #include "ttnn/cpp/ttnn/operations/of_ttnn.hpp"
    #include "of_device.h"
    #include "tt-metalium/of_host.hpp"
    #include "tt_metal/api/tt-metalium/of_host.hpp"
    #include "ttnn/deprecated/of_old.hpp"
    #include "ttnn/deprecated/of_older.hpp"
    static_assert(A + B + C + D + E == 15);
    void kernel_main() {})";
  compile(source(text));
  setenv("TT_METAL_HOME", (home() / "ttnn").c_str(), 1);
  compile(source(text));
}

TEST_F(OutsideKernel, FindsOurHeadersBeforeUpstreams) {
  for (const char* name :
       {"dataflow_api.h", "tt_metal/hw/inc/dataflow_api.h", "hw/inc/debug/dprint.h",
        "tt_metal/hw/inc/noc/noc_parameters.h", "tt_metal/include/compute_kernel_api/common.h",
        "tt_metal/include/compute_kernel_api.h", "tt_metal/api/tt-metalium/constants.hpp"}) {
    add_header(name, "#error \"upstream's\"\n");
  }
  compile(source(R"(
    #include "dataflow_api.h"
    #include "tt_metal/hw/inc/dataflow_api.h"
    #include "hw/inc/debug/dprint.h"
    #include "noc/noc_parameters.h"
    #include <tt-metalium/constants.hpp>
    void kernel_main() {})"));
  compile(source(R"(
    #include "compute_kernel_api/common.h"
    #include "tt_metal/include/compute_kernel_api.h"
    void kernel_main() {})",
                 Processor::kCompute));
}

// Without the folder of a program's tree, in which upstream's would be.
TEST_F(OutsideKernel, FindsTheHeadersOfTracy) {
  compile(source(R"(
    #include "tracy/Tracy.hpp"
    #include "common/TracyColor.hpp"
    #include <TracyColor.hpp>
    void kernel_main() {
      ZoneScopedNC("zone", tracy::Color::Tomato);
      ZoneValue(3);
      FrameMarkNamed("frame");
      TracyMessageL("message");
    })"));
}

// In trees of 2026 the folder is the kernel API itself; what we do not have is not taken from
// there.
TEST_F(OutsideKernel, TakesNothingOfTheKernelApiOf2026FromUpstream) {
  add_header("tt_metal/hw/inc/api/compute/of_api.h", "#define A 1\n");
  add_header("tt_metal/hw/inc/internal/of_internal.h", "#define B 1\n");
  compile(source(R"(
    #if __has_include("api/compute/of_api.h") || __has_include("internal/of_internal.h")
    #error "upstream's"
    #endif
    void kernel_main() {})"));
}

// As the helpers of the ttnn package ask for them.
TEST_F(OutsideKernel, ComputeKernelsHaveTheNamesOfTheirProcessorsAndOfDst) {
  KernelSource kernel = source(R"(
    #if !defined(UCK_CHLKC_UNPACK) || !defined(UCK_CHLKC_MATH) || !defined(UCK_CHLKC_PACK)
    #error "a name of a compute processor is not there"
    #endif
    static_assert(DST_SYNC_MODE == DstSync::SyncFull && !DST_ACCUM_MODE);
    static_assert(unpack_src_format[3] == 5 && pack_dst_format[3] == 5);
    static_assert(unpack_tile_r_dim[3] == 32 && pack_tile_c_dim[3] == 32);
    static_assert(unpack_tile_size[3] == 2048 && pack_tile_size[3] == 2048);
    static_assert(unpack_src_format[4] == 255 && unpack_tile_r_dim[4] == 0);
    static_assert(unpack_tile_size[4] == 0);
    void kernel_main() {})",
                               Processor::kCompute);
  kernel.dst_full_sync_en = true;
  kernel.circular_buffers.push_back({.index = 3, .format = DataFormat::Float16_b});
  compile(kernel);
}

TEST_F(OutsideKernel, IsCompiledAgainWhenAHeaderBelowTtMetalHomeChanges) {
  add_header("tt_metal/hw/inc/of_device.h", "#define VALUE 1\n");
  const auto kernel = source(
      "#include \"of_device.h\"\nvoid kernel_main() { *(volatile uint32_t*)0x30000 = VALUE; }");
  EXPECT_EQ(LoneKernel().run(compile(kernel)).output(0), 1u);
  add_header("tt_metal/hw/inc/of_device.h", "#define VALUE 2\n");
  EXPECT_EQ(LoneKernel().run(compile(kernel)).output(0), 2u);
}

// Gcc's way to say that a loop is not to be unrolled. Its headers count as those of others.
TEST_F(OutsideKernel, MaySayThatALoopIsNotUnrolled) {
  const std::string loop =
      "uint32_t sum = 0;\n#pragma GCC unroll 0\nfor (uint32_t i = 0; i < N; ++i) sum += i;\n";
  add_header("loop.h", "#define N 4u\n");
  const auto kernel = source("#include \"loop.h\"\nvoid kernel_main() {\n" + loop +
                             "*(volatile uint32_t*)0x30000 = sum; }");
  EXPECT_EQ(LoneKernel().run(compile(kernel)).output(0), 6u);
  add_header("loop.h", "#define N 5u\n");
  EXPECT_EQ(LoneKernel().run(compile(kernel)).output(0), 10u);
}

TEST_F(OutsideKernel, HasCompileTimeArgumentsInConditions) {
  auto kernel = source(R"(
    #define INDEX 1
    #if get_compile_time_arg_val(1) != 7 || get_compile_time_arg_val(INDEX) != 7
    #error "argument 1 is 7"
    #endif
    constexpr uint32_t first = 0;
    template <uint32_t N> constexpr uint32_t argument() { return get_compile_time_arg_val(N); }
    static_assert(get_compile_time_arg_val(first) == 5 && get_compile_time_arg_val(first + 1) == 7);
    static_assert(get_compile_time_arg_val(1 - 1) == 5 && get_compile_time_arg_val((1)) == 7);
    static_assert(argument<1>() == 7 && kernel_compile_time_args.size() == 2);
    void kernel_main() {})");
  kernel.compile_args = {5, 7};
  compile(kernel);
}

TEST_F(OutsideKernel, OfDataMovementHasNamesWithoutAnInclude) {
  compile(source(R"(
    void kernel_main() {
      DeviceZoneScopedN("zone");
      uint small = std::min<uint32_t>(VALID, INVALID);
      std::array<uint32_t, 2> pair = {std::numeric_limits<uint32_t>::max(), std::max(1u, small)};
      alignas(uint32_t) char place[4];
      uint32_t* made = new (place) uint32_t(pair[1]);
      DPRINT << *made << ENDL();
      WAYPOINT("HERE");
      static_assert(align(33, 32) == 64 && align_power_of_2(33, 32) == 64 && is_power_of_2(8));
      static_assert(noc_mode == DM_DEDICATED_NOC);
      const int wanted = 600;
      static_assert(std::min(wanted, MEM_ZEROS_SIZE) == 512);
      std::memcpy(place, &small, sizeof(small));
      std::memset(place, 0, sizeof(place));
      std::memmove(place, &small, sizeof(small));
    })"));
}

TEST_F(OutsideKernel, OfComputeHasNamesWithoutAnInclude) {
  compile(source(R"(
    void kernel_main() {
      DeviceZoneScopedN("zone");
      compute_kernel_hw_startup(0, 1, 16);
      uint width = std::min<uint32_t>(TILE_WIDTH, FACE_HEIGHT);
      static_assert(TILE_HEIGHT == TILE_R_DIM && TILE_NUM_FACES == 4);
      DPRINT << width << ENDL();
      tensix_sync();
    })",
                 Processor::kCompute));
}

TEST_F(OutsideKernel, FindsHeadersUnderEveryNameThatUpstreamHas) {
  const std::vector<std::string> of_both = {"circular_buffer.h",
                                            "circular_buffer_constants.h",
                                            "core_config.h",
                                            "debug/dprint.h",
                                            "defines_generated.h",
                                            "dev_mem_map.h",
                                            "dprint.h",
                                            "dprint_pages.h",
                                            "dprint_tile.h",
                                            "dprint_tensix.h",
                                            "tt_metal/tools/profiler/kernel_profiler.hpp",
                                            "tt_metal/hostdevcommon/common_values.hpp",
                                            "kernel_profiler.hpp",
                                            "mod_div_lib.h",
                                            "noc/noc_parameters.h",
                                            "noc_parameters.h",
                                            "noc_nonblocking_api.h",
                                            "tensix_types.h",
                                            "utils/utils.h",
                                            "firmware_common.h",
                                            "tt-metalium/constants.hpp",
                                            "tt-metalium/buffer_types.hpp",
                                            "tt-metalium/buffer_constants.hpp",
                                            "tt-metalium/circular_buffer_constants.h",
                                            "debug/dprint_tensix.h",
                                            "api/debug/dprint.h"};
  const std::vector<std::string> of_data_movement = {"api/dataflow/dataflow_api.h",
                                                     "dataflow_api_addrgen.h",
                                                     "dataflow_api_common.h",
                                                     "dataflow_cmd_bufs.h",
                                                     "api/dataflow/noc.h",
                                                     "api/dataflow/circular_buffer.h",
                                                     "api/dataflow/endpoints.h",
                                                     "api/dataflow/noc_semaphore.h",
                                                     "api/semaphore.h",
                                                     "api/tensor/tensor_accessor.h"};
  const std::vector<std::string> of_compute = {"api/compute/compute_kernel_api.h",
                                               "api/compute/common.h",
                                               "ckernel.h",
                                               "ckernel_debug.h",
                                               "ckernel_defs.h",
                                               "ckernel_globals.h",
                                               "ckernel_include.h",
                                               "ckernel_sfpu.h",
                                               "ckernel_sfpu_recip.h",
                                               "llk_api/experimental/llk_sfpu/ckernel_sfpu_sdpa.h",
                                               "api/compute/eltwise_binary.h",
                                               "api/dataflow/circular_buffer.h"};
  for (const Processor processor : {Processor::kRiscv1, Processor::kCompute}) {
    std::string text;
    const auto& own = processor == Processor::kCompute ? of_compute : of_data_movement;
    for (const auto* names : {&of_both, &own}) {
      for (const std::string& name : *names) text += "#include \"" + name + "\"\n";
    }
    compile(source(text + "void kernel_main() {}", processor));
  }
}

TEST_F(OutsideKernel, OfComputeMayHaveItsMainAtTopLevel) {
  const auto object = compile(source(R"(
    #include "api/compute/common.h"
    #include "api/dataflow/circular_buffer.h"
    void kernel_main() {
      CircularBuffer in(0), out(1);
      in.wait_front(1);
      tile_regs_acquire();
      out.reserve_back(1);
      pack_tile(0, 1);
      out.push_back(1);
      in.pop_front(1);
    })",
                                     Processor::kCompute));
  LoneKernel run;
  run.add_buffer(0, 2048, 1);
  run.add_buffer(1, 2048, 4);  // the kit has one pair of counters for all
  EXPECT_EQ(run.run(object).calls(), "wait 0 1; acquire; pack 0 1 0; ");
}

TEST_F(OutsideKernel, MovesPagesOfATensorAccessorByTheNocObject) {
  auto kernel = source(R"(
    #include "api/dataflow/circular_buffer.h"
    #include "api/dataflow/noc.h"
    void kernel_main() {
      constexpr auto args = TensorAccessorArgs<0>();
      const TensorAccessor pages(args, 1024, 40);
      Noc noc;
      CircularBuffer cb(0);
      cb.reserve_back(1);
      noc.async_read(pages, cb, 40, {.page_id = 7, .offset_bytes = 8}, {});
    })");
  kernel.compile_args = {2, 64};  // interleaved in DRAM, and the aligned page size
  LoneKernel run;
  run.add_buffer(0, 2048, 1);
  EXPECT_EQ(run.run(compile(kernel)).calls(),
            "read " + std::to_string((uint64_t{2} << 36) + 1024 + 2 * 64 + 8) + " 65536 40; ");
}

TEST_F(OutsideKernel, WaitsForTheWallClock) {
  const auto object = compile_body(R"(
    volatile uint* low = reinterpret_cast<volatile uint*>(RISCV_DEBUG_REG_WALL_CLOCK_L);
    volatile uint* high = reinterpret_cast<volatile uint*>(RISCV_DEBUG_REG_WALL_CLOCK_H);
    const uint64_t begin = low[0] | ((uint64_t)high[0] << 32);
    uint64_t now = 0;
    do {
      now = low[0] | ((uint64_t)high[0] << 32);
    } while (now < begin + 10000);
    *(volatile uint32_t*)0x30000 = now - begin >= 10000;)");
  EXPECT_EQ(LoneKernel().run(object).output(0), 1u);
}

TEST_F(OutsideKernel, FindsNoTransferOutstanding) {
  const auto object = compile_body(R"(
    ncrisc_noc_set_transaction_id(noc_index, write_cmd_buf, 3);
    while (!ncrisc_noc_reads_flushed(noc_index) || !ncrisc_noc_nonposted_writes_sent(noc_index)) {}
    while (!ncrisc_noc_nonposted_writes_flushed(noc_index)) {}
    while (!ncrisc_noc_nonposted_write_with_transaction_id_flushed(noc_index, 3)) {}
    volatile uint32_t* result = (volatile uint32_t*)0x30000;
    result[0] = NOC_STATUS_READ_REG(noc_index, NIU_MST_REQS_OUTSTANDING_ID(3));
    result[1] = ++noc_reads_num_issued[noc_index];)");
  EXPECT_THAT(LoneKernel().run(object).outputs(2), ElementsAre(0, 1));
}

TEST_F(OutsideKernel, DividesByNames) {
  const auto object = compile(source(R"(
    #include "mod_div_lib.h"
    void kernel_main() {
      volatile uint32_t* result = (volatile uint32_t*)0x30000;
      result[0] = mulsi3(6, 7);
      result[1] = fast_udiv_12(131);
      result[2] = udivsi3_const_divisor<94>(940);
      result[3] = umodsi3_const_divisor<94>(945);
    })"));
  EXPECT_THAT(LoneKernel().run(object).outputs(4), ElementsAre(42, 10, 10, 5));
}

TEST_F(OutsideKernel, KnowsTheNocModeThatItsHostChose) {
  auto kernel = source("static_assert(noc_mode == DM_DYNAMIC_NOC);\nvoid kernel_main() {}");
  EXPECT_THAT(error_of(kernel), HasSubstr("noc_mode == DM_DYNAMIC_NOC"));
  kernel.defines = {{"NOC_MODE", "DM_DYNAMIC_NOC"}};
  compile(kernel);
}

}  // namespace
}  // namespace lightmetal::device::cpu
