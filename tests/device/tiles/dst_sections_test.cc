#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_program.h"

// Who owns DST, and what a section holds when a kernel gets it: as on hardware, zeros from the
// release of what was packed, and from nothing else.
namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;

// ---- The kernel's settings and the calls ----

struct Settings {
  const char* name;
  bool full_sync;
  bool fp32;

  friend void PrintTo(const Settings& settings, std::ostream* out) { *out << settings.name; }
};
constexpr Settings kSettings[] = {{"HalfSync", false, false},
                                  {"FullSync", true, false},
                                  {"HalfSyncFp32", false, true},
                                  {"FullSyncFp32", true, true}};

struct Calls {
  const char* name;
  const char* acquire;
  const char* commit;
  const char* release;
};
constexpr Calls kCalls[] = {
    {"TileRegs", "tile_regs_acquire();", "tile_regs_commit(); tile_regs_wait();",
     "tile_regs_release();"},
    {"TileRegsOfProcessors", "MATH((tile_regs_acquire()));",
     "MATH((tile_regs_commit())); PACK((tile_regs_wait()));", "PACK((tile_regs_release()));"},
    {"TileRegsWithoutCommit", "tile_regs_acquire();", "", "tile_regs_release();"},
    {"AcquireDst", "acquire_dst();", "", "release_dst();"},
    {"AcquireDstHalf", "acquire_dst(tt::DstMode::Half);", "", "release_dst(tt::DstMode::Half);"},
    {"AcquireDstFull", "acquire_dst(tt::DstMode::Full);", "", "release_dst(tt::DstMode::Full);"},
    {"MathClear", "tile_regs_acquire_math_clear();", "tile_regs_commit(); tile_regs_wait();",
     "tile_regs_release_math_clear();"},
};

// Each leaves in tile 0 of DST what depends on what tile 0 held.
struct Operation {
  const char* name;
  const char* init;
  const char* code;
  double on_zeros;  // the first element that it leaves on a section of zeros; operands are ones
};
constexpr Operation kOperations[] = {
    {"matmul_tiles", "mm_init(0, 1, 16);", "matmul_tiles(0, 1, 0, 0, 0);", 32},
    {"matmul_tiles, transposed", "mm_init(0, 1, 16, 1);", "matmul_tiles(0, 1, 0, 0, 0, 1);", 32},
    {"matmul_block", "mm_block_init(0, 1, 16, 0, 1, 1, 1);",
     "matmul_block(0, 1, 0, 0, 0, 0, 1, 1, 1);", 32},
    {"add_tiles that accumulates", "binary_op_init_common(0, 1, 16); add_tiles_init(0, 1, true);",
     "add_tiles(0, 1, 0, 0, 0);", 2},
    {"reduce_tile", "reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16);",
     "reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0);", 32},
    {"copy_tile and a sum", "unary_op_init_common(0, 16);",
     "copy_tile(0, 0, 1); add_binary_tile(0, 1, 0);", 1},
    {"add_unary_tile", "unary_op_init_common(0, 16);", "add_unary_tile(0, 0x3f800000);", 1},
    {"SFPI", "unary_op_init_common(0, 16);",
     "_llk_math_eltwise_unary_sfpu_params_<false>(add_one, 0);", 1},
    {"nothing", "unary_op_init_common(0, 16);", "", 0},
};

constexpr char kPrelude[] = R"(
  #include "compute_kernel_api/eltwise_binary.h"
  #include "compute_kernel_api/eltwise_binary_sfpu.h"
  #include "compute_kernel_api/eltwise_unary/binop_with_scalar.h"
  #include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
  #include "compute_kernel_api/eltwise_unary/fill.h"
  #include "compute_kernel_api/experimental/reg_api.h"
  #include "compute_kernel_api/matmul.h"
  #include "compute_kernel_api/reduce.h"
  #include "compute_kernel_api/tile_move_copy.h"
  #include "sfpi.h"
  inline void add_one() {
    for (int i = 0; i < 8; ++i) { sfpi::dst_reg[0] = sfpi::dst_reg[0] + 1.0f; sfpi::dst_reg++; }
  })";

TileProgram program_with(const Settings& settings, uint32_t tiles) {
  const Tile ones(kTileElements, 1.0f);
  TileProgram program;
  program.settings().dst_full_sync_en = settings.full_sync;
  program.settings().fp32_dest_acc_en = settings.fp32;
  program.prelude(kPrelude)
      .input(0, DataFormat::Float16_b, {ones})
      .input(1, DataFormat::Float16_b, {ones})
      .output(16, DataFormat::Float32, tiles);
  return program;
}

class DstSections : public ::testing::TestWithParam<Settings> {};

// The kernel acquires once; then each operation is computed, packed and released three times.
std::string all_operations(const Calls& calls) {
  std::string body = absl::StrCat("cb_wait_front(0, 1); cb_wait_front(1, 1); ", calls.acquire);
  uint32_t packed = 0;
  for (const Operation& operation : kOperations) {
    absl::StrAppend(&body, operation.init, " for (int i = 0; i < 3; ++i) { ", operation.code,
                    calls.commit, "pack_tile<true>(0, 16, ", packed, " + i); ", calls.release,
                    " }\n");
    packed += 3;
  }
  return body;
}

TEST_P(DstSections, AreZerosAfterEachRelease) {
  for (const Calls& calls : kCalls) {
    SCOPED_TRACE(calls.name);
    TileProgram program = program_with(GetParam(), 3 * std::size(kOperations));
    const absl::Status status = program.run(all_operations(calls));
    ASSERT_TRUE(status.ok()) << status;
    for (uint32_t i = 0; i < 3 * std::size(kOperations); ++i) {
      const Operation& operation = kOperations[i / 3];
      EXPECT_EQ(program.floats(16, i)[0], operation.on_zeros) << operation.name << ", " << i % 3;
    }
  }
}

// A second acquire of a section that nobody has packed is no release.
TEST_P(DstSections, KeepTheirTilesWhenTheyAreAcquiredAgain) {
  TileProgram program = program_with(GetParam(), 1);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); cb_wait_front(1, 1);
    mm_init(0, 1, 16);
    for (int i = 0; i < 3; ++i) { tile_regs_acquire(); matmul_tiles(0, 1, 0, 0, 0); }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();)");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.floats(16, 0)[0], 96.0f);
}

TEST_P(DstSections, AreZeroedByAnAcquireThatClears) {
  TileProgram program = program_with(GetParam(), 1);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1); cb_wait_front(1, 1);
    mm_init(0, 1, 16);
    for (int i = 0; i < 3; ++i) { tile_regs_acquire_math_clear(); matmul_tiles(0, 1, 0, 0, 0); }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release_math_clear();)");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.floats(16, 0)[0], 32.0f);
}

// Every tile of a section is zero, and no tile of the other one, which is computed while this one
// is packed.
TEST_P(DstSections, AreComputedInOneHalfAndPackedFromTheOther) {
  TileProgram program = program_with(GetParam(), 4);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1);
    unary_op_init_common(0, 16);
    tile_regs_acquire(); add_unary_tile(0, 0x3f800000); add_unary_tile(3, 0x40400000); tile_regs_commit();
    tile_regs_acquire(); add_unary_tile(0, 0x40000000); add_unary_tile(3, 0x40800000); tile_regs_commit();
    for (int i = 0; i < 2; ++i) {
      tile_regs_wait();
      pack_tile<true>(0, 16, i * 2);
      pack_tile<true>(3, 16, i * 2 + 1);
      tile_regs_release();
    })");
  if (GetParam().full_sync) {
    EXPECT_THAT(message_of(status), HasSubstr("acquires or commits a section while all of DST is "
                                              "committed"));
    return;
  }
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.floats(16, 0)[0], 1.0f);
  EXPECT_EQ(program.floats(16, 1)[0], 3.0f);
  EXPECT_EQ(program.floats(16, 2)[0], 2.0f);
  EXPECT_EQ(program.floats(16, 3)[0], 4.0f);
}

TEST_P(DstSections, HoldZerosOfEitherKindAfterIntegers) {
  TileProgram program = program_with(GetParam(), 2);
  program.output(17, DataFormat::Int32, 1);
  const absl::Status status = program.run(R"(
    unary_op_init_common(0, 16);
    tile_regs_acquire();
    for (int i = 0; i < 2; ++i) {
      fill_tile_int(0, 5);
      tile_regs_commit(); tile_regs_wait(); pack_tile<true>(0, 17, 0); tile_regs_release();
    }
    add_unary_tile(0, 0x3f800000);  // fails on integers
    tile_regs_commit(); tile_regs_wait(); pack_tile(0, 16); tile_regs_release();)");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.words(17, 0)[0], 5u);
  EXPECT_EQ(program.floats(16, 0)[0], 1.0f);
}

// The packing processor turns to the section that it is about to pack.
TEST_P(DstSections, AreThePackersOwnForItsVectorUnit) {
  TileProgram program = program_with(GetParam(), 2);
  const absl::Status status = program.run(R"(
    cb_wait_front(0, 1);
    unary_op_init_common(0, 16);
    for (int i = 0; i < 2; ++i) {
      tile_regs_acquire();
      copy_tile(0, 0, 0);
      tile_regs_commit();
      PACK(TTI_SEMWAIT(p_stall::STALL_TDMA | p_stall::STALL_CFG,
                       semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO));
      PACK(TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, ckernel::packer::get_packer_dest_offset()));
      PACK((add_unary_tile(0, 0x40000000)));
      pack_tile<true>(0, 16, i);
      tile_regs_release();
    })");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < 2; ++i) EXPECT_EQ(program.floats(16, i)[0], 3.0f);
}

TEST_P(DstSections, ThatNobodyReleasesEndTheLaunch) {
  TileProgram program = program_with(GetParam(), 1);
  EXPECT_THAT(message_of(program.run(
                  "for (int i = 0; i < 3; ++i) { tile_regs_acquire(); tile_regs_commit(); }")),
              HasSubstr("on hardware it would wait for its packer (at tile_program.cpp:"));
}

INSTANTIATE_TEST_SUITE_P(Kernels, DstSections, ::testing::ValuesIn(kSettings),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace lightmetal::device::testing
