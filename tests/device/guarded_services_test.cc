// What services do for kernels that run as in the sandbox.
#include "device/cpu/services/guarded_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "device/cpu/kernels/service_members.h"
#include "tests/device/tiles/tile_program.h"

namespace lightmetal::device::testing {
namespace {

template <class Table>
void expect_each_member_is_needed(const Table& whole) {
  EXPECT_TRUE(cpu::has_all_services(whole));
  for (size_t i = 0; i < sizeof(Table); i += sizeof(void*)) {
    Table part = whole;
    std::memset(reinterpret_cast<char*>(&part) + i, 0, sizeof(void*));
    EXPECT_FALSE(cpu::has_all_services(part)) << "without member " << i / sizeof(void*);
  }
}

TEST(GuardedServices, AreThereForEachServiceOfEachTable) {
  const kernel_abi::Services& services = cpu::guarded_services();
  expect_each_member_is_needed(services);
  expect_each_member_is_needed(*services.tiles);
  expect_each_member_is_needed(*services.sfpu);
  expect_each_member_is_needed(*services.diagnosis);
  expect_each_member_is_needed(*services.ethernet);
}

#if defined(__x86_64__)
// A kernel that asked for a trap at each inexact result would end the process in a service of ours.
TEST(GuardedServices, CalculateAsEverWhateverTheKernelHasSet) {
  TileProgram program;
  program.input(0, DataFormat::Float32, {Tile(kTileElements, 1.0f)});
  program.output(16, DataFormat::Float32, 1);
  program.prelude(R"(
    #include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
    #include "compute_kernel_api/eltwise_unary/recip.h"
    inline void set_mode(uint32_t mode) { asm volatile("ldmxcsr %0" : : "m"(mode)); }
    inline uint32_t mode() { uint32_t mode; asm volatile("stmxcsr %0" : "=m"(mode)); return mode; })");
  EXPECT_EQ(program.run(R"(
    init_sfpu(0, 16);
    cb_wait_front(0, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    add_unary_tile(0, 0x40000000);  // 1 + 2
    set_mode(0x6000);
    recip_tile(0);
    const bool kept = (mode() & 0xffc0) == 0x6000;
    set_mode(0x1f80);
    if (!kept) mul_unary_tile(0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();)"),
            absl::OkStatus());
  EXPECT_NEAR(program.floats(16, 0)[0], 1.0f / 3, 1e-6f);
}

// Of x87, which traps at the next of its instructions: that would be one of ours.
TEST(GuardedServices, AreNotEndedByAnExceptionThatTheKernelLeftPending) {
  TileProgram program;
  program.input(0, DataFormat::Float32, {Tile(kTileElements, 3.0f)});
  program.output(16, DataFormat::Float32, 1);
  program.prelude(R"(
    inline void divide_by_zero_with_a_trap() {
      const uint16_t mode = 0x37b;
      asm volatile("fldcw %0; fldz; fld1; fdiv %%st(1), %%st" : : "m"(mode));
    })");
  EXPECT_EQ(program.run(R"(
    init_sfpu(0, 16);
    divide_by_zero_with_a_trap();
    cb_wait_front(0, 1);
    tile_regs_acquire();
    divide_by_zero_with_a_trap();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    divide_by_zero_with_a_trap();)"),
            absl::OkStatus());
  EXPECT_EQ(program.floats(16, 0)[0], 3.0f);
}
#endif

}  // namespace
}  // namespace lightmetal::device::testing
