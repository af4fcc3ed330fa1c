// Divisions and shifts that C++ leaves undefined: a kernel gets what RISC-V computes, on every
// host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "tests/device/device_test_kit.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::ElementsAre;

constexpr Core kCore{0, 0};
constexpr uint32_t kOperands = 0x20000, kResults = 0x30000;

// Opens a device whose kernels are compiled with optimisation, or without.
class Divisions : public ::testing::TestWithParam<bool> {
 protected:
  Divisions() {
    Environment environment;
    environment.set("LIGHTMETAL_CPU_DEVICE_DEBUG", GetParam() ? "0" : "1");
    device_ = open_cpu_with_workers(1);
  }

  absl::Status run(const std::string& text, Processor processor = Processor::kRiscv0) {
    LaunchBuilder launch(*device_);
    launch.run_on(kCore, launch.kernel("division.cpp", text, processor), {});
    return launch.launch();
  }

  std::vector<uint32_t> results(size_t count) {
    return read_words(*device_, kCore, kResults, count);
  }

  std::unique_ptr<Device> device_;
};

// ---- Every type and every pair of edge values ----

template <typename T>
std::vector<T> edge_values() {
  constexpr T kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  return {0, 1, 2, 7, static_cast<T>(-1), static_cast<T>(-7), kLeast, kLeast + 1, kMost};
}

struct Quotients {
  uint64_t quotient;
  uint64_t remainder;
};

template <typename T>
Quotients by_riscv(T a, T b) {
  const bool overflows =
      std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
  const auto quotient = b == 0 ? static_cast<T>(-1) : overflows ? a : static_cast<T>(a / b);
  const auto remainder = b == 0 ? a : overflows ? T{0} : static_cast<T>(a % b);
  return {static_cast<uint64_t>(quotient), static_cast<uint64_t>(remainder)};
}

// The operands are 64-bit words at kOperands; each pair leaves quotient and remainder at kResults.
std::string all_pairs(const char* type, size_t count) {
  return absl::StrCat("#include <cstdint>\nvoid kernel_main() {\n  using T = ", type, R"(;
  auto* operands = reinterpret_cast<volatile uint64_t*>(0x20000);
  auto* results = reinterpret_cast<volatile uint64_t*>(0x30000);
  for (uint32_t i = 0; i < )",
                      count, R"(; ++i) {
    for (uint32_t j = 0; j < )",
                      count, R"(; ++j) {
      const T a = static_cast<T>(operands[i]), b = static_cast<T>(operands[j]);
      T quotient = a, remainder = a;
      quotient /= b;
      remainder %= b;
      *results++ = static_cast<uint64_t>(quotient);
      *results++ = static_cast<uint64_t>(remainder);
    }
  }
})");
}

std::vector<uint32_t> halves_of(const std::vector<uint64_t>& words) {
  std::vector<uint32_t> halves;
  for (const uint64_t word : words) {
    halves.push_back(static_cast<uint32_t>(word));
    halves.push_back(static_cast<uint32_t>(word >> 32));
  }
  return halves;
}

template <typename T>
std::vector<uint64_t> expected_of(const std::vector<T>& values) {
  std::vector<uint64_t> expected;
  for (const T a : values) {
    for (const T b : values) {
      const Quotients result = by_riscv<T>(a, b);
      expected.push_back(result.quotient);
      expected.push_back(result.remainder);
    }
  }
  return expected;
}

TEST_P(Divisions, GiveRiscVsResultsForEveryPairOfEdgeValues) {
  const auto check = [&]<typename T>(const char* type, T) {
    SCOPED_TRACE(type);
    const std::vector<T> values = edge_values<T>();
    std::vector<uint64_t> operands;
    for (const T value : values) operands.push_back(static_cast<uint64_t>(value));
    write_words(*device_, kCore, kOperands, halves_of(operands));
    const absl::Status status = run(all_pairs(type, values.size()));
    ASSERT_TRUE(status.ok()) << status;
    const std::vector<uint32_t> expected = halves_of(expected_of(values));
    EXPECT_EQ(results(expected.size()), expected);
  };
  check("int8_t", int8_t{});
  check("uint8_t", uint8_t{});
  check("int16_t", int16_t{});
  check("uint16_t", uint16_t{});
  check("int32_t", int32_t{});
  check("uint32_t", uint32_t{});
  check("int64_t", int64_t{});
  check("uint64_t", uint64_t{});
}

// ---- Constants, vectors, places ----

constexpr uint32_t kAllOnes = 0xffffffff, kLeast = 0x80000000;

// What a kernel leaves at kResults, whose operands are the words 7 and the least number.
class Expressions {
 public:
  Expressions& add(const std::string& expression, uint32_t expected) {
    absl::StrAppend(&text_, "  out[", expected_.size(), "] = ", expression, ";\n");
    expected_.push_back(expected);
    return *this;
  }
  std::string text() const {
    return absl::StrCat(R"(#include <cstdint>
constexpr int kNone = 0, kMinusOne = -1;
inline uint32_t divided(uint32_t a, uint32_t b) { return a / b; }
void kernel_main() {
  auto* in = reinterpret_cast<volatile int32_t*>(0x20000);
  auto* out = reinterpret_cast<volatile uint32_t*>(0x30000);
  const int32_t seven = in[0], least = in[1];
  const uint32_t useven = in[0];
)",
                        text_, "}");
  }
  const std::vector<uint32_t>& expected() const { return expected_; }

 private:
  std::string text_;
  std::vector<uint32_t> expected_;
};

TEST_P(Divisions, ByConstantsGiveRiscVsResults) {
  Expressions all;
  all.add("seven / kNone", kAllOnes).add("seven % kNone", 7);
  all.add("useven / 0u", kAllOnes).add("useven % 0u", 7);
  all.add("least / kMinusOne", kLeast).add("least % kMinusOne", 0);
  all.add("seven / kMinusOne", static_cast<uint32_t>(-7))
      .add("seven / 2", 3)
      .add("least % 3", kAllOnes - 1);
  all.add("7 / kNone", kAllOnes);  // both are constants
  all.add("divided(7, 0)", kAllOnes);
  write_words(*device_, kCore, kOperands, {7, kLeast});
  for (const Processor processor : {Processor::kRiscv0, Processor::kCompute}) {
    const absl::Status status = run(all.text(), processor);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(results(all.expected().size()), all.expected());
  }
}

TEST_P(Divisions, OfVectorsGiveRiscVsResultsInEachLane) {
  write_words(*device_, kCore, kOperands, {7, kLeast, 9, 5, 0, kAllOnes, 2, 0});
  const absl::Status status = run(R"(#include <cstdint>
typedef int32_t Four __attribute__((vector_size(16)));
void kernel_main() {
  auto* in = reinterpret_cast<volatile Four*>(0x20000);
  auto* out = reinterpret_cast<volatile Four*>(0x30000);
  const Four a = in[0], b = in[1];
  out[0] = a / b;
  out[1] = a % b;
})");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(results(8), ElementsAre(kAllOnes, kLeast, 4, kAllOnes, 7, 0, 1, 5));
}

TEST_P(Divisions, InLoopsAndConstructorsGiveRiscVsResults) {
  write_words(*device_, kCore, kOperands, {7, 0});
  const absl::Status status = run(R"(#include <cstdint>
uint32_t first = *reinterpret_cast<volatile uint32_t*>(0x20000) / *reinterpret_cast<volatile uint32_t*>(0x20004);
void kernel_main() {
  auto* out = reinterpret_cast<volatile uint32_t*>(0x30000);
  out[0] = first;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 100; ++i) sum += 100 / (i % 10);
  out[1] = sum;
})");
  ASSERT_TRUE(status.ok()) << status;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 100; ++i) sum += i % 10 == 0 ? kAllOnes : 100 / (i % 10);
  EXPECT_THAT(results(2), ElementsAre(kAllOnes, sum));
}

// ---- Shifts ----

TEST_P(Divisions, ShiftsCountTheLowBitsOfTheAmount) {
  write_words(*device_, kCore, kOperands, {0x80000005, 0x80000001});
  const absl::Status status = run(R"(#include <cstdint>
void kernel_main() {
  auto* in = reinterpret_cast<volatile uint32_t*>(0x20000);
  auto* out = reinterpret_cast<volatile uint32_t*>(0x30000);
  for (uint32_t n = 0; n < 80; ++n) {
    *out++ = in[0] << n;
    *out++ = in[0] >> n;
    *out++ = static_cast<int32_t>(in[0]) >> n;
    const uint64_t wide = static_cast<uint64_t>(in[1]) << 32 | in[0];
    *out++ = static_cast<uint32_t>(wide >> n);
  }
  *out++ = in[0] << 33;
})");
  ASSERT_TRUE(status.ok()) << status;
  std::vector<uint32_t> expected;
  for (uint32_t n = 0; n < 80; ++n) {
    expected.push_back(0x80000005u << n % 32);
    expected.push_back(0x80000005u >> n % 32);
    expected.push_back(static_cast<uint32_t>(static_cast<int32_t>(0x80000005u) >> n % 32));
    expected.push_back(static_cast<uint32_t>(0x8000000180000005u >> n % 64));
  }
  expected.push_back(0x0000000au);
  EXPECT_EQ(results(expected.size()), expected);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Divisions, ::testing::Bool(), [](const auto& info) {
  return info.param ? "Optimised" : "NotOptimised";
});

}  // namespace
}  // namespace lightmetal::device::testing
