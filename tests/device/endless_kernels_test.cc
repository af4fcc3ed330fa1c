// A kernel that never ends fails its launch with a report of where it waits or loops, whatever ran
// on its fiber before and however it was compiled.
#include <ostream>

#include "absl/strings/str_cat.h"
#include "tests/device/diagnosis_test_kit.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

struct Kernel {
  const char* name;
  const char* text;  // from its second line on
  Processor processor = Processor::kRiscv0;

  friend void PrintTo(const Kernel& kernel, std::ostream* out) { *out << kernel.name; }
};

// ---- Kernels that never end, all of them at line 6 ----

constexpr char kPolls[] = "polls memory or loops for ever, and nothing changes";
constexpr char kWaits[] = "waits for ";

struct Endless {
  const char* name;
  const char* before;  // one line, in front of kernel_main
  const char* loop;    // one line
  const char* report = kPolls;

  std::string text() const {
    return std::string("\n") + before +
           "\nvoid kernel_main() {\n  auto* word = reinterpret_cast<volatile "
           "uint32_t*>(0x30000);\n" +
           loop + "\n}";
  }

  friend void PrintTo(const Endless& kernel, std::ostream* out) { *out << kernel.name; }
};

constexpr Endless kEndless[] = {
    {"Nothing", "", "while (true);"},
    {"NothingBehindACondition", "", "if (get_arg_val<uint32_t>(0) != 0) while (true);"},
    {"ConstantCondition", "", "for (uint32_t i = 0; get_arg_val<uint32_t>(0) != 0; ++i);"},
    {"Counting", "", "while (true) word[1] += 1;"},
    {"Poll", "", "while (word[0] != 77);"},
    {"PollOfAByte", "", "while (*reinterpret_cast<volatile uint8_t*>(0x30000) != 77);"},
    {"PollWithoutVolatile", "", "while (*reinterpret_cast<uint32_t*>(0x30000) != 77);"},
    {"PollThatCounts", "", "while (word[0] != 77) word[1] += 1;"},
    {"PollOfChanges", "", "for (uint32_t last = 1; word[0] != last;) word[1] = last;"},
    {"PollOfTwoWords", "", "while (word[0] != 77 && word[2] != 77) word[1] += 1;"},
    {"PollWithAssembly", "", "while (word[0] != 77) asm volatile(\"\" ::: \"memory\");"},
    {"PollAndInvalidate", "", "while (word[0] != 77) invalidate_l1_cache();"},
    {"PollInAFunction",
     "__attribute__((noinline)) bool done(volatile uint32_t* p) { return *p == 77; }",
     "while (!done(word)) word[1] += 1;"},
    {"PollThatMayFail", "", "while (true) { word[1] += 1; if (word[0] == 77) __builtin_trap(); }"},
    {"PollOfItsOwnStack", "", "volatile uint32_t own = 0; while (own == 0);"},
    {"LoopWithTwoEntries", "",
     "if (word[0] == 77) goto b; a: if (word[0] == 78) return; word[1] = 1; b: word[1] = 2; goto "
     "a;"},
    {"WaitForASemaphore", "",
     "noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 4);", kWaits},
    {"WaitForPages", "", "cb_wait_front(3, 1);", kWaits},
    {"WaitForRoom", "", "cb_reserve_back(3, 4); cb_push_back(3, 4); cb_reserve_back(3, 1);",
     kWaits},
};

// ---- What ran before ----

constexpr Kernel kBefore[] = {
    {"Nothing", "void kernel_main() {}"},
    {"FillsItsStackWithZeros", R"(
void kernel_main() { volatile uint32_t a[25000]; for (uint32_t i = 0; i < 25000; ++i) a[i] = 0; })"},
    {"FillsItsStackWithOnes", R"(
void kernel_main() { volatile uint32_t a[25000]; for (uint32_t i = 0; i < 25000; ++i) a[i] = 0xffffffff; })"},
    {"FillsItsStackWithAddressesOfItself", R"(
void kernel_main() {
  volatile uint64_t a[12000];
  for (uint32_t i = 0; i < 12000; i += 2) {
    a[i] = reinterpret_cast<uint64_t>(a + i + 2);
    a[i + 1] = reinterpret_cast<uint64_t>(&kernel_main);
  }
})"},
    {"HasVariables", R"(
uint32_t many[2000] = {1, 2, 3}; struct Late { Late() { many[5] = 7; } } late;
void kernel_main() { many[get_arg_val<uint32_t>(0)] = 9; })"},
    {"Faults", "void kernel_main() { *reinterpret_cast<volatile uint32_t*>(0x7fff0000) = 1; }"},
    {"Traps", "void kernel_main() { __builtin_trap(); }"},
    {"FillsItsStack", R"(
__attribute__((noinline)) uint32_t sum(uint32_t n) { volatile uint32_t a[64]; a[0] = n;
  return n == 0 ? 0 : a[0] + sum(n + 1) + a[0]; }
void kernel_main() { *reinterpret_cast<volatile uint32_t*>(0x30010) = sum(1); })"},
    {"WaitsForEver", "void kernel_main() { cb_wait_front(3, 2); }"},
    {"PollsForEver",
     "void kernel_main() { while (*reinterpret_cast<volatile uint32_t*>(0x30000) != 5); }"},
    {"Warns", "void kernel_main() { cb_pop_front(9, 1); }"},
    {"FailsInAService",
     "void kernel_main() { noc_async_read(get_noc_addr(63, 63, 0), 0x20000, 32); }"},
    {"PrintsHalfALine", "void kernel_main() { DPRINT << \"half\"; }"},
    {"Computes", R"(
void kernel_main() { tile_regs_acquire(); tile_regs_commit(); tile_regs_release(); })",
     Processor::kCompute},
};

class EndlessKernels : public ::testing::TestWithParam<Endless> {};

// One worker uses the fiber of the kernel before. With the fixed schedule polls are counted, so no
// clock decides.
std::unique_ptr<Device> open_fixed(const char* debug) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_SCHEDULE", "fixed");
  environment.set("LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS", "0.01");
  environment.set("LIGHTMETAL_CPU_DEVICE_DEBUG", debug);
  return open_cpu();
}

void expect_named(Device& device, const Endless& endless) {
  write_words(device, kWhere, kScratch, {0, 0, 0, 0});
  const absl::Status status = run_kernel(device, endless.text());
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("core (1,2) RISCV_0 kernel buggy.cpp: "), HasSubstr(endless.report),
                    EndsWith("buggy.cpp:6)")));
}

TEST_P(EndlessKernels, AreNamedWhateverRanBefore) {
  const auto device = open_fixed("0");
  for (const Kernel& before : kBefore) {
    SCOPED_TRACE(before.name);
    (void)run_kernel(*device, before.text, before.processor);
    expect_named(*device, GetParam());
  }
}

TEST_P(EndlessKernels, AreNamedWithoutOptimisation) { expect_named(*open_fixed("1"), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Kernels, EndlessKernels, ::testing::ValuesIn(kEndless),
                         [](const auto& info) { return info.param.name; });

// A kernel that polls for the given number of rounds before each of 8 increments of a semaphore.
std::string polls_between_increments(uint32_t rounds) {
  return absl::StrCat(R"(
void kernel_main() {
  volatile auto* word = reinterpret_cast<volatile uint32_t*>(0x30000);
  const uint64_t semaphore =
      get_noc_addr(my_x[0], my_y[0], static_cast<uint32_t>(get_semaphore(1)));
  for (uint32_t i = 0; i < 8; ++i) {
    for (uint32_t round = 0; round < )",
                      rounds, R"( && *word == 0; ++round) invalidate_l1_cache();
    noc_semaphore_inc(semaphore, 1);
    noc_async_atomic_barrier();
  }
})");
}

// With the fixed schedule, kernels may poll about 100,000 times in a row here.
TEST(Polls, AreCountedAnewAfterEachChange) {
  const auto device = open_fixed("0");
  write_words(*device, kWhere, kScratch, {0, 0, 0, 0});
  expect_ok(run_kernel(*device, polls_between_increments(50'000)));
  EXPECT_THAT(std::string(run_kernel(*device, polls_between_increments(200'000)).message()),
              HasSubstr(kPolls));
}

}  // namespace
}  // namespace lightmetal::device::testing
