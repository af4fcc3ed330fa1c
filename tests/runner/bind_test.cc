// lightmetal_runner bind: names for buffers and commands of files that were captured without, and
// runs of such files with values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/runner/inspection_kit.h"

namespace lightmetal::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

using Floats = std::vector<float>;

std::string text_of(const Floats& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// The values behind the head of a .npy file of float32.
Floats floats_in(const std::string& npy, size_t count) {
  Floats values(count);
  const size_t size = count * sizeof(float);
  EXPECT_GT(npy.size(), size);
  std::memcpy(values.data(), npy.data() + npy.size() - size, size);
  return values;
}

// Pearson's correlation.
double correlation(const Floats& a, const Floats& b) {
  double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum_a += a[i], sum_b += b[i];
    aa += double{a[i]} * a[i], bb += double{b[i]} * b[i], ab += double{a[i]} * b[i];
  }
  const auto n = static_cast<double>(a.size());
  return (n * ab - sum_a * sum_b) / std::sqrt((n * aa - sum_a * sum_a) * (n * bb - sum_b * sum_b));
}

class BindTest : public InspectionTest {
 protected:
  std::string loopback() { return golden("1.1/loopback.lmb"); }
  std::string named() const { return folder_.path("named.lmb"); }

  ProcessResult bind(const std::string& file, std::vector<std::string> names) {
    names.insert(names.begin(), {"bind", file, "-o", named()});
    const ProcessResult result = runner(names);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }

  void expect_refused(std::vector<std::string> names, const std::string& message,
                      const std::string& file = "") {
    names.insert(names.begin(), {"bind", file.empty() ? loopback() : file, "-o", named()});
    write_file(named(), "as before");
    expect_failure(names, message);
    EXPECT_EQ(read_file(named()), "as before");
  }

  std::string npy(const std::string& name, const std::string& shape, const Floats& values) {
    std::string head = "\x93NUMPY\x01";
    const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}\n";
    head += {'\0', static_cast<char>(text.size()), '\0'};
    write_file(folder_.path(name), head + text + text_of(values));
    return folder_.path(name);
  }
};

TEST_F(BindTest, AFileWithoutNamesGetsThemAndRuns) {
  EXPECT_THAT(bind(loopback(), {"--input=x=1", "--output=y=2", "--entry=copy=7-10"}).output,
              HasSubstr("with 2 named tensors and 1 entry"));
  const std::string info = runner({"info", named()}).output;
  EXPECT_THAT(info, ContainsRegex("\ninput      x: uint32:[0-9]+:row_major, buffer 1, with a "
                                  "default value\n"));
  EXPECT_THAT(info, ContainsRegex("\noutput     y: uint32:[0-9]+:row_major, buffer 2"));
  EXPECT_EQ(runner({"verify", named()}).exit_code, 0);
  EXPECT_EQ(runner({"run", named()}).exit_code, 0);
  const std::string x = folder_.path("x.bin"), y = folder_.path("y.bin");
  EXPECT_EQ(runner({"run", named(), "--output=y=" + y}).exit_code, 0);
  std::string changed = read_file(y);
  ASSERT_FALSE(changed.empty());
  for (char& c : changed) c = static_cast<char>(c + 1);
  write_file(x, changed);
  EXPECT_EQ(runner({"run", named(), "--entry=copy", "--input=x=" + x, "--output=y=" + y}).exit_code,
            0);
  EXPECT_EQ(read_file(y), changed);
}

TEST_F(BindTest, AProductIsOfTheMatricesThatAreGiven) {
  constexpr size_t kSize = 640;
  bind(matmul(), {"--input=a=1:bfloat16:640x640:tile", "--input=b=2:bfloat16:640x640:tile",
                  "--output=c=3:bfloat16:640x640:tile"});
  std::mt19937 random(17);
  std::uniform_real_distribution<float> values(-1, 1);
  Floats a(kSize * kSize), b(kSize * kSize), expected(kSize * kSize);
  for (float& value : a) value = values(random);
  for (float& value : b) value = values(random);
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t k = 0; k < kSize; ++k) {
      for (size_t j = 0; j < kSize; ++j)
        expected[i * kSize + j] += a[i * kSize + k] * b[k * kSize + j];
    }
  }
  const std::string out = folder_.path("c.npy");
  const ProcessResult result =
      runner({"run", named(), "--input=a=" + npy("a.npy", "(640, 640)", a),
              "--input=b=" + npy("b.npy", "(640, 640)", b), "--output=c=" + out});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_GT(correlation(floats_in(read_file(out), expected.size()), expected), 0.999);
}

// What a block computes of a token does not depend on where among the tokens it stands.
TEST_F(BindTest, ABlockOfATransformerComputesWithTheTokensThatAreGiven) {
  constexpr size_t kTokens = 128, kWidth = 512;
  // The example's own names go.
  bind(transformer(),
       {"--input=x=1:bfloat16:128x512:tile", "--output=y=7:bfloat16:128x512:tile", "--replace"});
  const auto output_of = [&](const Floats& x) {
    const std::string out = folder_.path("y.npy");
    const ProcessResult result =
        runner({"run", named(), "--input=x=" + npy("x.npy", "(128, 512)", x), "--output=y=" + out});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return floats_in(read_file(out), kTokens * kWidth);
  };
  std::mt19937 random(18);
  std::normal_distribution<float> values;
  Floats x(kTokens * kWidth);
  for (float& value : x) value = values(random);
  const Floats y = output_of(x);
  Floats turned(x.size()), expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    turned[(i + kWidth) % x.size()] = x[i];
    expected[(i + kWidth) % x.size()] = y[i];
  }
  const Floats found = output_of(turned);
  EXPECT_GT(correlation(found, expected), 0.99);
  EXPECT_LT(correlation(found, y), 0.9);
}

TEST_F(BindTest, ANameOfTheFileIsReplacedOnlyOnDemand) {
  bind(loopback(), {"--input=x=1", "--entry=copy=7-10"});
  const std::string first = folder_.path("first.lmb");
  fs::rename(named(), first);
  expect_refused({"--input=x=2"}, "has the tensor x already", first);
  expect_refused({"--entry=copy=9-9"}, "has the entry copy already", first);
  const auto result = bind(first, {"--output=x=2", "--entry=copy=10-10", "--replace"});
  EXPECT_THAT(result.output, HasSubstr(", 2 replaced"));
  const std::string info = runner({"info", named()}).output;
  EXPECT_THAT(info, ContainsRegex("\noutput     x: .*, buffer 2"));
  EXPECT_EQ(info.find("\ninput "), std::string::npos);
  EXPECT_EQ(runner({"run", named()}).exit_code, 0);
}

TEST_F(BindTest, WhatHasNoNamesIsAsItWas) {
  bind(loopback(), {"--input=x=1", "--constant=w=3", "--in-out=z=2", "--entry=copy=0-10"});
  const std::vector<std::string> dump = {"dump", "--format=text", "--command",
                                         "BufferCreate,EnqueueWriteBuffer,EnqueueProgram,"
                                         "EnqueueReadBuffer,KernelBinary,CloseDevice"};
  const auto of = [&](const std::string& file) {
    std::vector<std::string> arguments = dump;
    arguments.insert(arguments.begin() + 1, file);
    std::string text = runner(arguments).output, without_numbers;
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      without_numbers += text.substr(at + 6, text.find('\n', at) - at - 5);
    return without_numbers;
  };
  EXPECT_EQ(of(named()), of(loopback()));
}

TEST_F(BindTest, AFileOfAnOlderVersionHasTheVersionOfItsNewCalls) {
  const std::string old = LIGHTMETAL_GOLDEN_FOLDER "/1.1/loopback.lmb";
  EXPECT_THAT(runner({"info", old}).output, HasSubstr("\nformat     1.1, "));
  EXPECT_EQ(runner({"bind", old, "-o", named(), "--input=x=1"}).exit_code, 0);
  EXPECT_THAT(runner({"info", named()}).output, HasSubstr("\nformat     1.2, "));
  EXPECT_EQ(runner({"run", named()}).exit_code, 0);
}

TEST_F(BindTest, WhatCannotBeIsOneSentence) {
  expect_refused({"--input=x=99"}, "makes no buffer 99, which is to be x");
  expect_refused({"--input=x=1", "--output=x=2"}, "two tensors get the name x");
  expect_refused({"--entry=a=3-4", "--entry=a=5-6"}, "two entries get the name a");
  expect_refused({"--entry=a=3-99"}, "is to be commands 3 to 99, and");
  const uint64_t count = (*schema::File::open(loopback()))->num_commands();
  expect_refused({absl::StrCat("--entry=a=3-", count)},
                 absl::StrCat("has commands 0 to ", count - 1));
  expect_refused({"--entry=a=4-3"}, "is to be commands 4 to 3, and");
  expect_refused({"--entry=a=3-8", "--entry=b=5-6"}, "inside of entry a");
  expect_refused({"--input=x=1:float32:1000000"}, "the tensor float32:1000000:row_major takes");
  expect_refused({"--input=a/b=1"}, "which are not allowed");
  expect_refused({"--input=x=1:float8:4"}, "is no tensor");
  expect_refused({"--input=x"}, "--input is NAME=BUFFER");
  expect_refused({"--constant=x=first"}, "--constant is NAME=BUFFER");
  expect_refused({"--entry=a"}, "--entry is NAME=FIRST-LAST");
  expect_refused({}, "bind needs what gets a name");
  expect_failure({"bind", loopback(), "--input=x=1"}, "bind needs -o OUT");
  expect_refused({"--input=x=1"}, "because it is incomplete", killed());
  bind(loopback(), {"--input=x=1"});
  expect_failure({"bind", named(), "-o", named(), "--input=y=2"}, "is an input");
}

TEST_F(BindTest, ASignatureIsDroppedAndThatIsSaid) {
  const std::string key = folder_.path("key"), copy = folder_.path("copy.lmb");
  fs::copy_file(loopback(), copy);
  EXPECT_EQ(runner({"keygen", "-o", key}).exit_code, 0);
  EXPECT_EQ(runner({"sign", copy, "--key", key + ".key"}).exit_code, 0);
  EXPECT_THAT(bind(copy, {"--input=x=1"}).output, HasSubstr("its signature is gone"));
  EXPECT_EQ(runner({"verify", named(), "--require-signature", key + ".pub"}).exit_code, 2);
}

}  // namespace
}  // namespace lightmetal::testing
