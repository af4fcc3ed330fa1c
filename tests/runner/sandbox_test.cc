// `run --sandbox` against kernels that try to get out. Each is captured as any program is, told by
// a runtime argument to do no harm; then the argument in the file is changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <lightmetal/capture.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal {
namespace {

namespace tm = tt::tt_metal;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ProcessResult;
using testing::run_process;
using ::testing::StartsWith;
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

TEST_F(SandboxTest, AFileCutShortWhileItIsUsedInItIsNamed) {
  ProcessResult result;
  for (int wait = 1; wait <= 16; wait *= 2) {
    const std::string path = folder_.path("vanishes.lmb");
    testing::capture_write_and_read(path);
    std::thread cut([&] {
      absl::SleepFor(absl::Seconds(wait));
      std::filesystem::resize_file(path, 0);
    });
    result = runner({path, "--sandbox", "--loop", "1000000000"});
    cut.join();
    if (result.errors.find("was cut short") != std::string::npos) break;
  }
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("vanishes.lmb"), HasSubstr("was cut short")));
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

// Kernels that attack the process which executes them, one to a row; each is numbered, and does its
// harm when it is told that number.
struct KernelAttack {
  const char* name;
  const char* code;
  // Part of what is said of it; null when it does no harm, and the run goes on to its right result.
  const char* message;
};

void PrintTo(const KernelAttack& attack, std::ostream* out) { *out << attack.name; }

// In all of them: words of the flags register, a place that is no memory, services that copy.
constexpr char kTools[] = R"kernel(
constexpr uint64_t kAlignmentCheck = 1 << 18, kDirection = 1 << 10, kTrap = 1 << 8;
template <uint64_t kFlags> void set_flags() {
  asm volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(kFlags) : "memory", "cc");
}
void store_nowhere() { *reinterpret_cast<volatile uint32_t*>(0x123456789000) = 1; }
void store_unaligned(uint32_t scratch) {
  auto* base = reinterpret_cast<volatile char*>(scratch);
  asm volatile("movl $7, 1(%0)" : : "r"(base) : "memory");
}
void use_service(uint32_t scratch, uint32_t dram) {
  noc_async_write(scratch, get_noc_addr_from_bank_id<true>(0, dram), 64);
  noc_async_write_barrier();
}
// So many bytes that the machine's copy is one of strings.
void move_with_direction() {
  constexpr uint32_t kFrom = 0x80000, kBytes = 16384, kWords = kBytes / sizeof(uint32_t);
  auto* words = reinterpret_cast<volatile uint32_t*>(kFrom);
  for (uint32_t i = 0; i < kWords; ++i) words[i] = i + 1;
  set_flags<kDirection>();
  noc_async_read(get_noc_addr(kFrom), kFrom + kBytes, kBytes);
  noc_async_read_barrier();
  asm volatile("cld");
  for (uint32_t i = 0; i < kWords; ++i) {
    if (words[kWords + i] != i + 1) store_nowhere();
  }
}
// It traps at the next instruction of x87 that waits for it.
void leave_exception_pending() {
  const uint16_t mode = 0x37b;  // division by 0 is not masked
  asm volatile("fldcw %0; fldz; fld1; fdiv %%st(1), %%st" : : "m"(mode));
}
void overwrite_thread() {
  asm volatile(
      "mov $-0x400, %%rax; 1: movq $0x0bad, %%fs:(%%rax); add $8, %%rax; cmp $0x400, %%rax; jne 1b"
      : : : "rax", "memory", "cc");
}
// An instruction of the C library that makes a system call: the filter takes it for the runner's.
// The runner's program leads there: from a service back to the program's head, and by its dynamic
// section to the list of what is loaded.
struct Header { uint8_t magic[32]; uint64_t entries; uint8_t more[14]; uint16_t size, count; };
struct Entry { uint32_t type, rights; uint64_t offset, address, physical, in_file, size, alignment; };
struct Loaded { uint64_t base; const char* name; const uint64_t* dynamic; Loaded* next; };
const Entry* entry_of(uint64_t base, uint32_t type, uint32_t rights) {
  auto* head = reinterpret_cast<const Header*>(base);
  auto* entries = reinterpret_cast<const Entry*>(base + head->entries);
  for (uint32_t i = 0; i < head->count; ++i) {
    if (entries[i].type == type && (entries[i].rights & rights) == rights) return &entries[i];
  }
  return nullptr;
}
// The first 7 bytes of a 64-bit ELF file: a page of code may begin with the first 4 of them.
uint64_t program_of(uint64_t text) {
  constexpr uint64_t kSevenBytes = ~uint64_t{0} >> 8;
  uint64_t base = text & ~uint64_t{0xfff};
  while ((*reinterpret_cast<const uint64_t*>(base) & kSevenBytes) != 0x10102464c457f) base -= 0x1000;
  return base;
}
bool is_c_library(const char* name) {
  for (; *name != 0; ++name) {
    if (name[0] == '/' && name[1] == 'l' && name[2] == 'i' && name[3] == 'b' && name[4] == 'c' &&
        name[5] == '.')
      return true;
  }
  return false;
}
uint64_t system_call_of_the_host(uint64_t text) {
  const uint64_t program = program_of(text);
  auto* dynamic = reinterpret_cast<const uint64_t*>(program + entry_of(program, 2, 0)->address);
  while (dynamic[0] != 21) dynamic += 2;  // DT_DEBUG
  auto* loaded = *reinterpret_cast<Loaded* const*>(dynamic[1] + 8);
  while (!is_c_library(loaded->name)) loaded = loaded->next;
  const Entry* code = entry_of(loaded->base, 1, 1);
  auto* bytes = reinterpret_cast<const uint8_t*>(loaded->base + code->address);
  while (bytes[0] != 0x0f || bytes[1] != 0x05 || bytes[2] != 0xc3) ++bytes;
  return reinterpret_cast<uint64_t>(bytes);
}
long call_as_host(uint64_t at, long number, long a, long b, long c, long d) {
  long result;
  register long fourth asm("r10") = d;
  asm volatile("call *%1" : "=a"(result) : "r"(at), "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return result;
}
void forget_thread() { asm volatile("xor %%eax, %%eax; mov %%eax, %%fs" : : : "rax"); }
)kernel";

constexpr char kOutside[] = "outside of a kernel's code";

constexpr const char* kHarmless = nullptr;

const KernelAttack kAttacks[] = {
    {"SystemCall", "asm volatile(\"mov $39, %%eax; syscall\" : : : \"rax\", \"rcx\", \"r11\");",
     "makes the system call getpid"},
    {"SystemCallOf32Bits", "asm volatile(\"mov $20, %%eax; int $0x80\" : : : \"rax\");",
     "core (0,0) RISCV_0 kernel"},
    {"Sysenter", "asm volatile(\"mov $20, %%eax; sysenter\" : : : \"rax\");",
     "core (0,0) RISCV_0 kernel"},
    {"FarJumpTo32Bits",
     "struct __attribute__((packed)) { uint32_t to; uint16_t code; } where = {0x1000, 0x23};"
     "asm volatile(\"ljmpl *%0\" : : \"m\"(where));",
     "core (0,0) RISCV_0 kernel"},
    {"UnalignedStoreWithAlignmentCheck", "set_flags<kAlignmentCheck>(); store_unaligned(scratch);",
     "invalid memory access (SIGBUS)"},
    {"FaultWithAlignmentCheck", "set_flags<kAlignmentCheck>(); store_nowhere();",
     "at host address 0x123456789000"},
    {"ServiceWithAlignmentCheck",
     "set_flags<kAlignmentCheck>(); use_service(scratch, get_arg_val<uint32_t>(2));", kHarmless},
    {"EndWithAlignmentCheck", "end(); set_flags<kAlignmentCheck>(); return;", kHarmless},
    {"FaultWithDirection", "set_flags<kDirection>(); store_nowhere();",
     "at host address 0x123456789000"},
    {"ServiceWithDirection", "move_with_direction();", kHarmless},
    {"EndWithDirection", "end(); set_flags<kDirection>(); return;", kHarmless},
    {"EverythingInSingleSteps", "set_flags<kTrap>(); store_nowhere();", "(SIGTRAP)"},
    {"SingleStepIntoAService",
     "asm volatile(\"pushfq; orq $0x100, (%%rsp); popfq; jmp *%0\" : : "
     "\"r\"(context->services->yield));",
     "core (0,0) RISCV_0 kernel"},
    {"ArithmeticThatTraps",
     "const uint32_t all = 0; asm volatile(\"ldmxcsr %0; xorps %%xmm0, %%xmm0; divss %%xmm0, "
     "%%xmm0\""
     " : : \"m\"(all) : \"xmm0\");",
     "(SIGFPE)"},
    {"ServiceWithArithmeticThatWillTrap",
     "leave_exception_pending(); use_service(scratch, get_arg_val<uint32_t>(2));", kHarmless},
    {"EndWithArithmeticThatWillTrap", "end(); leave_exception_pending(); return;", kHarmless},
    {"FaultWithArithmeticThatWillTrap", "leave_exception_pending(); store_nowhere();",
     "at host address 0x123456789000"},
    {"FaultWithoutThreadPointer", "forget_thread(); store_nowhere();",
     "at host address 0x123456789000"},
    {"EndWithoutThreadPointer", "end(); forget_thread(); return;", kOutside},
    {"FaultWithThreadOverwritten", "overwrite_thread(); store_nowhere();", ""},
    {"EndWithThreadOverwritten", "end(); overwrite_thread(); return;", ""},
    {"WildJump", "asm volatile(\"jmp *%0\" : : \"r\"(0x123456789000));", "by a jump to it"},
    {"WildCallAtTheEndOfTheStack",
     "const auto end = ((uint64_t)__builtin_frame_address(0) | (lightmetal::kernel_abi::kStackSize "
     "- 1))"
     " - 3; asm volatile(\"mov %0, %%rsp; jmp *%1\" : : \"r\"(end), \"r\"(0x123456789000));",
     "by a jump to it"},
    {"NoStack", "asm volatile(\"xor %%esp, %%esp; push %%rax\" : : );", "(SIGSEGV)"},
    {"ServiceWithoutStack",
     "asm volatile(\"xor %%esp, %%esp; jmp *%0\" : : \"r\"(context->services->yield));", kOutside},
    {"ServiceWithAnotherKernel",
     "context->fiber = (void*)0x123456789000; use_service(scratch, get_arg_val<uint32_t>(2));",
     kOutside},
    {"Halt", "asm volatile(\"hlt\");", "(SIGSEGV)"},
    {"Breakpoint", "asm volatile(\"int3\");", "(SIGTRAP)"},
    {"UndefinedInstruction", "asm volatile(\"ud2\");", "(SIGILL)"},
    // What it takes away is that of the process which executes it, and another one tells.
    {"TakesTheHandlersAway",
     "const uint64_t none[4] = {}; const uint64_t at = host();"
     "call_as_host(at, 13, 11, (long)none, 0, 8); store_nowhere();",
     "ended the process that executed it"},
    {"TakesTheHandlersStackAway",
     "const uint64_t stack[3] = {0x123456789000, 0, 65536}; const uint64_t at = host();"
     "call_as_host(at, 131, (long)stack, 0, 0, 0); store_nowhere();",
     ""},
    {"BlocksTheSignals",
     "const uint64_t all = ~uint64_t{0}; const uint64_t at = host();"
     "call_as_host(at, 14, 0, (long)&all, 0, 8); store_nowhere();",
     "ended the process that executed it"},
    {"TakesTheTextAway",
     "const uint64_t at = host();"
     "const uint64_t program = program_of((uint64_t)context->services->yield);"
     "const Entry* code = entry_of(program, 1, 1);"
     "call_as_host(at, 11, program + (code->address & ~0xfffl), code->size, 0, 0);"
     "store_nowhere();",
     "ended the process that executed it"},
    {"EndsItself",
     "const uint64_t at = host(); const long me = call_as_host(at, 39, 0, 0, 0, 0);"
     "call_as_host(at, 234, me, call_as_host(at, 186, 0, 0, 0, 0), 9, 0);",
     "(SIGKILL) ended the process that executed it"},
    {"EndsItselfWithAnotherCode", "call_as_host(host(), 231, 99, 0, 0, 0);",
     "ended with the exit code 99, which the runner does not have"},
};

std::string attacking_kernel() {
  std::string text = kHostile;
  text.resize(text.find("void kernel_main"));
  text += kTools;
  text +=
      "void kernel_main() {\n  const uint32_t scratch = get_arg_val<uint32_t>(1);\n"
      "  auto* context = lightmetal::kernel_abi::context(); (void)context;\n"
      "  const auto host = [&] {\n"
      "    return system_call_of_the_host((uint64_t)context->services->yield);\n  };\n"
      "  const auto end = [&] {\n"
      "    auto* words = reinterpret_cast<volatile uint32_t*>(scratch);\n"
      "    for (uint32_t i = 0; i < 16; ++i) words[i] = i * i;\n"
      "    use_service(scratch, get_arg_val<uint32_t>(2));\n  };\n"
      "  switch (get_arg_val<uint32_t>(0)) {\n";
  for (size_t i = 0; i < std::size(kAttacks); ++i) {
    text += "    case " + std::to_string(i + 1) + ": {\n" + kAttacks[i].code + "\n} break;\n";
  }
  return text + "  }\n  end();\n}\n";
}

class KernelAttackTest : public SandboxTest, public ::testing::WithParamInterface<KernelAttack> {};

// What is said beside warnings.
std::vector<std::string> lines_of(const std::string& errors) {
  std::vector<std::string> lines;
  std::istringstream in(errors);
  for (std::string line; std::getline(in, line);) {
    if (line.find("warning: ") == line.npos) lines.push_back(line);
  }
  return lines;
}

TEST_P(KernelAttackTest, DoesNoHarmOrEndsAsOneLine) {
  capture(file_, attacking_kernel());
  const auto number =
      static_cast<uint32_t>(1 +
                            std::find_if(std::begin(kAttacks), std::end(kAttacks),
                                         [](const KernelAttack& each) {
                                           return each.name == std::string(GetParam().name);
                                         }) -
                            std::begin(kAttacks));
  const ProcessResult result = runner({hostile(static_cast<Attack>(number)), "--sandbox"});
  const std::vector<std::string> lines = lines_of(result.errors);
  if (GetParam().message == kHarmless) {
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(lines, IsEmpty());
    return;
  }
  EXPECT_EQ(result.exit_code, 2) << result.errors << result.output;
  EXPECT_THAT(lines,
              ElementsAre(AllOf(StartsWith("lightmetal_runner: "), HasSubstr(GetParam().message))));
}

INSTANTIATE_TEST_SUITE_P(All, KernelAttackTest, ::testing::ValuesIn(kAttacks),
                         [](const auto& info) { return std::string(info.param.name); });

// Instructions that no compiler makes of a kernel: an object with one of them is refused, executed
// or not. Those of protection keys where the machine has some.
struct RefusedInstruction {
  const char* name;
  const char* code;
  bool of_protection_keys;
};

void PrintTo(const RefusedInstruction& instruction, std::ostream* out) { *out << instruction.name; }

class RefusedInstructionTest : public SandboxTest,
                               public ::testing::WithParamInterface<RefusedInstruction> {};

TEST_P(RefusedInstructionTest, IsOneLineAndNotExecuted) {
  capture(file_, std::string("void kernel_main() { if (get_arg_val<uint32_t>(0) == 0) return;\n") +
                     GetParam().code + "\n}\n");
  const ProcessResult result = runner({hostile(static_cast<Attack>(1)), "--sandbox"});
  EXPECT_EQ(result.exit_code, 2) << result.output;
  const bool refused = guarded_ || !GetParam().of_protection_keys;
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(HasSubstr(refused ? GetParam().name : "SIGILL")));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedInstructionTest,
    ::testing::Values(
        RefusedInstruction{"wrfsbase", "asm volatile(\"wrfsbase %%rax\" : : : );", false},
        RefusedInstruction{"wrgsbase", "asm volatile(\"wrgsbase %%r8\" : : : );", false},
        RefusedInstruction{"wrpkru", R"(asm volatile("jmp last_page%=\n"
                             ".pushsection last_code, \"ax\", @progbits\n"
                             ".balign 4096; last_page%=: .byte 0x0f, 0x01, 0xef\n"
                             ".popsection" : : :);)",
                           true}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lightmetal
