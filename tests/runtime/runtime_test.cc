// Tensors, and executables that run beside the caller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <lightmetal/runtime.hpp>
#include <memory>
#include <string>
#include <vector>

#include "runtime/state.h"
#include "tests/runtime/tensor_kit.h"

namespace lightmetal::runtime::whole {
namespace {

using namespace lightmetal::testing;
using ::testing::HasSubstr;

// Two files that lie beside each other on one device.
class RuntimeTest : public ::testing::Test {
 protected:
  const FilePointer first_file_ = captured_scaling({.factor = 3, .w = 1000});
  const FilePointer second_file_ = captured_scaling({.factor = 5, .w = 7, .offset = "64K"});
  const Device device_ = value_of(Device::open(*first_file_));
  const std::shared_ptr<Executable> first_ = value_of(device_.load(first_file_));
  const std::shared_ptr<Executable> second_ = value_of(device_.load(second_file_));
};

TEST_F(RuntimeTest, AnOutputGoesIntoAnInputWithoutTheHost) {
  const Words x = counting(11);
  const std::vector<Tensor> y = value_of(submit(device_, first_, "scale", {host_tensor(x)}));
  EXPECT_EQ(words_of(y[0]), scaled(x, 3, counting(1000)));
  const Stats before = device_.stats();
  const std::vector<Tensor> z = value_of(submit(device_, second_, "scale", y));
  const Tensor copy = value_of(allocateOutputTensor(device_, *second_, 0));
  ASSERT_TRUE(wait(toLayout(copy, z[0])).ok());
  const Stats after = device_.stats();
  EXPECT_EQ(after.host_to_device_bytes, before.host_to_device_bytes);
  EXPECT_EQ(after.device_to_host_bytes, before.device_to_host_bytes);
  EXPECT_EQ(after.host_round_trips, 0u);
  EXPECT_EQ(after.device_copies, before.device_copies + 3);  // into x, out of y, to the copy
  EXPECT_EQ(words_of(copy), scaled(scaled(x, 3, counting(1000)), 5, counting(7)));
}

TEST_F(RuntimeTest, FilesAtOneAddressAreRefusedOnOneDevice) {
  const absl::Status status = device_.load(first_file_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("LIGHTMETAL_ALLOCATOR_OFFSET"));
}

TEST_F(RuntimeTest, CallsReturnBeforeTheirWorkIsDoneAndWorkWaitsForWhatItReads) {
  Event gate = Event::create();
  const Words x = counting(1);
  Tensor input = value_of(allocateInputTensor(device_, *first_, 0));
  Tensor output = value_of(allocateOutputTensor(device_, *first_, 0));
  ASSERT_TRUE(wait(toLayout(input, host_tensor(x))).ok());
  const Event run = submit(device_, first_, "scale", {input}, {output}, {gate});
  EXPECT_FALSE(query(run));
  // The next input reaches the device while the run is held.
  Tensor next = value_of(allocateInputTensor(device_, *first_, 0));
  EXPECT_TRUE(wait(toLayout(next, host_tensor(counting(50)))).ok());
  EXPECT_FALSE(query(run));
  // What the run reads is not written before it has.
  const Event overwrite = toLayout(input, host_tensor(counting(999)));
  EXPECT_FALSE(query(overwrite));
  const Event second_run = submit(device_, first_, "scale", {next}, {output}, {run});
  gate.signal();
  EXPECT_TRUE(wait({run, overwrite, second_run}).ok());
  EXPECT_EQ(words_of(output), scaled(counting(50), 3, counting(1000)));
  EXPECT_EQ(words_of(input), counting(999));
}

TEST_F(RuntimeTest, EachOfAThousandDoubleBufferedRunsComputesWithItsOwnInput) {
  std::vector<Tensor> inputs, outputs, sources, results;
  for (int i = 0; i < 2; ++i) {
    inputs.push_back(value_of(allocateInputTensor(device_, *first_, 0)));
    outputs.push_back(value_of(allocateOutputTensor(device_, *first_, 0)));
  }
  constexpr uint32_t kRuns = 1000;
  for (uint32_t i = 0; i < kRuns; ++i) {
    sources.push_back(host_tensor(counting(i)));
    results.push_back(host_tensor(Words(kWords, 0)));
    toLayout(inputs[i % 2], sources[i]);
    submit(device_, first_, "scale", {inputs[i % 2]}, {outputs[i % 2]});
    toLayout(results[i], outputs[i % 2]);
  }
  for (uint32_t i = 0; i < kRuns; ++i)
    ASSERT_EQ(words_of(results[i]), scaled(counting(i), 3, counting(1000))) << i;
}

// ---- Layouts ----

TEST_F(RuntimeTest, EqualLayoutsNeedNoCopyAndOthersAreConvertedOnce) {
  const Layout layout = value_of(getLayout(*first_, 0));
  EXPECT_TRUE(layout.is_on_device());
  EXPECT_TRUE(layout == value_of(getLayout(*second_, 0)));
  const Tensor host = host_tensor(counting(3));
  EXPECT_FALSE(hasLayout(host, layout));
  const Tensor there = value_of(toLayout(host, device_, layout));
  EXPECT_TRUE(hasLayout(there, layout));
  EXPECT_EQ(words_of(there), counting(3));
  const Stats before = device_.stats();
  EXPECT_EQ(value_of(toLayout(there, device_, layout)).state(), there.state());
  EXPECT_EQ(device_.stats().relayouts, before.relayouts);
  const Tensor back = value_of(toLayout(there, device_, Layout::host(TensorType::Float32)));
  std::vector<float> floats(kWords);
  ASSERT_TRUE(runtime::memcpy(floats.data(), back).ok());
  EXPECT_EQ(floats[5], 8.0f);
  EXPECT_EQ(device_.stats().relayouts, before.relayouts + 1);
}

TEST(HostTensorTest, StridesAreGatheredAndWrongDataAreRefused) {
  auto words = std::make_shared<Words>(Words{0, 1, 2, 3, 4, 5});
  const auto tensor = createTensor({words, words->data()}, {3, 2}, {1, 3}, 4, TensorType::UInt32);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  Words transposed(6);
  ASSERT_TRUE(runtime::memcpy(transposed.data(), *tensor).ok());
  EXPECT_EQ(transposed, (Words{0, 3, 1, 4, 2, 5}));
  const auto message = [&](std::vector<uint32_t> stride, uint32_t itemsize) {
    return std::string(
        createTensor({words, words->data()}, {3, 2}, stride, itemsize, TensorType::UInt32)
            .status()
            .message());
  };
  EXPECT_THAT(message({1}, 4), HasSubstr("a tensor of 2 dimensions has 1 strides"));
  EXPECT_THAT(message({2, 1}, 2), HasSubstr("an element of uint32 has 4 bytes, and not 2"));
  EXPECT_THAT(
      std::string(createTensor(nullptr, {1}, {1}, 4, TensorType::UInt32).status().message()),
      HasSubstr("null pointer"));
}

// ---- The end of tensors, and errors ----

TEST_F(RuntimeTest, ADeallocatedTensorIsNoLongerUsedAndARetainedOneStays) {
  const Layout layout = value_of(getLayout(*first_, 0));
  Tensor tensor = value_of(createEmptyTensor(device_, layout, kShape));
  tensor.set_retain(true);
  deallocate(tensor);
  EXPECT_TRUE(tensor.is_allocated());
  deallocate(tensor, /*force=*/true);
  EXPECT_FALSE(tensor.is_allocated());
  EXPECT_THAT(std::string(wait(toLayout(host_tensor(counting(0)), tensor)).message()),
              HasSubstr("has been deallocated"));
}

TEST_F(RuntimeTest, ShortMemoryIsRefusedWithWhatThereIsAndNothingIsLost) {
  const Layout layout = value_of(getLayout(*first_, 0));
  Layout::State large = layout.state();
  large.buffer->size = uint64_t{1} << 40;
  const Layout too_large(std::make_shared<const Layout::State>(large));
  const auto tensor = createEmptyTensor(device_, too_large, kShape);
  EXPECT_EQ(tensor.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(tensor.status().message()),
              HasSubstr("1099511627776 bytes of DRAM were wanted, and the largest free block has"));
  EXPECT_TRUE(createEmptyTensor(device_, layout, kShape).ok());
}

TEST_F(RuntimeTest, WrongTensorsAreNamedBeforeAnythingRuns) {
  const auto message = [&](std::vector<Tensor> inputs, std::string_view entry = "scale") {
    return std::string(wait(submit(device_, first_, entry, std::move(inputs), {})).message());
  };
  const Tensor right = host_tensor(counting(0));
  EXPECT_THAT(message({right, right}), HasSubstr("2 inputs are given, and the executable has 1"));
  EXPECT_THAT(message({right}, "decode"), HasSubstr("has no entry \"decode\""));
  const std::vector<std::byte> bytes(kWords * 4);
  const Tensor flat = value_of(createOwnedHostTensor(bytes, {kWords}, TensorType::UInt32));
  EXPECT_THAT(message({flat}), HasSubstr("have the shape [64], expected [4, 16]"));
  Layout::State other = value_of(getLayout(*first_, 0)).state();
  other.buffer->page_size *= 2;
  const Tensor paged = value_of(
      createEmptyTensor(device_, Layout(std::make_shared<const Layout::State>(other)), kShape));
  EXPECT_THAT(message({paged}), HasSubstr("has another layout than"));
  EXPECT_EQ(message({right}), "");
}

TEST_F(RuntimeTest, WorkThatWaitsForFailedWorkFails) {
  const Tensor right = host_tensor(counting(0));
  Tensor output = value_of(allocateOutputTensor(device_, *first_, 0));
  submit(device_, first_, "no such entry", {right}, {output});
  const Event copy = toLayout(host_tensor(Words(kWords, 0)), output);
  EXPECT_THAT(std::string(wait(copy).message()), HasSubstr("what this work waits for has failed"));
}

}  // namespace
}  // namespace lightmetal::runtime::whole
