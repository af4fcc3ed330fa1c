// Checks of the CPU device that LIGHTMETAL_CPU_DEVICE_CHECKS turns on: each finds its error and
// lets a good kernel run.
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tests/device/diagnosis_test_kit.h"
#include "tests/device/little_stack.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- uninitialized ----

const char* const kSumOfTwoWords = R"(
void kernel_main() {
  auto* words = reinterpret_cast<volatile uint32_t*>(0x30000);
  words[2] = words[0] +
             words[1];
})";

TEST(CpuUninitializedCheckTest, LoadOfAWordThatNothingHasWrittenIsAnError) {
  auto device = open_checking("uninitialized");
  const absl::Status status = run_kernel(*device, kSumOfTwoWords);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("reads 4 bytes of L1 at 0x30000, where nothing has been written"),
                    HasSubstr("(at buggy.cpp:5)")));
  write_words(*device, kWhere, 0x30000, {1});
  const absl::Status second = run_kernel(*device, kSumOfTwoWords);
  EXPECT_THAT(std::string(second.message()),
              AllOf(HasSubstr("reads 4 bytes of L1 at 0x30004"), HasSubstr("(at buggy.cpp:6)")));
  write_words(*device, kWhere, 0x30004, {2});
  expect_ok(run_kernel(*device, kSumOfTwoWords));
  EXPECT_THAT(read_words(*device, kWhere, 0x30000, 3), ElementsAre(1, 2, 3));
  expect_usable(*device);
}

TEST(CpuUninitializedCheckTest, WhatAKernelStoresIsInitialisedForTheNextLaunch) {
  auto device = open_checking("uninitialized");
  const char* const load = R"(
void kernel_main() {
  auto* bytes = reinterpret_cast<volatile uint8_t*>(0x30000);
  bytes[100] = bytes[99];
})";
  EXPECT_FALSE(run_kernel(*device, load).ok());
  expect_ok(run_kernel(*device, R"(
void kernel_main() { *reinterpret_cast<volatile uint8_t*>(0x30063) = 7; })"));
  expect_ok(run_kernel(*device, load));
}

TEST(CpuUninitializedCheckTest, CopiesAndStructuresAreSeen) {
  auto device = open_checking("uninitialized");
  const char* const copy = R"(
struct Words { uint32_t words[16]; };
void kernel_main() {
  *reinterpret_cast<Words*>(0x30000) = *reinterpret_cast<Words*>(0x31000);
})";
  EXPECT_THAT(
      std::string(run_kernel(*device, copy).message()),
      AllOf(HasSubstr("where nothing has been written at 0x31000"), HasSubstr("(at buggy.cpp:5)")));
  write_words(*device, kWhere, 0x31000, std::vector<uint32_t>(16, 3));
  expect_ok(run_kernel(*device, copy));
  EXPECT_THAT(
      std::string(
          run_kernel(
              *device,
              "#include <cstring>\nvoid kernel_main() { memset(reinterpret_cast<void*>(0x32000), "
              "1, 63); "
              "memcpy(reinterpret_cast<void*>(0x33000), reinterpret_cast<void*>(0x32000), 64); }")
              .message()),
      HasSubstr("where nothing has been written at 0x3203f"));
}

TEST(CpuUninitializedCheckTest, TransfersReadAndInitialise) {
  auto device = open_checking("uninitialized");
  expect_report(*device, R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  noc_async_write(0x31000, get_noc_addr(x, y, 0x31000), 64);
  noc_async_write_barrier();
})",
                "NoC write: reads 64 bytes at 0x31000 in L1 of core (1,2), where nothing has been "
                "written at 0x31000",
                5);
  const char* const read_and_load = R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  noc_async_read(get_noc_addr(x, y, 0x32000), 0x32000, 64);
  noc_async_read_barrier();
  auto* words = reinterpret_cast<volatile uint32_t*>(0x32000);
  words[0] = words[15];
})";
  expect_report(*device, read_and_load, "NoC read: reads 64 bytes at 0x32000 in L1 of core (0,0)",
                5);
  write_words(*device, {0, 0}, 0x32000, std::vector<uint32_t>(16, 9));
  expect_ok(run_kernel(*device, read_and_load));
  EXPECT_THAT(read_words(*device, kWhere, 0x32000, 1), ElementsAre(9));
}

TEST(CpuUninitializedCheckTest, AnIncrementReadsItsWord) {
  auto device = open_checking("uninitialized");
  const char* const increment = R"(
void kernel_main() {
  const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  noc_semaphore_inc(get_noc_addr(x, y, 0x34000), 2);
  noc_async_atomic_barrier();
})";
  expect_report(*device, increment,
                "NoC increment: reads 4 bytes at 0x34000 in L1 of core (0,0), where nothing has "
                "been written at 0x34000",
                5);
  write_words(*device, {0, 0}, 0x34000, {40});
  expect_ok(run_kernel(*device, increment));
  EXPECT_THAT(read_words(*device, {0, 0}, 0x34000, 1), ElementsAre(42));
}

TEST(CpuUninitializedCheckTest, TheLastWordOfL1IsLikeAnyOther) {
  auto device = open_checking("uninitialized");
  const auto last = static_cast<uint32_t>(device->profile().l1_size) - 4;
  const std::string word = absl::StrCat("*reinterpret_cast<volatile uint32_t*>(", last, ")");
  const std::string load = "\nvoid kernel_main() { (void)" + word + "; }";
  expect_report(*device, load, "where nothing has been written at 0x16dffc", 3);
  expect_ok(run_kernel(*device, "void kernel_main() { " + word + " = 1; }"));
  expect_ok(run_kernel(*device, load));
}

// Runs a kernel on core (1,2), which has circular buffers 0, 1 and 2 of `pages` tiles.
absl::Status run_compute(Device& device, const std::string& text, uint32_t pages = 1) {
  LaunchBuilder launch(device);
  const uint32_t kernel = launch.kernel("buggy.cpp", text, Processor::kCompute);
  launch.run_on(kWhere, kernel, {});
  for (uint8_t index = 0; index < 3; ++index)
    launch.circular_buffer(kWhere, index, 0x40000 + index * pages * 0x1000, pages, 2048);
  return launch.launch();
}

// Copies the tile of circular buffer 0 to circular buffer 1, and that one's to 2.
TEST(CpuUninitializedCheckTest, TilesAreReadWholeAndPackedWhole) {
  const char* const kernel = R"(
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/tile_move_copy.h"
void kernel_main() {
  unary_op_init_common(0, 1);
  for (uint32_t cb = 0; cb < 2; ++cb) {
    tile_regs_acquire();
    copy_tile(cb, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb + 1);
    tile_regs_release();
  }
})";
  auto device = open_checking("uninitialized");
  write_words(*device, kWhere, 0x40000, std::vector<uint32_t>(511, 0x3f803f80));
  EXPECT_THAT(std::string(run_compute(*device, kernel).message()),
              AllOf(HasSubstr("core (1,2) COMPUTE kernel buggy.cpp: circular buffer 0: computes "
                              "with the 2048 bytes at L1 0x40000, where nothing has been written "
                              "at 0x407fc"),
                    HasSubstr("(at buggy.cpp:8)")));
  write_words(*device, kWhere, 0x407fc, {0x3f803f80});
  expect_ok(run_compute(*device, kernel));
  EXPECT_THAT(read_words(*device, kWhere, 0x427fc, 1), ElementsAre(0x3f803f80));
}

// A call of matmul_block on circular buffers 0 and 1 of 8 tiles.
struct Block {
  static constexpr uint32_t kPages = 8, kLeft = 0x40000, kRight = kLeft + kPages * 0x1000;

  std::string kernel() const {
    const std::string shape = absl::StrCat(columns, ", ", rows, ", ", inner, ");");
    return absl::StrCat(
        "#include \"compute_kernel_api/matmul.h\"\nvoid kernel_main() { mm_block_init(0, 1, 2, 0, ",
        shape, " tile_regs_acquire(); matmul_block(0, 1, 0, 0, 0, 0, ", shape, " }");
  }
  std::vector<uint32_t> addresses() const {
    std::vector<uint32_t> all;
    for (const uint32_t tile : left) all.push_back(kLeft + tile * 2048);
    for (const uint32_t tile : right) all.push_back(kRight + tile * 2048);
    return all;
  }

  uint32_t columns, rows, inner;
  std::vector<uint32_t> left, right;  // the tiles that the call multiplies
};

TEST(CpuUninitializedCheckTest, OfABlockTheTilesThatAreMultipliedMustBeWritten) {
  const Block blocks[] = {
      {2, 2, 1, {0, 1}, {0, 1}}, {1, 3, 2, {0, 2, 4}, {0}}, {3, 1, 2, {0}, {0, 1, 2}}};
  for (const Block& block : blocks) {
    auto device = open_checking("uninitialized");
    for (const uint32_t address : block.addresses()) {
      EXPECT_THAT(std::string(run_compute(*device, block.kernel(), Block::kPages).message()),
                  HasSubstr(absl::StrCat("computes with the 2048 bytes at L1 0x",
                                         absl::Hex(address), ", where nothing has been written")))
          << block.kernel();
      write_words(*device, kWhere, address, std::vector<uint32_t>(512, 0x3f803f80));
    }
    expect_ok(run_compute(*device, block.kernel(), Block::kPages));
  }
}

struct TileOperation {
  const char* call;  // on circular buffers of a tile each, 0 and 1
  std::vector<uint32_t> reads;
};

const TileOperation kTileOperations[] = {
    {"add_tiles(0, 1, 0, 0, 0)", {0, 1}},
    {"matmul_tiles(0, 1, 0, 0, 0, 0)", {0, 1}},
    {"add_tiles_bcast_rows(0, 1, 0, 0, 0)", {0}},
    {"binary_dest_reuse_tiles<ELWADD, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1, 0, 0)", {1}},
    {"reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0)", {0}},
    {"transpose_wh_tile(1, 0, 0)", {1}},
};

// A kernel with all of them, which does the one whose number is at 0x30000.
std::string kernel_of_tile_operations() {
  std::string text;
  for (const char* name : {"eltwise_binary", "matmul", "bcast", "reduce", "transpose_wh"})
    absl::StrAppend(&text, "#include \"compute_kernel_api/", name, ".h\"\n");
  absl::StrAppend(&text, "void kernel_main() {\n  binary_op_init_common(0, 1, 2);\n",
                  "  tile_regs_acquire();\n",
                  "  switch (*reinterpret_cast<volatile uint32_t*>(0x30000)) {\n");
  for (size_t i = 0; i < std::size(kTileOperations); ++i)
    absl::StrAppend(&text, "case ", i, ": ", kTileOperations[i].call, "; break;\n");
  return text + "  }\n}";
}

TEST(CpuUninitializedCheckTest, EachTileThatAnOperationReadsMustBeWritten) {
  const std::string kernel = kernel_of_tile_operations();
  for (uint32_t i = 0; i < std::size(kTileOperations); ++i) {
    SCOPED_TRACE(kTileOperations[i].call);
    auto device = open_checking("uninitialized");
    write_words(*device, kWhere, 0x30000, {i});
    for (const uint32_t cb : kTileOperations[i].reads) {
      EXPECT_THAT(
          std::string(run_compute(*device, kernel).message()),
          HasSubstr(absl::StrCat("circular buffer ", cb, ": computes with the 2048 bytes")));
      write_words(*device, kWhere, 0x40000 + cb * 0x1000, std::vector<uint32_t>(512, 0x3f803f80));
    }
    expect_ok(run_compute(*device, kernel));
  }
}

// Circular buffer 0 has 8 rows of two tiles, of which nobody has written the second.
TEST(CpuUninitializedCheckTest, OfRowsTheTileThatIsReducedMustBeWritten) {
  const std::string reduce_both = R"(
#include "compute_kernel_api.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tilize.h"
void kernel_main() {
  tilizeA_B_reduce_init<true>(0, 1, 2, 2, 2, 8);
  tile_regs_acquire();
  unpack_tilizeA_B_block<true, true, false, false>(0, 1, 2, 0, 2, 8);
  reduce_tile_math<PoolType::SUM, ReduceDim::REDUCE_COL>(0, 2);
  reduce_tile_math<PoolType::SUM, ReduceDim::REDUCE_COL>(1, 2);
})";
  auto device = open_checking("uninitialized");
  for (uint32_t row = 0; row < 8; ++row)
    write_words(*device, kWhere, 0x40000 + row * 128, std::vector<uint32_t>(16, 0x3f803f80));
  EXPECT_THAT(std::string(run_compute(*device, reduce_both).message()),
              AllOf(HasSubstr("circular buffer 0: computes with the 64 bytes at L1 0x40040, where "
                              "nothing has been written at 0x40040"),
                    HasSubstr("(at buggy.cpp:10)")));
  write_words(*device, kWhere, 0x40000, std::vector<uint32_t>(8 * 32, 0x3f803f80));
  expect_ok(run_compute(*device, reduce_both));
}

TEST(CpuUninitializedCheckTest, WordsThatAreWrittenInOneStepAreInitialisedWithEverySchedule) {
  for (const char* schedule : {"free", "fixed", "random:1", "random:2"}) {
    SCOPED_TRACE(schedule);
    Environment environment;
    environment.set("LIGHTMETAL_CPU_DEVICE_SCHEDULE", schedule);
    auto device = open_checking("uninitialized");
    expect_ok(run_kernel(*device, R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  auto* words = reinterpret_cast<volatile uint32_t*>(0x32000);
  words[2] = 8;
  noc_inline_dw_write(get_noc_addr(x, y, 0x32000), 9);
  noc_async_write(0x32008, get_noc_addr(x, y, 0x32004), 4);
  noc_async_write_barrier();
  noc_async_read(get_noc_addr(x, y, 0x32000), 0x32000, 8);
  noc_async_read_barrier();
  words[3] = words[0];
  words[4] = words[1];
})"));
    EXPECT_THAT(read_words(*device, kWhere, 0x32000, 5), ElementsAre(9, 8, 8, 9, 8));
  }
}

// Circular buffer 0 has a tile, 1 gets its rows, and 2 a tile of them.
TEST(CpuUninitializedCheckTest, RowsAndTilesThatLayoutsAreChangedToAreWritten) {
  auto device = open_checking("uninitialized");
  write_words(*device, kWhere, 0x40000, std::vector<uint32_t>(512, 0x3f803f80));
  expect_ok(run_compute(*device, R"(
#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/untilize.h"
void kernel_main() {
  compute_kernel_hw_startup(0, 1);
  untilize_init(0);
  untilize_block(0, 1, 1);
  untilize_uninit(0);
  tilize_init(1, 1, 2);
  tilize_block(1, 1, 2);
  tilize_uninit(1, 2);
})"));
  EXPECT_THAT(read_words(*device, kWhere, 0x42000, 512), ::testing::Each(0x3f803f80u));
}

TEST(CpuUninitializedCheckTest, ArgumentsSemaphoresAndVariablesAreInitialised) {
  auto device = open_checking("uninitialized");
  expect_ok(run_kernel(*device, R"(
uint32_t counts[4];
void kernel_main() {
  counts[1] += get_arg_val<uint32_t>(0) + *reinterpret_cast<volatile uint32_t*>(get_arg_addr(1));
  noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 0);
  volatile uint32_t local[8] = {};
  counts[2] = local[3] + *reinterpret_cast<volatile uint32_t*>(MEM_ZEROS_BASE);
})"));
}

TEST(CpuUninitializedCheckTest, ObjectThatWasCompiledForItRunsWithoutIt) {
  auto checking = open_checking("uninitialized");
  const KernelObject object =
      compile(*checking, "load.cpp", "#include <cstdint>\n" + std::string(kSumOfTwoWords));
  auto device = open_checking("");
  EXPECT_NE(
      compile(*device, "load.cpp", "#include <cstdint>\n" + std::string(kSumOfTwoWords)).bytes,
      object.bytes);
  auto kernel = device->load(object, "load.cpp");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  auto plan = std::make_shared<LaunchPlan>();
  plan->id = uint64_t{1} << 60;
  plan->kernels.push_back({*kernel, Processor::kRiscv0, 0, "load.cpp"});
  CorePlan core;
  core.core = kWhere;
  core.kernels.push_back({});
  plan->cores.push_back(core);
  expect_ok(device->launch({plan, {}}));
}

// ---- alignment ----

TEST(CpuAlignmentCheckTest, TransfersMustAgreeModuloTheAlignment) {
  auto device = open_checking("alignment");
  expect_report(*device, R"(
void kernel_main() {
  noc_async_read(get_noc_addr(0, 11, 0x50), 0x30000, 16);
  noc_async_read_barrier();
})",
                "NoC read of 16 bytes from DRAM 0x50 to L1 0x30000: modulo 32 the addresses are 16 "
                "and 0, hardware needs them equal",
                4);
  expect_report(*device, R"(
void kernel_main() {
  noc_async_write(0x30008, get_noc_addr(0, 11, 0x40), 8);
  noc_async_write_barrier();
})",
                "NoC write of 8 bytes from L1 0x30008 to DRAM 0x40: modulo 16 the addresses are 8 "
                "and 0",
                4);
  expect_report(*device, R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  noc_async_write_multicast(0x30004, get_noc_multicast_addr(x, y, x, y, 0x30000), 8, 1);
  noc_async_write_barrier();
})",
                "NoC multicast of 8 bytes", 5);
  expect_ok(run_kernel(*device, R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  noc_async_read(get_noc_addr(0, 11, 0x44), 0x30004, 4);
  noc_async_write(0x30010, get_noc_addr(0, 11, 0x40), 8);
  noc_async_write(0x30018, get_noc_addr(x, y, 0x31008), 8);
  noc_async_read_barrier();
  noc_async_write_barrier();
})"));
}

TEST(CpuAlignmentCheckTest, IsOffUnlessAskedFor) {
  auto device = open_checking("semaphores,races");
  expect_ok(run_kernel(*device, R"(
void kernel_main() {
  noc_async_read(get_noc_addr(0, 11, 0x50), 0x30000, 16);
  noc_async_read_barrier();
})"));
}

// ---- circular_buffers ----

TEST(CpuCircularBufferCheckTest, PopWithoutWaitIsAnError) {
  auto device = open_checking("circular_buffers");
  expect_report(*device, R"(
void kernel_main() {
  cb_reserve_back(3, 2);
  cb_push_back(3, 2);
  cb_wait_front(3, 1);
  cb_pop_front(3, 2);
})",
                "circular buffer 3: pops 2 pages, but has waited for only 1", 7);
}

TEST(CpuCircularBufferCheckTest, PushBeyondTheReservationIsAnError) {
  auto device = open_checking("circular_buffers");
  expect_report(*device, R"(
void kernel_main() {
  cb_reserve_back(3, 2);
  cb_push_back(3, 1);
  cb_push_back(3, 1);
  cb_push_back(3, 1);
})",
                "circular buffer 3: pushes 1 page, but has reserved only 0", 7);
}

TEST(CpuCircularBufferCheckTest, AskingTwiceForTheSamePagesCountsOnce) {
  auto device = open_checking("circular_buffers");
  expect_report(*device, R"(
void kernel_main() {
  cb_reserve_back(3, 2);
  cb_push_back(3, 2);
  cb_wait_front(3, 1);
  cb_wait_front(3, 1);
  cb_pop_front(3, 2);
})",
                "circular buffer 3: pops 2 pages, but has waited for only 1", 8);
  expect_report(*device, R"(
void kernel_main() {
  cb_reserve_back(3, 1);
  cb_reserve_back(3, 1);
  cb_push_back(3, 2);
})",
                "circular buffer 3: pushes 2 pages, but has reserved only 1", 6);
}

TEST(CpuCircularBufferCheckTest, PagesThatDoNotDivideTheBufferAreAnError) {
  auto device = open_checking("circular_buffers");
  expect_report(*device, R"(
void kernel_main() {
  cb_reserve_back(3, 3);
  cb_push_back(3, 3);
})",
                "circular buffer 3: pushes 3 pages at once, which do not divide its 4", 5);
}

TEST(CpuCircularBufferCheckTest, WhatOneLaunchHasAskedForIsNothingToTheNext) {
  auto device = open_checking("circular_buffers");
  const char* const asks_for_more = R"(
void kernel_main() {
  cb_reserve_back(3, 2);
  cb_push_back(3, 2);
  cb_wait_front(3, 2);
  cb_reserve_back(3, 2);
})";
  expect_ok(run_kernel(*device, asks_for_more));
  expect_report(*device, R"(
void kernel_main() {
  cb_push_back(3, 1);
})",
                "circular buffer 3: pushes 1 page, but has reserved only 0", 4);
  expect_ok(run_kernel(*device, asks_for_more));
  expect_report(*device, R"(
void kernel_main() {
  cb_reserve_back(3, 1);
  cb_push_back(3, 1);
  cb_pop_front(3, 1);
})",
                "circular buffer 3: pops 1 page, but has waited for only 0", 6);
}

TEST(CpuCircularBufferCheckTest, WaitsGrowAndAnswersCount) {
  auto device = open_checking("circular_buffers");
  expect_ok(run_kernel(*device, R"(
void kernel_main() {
  for (int i = 0; i < 5; ++i) {
    while (!cb_pages_reservable_at_back(3, 4)) {}
    cb_push_back(3, 4);
    cb_wait_front(3, 1);
    cb_wait_front(3, 3);
    while (!cb_pages_available_at_front(3, 4)) {}
    cb_pop_front(3, 2);
    cb_pop_front(3, 2);
    cb_push_back(3, 0);
  }
})"));
}

// ---- semaphores ----

TEST(CpuSemaphoreCheckTest, OnlySemaphoresOfTheProgramAreUsed) {
  auto device = open_checking("semaphores");
  expect_report(*device, R"(
void kernel_main() {
  uint32_t mine = get_semaphore(1);
  uint32_t other = get_semaphore(2);
})",
                "semaphore 2 was not created by the program on any core", 5);
  expect_ok(run_kernel(*device, "void kernel_main() { uint32_t mine = get_semaphore(1); }"));
}

// ---- what checks need ----

TEST(CpuCheckTest, AnErrorIsNotedOnlyWithRoomOnTheStack) {
  const std::pair<const char*, const char*> errors[] = {
      {"semaphores", "get_semaphore(2)"},
      {"uninitialized", "(void)*reinterpret_cast<volatile uint32_t*>(0x30000)"}};
  for (const auto& [check, error] : errors) {
    auto device = open_checking(check);
    EXPECT_THAT(std::string(run_kernel(*device, with_little_stack(error)).message()),
                HasSubstr("the kernel's stack of "));
  }
}

// ---- races ----

TEST(CpuRaceCheckTest, PushBeforeTheReadBarrierIsAnError) {
  auto device = open_checking("races");
  expect_report(*device, R"(
void kernel_main() {
  cb_reserve_back(3, 1);
  noc_async_read(get_noc_addr(0, 11, 0x40),
                 get_write_ptr(3), 64);
  cb_push_back(3, 1);
  noc_async_read_barrier();
})",
                "circular buffer 3: pushes pages while a NoC read into them is not waited for: "
                "noc_async_read_barrier is missing before; the transfer was started at buggy.cpp:5",
                7);
}

TEST(CpuRaceCheckTest, PopBeforeTheWriteBarrierIsAnError) {
  auto device = open_checking("races");
  expect_report(*device, R"(
void kernel_main() {
  cb_reserve_back(3, 1);
  cb_push_back(3, 1);
  cb_wait_front(3, 1);
  noc_async_write(get_read_ptr(3), get_noc_addr(0, 11, 0x40), 64);
  cb_pop_front(3, 1);
  noc_async_write_barrier();
})",
                "circular buffer 3: pops pages while a NoC write from them is not waited for: "
                "noc_async_write_barrier is missing before; the transfer was started at "
                "buggy.cpp:7",
                8);
}

TEST(CpuRaceCheckTest, KernelThatEndsWithoutItsBarrierIsAnError) {
  auto device = open_checking("races");
  expect_report(*device, R"(
void kernel_main() {
  noc_async_write(0x30000, get_noc_addr(0, 11, 0x40), 64);
  noc_async_write(0x30000, get_noc_addr(0, 11, 0x80), 64);
})",
                "the kernel ends and a NoC write of 64 bytes was not waited for: "
                "noc_async_write_barrier is missing",
                4);
  expect_report(*device, R"(
void kernel_main() {
  noc_async_read(get_noc_addr(0, 11, 0x40), 0x30000, 32);
  noc_async_write_barrier();
})",
                "a NoC read of 32 bytes was not waited for: noc_async_read_barrier is missing", 4);
}

// Makes another mistake if a word at 0x30800 says so.
const char* const kTwoMistakes = R"(#include <cstdint>
void kernel_main() {
  if (*reinterpret_cast<volatile uint32_t*>(0x30800) != 0) cb_wait_front(3, 5);
  cb_reserve_back(3, 1);
  noc_async_read(get_noc_addr(0, 11, 0x40), get_write_ptr(3), 64);
  cb_push_back(3, 1);
})";

TEST(CpuRaceCheckTest, WhereATransferWasStartedIsSaidOfItsOwnErrorOnly) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_CHECKS", "races");
  auto device = open_cpu_with_workers(1);
  LaunchBuilder launch(*device);
  launch.run_on(kWhere, launch.kernel("buggy.cpp", kTwoMistakes), {});
  launch.circular_buffer(kWhere, 3, kL1, 4, 64);
  EXPECT_THAT(std::string(launch.launch().message()),
              HasSubstr("; the transfer was started at buggy.cpp:5"));
  write_words(*device, kWhere, 0x30800, {1});
  EXPECT_EQ(std::string(launch.launch().message()),
            "core (1,2) RISCV_0 kernel buggy.cpp: circular buffer 3: waits for 5 pages, more than "
            "the 4 it has (at buggy.cpp:3)");
}

struct Barrier {
  const char* call;
  bool of_reads, of_writes;
};

constexpr Barrier kBarriers[] = {{"noc_async_read_barrier()", true, false},
                                 {"noc_async_write_barrier()", false, true},
                                 {"noc_async_writes_flushed()", false, true},
                                 {"noc_async_atomic_barrier()", false, false},
                                 {"noc_async_full_barrier()", true, true}};

// Starts a transfer of the kind that is at 0x30800, and calls the barrier whose number follows.
std::string kernel_of_barriers() {
  std::string text = R"(
void kernel_main() {
  const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  auto* chosen = reinterpret_cast<volatile uint32_t*>(0x30800);
  switch (chosen[0]) {
    case 0: noc_async_read(get_noc_addr(x, y, 0x31000), 0x31000, 64); break;
    case 1: noc_async_write(0x31000, get_noc_addr(x, y, 0x31000), 64); break;
    case 2: noc_async_write_multicast(0x31000, get_noc_multicast_addr(x, y, x, y, 0x31000), 64, 1);
  }
  switch (chosen[1]) {
)";
  for (size_t i = 0; i < std::size(kBarriers); ++i)
    absl::StrAppend(&text, "case ", i, ": ", kBarriers[i].call, "; break;\n");
  return text + "  }\n}";
}

TEST(CpuRaceCheckTest, EachBarrierWaitsForTransfersOfItsKind) {
  const char* const transfers[] = {"NoC read", "NoC write", "NoC multicast"};
  const std::string kernel = kernel_of_barriers();
  auto device = open_checking("races");
  for (uint32_t barrier = 0; barrier < std::size(kBarriers); ++barrier) {
    for (uint32_t transfer = 0; transfer < std::size(transfers); ++transfer) {
      SCOPED_TRACE(absl::StrCat(transfers[transfer], " and ", kBarriers[barrier].call));
      write_words(*device, kWhere, 0x30800, {transfer, barrier});
      const absl::Status status = run_kernel(*device, kernel);
      const auto& [call, of_reads, of_writes] = kBarriers[barrier];
      EXPECT_EQ(status.ok(), transfer == 0 ? of_reads : of_writes) << status;
      if (status.ok()) continue;
      EXPECT_THAT(
          std::string(status.message()),
          HasSubstr(absl::StrCat("a ", transfers[transfer], " of 64 bytes was not waited ")));
    }
  }
}

// Copies a word of the other core and gives what was there before the barrier, and after it.
const char* const kUseTooEarly = R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  auto* words = reinterpret_cast<volatile uint32_t*>(0x30000);
  noc_async_read(get_noc_addr(x, y, 0x31000), 0x30000, 16);
  words[8] = words[0];
  noc_async_read_barrier();
  words[9] = words[0];
})";

TEST(CpuRaceCheckTest, DataThatIsUsedTooEarlyIsOldOrPoisoned) {
  const std::vector<std::pair<std::string, uint32_t>> cases = {
      {"none", 77}, {"races", 11}, {"poison", 0xffa5ffa5}};
  for (const auto& [checks, early] : cases) {
    auto device = open_checking(checks);
    write_words(*device, kWhere, 0x30000, {11, 11, 11, 11});
    write_words(*device, {0, 0}, 0x31000, {77, 77, 77, 77});
    expect_ok(run_kernel(*device, kUseTooEarly));
    EXPECT_THAT(read_words(*device, kWhere, 0x30020, 2), ElementsAre(early, 77)) << checks;
  }
}

TEST(CpuRaceCheckTest, PoisonEndsWhereTheReadEnds) {
  auto device = open_checking("poison");
  write_words(*device, kWhere, 0x30000, {0x11111111, 0x11223344});
  write_words(*device, {0, 0}, 0x31000, {0x22222222, 0x55667788});
  expect_ok(run_kernel(*device, R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  auto* words = reinterpret_cast<volatile uint32_t*>(0x30000);
  noc_async_read(get_noc_addr(x, y, 0x31000), 0x30000, 5);
  words[8] = words[0];
  words[9] = words[1];
  noc_async_read_barrier();
})"));
  EXPECT_THAT(read_words(*device, kWhere, 0x30000, 2), ElementsAre(0x22222222, 0x11223388));
  EXPECT_THAT(read_words(*device, kWhere, 0x30020, 2), ElementsAre(0xffa5ffa5, 0x112233a5));
}

TEST(CpuRaceCheckTest, SourceThatChangesBeforeTheBarrierIsSeen) {
  const char* const kernel = R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  auto* words = reinterpret_cast<volatile uint32_t*>(0x30000);
  words[0] = 1;
  words[1] = 1;
  noc_async_write(0x30000, get_noc_addr(x, y, 0x30000), 8);
#ifdef FLUSH
  noc_async_writes_flushed();
#endif
  words[0] = 2;
  noc_async_write_barrier();
})";
  auto device = open_checking("races");
  expect_ok(run_kernel(*device, kernel));
  EXPECT_THAT(read_words(*device, {0, 0}, 0x30000, 2), ElementsAre(2, 1));
  expect_ok(run_kernel(*device, "#define FLUSH\n" + std::string(kernel)));
  EXPECT_THAT(read_words(*device, {0, 0}, 0x30000, 2), ElementsAre(1, 1));
}

// What hardware keeps in order needs no barrier: writes and semaphores that go to the same core.
TEST(CpuRaceCheckTest, SignalComesAfterWritesToTheSameCore) {
  auto device = open_checking("races");
  LaunchBuilder launch(*device);
  const uint32_t sender = launch.kernel("sender.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
      for (int i = 0; i < 16; ++i) reinterpret_cast<volatile uint32_t*>(0x30000)[i] = 5;
      noc_async_write(0x30000, get_noc_addr(x, y, 0x30000), 64);
      noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
      noc_async_write_multicast(0x30000, get_noc_multicast_addr(x, y, x, y, 0x31000), 64, 1);
      noc_semaphore_set(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 1);
      noc_semaphore_set_multicast(get_semaphore(1), get_noc_multicast_addr(x, y, x, y, get_semaphore(1)), 1);
    })");
  const uint32_t receiver = launch.kernel("receiver.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 1);
      auto* words = reinterpret_cast<volatile uint32_t*>(0x30000);
      words[100] = words[15];
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 1);
      words[101] = reinterpret_cast<volatile uint32_t*>(0x31000)[15];
    })");
  launch.run_on({0, 0}, sender, {noc_x(*device, {4, 4}), noc_y(*device, {4, 4})});
  launch.run_on({4, 4}, receiver, {});
  for (const Core core : {Core{0, 0}, Core{4, 4}}) {
    launch.semaphore(core, 0, 0);
    launch.semaphore(core, 1, 0);
  }
  expect_ok(launch.launch());
  EXPECT_THAT(read_words(*device, {4, 4}, 0x30000 + 400, 2), ElementsAre(5, 5));
}

// ... and nothing else is.
TEST(CpuRaceCheckTest, SignalOvertakesWritesToOtherPlaces) {
  auto device = open_checking("races");
  LaunchBuilder launch(*device);
  const uint32_t sender = launch.kernel("sender.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
      for (int i = 0; i < 16; ++i) reinterpret_cast<volatile uint32_t*>(0x30000)[i] = 5;
      noc_async_write(0x30000, get_noc_addr(0, 11, 0x40), 64);
      noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 1);
      noc_async_write_barrier();
    })");
  const uint32_t receiver = launch.kernel("receiver.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 1);
      noc_async_read(get_noc_addr(0, 11, 0x40), 0x30000, 64);
      noc_async_read_barrier();
      noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0)), 1);
    })");
  launch.run_on({0, 0}, sender, {noc_x(*device, {4, 4}), noc_y(*device, {4, 4})});
  launch.run_on({4, 4}, receiver, {noc_x(*device, {0, 0}), noc_y(*device, {0, 0})});
  for (const Core core : {Core{0, 0}, Core{4, 4}}) launch.semaphore(core, 0, 0);
  expect_ok(launch.launch());
  EXPECT_THAT(read_words(*device, {4, 4}, 0x30000, 1), ElementsAre(0)) << "written too early";
}

// ---- all ----

TEST(CpuAllChecksTest, GoodKernelRuns) {
  auto device = open_checking("all");
  write_words(*device, {0, 0}, 0x20000, std::vector<uint32_t>(32, 8));
  expect_ok(run_kernel(*device, R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  for (int i = 0; i < 10; ++i) {
    cb_reserve_back(3, 2);
    noc_async_read(get_noc_addr(x, y, 0x20000), get_write_ptr(3), 128);
    noc_async_read_barrier();
    cb_push_back(3, 2);
    cb_wait_front(3, 2);
    auto* words = reinterpret_cast<volatile uint32_t*>(get_read_ptr(3));
    words[0] += words[1];
    noc_async_write(get_read_ptr(3), get_noc_addr(x, y, 0x21000), 128);
    noc_async_writes_flushed();
    cb_pop_front(3, 2);
  }
  noc_semaphore_set(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 4);
  noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 4);
})"));
  EXPECT_THAT(read_words(*device, {0, 0}, 0x21000, 2), ElementsAre(16, 8));
}

}  // namespace
}  // namespace lightmetal::device::testing
