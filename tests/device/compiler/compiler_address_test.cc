#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/device/compiler/compiler_test_kit.h"

namespace lightmetal::device::cpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// ---- Device addresses ----

TEST_F(Compiler, IntegerCastToPointerReachesTheCoresL1) {
  const auto object = compile_body(R"(
    uint32_t address = get_arg_val<uint32_t>(0);
    reinterpret_cast<volatile uint32_t*>(address)[1] = 11;
    *(uint32_t*)(address + 8) = 12;
    auto* bytes = (volatile uint8_t*)(uintptr_t)address;
    bytes[12] = 13;
    *reinterpret_cast<tt_l1_ptr uint16_t*>(static_cast<std::size_t>(address) + 16) = 14;)");
  LoneKernel run({kOutput});
  EXPECT_THAT(run.run(object).outputs(5), testing::ElementsAre(0, 11, 12, 13, 14));
}

TEST_F(Compiler, ConstantAddressReachesTheCoresL1) {
  const auto object = compile_body(R"(
    *(volatile uint32_t*)0x30000 = 1;
    ((volatile uint32_t*)0x30000)[1] = 2;
    uint32_t* pointers[] = {(uint32_t*)0x30008, (uint32_t*)0x3000c, nullptr};
    for (uint32_t* pointer : pointers) {
      if (pointer) *pointer = 3;
    }
    volatile uint32_t* chosen = get_arg_val<uint32_t>(0) ? (volatile uint32_t*)0x30010 : (volatile uint32_t*)0x30020;
    *chosen = 4;)");
  LoneKernel run({1});
  EXPECT_THAT(run.run(object).outputs(5), testing::ElementsAre(1, 2, 3, 3, 4));
}

TEST_F(Compiler, NestedAndStructPointersReachTheCoresL1) {
  const auto object = compile(source(R"(
    struct Inner { uint32_t a; uint32_t b[2]; };
    struct Pair { Inner first; Inner second; };
    static uint32_t* inner_address(Pair* pair) { return &pair->second.b[1]; }
    void kernel_main() {
      const uint32_t address = get_arg_val<uint32_t>(0);
      Pair* pair = (Pair*)address;
      pair->first.a = 1;
      ((Pair*)(address))->first.b[0] = 2;
      *inner_address(reinterpret_cast<Pair*>(address)) = 3;
      (*(Pair*)0x30000).second.a = 4;
      Inner& reference = *reinterpret_cast<Inner*>((uint32_t)pair + sizeof(Inner));
      reference.b[0] = 5;
    })"));
  LoneKernel run({kOutput});
  EXPECT_THAT(run.run(object).outputs(6), testing::ElementsAre(1, 2, 0, 4, 5, 3));
}

TEST_F(Compiler, PointerCastToWordIsTheDeviceAddress) {
  const auto object = compile_body(R"(
    auto* out = (uint32_t*)get_arg_val<uint32_t>(0);
    out[0] = (uint32_t)(out + 4);
    out[1] = reinterpret_cast<uint32_t>(out);
    *(uint32_t*)(uint32_t)(out + 2) = 7;)");
  LoneKernel run({kOutput});
  EXPECT_THAT(run.run(object).outputs(3), testing::ElementsAre(kOutput + 16, kOutput, 7));
}

TEST_F(Compiler, MemoryFunctionsTakeDeviceAddresses) {
  const auto object = compile(source(R"(
    #include <cstring>
    void kernel_main() {
      const uint32_t out = get_arg_val<uint32_t>(0), size = get_arg_val<uint32_t>(1);
      uint32_t local[64];
      for (uint32_t i = 0; i < 64; ++i) local[i] = i;
      memcpy((void*)out, local, size);
      memset((void*)(out + 4), 0xff, 4);
      memmove((void*)(out + 8), (void*)(out + 12), size - 12);
      ((uint32_t*)out)[40] = memcmp((void*)out, local, size);
    })"));
  LoneKernel run({kOutput, 64});
  EXPECT_THAT(run.run(object).outputs(5), testing::ElementsAre(0, 0xffffffff, 3, 4, 5));
  EXPECT_NE(run.output(40), 0);
}

TEST_F(Compiler, FunctionsOfAllKindsFindTheirContext) {
  const auto object = compile(source(R"(
    __attribute__((noinline)) uint32_t load(uint32_t address) { return *(volatile uint32_t*)address; }
    __attribute__((noinline)) uint32_t recurse(uint32_t depth, uint32_t address) {
      uint32_t local[100];
      for (uint32_t& word : local) word = depth;
      if (depth == 0) return load(address);
      return recurse(depth - 1, address) + ((volatile uint32_t*)local)[depth % 100];
    }
    template <typename F> __attribute__((noinline)) void call(F f) { f(3); }
    void kernel_main() {
      const uint32_t out = get_arg_val<uint32_t>(0);
      *(volatile uint32_t*)out = 5;
      uint32_t large[20000];
      for (uint32_t i = 0; i < 20000; ++i) large[i] = i * out;
      ((volatile uint32_t*)out)[1] = recurse(100, out);
      ((volatile uint32_t*)out)[2] = ((volatile uint32_t*)large)[19999];
      call([=](uint32_t i) { *(reinterpret_cast<volatile uint32_t*>(out) + i) = 9; });
    })"));
  LoneKernel run({kOutput});
  EXPECT_THAT(run.run(object).outputs(4), testing::ElementsAre(5, 5055, 19999u * kOutput, 9));
}

TEST_F(Compiler, CoresRunOneObjectAtTheSameTime) {
  const auto object = compile(source(R"(
    uint32_t total;
    void kernel_main() {
      auto* words = (volatile uint32_t*)get_arg_val<uint32_t>(0);
      for (uint32_t i = 0; i < 200000; ++i) total += words[i % 16];
      words[16] = total;
    })"));
  LoneKernel one({kOutput});
  LoneKernel two({kOutput});
  for (uint32_t i = 0; i < 16; ++i) {
    one.l1().words(kOutput)[i] = 1;
    two.l1().words(kOutput)[i] = 3;
  }
  std::thread other([&] { two.run(object); });
  one.run(object);
  other.join();
  EXPECT_EQ(one.output(16), 200000);
  EXPECT_EQ(two.output(16), 600000);
}

TEST_F(Compiler, LoopThatOnlyPollsMemoryLetsOthersRun) {
  const auto object = compile(source(R"(
    static bool reached(volatile uint32_t* word, uint32_t value) { return *word >= value; }
    void kernel_main() {
      auto* word = (volatile uint32_t*)get_arg_val<uint32_t>(0);
      while (!reached(word, 3)) {}
      while (*(volatile uint32_t*)0x30000 != 5);
      while (__atomic_load_n((uint32_t*)0x30000, __ATOMIC_ACQUIRE) < 9) {}
    })"));
  LoneKernel run({kOutput});
  run.count_on_yield();
  EXPECT_EQ(run.run(object).output(0), 9);
  EXPECT_EQ(run.yields(), 9);
}

TEST_F(Compiler, LoopThatDoesItsOwnWorkIsLeftAlone) {
  const auto object = compile_body(R"(
    auto* words = (volatile uint32_t*)get_arg_val<uint32_t>(0);
    for (uint32_t i = 1; i < 10000; ++i) words[i] = words[i - 1] + 1;)");
  LoneKernel run({kOutput});
  EXPECT_EQ(run.run(object).output(9999), 9999);
  EXPECT_EQ(run.yields(), 0);
}

// ---- Variables ----

TEST_F(Compiler, EachRunHasVariablesOfItsOwn) {
  const auto object = compile(source(R"(
    uint32_t counter = 5;
    static uint32_t zeroed[8];
    uint32_t next() { static uint32_t calls = 100; return ++calls; }
    void kernel_main() {
      auto* out = (volatile uint32_t*)0x30000;
      out[0] = counter++;
      out[1] = counter;
      out[2] = zeroed[3]++;
      next();
      out[3] = next();
    })"));
  LoneKernel first;
  LoneKernel second;
  EXPECT_THAT(first.run(object).outputs(4), testing::ElementsAre(5, 6, 0, 102));
  EXPECT_THAT(second.run(object).outputs(4), testing::ElementsAre(5, 6, 0, 102));
}

TEST_F(Compiler, VariablesMayHoldAddressesAndHaveConstructors) {
  const auto object = compile(source(R"(
    static volatile uint32_t* const fixed = (volatile uint32_t*)0x30000;
    uint32_t variable = 1;
    struct Table { uint32_t* entries[2]; uint32_t size; };
    static Table table = {{(uint32_t*)0x30004, &variable}, 2};
    static const Table constant_table = {{&variable, (uint32_t*)0x30008}, 3};
    struct Made { uint32_t value; Made() : value(get_arg_val<uint32_t>(0) + 1) {} ~Made() { value = 0; } };
    Made made;
    const char* const names[] = {"a", "bc"};
    void kernel_main() {
      fixed[0] = table.size;
      *table.entries[0] = 20;
      ++*table.entries[1];
      *constant_table.entries[1] = *constant_table.entries[0];
      fixed[3] = made.value;
      fixed[4] = names[get_arg_val<uint32_t>(0) - 6][1];
    })"));
  LoneKernel run({7});
  EXPECT_THAT(run.run(object).outputs(5), testing::ElementsAre(2, 20, 2, 8, 'c'));
}

TEST_F(Compiler, TooManyVariablesAreRefused) {
  EXPECT_THAT(error_of("volatile uint32_t words[1 << 16]; void kernel_main() { words[5] = 1; }"),
              HasSubstr("variables take 262144 bytes"));
}

TEST_F(Compiler, ThreadLocalVariableIsRefusedByName) {
  EXPECT_THAT(
      error_of("thread_local uint32_t per_thread = 1; void kernel_main() { per_thread = 2; }"),
      HasSubstr("'per_thread' is thread_local"));
}

TEST_F(Compiler, FrameLargerThanTheStackIsRefused) {
  EXPECT_THAT(error_of("void kernel_main() { volatile uint32_t words[40000]; "
                       "words[get_arg_val<uint32_t>(0)] = 1; }"),
              HasSubstr("stack frame size"));
}

}  // namespace
}  // namespace lightmetal::device::cpu
