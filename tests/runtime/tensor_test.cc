// Tensors: how they are made, files, those of TT-Metalium, those of several devices, and memory
// that is full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <lightmetal/tensors.hpp>
#include <limits>
#include <memory>
#include <string>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <vector>

#include "runtime/state.h"
#include "tests/runtime/tensor_kit.h"

namespace lightmetal::runtime::tensors {
namespace {

namespace tm = tt::tt_metal;

using namespace lightmetal::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TensorTest : public ::testing::Test {
 protected:
  const FilePointer file_ = captured_scaling({.factor = 3, .w = 1000});
  const Device device_ = value_of(Device::open(*file_));
};

// ---- Making ----

TEST_F(TensorTest, IsMadeWhereItIsToLie) {
  const auto words = std::make_shared<Words>(counting(7));
  for (const Location location : {Location::Host, Location::DeviceDRAM, Location::DeviceL1}) {
    const Tensor tensor = value_of(createTensor(device_, {words, words->data()}, kShape, {16, 1}, 4,
                                                TensorType::UInt32, location));
    EXPECT_EQ(tensor.layout().is_on_device(), location != Location::Host);
    EXPECT_TRUE(getTensorLayout(tensor) ==
                value_of(Layout::of({kShape, TensorType::UInt32}, location)));
    EXPECT_EQ(words_of(tensor), counting(7));
    EXPECT_EQ(allocated_bytes(device_, tm::BufferType::DRAM) != 0,
              location == Location::DeviceDRAM);
  }
}

// The data are kept until they are on the device.
TEST_F(TensorTest, HoldsTheDataThatItIsMadeOfAsLongAsTheyAreNeeded) {
  auto words = std::make_shared<Words>(counting(9));
  const std::weak_ptr<Words> watch = words;
  const Tensor tensor = value_of(createTensor(device_, {words, words->data()}, kShape, {16, 1}, 4,
                                              TensorType::UInt32, Location::DeviceDRAM));
  words.reset();
  ASSERT_TRUE(wait(tensor).ok());
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(words_of(tensor), counting(9));
}

TEST(ScalarTensorTest, HasOneElementOfItsType) {
  const Tensor large = value_of(createScalarTensor(4294967295.0, TensorType::UInt32));
  EXPECT_TRUE(large.shape().empty());
  EXPECT_THAT(words_of(large), ElementsAre(4294967295u));
  const Tensor half = value_of(createScalarTensor(0.5, TensorType::BFloat16));
  EXPECT_EQ(bytes_of_tensor(half), (std::vector<std::byte>{std::byte{0x00}, std::byte{0x3f}}));
  const Tensor below = value_of(createScalarTensor(-7, TensorType::UInt8));
  EXPECT_EQ(bytes_of_tensor(below), std::vector<std::byte>{std::byte{0}});
  EXPECT_FALSE(createScalarTensor(0, static_cast<TensorType>(77)).ok());
}

TEST(OwnedTensorTest, IsRefusedWithTooFewOrTooManyBytes) {
  const std::vector<std::byte> bytes(15);
  EXPECT_THAT(message_of(createOwnedHostTensor(bytes, {4}, TensorType::UInt32).status()),
              HasSubstr("have 15 bytes, expected 16"));
  EXPECT_FALSE(createOwnedHostTensor(bytes, {3}, TensorType::UInt32).ok());
}

// ---- Copying ----

TEST_F(TensorTest, ValuesAreCopiedFromTensorToTensorAndInAnotherType) {
  const Tensor source = host_tensor(counting(200));
  Tensor target = value_of(createEmptyTensor(
      device_,
      value_of(Layout::of({kShape, TensorType::Float32, TensorOrder::Tile}, Location::DeviceL1)),
      kShape));
  ASSERT_TRUE(runtime::memcpy(target, source).ok());
  std::vector<float> floats(kWords);
  ASSERT_TRUE(runtime::memcpy(floats.data(), target).ok());
  EXPECT_EQ(floats[3], 203.0f);
  std::vector<uint8_t> bytes(kWords);
  ASSERT_TRUE(runtime::memcpy(bytes.data(), target, TensorType::UInt8).ok());
  EXPECT_EQ(bytes[54], 254);
  EXPECT_EQ(bytes[60], 255);
  const Tensor other = value_of(createScalarTensor(1, TensorType::UInt32));
  EXPECT_THAT(message_of(runtime::memcpy(target, other)), HasSubstr("the shapes differ"));
}

// ---- Files ----

class TensorFileTest : public ::testing::Test {
 protected:
  ~TensorFileTest() override { std::filesystem::remove(path_); }
  void write(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string refused() const { return message_of(loadTensor(path_).status()); }

  const std::string path_ = ::testing::TempDir() + "tensor-" + std::to_string(::getpid()) + ".npy";
};

TEST_F(TensorFileTest, ATensorOfEveryTypeComesBackAsItWas) {
  for (const TensorType type : {TensorType::UInt8, TensorType::UInt16, TensorType::Int32,
                                TensorType::UInt32, TensorType::Float32, TensorType::BFloat16}) {
    for (const std::vector<uint32_t>& shape :
         std::vector<std::vector<uint32_t>>{{}, {5}, {3, 17, 2}}) {
      const TensorDesc desc{shape, type};
      std::vector<std::byte> bytes(desc.size());
      for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(3 * i + 1);
      ASSERT_TRUE(dumpTensor(value_of(createOwnedHostTensor(bytes, shape, type)), path_).ok());
      const Tensor loaded = value_of(loadTensor(path_));
      EXPECT_EQ(loaded.shape(), shape);
      EXPECT_EQ(loaded.layout().type(), type);
      EXPECT_EQ(bytes_of_tensor(loaded), bytes) << desc.text();
    }
  }
  EXPECT_THAT(content(), HasSubstr("'descr': '|V2'"));
}

TEST_F(TensorFileTest, WhatIsNoTensorIsRefused) {
  EXPECT_THAT(refused(), HasSubstr(path_));
  write("no array");
  EXPECT_THAT(refused(), HasSubstr("is no tensor: it is no .npy file"));
  ASSERT_TRUE(dumpTensor(host_tensor(counting(0)), path_).ok());
  std::string whole = content();
  write(whole.substr(0, whole.size() - 1));
  EXPECT_THAT(refused(), HasSubstr("there are 255 bytes"));
  whole.replace(whole.find("<u4"), 3, "<f8");
  write(whole + whole.substr(whole.size() - 256));
  EXPECT_THAT(refused(), HasSubstr("its elements are <f8, which no tensor has"));
}

TEST_F(TensorTest, ATensorOnTheDeviceGoesToAFile) {
  const std::string path = ::testing::TempDir() + "device-" + std::to_string(::getpid()) + ".npy";
  const Tensor tensor = value_of(toLayout(
      host_tensor(counting(4)), device_,
      value_of(Layout::of({kShape, TensorType::UInt32, TensorOrder::Tile}, Location::DeviceDRAM))));
  ASSERT_TRUE(dumpTensor(tensor, path).ok());
  EXPECT_EQ(words_of(value_of(loadTensor(path))), counting(4));
  std::filesystem::remove(path);
}

// ---- Tensors of TT-Metalium ----

tm::TensorSpec tile_spec(const tm::Shape& shape, tm::DataType type) {
  return {shape, tm::TensorLayout(type, tm::PageConfig(tm::Layout::TILE), tm::MemoryConfig())};
}

TEST(MetalTensorTest, ValuesGoThereAndBack) {
  std::vector<float> floats(33 * 5);
  for (size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(i) - 20;
  const auto given =
      tm::HostTensor::from_vector(floats, tile_spec(tm::Shape({33, 5}), tm::DataType::FLOAT32));
  const Tensor tensor = value_of(fromHostTensor(given));
  EXPECT_EQ(tensor.shape(), (std::vector<uint32_t>{33, 5}));
  std::vector<float> there(floats.size());
  ASSERT_TRUE(runtime::memcpy(there.data(), tensor).ok());
  EXPECT_EQ(there, floats);
  EXPECT_EQ(value_of(toHostTensor(tensor)).to_vector<float>(), floats);
  const auto tiles =
      value_of(toHostTensor(tensor, tile_spec(tm::Shape({33, 5}), tm::DataType::INT32)));
  EXPECT_EQ(tiles.layout(), tm::Layout::TILE);
  EXPECT_EQ(tiles.to_vector<int32_t>()[19], -1);
}

TEST(MetalTensorTest, OthersAreRefused) {
  const Tensor tensor = host_tensor(counting(0));
  EXPECT_THAT(
      message_of(toHostTensor(tensor, tile_spec(tm::Shape({8, 8}), tm::DataType::UINT32)).status()),
      HasSubstr("another shape"));
  const tm::TensorSpec blocks = tile_spec(tm::Shape({4, 16}), tm::DataType::BFLOAT8_B);
  EXPECT_TRUE(absl::IsUnimplemented(toHostTensor(tensor, blocks).status()));
  EXPECT_TRUE(absl::IsUnimplemented(
      fromHostTensor(tm::HostTensor::from_vector(std::vector<float>(64), blocks)).status()));
  Tensor ended = host_tensor(counting(0));
  deallocate(ended);
  EXPECT_TRUE(absl::IsFailedPrecondition(toHostTensor(ended).status()));
  const Tensor two = value_of(createMultiDeviceHostTensor(
      std::vector<Tensor>{tensor, tensor}, {.divided_dimension = 0, .mesh_shape = {2}}));
  EXPECT_TRUE(absl::IsInvalidArgument(toHostTensor(two).status()));
}

// ---- Several devices ----

TEST(MultiDeviceTensorTest, IsDividedAlongADimensionOrReplicated) {
  Words words(24);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i;
  const absl::Span<const std::byte> data(reinterpret_cast<const std::byte*>(words.data()), 96);
  const std::vector<uint32_t> shape = {2, 4, 3};
  const auto parts_along = [&](std::optional<uint32_t> dimension) {
    const Tensor whole = value_of(createMultiDeviceHostTensor(
        data, shape, TensorType::UInt32, {.divided_dimension = dimension, .mesh_shape = {1, 2}}));
    EXPECT_EQ(whole.shape(), shape);
    std::vector<Words> parts;
    for (const Tensor& part : value_of(toHostParts(whole))) parts.push_back(words_of(part));
    return parts;
  };
  EXPECT_THAT(parts_along({}), ElementsAre(words, words));
  EXPECT_THAT(parts_along(0), ElementsAre(Words(words.begin(), words.begin() + 12),
                                          Words(words.begin() + 12, words.end())));
  EXPECT_THAT(parts_along(1), ElementsAre(Words{0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17},
                                          Words{6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23}));
}

TEST(MultiDeviceTensorTest, IsMadeOfItsPartsAndEndsWithThem) {
  const Tensor first = host_tensor(counting(0)), second = host_tensor(counting(100));
  Tensor whole = value_of(createMultiDeviceHostTensor(std::vector<Tensor>{first, second},
                                                      {.divided_dimension = 0, .mesh_shape = {2}}));
  EXPECT_EQ(whole.shape(), (std::vector<uint32_t>{8, 16}));
  EXPECT_EQ(getDeviceTensors(whole)[1].state(), second.state());
  EXPECT_EQ(getDeviceTensors(first)[0].state(), first.state());
  EXPECT_THAT(message_of(toHost(whole).status()), HasSubstr("has parts for 2 devices"));
  deallocate(whole);
  EXPECT_FALSE(whole.is_allocated());
  EXPECT_FALSE(second.is_allocated());
}

TEST(MultiDeviceTensorTest, IsWaitedForAndDeallocatedPartByPart) {
  Tensor first = host_tensor(counting(0)), second = host_tensor(counting(100));
  Tensor whole = value_of(createMultiDeviceHostTensor(std::vector<Tensor>{first, second},
                                                      {.divided_dimension = 0, .mesh_shape = {2}}));
  EXPECT_TRUE(wait(whole).ok());
  refuse({second}, absl::DataLossError("it is lost"));
  EXPECT_TRUE(absl::IsDataLoss(wait(whole)));
  EXPECT_TRUE(absl::IsDataLoss(toHostParts(whole).status()));
  second.set_retain(true);
  deallocate(whole, /*force=*/true);
  EXPECT_FALSE(first.is_allocated());
  EXPECT_FALSE(second.is_allocated());
}

TEST_F(TensorTest, PartsForSeveralDevicesAreHostTensorsOfOne) {
  const Tensor part = host_tensor(counting(0));
  const Tensor there = value_of(toLayout(
      part, device_, value_of(Layout::of({kShape, TensorType::UInt32}, Location::DeviceDRAM))));
  ASSERT_TRUE(wait(there).ok());
  const Tensor two =
      value_of(createMultiDeviceHostTensor(std::vector<Tensor>{part, part}, {.mesh_shape = {2}}));
  for (const Tensor& wrong : {there, two}) {
    EXPECT_THAT(message_of(createMultiDeviceHostTensor(std::vector<Tensor>{part, wrong},
                                                       {.mesh_shape = {2}})
                               .status()),
                HasSubstr("must be host tensors of one device"));
  }
}

TEST(MultiDeviceTensorTest, IsRefusedWhereThePartsDoNotFit) {
  const Tensor part = host_tensor(counting(0));
  const auto refused = [](std::vector<Tensor> parts, const Distribution& distribution) {
    return message_of(createMultiDeviceHostTensor(std::move(parts), distribution).status());
  };
  EXPECT_THAT(refused({part, part}, {.mesh_shape = {3}}),
              HasSubstr("2 parts are given for 3 devices"));
  EXPECT_THAT(refused({part}, {.divided_dimension = 2, .mesh_shape = {1}}),
              HasSubstr("dimension 2 cannot be divided"));
  EXPECT_THAT(refused({}, {}), HasSubstr("0 parts are given for 0 devices"));
  EXPECT_THAT(refused({Tensor()}, {.mesh_shape = {1}}), HasSubstr("is none"));
  EXPECT_THAT(
      refused({part, value_of(createScalarTensor(1, TensorType::UInt32))}, {.mesh_shape = {2}}),
      HasSubstr("the parts differ"));
  const std::vector<std::byte> data(12);
  EXPECT_THAT(message_of(createMultiDeviceHostTensor(data, {3}, TensorType::UInt32,
                                                     {.divided_dimension = 0, .mesh_shape = {2}})
                             .status()),
              HasSubstr("cannot be divided among 2 devices"));
  EXPECT_THAT(message_of(createMultiDeviceHostTensor(data, {3}, TensorType::UInt32,
                                                     {.mesh_shape = {UINT32_MAX}})
                             .status()),
              HasSubstr("needs a mesh"));
}

// ---- Memory ----

// There is room in every other memory.
TEST_F(TensorTest, MemoryThatNoTensorLiesInIsRefused) {
  const tm::TensorSpec spec(
      tm::Shape({4, 16}),
      tm::TensorLayout(
          tm::DataType::UINT32, tm::PageConfig(tm::Layout::ROW_MAJOR),
          tm::MemoryConfig(tm::TensorMemoryLayout::INTERLEAVED, tm::BufferType::SYSTEM_MEMORY)));
  const absl::Status status =
      createEmptyTensor(device_, value_of(Layout::of(spec)), kShape).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(message_of(status), HasSubstr("SYSTEM_MEMORY"));
}

//
TEST_F(TensorTest, FullMemoryIsRefusedWithWhatThereIsAndARetrySucceeds) {
  const std::shared_ptr<Executable> executable = value_of(device_.load(file_));
  std::vector<Tensor> fillers;
  for (uint32_t words = 1u << 30; words >= 16;) {
    const Layout layout = value_of(Layout::of({{words}, TensorType::UInt32}, Location::DeviceDRAM));
    auto filler = createEmptyTensor(device_, layout, {words});
    if (filler.ok()) {
      fillers.push_back(*std::move(filler));
    } else {
      ASSERT_TRUE(absl::IsResourceExhausted(filler.status())) << filler.status();
      words /= 2;
    }
  }
  const size_t full = allocated_bytes(device_, tm::BufferType::DRAM);
  const std::string largest = std::to_string(
      device_.handle()->allocator()->get_statistics(tm::BufferType::DRAM).largest_free_block_bytes);
  for (int i = 0; i < 3; ++i) {
    const absl::Status status = allocateInputTensor(device_, *executable, 0).status();
    EXPECT_TRUE(absl::IsResourceExhausted(status));
    EXPECT_THAT(message_of(status),
                HasSubstr("256 bytes of DRAM were wanted, and the largest free block has " +
                          largest + " bytes"));
    EXPECT_TRUE(absl::IsResourceExhausted(
        submit(device_, executable, "scale", {host_tensor(counting(1))}).status()));
  }
  EXPECT_EQ(allocated_bytes(device_, tm::BufferType::DRAM), full);
  for (Tensor& filler : fillers) deallocate(filler);
  EXPECT_LT(allocated_bytes(device_, tm::BufferType::DRAM), full);
  Tensor input = value_of(allocateInputTensor(device_, *executable, 0));
  toLayout(input, host_tensor(counting(5)));
  const std::vector<Tensor> outputs = value_of(submit(device_, executable, "scale", {input}));
  EXPECT_EQ(words_of(outputs[0]), scaled(counting(5), 3, counting(1000)));
}

}  // namespace
}  // namespace lightmetal::runtime::tensors
