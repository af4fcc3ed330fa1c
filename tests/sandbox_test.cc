// `run --sandbox` against kernels that try to get out. Each is captured as any program is, told by
// a runtime argument to do no harm; then the argument in the file is changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <lightmetal/capture.hpp>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "captured_file.h"
#include "process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ProcessResult;
using testing::run_process;
using testing::TemporaryFolder;
using testing::write_file;

enum Attack : uint32_t {
  kNone,
  kOpen,
  kSocket,
  kExecve,
  kFork,
  kWrite,
  kExit,
  kUnmapped,
  kReadOnly,
  kHostHeap,
  kHostStack,
  kOtherCore
};

// Ends by copying what it was told to DRAM, so that there is something to compare.
constexpr char kHostile[] = R"(
long call(long number, long a, long b, long c) {
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c)
               : "rcx", "r11", "memory");
  return result;
}
void store(uint64_t address) { *reinterpret_cast<volatile uint32_t*>(address) = 0x0bad0bad; }
uint64_t thread_pointer() {
  uint64_t pointer;
  asm volatile("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}
const char path[] = "/etc/hostname";
const char text[] = "written by a kernel\n";
void kernel_main() {
  const uint32_t attack = get_arg_val<uint32_t>(0);
  const uint32_t scratch = get_arg_val<uint32_t>(1);
  auto* context = lightmetal::kernel_abi::context();
  switch (attack) {
    case 1: call(2, (long)path, 0, 0); break;
    case 2: call(41, 2, 1, 0); break;
    case 3: call(59, (long)path, 0, 0); break;
    case 4: call(57, 0, 0, 0); break;
    case 5: call(1, 1, (long)text, sizeof(text) - 1); break;
    case 6: call(231, 0, 0, 0); break;
    case 7: store(0x123456789000); break;
    case 8: store((uint64_t)&kernel_main); break;
    case 9: store((uint64_t)context->fiber); break;
    case 10: store(thread_pointer() - 16384); break;
    case 11: store(context->l1_base + (uint64_t{1} << 32) + scratch); break;
  }
  auto* words = reinterpret_cast<volatile uint32_t*>(scratch);
  for (uint32_t i = 0; i < 16; ++i) words[i] = i * i;
  noc_async_write(scratch, get_noc_addr_from_bank_id<true>(0, get_arg_val<uint32_t>(2)), 64);
  noc_async_write_barrier();
}
)";

// Has an instruction that would give it the right to write to all memory, and never executes it.
constexpr char kGivesItselfRights[] = R"(
void kernel_main() {
  if (get_arg_val<uint32_t>(0) != 0) asm volatile(".byte 0x0f, 0x01, 0xef");
}
)";

// Makes a system call, told to, with the last instruction of the last page of its code.
constexpr char kEndsWithACall[] = R"(
[[gnu::noinline]] static void call_at_the_end() {
  asm volatile(
      "mov $231, %%eax; xor %%edi, %%edi; jmp last_call\n"
      ".pushsection last_code, \"ax\", @progbits\n"
      ".balign 4096; .fill 4094, 1, 0x90; last_call: syscall\n"
      ".popsection" ::: "rax", "rdi", "rcx", "r11");
}
void kernel_main() {
  if (get_arg_val<uint32_t>(0) != 0) call_at_the_end();
}
)";

void run_kernel(tm::IDevice* device, const std::string& text) {
  auto dram = tm::CreateBuffer(tm::InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = tm::BufferType::DRAM});
  auto scratch = tm::CreateBuffer(tm::InterleavedBufferConfig{
      .device = device, .size = 64, .page_size = 64, .buffer_type = tm::BufferType::L1});
  tm::Program program = tm::CreateProgram();
  const auto kernel =
      tm::CreateKernelFromString(program, text, CoreCoord{0, 0}, tm::DataMovementConfig{});
  tm::SetRuntimeArgs(
      program, kernel, CoreCoord{0, 0},
      {kNone, static_cast<uint32_t>(scratch->address()), static_cast<uint32_t>(dram->address())});
  tm::EnqueueProgram(device->command_queue(), program, false);
  std::vector<uint32_t> squares;
  tm::EnqueueReadBuffer(device->command_queue(), dram, squares, true);
}

void capture(const std::string& path, const std::string& text) {
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  run_kernel(device, text);
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

ProcessResult runner(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), LIGHTMETAL_RUNNER);
  return run_process(arguments);
}

bool has_no_keys(const ProcessResult& result) {
  return result.errors.find("are not stopped") != std::string::npos;
}

class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the kernels' instructions are x86-64's";
#endif
    capture(file_, kHostile);
    const ProcessResult result = runner({file_, "--sandbox"});
    if (result.errors.find("cannot be entered") != std::string::npos) {
      GTEST_SKIP() << result.errors;
    }
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    guarded_ = !has_no_keys(result);
  }

  // The file, told to attack.
  std::string hostile(Attack attack) {
    const auto bytes =
        testing::rewritten(**schema::File::open(file_), [&](schema::CommandT& command, auto&) {
          if (auto* args = command.call.AsSetRuntimeArgs()) args->args.at(0) = attack;
        });
    const std::string path = folder_.path("hostile.lmb");
    write_file(path, std::string(bytes.begin(), bytes.end()));
    return path;
  }

  void expect_stopped(Attack attack, const std::string& message) {
    const ProcessResult result = runner({hostile(attack), "--sandbox"});
    EXPECT_EQ(result.exit_code, 2) << result.errors << result.output;
    EXPECT_THAT(result.errors, AllOf(HasSubstr("core (0,0) RISCV_0 kernel"), HasSubstr(message)));
    EXPECT_EQ(result.output, "");
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.path("file.lmb");
  bool guarded_ = false;
};

TEST_F(SandboxTest, AGoodFileRunsAsWithoutIt) {
  for (const char* device : {"cpu", "null"}) {
    const std::vector<std::string> arguments = {file_, "--device", device};
    const ProcessResult plain = runner(arguments);
    std::vector<std::string> with_sandbox = arguments;
    with_sandbox.push_back("--sandbox");
    const ProcessResult sandboxed = runner(with_sandbox);
    EXPECT_EQ(sandboxed.exit_code, plain.exit_code) << sandboxed.errors;
    const auto without_times = [](const std::string& line) {
      return line.substr(0, line.find(", loaded in"));
    };
    EXPECT_EQ(without_times(sandboxed.output), without_times(plain.output));
  }
}

TEST_F(SandboxTest, AFileRunsManyTimesInIt) {
  const ProcessResult result = runner({file_, "--sandbox", "--loop", "20"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(SandboxTest, ASystemCallOfAKernelIsStoppedAndNamed) {
  expect_stopped(kOpen, "makes the system call open,");
  expect_stopped(kSocket, "makes the system call socket,");
  expect_stopped(kExecve, "makes the system call execve,");
  expect_stopped(kFork, "makes the system call fork,");
}

// The runner itself may make these.
TEST_F(SandboxTest, AKernelMayNotEvenMakeTheCallsThatTheRunnerMakes) {
  expect_stopped(kWrite, "makes the system call write,");
  expect_stopped(kExit, "makes the system call exit_group,");
}

TEST_F(SandboxTest, ASystemCallAtTheVeryEndOfTheCodeIsTheKernelsToo) {
  capture(file_, kEndsWithACall);
  expect_stopped(kOpen, "makes the system call exit_group,");
}

TEST_F(SandboxTest, WithoutItTheSameKernelGetsOut) {
  const ProcessResult result = runner({hostile(kWrite)});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("written by a kernel"));
}

TEST_F(SandboxTest, AStoreToWhatIsNoMemoryIsStoppedAndNamed) {
  expect_stopped(kUnmapped, "invalid memory access (SIGSEGV), at host address 0x123456789000");
}

TEST_F(SandboxTest, AStoreToReadOnlyMemoryIsStoppedAndNamed) {
  expect_stopped(kReadOnly, "(SIGSEGV)");
}

TEST_F(SandboxTest, AStoreToTheHostsHeapIsStoppedAndNamed) {
  if (!guarded_) GTEST_SKIP() << "this machine has no protection keys that would do";
  expect_stopped(kHostHeap, "writes to memory of the host");
}

TEST_F(SandboxTest, AStoreToAHostThreadsStackIsStoppedAndNamed) {
  if (!guarded_) GTEST_SKIP() << "this machine has no protection keys that would do";
  expect_stopped(kHostStack, "writes to memory of the host");
}

// It is memory of the same device, and every kernel may write to it over the NoC.
TEST_F(SandboxTest, AStoreToAnotherCoresMemoryIsTheDevicesOwnBusiness) {
  const ProcessResult result = runner({hostile(kOtherCore), "--sandbox"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(SandboxTest, AKernelWithAnInstructionThatGivesRightsIsNotLoaded) {
  if (!guarded_) GTEST_SKIP() << "this machine has no protection keys that would do";
  const std::string path = folder_.path("rights.lmb");
  capture(path, kGivesItselfRights);
  EXPECT_EQ(runner({path}).exit_code, 0);
  const ProcessResult result = runner({path, "--sandbox"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("wrpkru"));
}

TEST_F(SandboxTest, AForeignFileNeedsNoOtherTrustInIt) {
  chmod(file_.c_str(), 0666);
  EXPECT_EQ(runner({file_}).exit_code, 2);
  EXPECT_EQ(runner({file_, "--sandbox"}).exit_code, 0);
  EXPECT_EQ(runner({file_, "--sandbox=best-effort"}).exit_code, 2);
  EXPECT_EQ(runner({file_, "--sandbox=best-effort", "--trust"}).exit_code, 0);
}

// Its input is changed while it runs. What is compared is what was checked.
TEST_F(SandboxTest, AForeignFileRunsAsItWasWhenItWasChecked) {
  testing::capture_write_and_read(file_);
  chmod(file_.c_str(), 0666);
  const auto changed = testing::with_changed_input(**schema::File::open(file_));
  std::thread change([&] {
    absl::SleepFor(absl::Milliseconds(300));
    std::fstream(file_, std::ios::binary | std::ios::in | std::ios::out)
        .write(reinterpret_cast<const char*>(changed.data()),
               static_cast<std::streamsize>(std::filesystem::file_size(file_)));
  });
  const ProcessResult result = runner({file_, "--sandbox", "--loop", "3000"});
  change.join();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(SandboxTest, AnUnknownKindIsRefused) {
  const ProcessResult result = runner({file_, "--sandbox=somehow"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("--sandbox is strict or best-effort, not somehow"));
}

// Here the device opens a file to print to.
TEST_F(SandboxTest, OtherCodeOpensNoFileEither) {
  const ProcessResult result =
      run_process({LIGHTMETAL_RUNNER, file_, "--sandbox"},
                  {.environment = {{"TT_METAL_DPRINT_CORES", "0,0"},
                                   {"TT_METAL_DPRINT_FILE", folder_.path("prints")}}});
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_THAT(result.errors, HasSubstr("Permission denied"));
}

}  // namespace
}  // namespace lightmetal
