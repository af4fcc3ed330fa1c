// What happens when a kernel that has used up nearly all of its stack calls a service.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "device/cpu/faults/signal_stack.h"
#include "device/cpu/kernels/fiber.h"
#include "tests/device/device_test_kit.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::StartsWith;

// The kernel fills two ranges with a pattern, what lies before its stack and what is left of the
// stack, and calls a service. Its arguments: where the guard and the stack begin, counted from the
// context, how much of the stack shall be left, and which service it calls.
constexpr char kCaller[] = R"(
#include <cstdint>
#include "lightmetal_kernel_abi_tiles.h"
using namespace lightmetal;
using namespace lightmetal::kernel_abi;
void fill(volatile char* begin, volatile char* end) {
  while (begin < end) *begin++ = 0x5a;
}
void kernel_main() {
  Context* const context = lightmetal::kernel_abi::context();
  const Services& services = *context->services;
  char* const bytes = reinterpret_cast<char*>(context);
  char* const stack = bytes + get_arg_val<uint32_t>(1);
  services.dst_acquire(context);
  *reinterpret_cast<volatile uint32_t*>(0x20000) = reinterpret_cast<uint64_t>(context) >> 12;
  fill(bytes + sizeof(Context), bytes + get_arg_val<uint32_t>(0));
  const auto here = static_cast<char*>(__builtin_frame_address(0));
  char* const room = static_cast<char*>(__builtin_alloca(here - stack - get_arg_val<uint32_t>(2)));
  fill(stack, room);
  switch (get_arg_val<uint32_t>(3)) { CALLS }
})";
constexpr char kAtCalls[] = " (at caller.cpp:20)";

// Runs on the same stack afterwards. Leaves in L1 where the stack is, how many bytes before it have
// changed, and how many at its beginning have not.
constexpr char kLook[] = R"(
#include <cstdint>
void kernel_main() {
  auto* const context = lightmetal::kernel_abi::context();
  auto* const bytes = reinterpret_cast<volatile char*>(context);
  auto* const words = reinterpret_cast<volatile uint32_t*>(0x20000);
  words[1] = reinterpret_cast<uint64_t>(context) >> 12;
  words[2] = words[3] = 0;
  for (uint32_t i = sizeof(*context); i < get_arg_val<uint32_t>(0); ++i) {
    if (bytes[i] != 0x5a) words[2] = words[2] + 1;
  }
  for (uint32_t i = get_arg_val<uint32_t>(1); bytes[i] == 0x5a; ++i) words[3] = words[3] + 1;
})";

struct Outcome {
  absl::Status status;
  uint32_t changed_before_stack = 0;
  uint32_t unused_stack = 0;
};

class FullStackTest : public ::testing::Test {
 protected:
  FullStackTest() {
    const std::unique_ptr<cpu::Fiber> fiber = *cpu::Fiber::create();
    const auto context = reinterpret_cast<uint64_t>(&fiber->context());
    guard_ = static_cast<uint32_t>(fiber->guard() - context);
    stack_ = static_cast<uint32_t>(fiber->stack_begin() - context);
  }

  // Calls one of `services` with about `left` bytes of stack. The one worker of the device runs
  // both kernels on one stack, the only one that it has made.
  Outcome call(const std::vector<std::string>& services, uint32_t index, uint32_t left) {
    std::string cases;
    for (size_t i = 0; i < services.size(); ++i)
      absl::StrAppend(&cases, "case ", i, ": ", services[i], "; break; ");
    Outcome outcome;
    outcome.status =
        run("caller.cpp", absl::StrReplaceAll(kCaller, {{"CALLS", cases}}), left, index);
    EXPECT_EQ(run("look.cpp", kLook, 0, 0), absl::OkStatus());
    const std::vector<uint32_t> words = read_words(*device_, {0, 0}, 0x20000, 4);
    EXPECT_EQ(words[0], words[1]);
    outcome.changed_before_stack = words[2];
    outcome.unused_stack = words[3];
    return outcome;
  }

 private:
  absl::Status run(const std::string& name, const std::string& text, uint32_t left,
                   uint32_t service) {
    LaunchBuilder launch(*device_);
    launch.run_on({0, 0}, launch.kernel(name, text, Processor::kCompute),
                  {guard_, stack_, left, service});
    for (uint8_t index = 0; index < 8; ++index) {
      const auto format = index < 4 ? DataFormat::Float32 : DataFormat::Float16_b;
      launch.circular_buffer({0, 0}, index, 0x30000 + index * 0x8000, 8, tile_bytes(format));
      launch.core({0, 0}).circular_buffers.back().format = format;
    }
    return launch.launch();
  }

  const std::unique_ptr<Device> device_ = open_cpu_with_workers(1);
  uint32_t guard_ = 0;
  uint32_t stack_ = 0;
};

constexpr char kFull[] =
    "core (0,0) COMPUTE kernel caller.cpp: the kernel's stack of 248 KiB is full";

// Frames of 4 to 35 KiB, and of services that call such functions: some are larger than what is
// closed before the stack.
const std::vector<std::string>& services_with_large_frames() {
  static const auto* const services = new std::vector<std::string>{
      "services.tiles->reduce_rows(context, ReduceOp::kSum, kernel_abi::ReduceDim::kScalar, 0, 1, "
      "1, 0, 0, 0, {32, 32})",
      "services.tiles->reduce_tile(context, ReduceOp::kSum, kernel_abi::ReduceDim::kScalar, 0, 1, "
      "0, 0, 0)",
      "services.tiles->binary_tiles_broadcast(context, BinaryOp::kAdd, Broadcast::kRow, 0, 1, 0, "
      "0, 0, 0)",
      "services.tiles->copy_tile_broadcast(context, Broadcast::kRow, 0, 0, 0)",
      "services.tiles->transpose_tile(context, 0, 0, 0)",
      "services.tiles->transpose_dst(context, 0)",
      "services.tiles->tilize(context, 0, 2, 1, 0, 0)",
      "services.tiles->untilize(context, 0, 2, 1, 0, 0)",
      "services.tiles->matmul_block(context, 0, 1, 0, 0, 0, 0, 2, 2, 2)",
      "services.tiles->matmul_block(context, 4, 5, 0, 0, 0, 0, 2, 2, 2)",
      "services.binary_tiles(context, BinaryOp::kMul, 0, 1, 0, 0, 0, 0)",
      "services.binary_dest_reuse(context, BinaryOp::kMul, DestReuse::kDestToSrcA, 0, 0, 0)",
      "services.pack_tile(context, 0, 4, 0)"};
  return *services;
}

TEST_F(FullStackTest, ServiceWithALargeFrameChangesNothingBeforeTheStack) {
  const std::vector<std::string>& services = services_with_large_frames();
  for (uint32_t i = 0; i < services.size(); ++i) {
    for (uint32_t left : {512, 1024, 2048}) {
      SCOPED_TRACE(absl::StrCat(services[i], " with ", left, " bytes"));
      const Outcome outcome = call(services, i, left);
      EXPECT_THAT(std::string(outcome.status.message()), StartsWith(kFull));
      EXPECT_EQ(outcome.changed_before_stack, 0);
    }
    EXPECT_EQ(call(services, i, 100 << 10).status, absl::OkStatus()) << services[i];
  }
}

// What the processor has must be known before the first product of a process: code that a full
// stack ends while it finds out would keep all later products waiting. CTest gives each test a
// process.
TEST_F(FullStackTest, OverflowInTheFirstProductLeavesProductsUsable) {
  const std::vector<std::string> services = {"services.matmul_tiles(context, 4, 5, 0, 0, 0, 0)"};
  for (uint32_t left = 0; left < 1024; left += 16) (void)call(services, 0, left);
  EXPECT_EQ(call(services, 0, 100 << 10).status, absl::OkStatus());
}

// A thread without a stack of this kind cannot report a kernel that overflows its own.
TEST(SignalStackTest, ThreadsThatEndGiveTheirsBackSoAnyNumberCanComeAfterThem) {
  if (LIGHTMETAL_SANITIZED) GTEST_SKIP() << "threads have the sanitizer's signal stacks";
  int without = 0;
  for (int i = 0; i < 5000; ++i) {
    std::thread([&] { without += cpu::SignalStack().state() == nullptr ? 1 : 0; }).join();
  }
  EXPECT_EQ(without, 0);
}

// A service that takes locks does not begin when the stack has no room for what it may need. That
// is said with what is left, and without a lock.
TEST_F(FullStackTest, IsReportedWithTheLittleStackThatIsLeft) {
  if (LIGHTMETAL_SANITIZED)
    GTEST_SKIP()
        << "a sanitizer's runtime may be what meets the end of the stack, with its locks held";
  const std::vector<std::string> services = {
      "services.yield(context)", "services.cb_wait_front(context, 0, 1)",
      "services.noc_read(context, 0, 0x20000, 4)", "services.print(context, \"text\", 4)",
      "services.fail(context, \"file\", 1, \"text\")"};
  constexpr uint32_t kEnough = 2048;
  for (uint32_t i = 0; i < services.size(); ++i) {
    for (uint32_t left : {2048, 4096, 12288}) {
      SCOPED_TRACE(absl::StrCat(services[i], " with ", left, " bytes"));
      const Outcome outcome = call(services, i, left);
      EXPECT_EQ(std::string(outcome.status.message()), absl::StrCat(kFull, kAtCalls));
      EXPECT_EQ(outcome.changed_before_stack, 0);
      EXPECT_GE(outcome.unused_stack, left - kEnough);
    }
    for (uint32_t left = 0; left < 2048; left += 64) {
      EXPECT_THAT(std::string(call(services, i, left).status.message()), StartsWith(kFull))
          << services[i] << " with " << left << " bytes";
    }
  }
}

}  // namespace
}  // namespace lightmetal::device::testing
