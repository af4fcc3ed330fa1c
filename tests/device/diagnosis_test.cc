// What the CPU device says about kernels that go wrong, without being asked: each report names
// core, processor, kernel and line, and the device runs on.
#include <sys/syscall.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "device/cpu/diagnosis/checks.h"
#include "device/cpu/ethernet/services.h"
#include "device/cpu/threads/deadlock_report.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"
#include "device/system_call_names.h"
#include "tests/device/diagnosis_test_kit.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CpuDiagnosisTest : public ::testing::Test {
 protected:
  const std::unique_ptr<Device> device_ = open_checking("");
};

TEST_F(CpuDiagnosisTest, UnknownCheckIsAnErrorThatListsTheKnownOnes) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_CHECKS", "races,sempahores");
  const auto device = open_device("cpu", {});
  EXPECT_EQ(device.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(device.status().message()),
      AllOf(HasSubstr("\"sempahores\""),
            HasSubstr("alignment, circular_buffers, integers, packets, poison, races, reserved, "
                      "semaphores, start, tiles, uninitialized, all and none")));
  environment.set("LIGHTMETAL_CPU_DEVICE_CHECKS", " alignment , races");
  EXPECT_TRUE(open_device("cpu", {}).ok());
  environment.set("LIGHTMETAL_CPU_DEVICE_CHECKS", "none");
  EXPECT_TRUE(open_device("cpu", {}).ok());
}

TEST_F(CpuDiagnosisTest, AccessOutsideL1NamesItsLine) {
  expect_report(*device_, R"(
void kernel_main() {
  uint32_t x = 5;
  *reinterpret_cast<volatile uint32_t*>(0xf0000000) = x;
})",
                "invalid memory access (SIGSEGV), at L1 address 0xf0000000", 5);
}

TEST_F(CpuDiagnosisTest, LineIsThatOfTheInlinedHelperInTheKernel) {
  expect_report(*device_, R"(
inline uint32_t load(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(address);
}
void kernel_main() {
  *reinterpret_cast<volatile uint32_t*>(0x30000) = load(0xf0000000);
})",
                "invalid memory access (SIGSEGV), at L1 address 0xf0000000", 4);
}

TEST_F(CpuDiagnosisTest, TransferOutsideMemoryNamesTheLineThatCallsIt) {
  expect_report(
      *device_, R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  noc_async_read(get_noc_addr(x, y, 0x20000), 0x20000, 64);
  noc_async_read(get_noc_addr(x, y, 0xfffffff0), 0x20000, 64);
  noc_async_read_barrier();
})",
      "NoC read: L1 of core (0,0) holds 1499136 bytes; 64 bytes at 0xfffffff0 end outside", 6);
}

TEST_F(CpuDiagnosisTest, LineIsThatOfTheCallWhenTheFunctionWasNotInlined) {
  expect_report(*device_, R"(
__attribute__((noinline)) void helper(uint32_t address) {
  noc_async_write(address, get_noc_addr(63, 63, 0), 32);
}
void kernel_main() {
  helper(0x20000);
  noc_async_write_barrier();
})",
                "NoC write: nothing is at NoC coordinate (63,63)", 4);
}

#if defined(__x86_64__)
TEST_F(CpuDiagnosisTest, InstructionThatDividesByZeroNamesItsLine) {
  expect_report(*device_, R"(
void kernel_main() {
  asm volatile("xorl %%ecx, %%ecx; divl %%ecx" ::: "eax", "ecx", "edx");
})",
                "division by zero (SIGFPE)", 4);
}
#endif

TEST_F(CpuDiagnosisTest, TrapAndBreakpointNameTheirLine) {
  expect_report(*device_, R"(
void kernel_main() {
  if (get_arg_val<uint32_t>(0) != 0) __builtin_trap();
})",
                "illegal instruction or trap (SIGILL)", 4);
  expect_report(*device_, R"(
void kernel_main() {
  __builtin_debugtrap();
  *reinterpret_cast<volatile uint32_t*>(0x30000) = 1;
})",
                "breakpoint without a debugger (SIGTRAP)", 4);
}

TEST_F(CpuDiagnosisTest, JumpThroughABadPointerNamesTheLineOfTheCall) {
  expect_report(*device_, R"(
void kernel_main() {
  auto target = reinterpret_cast<void (*)()>(0x1234500000000000);
  asm volatile("" : "+r"(target));
  target();
  *reinterpret_cast<volatile uint32_t*>(0x30000) = 1;
})",
                "", 6);
  expect_report(*device_, R"(
void kernel_main() {
  auto target = reinterpret_cast<void (*)()>(0x500000000000);
  asm volatile("" : "+r"(target));
  target();
  *reinterpret_cast<volatile uint32_t*>(0x30000) = 1;
})",
                "invalid memory access (SIGSEGV), at host address 0x500000000000, by a jump to it",
                6);
}

TEST_F(CpuDiagnosisTest, FullStackNamesALineOfTheRecursion) {
  expect_report(*device_, R"(
__attribute__((noinline)) uint32_t sum(uint32_t n) { volatile uint32_t a[64]; a[0] = n;
  return n == 0 ? 0 : a[0] + sum(n + 1) + a[0]; }
void kernel_main() {
  *reinterpret_cast<volatile uint32_t*>(0x30000) = sum(1);
})",
                "the kernel's stack of ", 4);
}

TEST_F(CpuDiagnosisTest, StackThatIsFilledByOneLargeFrameIsReported) {
  expect_report(*device_, R"(
__attribute__((noinline)) uint32_t sum(uint32_t n) {
  volatile uint32_t a[20000]; a[n % 20000] = n;
  return n == 0 ? 0 : a[n % 20000] + sum(n + 1) + a[0]; }
void kernel_main() {
  *reinterpret_cast<volatile uint32_t*>(0x30000) = sum(1);
})",
                "the kernel's stack of ", 3);
}

TEST_F(CpuDiagnosisTest, StackThatOverflowsInACallOfTheApiIsReported) {
  expect_report(*device_, R"(
__attribute__((noinline)) uint32_t sum(uint32_t n) {
  volatile uint32_t a[4]; a[n % 4] = n;
  noc_semaphore_inc(get_noc_addr(0x30000), 1);
  return n == 0 ? 0 : a[n % 4] + sum(n + 1) + a[0]; }
void kernel_main() {
  *reinterpret_cast<volatile uint32_t*>(0x30000) = sum(1);
})",
                "the kernel's stack of ", 5);
}

TEST_F(CpuDiagnosisTest, PushingAcrossTheEndIsAnError) {
  expect_report(*device_, R"(
void kernel_main() {
  cb_reserve_back(3, 2);
  cb_push_back(3, 2);
  cb_push_back(3, 4);
})",
                "circular buffer 3: pages pushed or popped at once cross its end", 6);
  expect_report(*device_, R"(
void kernel_main() { cb_push_back(3, -1); })",
                "circular buffer 3: pages pushed or popped at once cross its end", 3);
}

// What never ends is not taken for what is never reached.
TEST_F(CpuDiagnosisTest, KernelsThatLoopForEverAreEndedByTheWatchdog) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", "0.2");
  const auto device = open_checking("");
  for (const char* loop : {"while (true);", "for (uint32_t i = 0;; ++i) { asm volatile(\"\"); }",
                           "if (get_arg_val<uint32_t>(0) != 0) while (true) { }"}) {
    const absl::Status status =
        run_kernel(*device, std::string("void kernel_main() {\n") + loop + "\n}");
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("core (1,2) RISCV_0 kernel buggy.cpp: polls memory or loops for "
                                "ever, and nothing changes"),
                      ::testing::EndsWith(" (at buggy.cpp:3)")))
        << loop;
    expect_usable(*device);
  }
}

#if defined(__x86_64__)
// The host relies on both being clear.
TEST_F(CpuDiagnosisTest, FlagsThatAKernelLeavesSetDoNotReachTheHost) {
  for (const char* flag : {"0x400", "0x40000"}) {
    expect_ok(
        run_kernel(*device_, std::string("void kernel_main() { asm volatile(\"pushfq; orq $") +
                                 flag + ", (%%rsp); popfq\" ::: \"memory\"); }"));
    EXPECT_EQ(__builtin_ia32_readeflags_u64() & 0x40400, 0u);
    expect_usable(*device_);
  }
}
#endif

TEST_F(CpuDiagnosisTest, WaitsForMorePagesThanThereCanBeFailAtOnce) {
  expect_report(*device_, R"(
void kernel_main() {
  cb_wait_front(3, 5);
})",
                "circular buffer 3: waits for 5 pages, more than the 4 it has", 4);
  expect_report(*device_, R"(
void kernel_main() {
  cb_reserve_back(3, 8);
})",
                "circular buffer 3: reserves 8 pages, more than the 4 it has", 4,
                Processor::kRiscv1);
}

TEST_F(CpuDiagnosisTest, SemaphoreThatTheDeviceDoesNotHaveIsAnError) {
  expect_report(*device_, R"(
void kernel_main() {
  uint32_t address = get_semaphore(16);
  *reinterpret_cast<volatile uint32_t*>(address) = 1;
})",
                "semaphore 16 does not exist; a core has 16", 4);
  expect_ok(run_kernel(*device_, "void kernel_main() { uint32_t a = get_semaphore(15); }"));
}

TEST_F(CpuDiagnosisTest, DeadlockReportNamesTheLineOfEachWait) {
  const absl::Status status = run_kernel(*device_, R"(
void kernel_main() {
  noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 4);
})");
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("core (1,2) RISCV_0 kernel buggy.cpp: semaphore 1 (L1 0x3010): waits for "
                        "== 4, holds 0 (at buggy.cpp:4)"));
  EXPECT_THAT(
      std::string(run_kernel(*device_, "\nvoid kernel_main() { cb_wait_front(3, 1); }").message()),
      HasSubstr("waits for 1 page at the front, holds 0 of 4 (at buggy.cpp:3)"));
  expect_usable(*device_);
}

// Whatever name of our headers the kernel includes them by.
TEST_F(CpuDiagnosisTest, CallsOfHeadersByTheirNamesOf2026NameTheKernelsLine) {
  for (const char* folder : {"", "tt_metal/hw/inc/"}) {
    const std::string buffers =
        absl::StrCat("#include \"", folder, "api/dataflow/circular_buffer.h\"");
    EXPECT_THAT(std::string(run_kernel(*device_, buffers + R"(
void kernel_main() {
  CircularBuffer(3).wait_front(1);
})")
                                .message()),
                HasSubstr("waits for 1 page at the front, holds 0 of 4 (at buggy.cpp:4)"));
    const std::string compute =
        absl::StrCat("#include \"", folder, "api/compute/tile_move_copy.h\"");
    expect_report(*device_, compute + R"(
void kernel_main() {
  copy_tile(3, 0, 99);
})",
                  "DST has no tile 99", 4, Processor::kCompute);
  }
}

TEST_F(CpuDiagnosisTest, FailedAssertionKeepsItsOwnPlace) {
  const absl::Status status = run_kernel(*device_, R"(
#include "debug/assert.h"
void kernel_main() { ASSERT(get_arg_val<uint32_t>(0) == 0); })");
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("kernel buggy.cpp: buggy.cpp:4: ASSERT("), Not(HasSubstr("(at "))));
}

// ---- What reports are made of ----

constexpr std::pair<const char*, uint32_t> kCheckBits[] = {
    {"alignment", kernel_abi::kCheckAlignment},
    {"circular_buffers", kernel_abi::kCheckCircularBuffers},
    {"integers", kernel_abi::kCheckIntegers},
    {"packets", kernel_abi::kCheckPackets},
    {"poison", kernel_abi::kPoisonReads | kernel_abi::kDelayTransfers},
    {"races", kernel_abi::kDelayTransfers},
    {"reserved", kernel_abi::kCheckReserved},
    {"semaphores", kernel_abi::kCheckSemaphores},
    {"start", kernel_abi::kCheckStart},
    {"tiles", kernel_abi::kCheckTiles},
    {"uninitialized", kernel_abi::kCheckUninitialized}};

TEST(CheckNames, OfAListAddUpAndAllIsEachOfThem) {
  uint32_t all = 0;
  for (const auto& [name, bits] : kCheckBits) {
    EXPECT_EQ(cpu::parse_checks(name).value_or(0), bits) << name;
    EXPECT_STREQ(cpu::check_name(bits), name);
    all |= bits;
  }
  EXPECT_EQ(cpu::parse_checks("all").value_or(0), all);
  EXPECT_EQ(cpu::parse_checks(" start ,tiles,start").value_or(0),
            kernel_abi::kCheckStart | kernel_abi::kCheckTiles);
  EXPECT_EQ(cpu::parse_checks("none,tiles").value_or(0), kernel_abi::kCheckTiles);
  for (const char* nothing : {"", " ", "none"})
    EXPECT_EQ(cpu::parse_checks(nothing).value_or(1), 0u);
  EXPECT_FALSE(cpu::parse_checks("tiles,,start").ok());
}

TEST(DeadlockReport, ListsSixteenKernelsAndCountsTheOthers) {
  const auto report = [](size_t kernels) {
    std::vector<cpu::BlockedKernel> blocked(kernels);
    for (size_t i = 0; i < kernels; ++i) blocked[i].text = absl::StrCat("kernel ", i);
    return cpu::deadlock_report("stuck", blocked);
  };
  EXPECT_EQ(report(1), "stuck; 1 kernel has not ended:\n  kernel 0");
  EXPECT_THAT(report(16), AllOf(HasSubstr("stuck; 16 kernels have not ended:"),
                                HasSubstr("\n  kernel 15"), Not(HasSubstr("more"))));
  EXPECT_THAT(report(17),
              AllOf(HasSubstr("; 17 kernels have"), ::testing::EndsWith("\n  and 1 more")));
}

TEST(DeadlockReport, NamesKernelsInTheOrderOfRowsColumnsProcessorsAndParts) {
  const std::vector<cpu::BlockedKernel> ordered = {
      {{0, 0}, Processor::kRiscv1, {}, "a"},
      {{1, 0}, Processor::kRiscv0, {}, "b"},
      {{1, 0}, Processor::kRiscv1, {}, "c"},
      {{1, 0}, Processor::kCompute, kernel_abi::Part::kUnpack, "d"},
      {{1, 0}, Processor::kCompute, kernel_abi::Part::kPack, "e"},
      {{0, 1}, Processor::kRiscv0, {}, "f"}};
  std::vector<cpu::BlockedKernel> mixed = ordered;
  for (size_t i = 0; i < ordered.size(); ++i) {
    std::rotate(mixed.begin(), mixed.begin() + 1, mixed.end());
    std::swap(mixed[0], mixed[3]);
    EXPECT_THAT(cpu::deadlock_report("stuck", mixed),
                ::testing::EndsWith(":\n  a\n  b\n  c\n  d\n  e\n  f"));
  }
}

TEST(ChannelWords, AreNamedFromTheFirstToTheLastAndNoOther) {
  constexpr uint32_t kFirst = kernel_abi::kEthernetInfoAddress + kernel_abi::kEthernetWord;
  constexpr uint32_t kEnd = kFirst + 8 * 16;
  EXPECT_EQ(cpu::channel_word_name(kFirst), "bytes_sent of Ethernet channel 0");
  EXPECT_EQ(cpu::channel_word_name(kFirst + 4), "receiver_ack of Ethernet channel 0");
  EXPECT_EQ(cpu::channel_word_name(kFirst + 5 * 16 + 8), "src_id of Ethernet channel 5");
  EXPECT_EQ(cpu::channel_word_name(kEnd - 4), "reserved_2 of Ethernet channel 7");
  for (const uint32_t other : {0u, kFirst - 4, kEnd, ~0u})
    EXPECT_EQ(cpu::channel_word_name(other), "") << other;
}

TEST(SystemCallNames, AreThoseOfTheSystemOrNumbers) {
  EXPECT_EQ(name_of_system_call(SYS_openat), "openat");
  EXPECT_EQ(name_of_system_call(SYS_mprotect), "mprotect");
  EXPECT_EQ(name_of_system_call(SYS_process_vm_writev), "process_vm_writev");
  EXPECT_STREQ(known_name_of_system_call(SYS_ptrace), "ptrace");
  EXPECT_EQ(name_of_system_call(SYS_getuid), absl::StrCat("number ", SYS_getuid));
  EXPECT_EQ(known_name_of_system_call(SYS_getuid), nullptr);
}

// Nothing above is an error in a good kernel.
TEST_F(CpuDiagnosisTest, GoodKernelRuns) {
  expect_ok(run_kernel(*device_, R"(
void kernel_main() {
  uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  for (int i = 0; i < 10; ++i) {
    cb_reserve_back(3, 2);
    noc_async_read(get_noc_addr(x, y, 0x20000), get_write_ptr(3), 128);
    noc_async_read_barrier();
    cb_push_back(3, 2);
    cb_wait_front(3, 2);
    noc_async_write(get_read_ptr(3), get_noc_addr(x, y, 0x21000), 128);
    noc_async_write_barrier();
    cb_pop_front(3, 2);
  }
  noc_semaphore_set(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 4);
  noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 4);
})"));
}

}  // namespace
}  // namespace lightmetal::device::testing
