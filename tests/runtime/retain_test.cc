// what ends tensors, and what does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <lightmetal/tensors.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/state.h"
#include "tests/runtime/tensor_kit.h"

namespace lightmetal::runtime::retain {
namespace {

namespace tm = tt::tt_metal;

using namespace lightmetal::testing;
using ::testing::HasSubstr;

enum class Storage { kBorrowed, kOwned, kDevice };

class RetainTest : public ::testing::Test {
 protected:
  Tensor tensor_in(Storage storage, bool retained) {
    Tensor tensor = made(storage);
    EXPECT_TRUE(wait(tensor).ok());
    tensor.set_retain(retained);
    return tensor;
  }

  const FilePointer file_ = captured_scaling({.factor = 3, .w = 1000, .w_is_input = true});
  const Device device_ = value_of(Device::open(*file_));
  const std::shared_ptr<Executable> executable_ = value_of(device_.load(file_));
  const Layout layout_ = value_of(getLayout(*executable_, 0));
  Words borrowed_ = counting(1);

 private:
  Tensor made(Storage storage) {
    switch (storage) {
      case Storage::kBorrowed:
        return value_of(createBorrowedHostTensor(
            {reinterpret_cast<std::byte*>(borrowed_.data()), borrowed_.size() * 4}, kShape,
            TensorType::UInt32));
      case Storage::kOwned:
        return host_tensor(counting(1));
      case Storage::kDevice:
        return value_of(toLayout(host_tensor(counting(1)), device_, layout_));
    }
    return host_tensor({});
  }
};

TEST_F(RetainTest, ToLayoutEndsItsSourceUnlessOneOfTheTwoRetainsIt) {
  const Layout other =
      value_of(Layout::of({kShape, TensorType::UInt32, TensorOrder::Tile}, Location::DeviceL1));
  for (const Storage storage : {Storage::kBorrowed, Storage::kOwned, Storage::kDevice}) {
    for (const bool retained : {false, true}) {
      for (const bool retain : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << static_cast<int>(storage) << " " << retained << " " << retain);
        const Tensor source = tensor_in(storage, retained);
        const Tensor target = value_of(toLayout(source, device_, other, retain));
        EXPECT_EQ(source.is_allocated(), retained || retain);
        EXPECT_TRUE(target.is_allocated());
        EXPECT_FALSE(target.retain());
        EXPECT_EQ(words_of(target), counting(1));
        if (!source.is_allocated()) continue;
        EXPECT_EQ(words_of(source), counting(1));
      }
    }
  }
}

// There is no new tensor that it could end behind.
TEST_F(RetainTest, ATensorThatHasTheLayoutAlreadyStays) {
  const Tensor tensor = tensor_in(Storage::kDevice, false);
  const Tensor same = value_of(toLayout(tensor, device_, layout_, /*retain=*/false));
  EXPECT_EQ(same.state(), tensor.state());
  EXPECT_TRUE(tensor.is_allocated());
}

TEST_F(RetainTest, ARunEndsNoneOfItsTensors) {
  for (const Storage storage : {Storage::kBorrowed, Storage::kOwned, Storage::kDevice}) {
    for (const bool retain_x : {false, true}) {
      for (const bool retain_w : {false, true}) {
        const Tensor x = tensor_in(storage, retain_x), w = tensor_in(storage, retain_w);
        const std::vector<Tensor> y = value_of(submit(device_, executable_, "scale", {x, w}));
        EXPECT_EQ(words_of(y[0]), scaled(counting(1), 3, counting(1)));
        EXPECT_TRUE(x.is_allocated());
        EXPECT_TRUE(w.is_allocated());
        EXPECT_EQ(words_of(x), counting(1));
      }
    }
  }
}

TEST_F(RetainTest, AWeightIsUploadedOnceForAHundredRuns) {
  const Tensor w = value_of(toLayout(host_tensor(counting(70)), device_, layout_));
  Tensor x = value_of(allocateInputTensor(device_, *executable_, 0));
  ASSERT_TRUE(runtime::memcpy(x, counting(5).data()).ok());
  ASSERT_TRUE(wait(w).ok());
  const Stats before = device_.stats();
  for (int i = 0; i < 100; ++i) {
    const std::vector<Tensor> y = value_of(submit(device_, executable_, "scale", {x, w}));
    ASSERT_EQ(words_of(y[0]), scaled(counting(5), 3, counting(70)));
  }
  EXPECT_EQ(device_.stats().host_to_device_bytes, before.host_to_device_bytes);
  EXPECT_EQ(before.host_to_device_bytes, 2u * kWords * 4);  // w and x
  EXPECT_TRUE(w.is_allocated());
}

TEST_F(RetainTest, ARetainedTensorIsDeallocatedByForceAlone) {
  for (const Storage storage : {Storage::kBorrowed, Storage::kOwned, Storage::kDevice}) {
    Tensor tensor = tensor_in(storage, true);
    deallocate(tensor);
    EXPECT_TRUE(tensor.is_allocated());
    EXPECT_EQ(words_of(tensor), counting(1));
    tensor.set_retain(false);
    deallocate(tensor);
    EXPECT_FALSE(tensor.is_allocated());
    Tensor other = tensor_in(storage, true);
    deallocate(other, /*force=*/true);
    EXPECT_FALSE(other.is_allocated());
  }
  EXPECT_EQ(borrowed_, counting(1));
}

TEST_F(RetainTest, WorkOnADeallocatedTensorFailsAtOnce) {
  for (const Storage storage : {Storage::kBorrowed, Storage::kOwned, Storage::kDevice}) {
    Tensor ended = tensor_in(storage, false);
    deallocate(ended);
    deallocate(ended);  // does nothing
    const Tensor x = host_tensor(counting(1));
    const auto refused = [](const absl::Status& status) {
      EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
      EXPECT_THAT(message_of(status), HasSubstr("has been deallocated"));
    };
    refused(wait(toLayout(ended, x)));
    refused(wait(toLayout(x, ended)));
    refused(toHost(ended).status());
    refused(toLayout(ended, device_, layout_).status());
    refused(submit(device_, executable_, "scale", {ended}).status());
    const Event run = submit(device_, executable_, "scale", {x, ended}, {});
    EXPECT_TRUE(query(run));
    refused(wait(run));
  }
}

// deallocate() does not wait, and the memory is not free before the work is done.
TEST_F(RetainTest, MemoryIsFreeOnceTheWorkThatWasGivenBeforeIsDone) {
  Event gate = Event::create();
  Tensor source = tensor_in(Storage::kDevice, false);
  ASSERT_TRUE(wait(source).ok());
  const size_t before = allocated_bytes(device_, tm::BufferType::DRAM);
  const Tensor target = host_tensor(Words(kWords, 0));
  const Event copy = toLayout(target, source, {gate});
  deallocate(source);
  EXPECT_FALSE(source.is_allocated());
  EXPECT_EQ(allocated_bytes(device_, tm::BufferType::DRAM), before);
  EXPECT_FALSE(query(copy));
  gate.signal();
  ASSERT_TRUE(wait(copy).ok());
  EXPECT_LT(allocated_bytes(device_, tm::BufferType::DRAM), before);
  EXPECT_EQ(words_of(target), counting(1));
}

TEST_F(RetainTest, OwnedDataAreLetGoOfWithTheirTensor) {
  auto words = std::make_shared<Words>(counting(3));
  const std::weak_ptr<Words> watch = words;
  Tensor tensor =
      value_of(createTensor({words, words->data()}, kShape, {16, 1}, 4, TensorType::UInt32));
  words.reset();
  EXPECT_FALSE(watch.expired());
  deallocate(tensor);
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace lightmetal::runtime::retain
