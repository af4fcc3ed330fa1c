// tensors of every type, shape and place, converted to every other one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <lightmetal/tensors.hpp>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <vector>

#include "runtime/state.h"
#include "tests/runtime/tensor_kit.h"

namespace lightmetal::runtime::lattice {
namespace {

namespace tm = tt::tt_metal;

using namespace lightmetal::testing;
using ::testing::HasSubstr;

using Shape = std::vector<uint32_t>;

constexpr TensorType kTypes[] = {TensorType::UInt8,  TensorType::UInt16,  TensorType::Int32,
                                 TensorType::UInt32, TensorType::Float32, TensorType::BFloat16};
const std::vector<Shape> kShapes = {{}, {1, 1}, {4, 4}, {64, 64}, {33, 65}, {3, 17, 40}};

tm::DataType data_type_of(TensorType type) {
  switch (type) {
    case TensorType::UInt8:
      return tm::DataType::UINT8;
    case TensorType::UInt16:
      return tm::DataType::UINT16;
    case TensorType::Int32:
      return tm::DataType::INT32;
    case TensorType::UInt32:
      return tm::DataType::UINT32;
    case TensorType::Float32:
      return tm::DataType::FLOAT32;
    case TensorType::BFloat16:
      return tm::DataType::BFLOAT16;
  }
  return tm::DataType::INVALID;
}

enum class Spread { kInterleaved, kHeight, kBlock };

struct Place {
  std::string name;
  Layout layout;
};

// In shards on four cores, or banks. Rows are padded to words of the parts that lie in a shard.
tm::TensorSpec sharded(const TensorDesc& tensor, tm::BufferType memory, Spread spread) {
  const bool tiles = tensor.order == TensorOrder::Tile;
  const uint32_t word = 4 / element_size(tensor.type);
  const tm::TensorLayout layout(data_type_of(tensor.type),
                                tm::PageConfig(tiles ? tm::Layout::TILE : tm::Layout::ROW_MAJOR),
                                tm::MemoryConfig(tm::TensorMemoryLayout::INTERLEAVED, memory),
                                tiles ? tm::Alignment() : tm::Alignment({2 * word}));
  const tm::TensorSpec spec(
      tm::Shape(tm::Shape::Container(tensor.shape.begin(), tensor.shape.end())), layout);
  if (spread == Spread::kHeight)
    return spec.height_sharded(tm::CoreRangeSet(tm::CoreRange({0, 0}, {3, 0})));
  return spec.block_sharded(tm::CoreRange({0, 0}, {1, 1}));
}

absl::StatusOr<Layout> layout_of(const TensorDesc& tensor, tm::BufferType memory, Spread spread) {
  if (spread == Spread::kInterleaved) {
    return Layout::of(tensor,
                      memory == tm::BufferType::L1 ? Location::DeviceL1 : Location::DeviceDRAM);
  }
  try {
    return Layout::of(sharded(tensor, memory, spread));
  } catch (const std::exception& error) {
    return absl::UnimplementedError(error.what());
  }
}

class LatticeTest : public ::testing::Test {
 protected:
  static testing::FilePointer file() {
    tm::LightMetalBeginCapture();
    tm::CloseDevice(tm::CreateDevice(0));
    return lightmetal::testing::open_file(tm::LightMetalEndCapture());
  }

  // All places for such tensors. What cannot be is said by an error that has a name.
  std::vector<Place> places_of(const TensorDesc& rows) {
    std::vector<Place> places = {{"host", Layout::host(rows.type)}};
    for (const TensorOrder order : {TensorOrder::RowMajor, TensorOrder::Tile}) {
      for (const tm::BufferType memory : {tm::BufferType::DRAM, tm::BufferType::L1}) {
        for (const Spread spread : {Spread::kInterleaved, Spread::kHeight, Spread::kBlock})
          add_place({rows.shape, rows.type, order}, memory, spread, places);
      }
    }
    return places;
  }

  const Device device_ = value_of(Device::open(*file()));
  size_t refused_ = 0;

 private:
  void add_place(const TensorDesc& tensor, tm::BufferType memory, Spread spread,
                 std::vector<Place>& places) {
    const std::string name = tensor.text() + (memory == tm::BufferType::L1 ? " L1 " : " DRAM ") +
                             std::to_string(static_cast<int>(spread));
    const auto layout = layout_of(tensor, memory, spread);
    const absl::Status status =
        layout.ok() ? createEmptyTensor(device_, *layout, tensor.shape).status() : layout.status();
    if (status.ok()) {
      places.push_back({name, *layout});
      return;
    }
    ++refused_;
    EXPECT_TRUE(absl::IsUnimplemented(status) || absl::IsInvalidArgument(status))
        << name << ": " << status;
    EXPECT_NE(status.message(), "") << name;
  }
};

Tensor random_tensor(const TensorDesc& desc, std::mt19937& random) {
  std::vector<std::byte> bytes(desc.size());
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return value_of(createOwnedHostTensor(bytes, desc.shape, desc.type));
}

TEST_F(LatticeTest, EveryPlaceGivesBackWhatEveryOtherOneHadBitByBit) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  size_t conversions = 0, places_seen = 0;
  for (const TensorType type : kTypes) {
    for (const Shape& shape : kShapes) {
      const TensorDesc rows{shape, type};
      const std::vector<Place> places = places_of(rows);
      places_seen += places.size();
      const Tensor values = random_tensor(rows, random);
      const std::vector<std::byte> expected = bytes_of_tensor(values);
      for (const Place& from : places) {
        const Tensor source = value_of(toLayout(values, device_, from.layout));
        for (const Place& to : places) {
          const Tensor target = value_of(toLayout(source, device_, to.layout));
          ASSERT_TRUE(hasLayout(target, to.layout));
          ASSERT_EQ(bytes_of_tensor(target), expected) << from.name << " to " << to.name;
          ++conversions;
        }
      }
    }
  }
  // A host, four interleaved places, and those in shards of which most can be.
  EXPECT_GE(places_seen, std::size(kTypes) * kShapes.size() * 9) << refused_ << " were refused";
  EXPECT_GT(conversions, 3000u);
}

// A-3, and "on the device where the device can".
TEST_F(LatticeTest, PlacesOfOneDeviceAreConvertedWithinItInOneStep) {
  std::mt19937 random(1);
  const TensorDesc rows{{33, 65}, TensorType::BFloat16};
  const std::vector<Place> places = places_of(rows);
  const Tensor values = random_tensor(rows, random);
  for (const Place& from : places) {
    for (const Place& to : places) {
      if (!from.layout.is_on_device() || !to.layout.is_on_device()) continue;
      const Tensor source = value_of(toLayout(values, device_, from.layout));
      ASSERT_TRUE(wait(source).ok());
      const Stats before = device_.stats();
      ASSERT_TRUE(wait(value_of(toLayout(source, device_, to.layout))).ok());
      const Stats after = device_.stats();
      const uint64_t steps = from.layout == to.layout ? 0 : 1;
      SCOPED_TRACE(from.name + " to " + to.name);
      EXPECT_EQ(after.relayouts, before.relayouts + steps);
      EXPECT_EQ(after.device_copies, before.device_copies + steps);
      EXPECT_EQ(after.host_to_device_bytes, before.host_to_device_bytes);
      EXPECT_EQ(after.device_to_host_bytes, before.device_to_host_bytes);
      EXPECT_EQ(after.host_round_trips, 0u);
    }
  }
}

TEST_F(LatticeTest, PaddingIsZerosAfterAConversionWithinTheDevice) {
  std::mt19937 random(2);
  const TensorDesc rows{{5, 7}, TensorType::UInt32};
  const Layout tiles =
      value_of(Layout::of({rows.shape, rows.type, TensorOrder::Tile}, Location::DeviceDRAM));
  // A tile of ones where the tensor comes to lie.
  const Shape whole = {32, 32};
  const std::vector<uint32_t> ones(1024, 1);
  Tensor before = value_of(createEmptyTensor(device_, tiles, whole));
  ASSERT_TRUE(runtime::memcpy(before, ones.data()).ok());
  deallocate(before);
  const Tensor source = value_of(toLayout(random_tensor(rows, random), device_,
                                          value_of(Layout::of(rows, Location::DeviceDRAM))));
  const Tensor target = value_of(createEmptyTensor(device_, tiles, rows.shape));
  const uint64_t cleared = device_.stats().cleared_bytes;
  ASSERT_TRUE(wait(toLayout(target, source)).ok());
  EXPECT_EQ(device_.stats().cleared_bytes, cleared + 4096);
  std::vector<uint32_t> tile;
  tm::EnqueueReadBuffer(device_.handle()->command_queue(), target.state()->buffer, tile, true);
  const size_t zeros = static_cast<size_t>(std::count(tile.begin(), tile.end(), 0u));
  EXPECT_EQ(tile.size(), 1024u);
  EXPECT_GE(zeros, 1024u - 35);
  EXPECT_EQ(bytes_of_tensor(target), bytes_of_tensor(source));
}

// ---- Types ----

// What a value becomes in an element of the type, by its definition and not by the code.
std::vector<std::byte> element_of(TensorType type, double value) {
  std::vector<std::byte> bytes(element_size(type));
  const auto put = [&](auto element) { std::memcpy(bytes.data(), &element, bytes.size()); };
  const auto whole = [&](double lowest, double highest) {
    if (std::isnan(value)) return 0.0;
    return std::trunc(std::min(std::max(value, lowest), highest));
  };
  switch (type) {
    case TensorType::UInt8:
      put(static_cast<uint8_t>(whole(0, 255)));
      break;
    case TensorType::UInt16:
      put(static_cast<uint16_t>(whole(0, 65535)));
      break;
    case TensorType::Int32:
      put(static_cast<int32_t>(whole(-2147483648.0, 2147483647.0)));
      break;
    case TensorType::UInt32:
      put(static_cast<uint32_t>(whole(0, 4294967295.0)));
      break;
    case TensorType::Float32:
      put(static_cast<float>(value));
      break;
    case TensorType::BFloat16: {
      // The two neighbours, and of them the nearer one, or the even one.
      const auto lower =
          static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16);
      uint16_t best = lower;
      double distance = std::numeric_limits<double>::infinity();
      for (const uint32_t candidate : {lower - 1u, lower + 0u, lower + 1u}) {
        const double there = std::bit_cast<float>((candidate & 0xffff) << 16);
        const double away = std::fabs(there - value);
        if (away < distance || (away == distance && candidate % 2 == 0)) {
          best = static_cast<uint16_t>(candidate);
          distance = away;
        }
      }
      put(value == 0 ? uint16_t{0} : best);
      break;
    }
  }
  return bytes;
}

double value_in(TensorType type, const std::byte* element) {
  const auto read = [&]<class Element>(Element value) {
    std::memcpy(&value, element, sizeof(value));
    return value;
  };
  switch (type) {
    case TensorType::UInt8:
      return read(uint8_t{});
    case TensorType::UInt16:
      return read(uint16_t{});
    case TensorType::Int32:
      return read(int32_t{});
    case TensorType::UInt32:
      return read(uint32_t{});
    case TensorType::Float32:
      return read(float{});
    case TensorType::BFloat16:
      return std::bit_cast<float>(uint32_t{read(uint16_t{})} << 16);
  }
  return 0;
}

const std::vector<double> kValues = {
    0,   1,    2,   -1,   100.75, -3.5, 255, 256, 65535, 65536, 7e4,          1e6,  16777217,
    3e9, -3e9, 4e9, 1e10, -1e10,  0.3,  257, 258, 259.0, 1.5,   2147483647.0, 1e-3, 33};

std::vector<std::byte> elements_of(TensorType type, const std::vector<double>& values) {
  std::vector<std::byte> bytes;
  for (const double value : values) {
    const std::vector<std::byte> element = element_of(type, value);
    bytes.insert(bytes.end(), element.begin(), element.end());
  }
  return bytes;
}

TEST_F(LatticeTest, TypesAreConvertedToTheNearestValueWhereverTheyLie) {
  const Shape shape = {2, static_cast<uint32_t>(kValues.size() / 2)};
  for (const TensorType from : kTypes) {
    const std::vector<std::byte> given = elements_of(from, kValues);
    std::vector<double> there;
    for (size_t i = 0; i < kValues.size(); ++i)
      there.push_back(value_in(from, given.data() + i * element_size(from)));
    const Tensor host = value_of(createOwnedHostTensor(given, shape, from));
    for (const TensorType to : kTypes) {
      const std::vector<std::byte> expected = elements_of(to, there);
      for (const Place& source : places_of({shape, from})) {
        const Tensor tensor = value_of(toLayout(host, device_, source.layout));
        for (const Place& target : places_of({shape, to})) {
          ASSERT_EQ(bytes_of_tensor(value_of(toLayout(tensor, device_, target.layout))), expected)
              << source.name << " to " << target.name;
        }
      }
    }
  }
}

// A change of the type goes over the host, and is counted.
TEST_F(LatticeTest, AConversionOfTheTypeIsCountedAsARoundTrip) {
  const auto on_device = [](TensorType type) {
    return value_of(Layout::of({{8, 8}, type}, Location::DeviceDRAM));
  };
  std::mt19937 random(3);
  const Tensor source = value_of(toLayout(random_tensor({{8, 8}, TensorType::UInt32}, random),
                                          device_, on_device(TensorType::UInt32)));
  ASSERT_TRUE(wait(source).ok());
  const Stats before = device_.stats();
  ASSERT_TRUE(wait(value_of(toLayout(source, device_, on_device(TensorType::Float32)))).ok());
  const Stats after = device_.stats();
  EXPECT_EQ(after.host_round_trips, before.host_round_trips + 1);
  EXPECT_EQ(after.relayouts, before.relayouts + 1);
  EXPECT_EQ(after.device_to_host_bytes, before.device_to_host_bytes + 256);
  EXPECT_EQ(after.host_to_device_bytes, before.host_to_device_bytes + 256);
}

// ---- What cannot be ----

TEST_F(LatticeTest, WhatIsNotSupportedHasAName) {
  const auto refused = [](tm::DataType type, tm::PageConfig pages, const tm::Alignment& alignment) {
    return Layout::of(tm::TensorSpec(tm::Shape({64, 64}),
                                     tm::TensorLayout(type, pages, tm::MemoryConfig(), alignment)))
        .status();
  };
  const tm::PageConfig tiles(tm::Layout::TILE);
  absl::Status status = refused(tm::DataType::BFLOAT8_B, tiles, {});
  EXPECT_TRUE(absl::IsUnimplemented(status));
  EXPECT_THAT(message_of(status), HasSubstr("there are no tensors of BFLOAT8_B"));
  status = refused(tm::DataType::BFLOAT16, {tm::Layout::TILE, tm::Tile({16, 32})}, {});
  EXPECT_TRUE(absl::IsUnimplemented(status));
  EXPECT_THAT(message_of(status), HasSubstr("the tiles of a tensor are 32x32, and not 16x32"));
  status = refused(tm::DataType::BFLOAT16, tiles, tm::Alignment({128, 128}));
  EXPECT_TRUE(absl::IsUnimplemented(status));
  EXPECT_THAT(message_of(status), HasSubstr("are padded to more than whole tiles"));
  status = Layout::of({{4, 4}, TensorType::UInt8, TensorOrder::Tile}, Location::Host).status();
  EXPECT_TRUE(absl::IsUnimplemented(status));
  EXPECT_THAT(message_of(status), HasSubstr("a tensor on the host lies row by row"));
  // Rows of 68 bytes, for which a tensor with longer ones is too wide.
  const Layout gaps = value_of(Layout::of({{8, 65}, TensorType::UInt8}, Location::DeviceDRAM));
  status = createEmptyTensor(device_, gaps, {2, 200}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(message_of(status), HasSubstr("does not fit into its layout"));
  EXPECT_THAT(message_of(status), HasSubstr("rows of 68 bytes"));
}

}  // namespace
}  // namespace lightmetal::runtime::lattice
