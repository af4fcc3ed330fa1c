// Memory of the host: pins, buffers, buffers for meshes, tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/tensor_apis.hpp>
#include <tt-metalium/tilize_utils.hpp>
#include <utility>
#include <vector>

#include "tests/support/thrown_by.h"

namespace tt::tt_metal::testing {
namespace {

using distributed::MeshCoordinate;
using distributed::MeshShape;
using lightmetal::testing::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TensorSpec spec_of(const Shape& shape, DataType dtype, const PageConfig& page,
                   const Alignment& alignment = {}) {
  return TensorSpec(shape, TensorLayout(dtype, page, MemoryConfig(), alignment));
}

template <typename T>
std::vector<T> counting(size_t count) {
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(i));
  return values;
}
template <>
std::vector<bfloat16> counting(size_t count) {
  std::vector<bfloat16> values;
  for (size_t i = 0; i < count; ++i) values.emplace_back(static_cast<float>(i % 256));
  return values;
}

template <typename T>
std::vector<T> elements_of(const HostBuffer& buffer) {
  const auto elements = buffer.view_as<T>();
  return {elements.begin(), elements.end()};
}

template <typename T>
std::vector<T> laid_out(const HostTensor& tensor) {
  const auto elements = host_buffer::get_as<T>(tensor);
  return {elements.begin(), elements.end()};
}

// ---- Pins and buffers ----

TEST(HostBuffers, APinKeepsMemoryUntilItsLastCopyEnds) {
  int shares = 0;
  {
    MemoryPin pin([&] { ++shares; }, [&] { --shares; });
    EXPECT_EQ(shares, 1);
    const MemoryPin copy = pin;
    pin = MemoryPin();
    EXPECT_TRUE(pin == nullptr);
    EXPECT_FALSE(copy == nullptr);
    EXPECT_EQ(shares, 1);
  }
  EXPECT_EQ(shares, 0);
}

TEST(HostBuffers, CopiesShareTheElementsAndKnowTheirType) {
  HostBuffer buffer(std::vector<uint32_t>{1, 2, 3});
  const HostBuffer copy = buffer;
  buffer.view_as<uint32_t>()[1] = 7;
  EXPECT_THAT(copy.view_as<uint32_t>(), ElementsAre(1, 7, 3));
  EXPECT_EQ(copy.view_bytes().size(), 12u);
  EXPECT_EQ(copy, HostBuffer(std::vector<uint32_t>{1, 7, 3}));
  EXPECT_NE(copy, HostBuffer());
  EXPECT_THAT(thrown_by([&] { buffer.view_as<float>(); }), HasSubstr("none of type"));
  EXPECT_THAT(thrown_by([] { elements_of<float>(HostBuffer()); }), HasSubstr("none of type"));
}

TEST(HostBuffers, BorrowedElementsLiveAsLongAsTheirPin) {
  auto owner = std::make_shared<std::vector<float>>(4, 2.5f);
  const std::weak_ptr<std::vector<float>> alive = owner;
  {
    const HostBuffer buffer{tt::stl::Span<float>(*owner), MemoryPin(owner)};
    owner.reset();
    EXPECT_EQ(buffer.view_as<float>()[3], 2.5f);
  }
  EXPECT_TRUE(alive.expired());
}

TEST(HostBuffers, AMeshHasAShardWhereOneWasPut) {
  auto buffer = DistributedHostBuffer::create(MeshShape(2, 2));
  EXPECT_EQ(buffer.shape(), MeshShape(2, 2));
  int produced = 0;
  const auto value = [&](uint8_t number) {
    ++produced;
    return HostBuffer(std::vector<uint8_t>{number});
  };
  buffer.emplace_shard(MeshCoordinate(1, 0), [&] { return value(10); });
  buffer.emplace_shards({MeshCoordinate(0, 1)},
                        [&](const MeshCoordinate& coord) { return value(coord[1]); });
  EXPECT_EQ(produced, 2);
  EXPECT_THAT(buffer.shard_coords(), ElementsAre(MeshCoordinate(0, 1), MeshCoordinate(1, 0)));
  EXPECT_EQ(buffer.get_shard(MeshCoordinate(0, 0)), std::nullopt);
  EXPECT_THAT(elements_of<uint8_t>(*buffer.get_shard(MeshCoordinate(1, 0))), ElementsAre(10));
  EXPECT_TRUE(buffer.is_local(MeshCoordinate(0, 0)));
  EXPECT_THAT(thrown_by([&] { buffer.get_shard(MeshCoordinate(2, 0)); }), HasSubstr("outside"));
  const DistributedHostBuffer doubled = buffer.transform([](const HostBuffer& shard) {
    return HostBuffer(std::vector<uint8_t>(2, shard.view_as<uint8_t>()[0]));
  });
  std::vector<uint8_t> seen;
  doubled.apply([&](const HostBuffer& shard) {
    for (const uint8_t element : shard.view_as<uint8_t>()) seen.push_back(element);
  });
  EXPECT_THAT(seen, ElementsAre(1, 1, 10, 10));
}

// ---- Tensors ----

TEST(HostTensors, ElementsAreInTiles) {
  const std::vector<bfloat16> values = counting<bfloat16>(64 * 96);
  const HostTensor tensor =
      HostTensor::from_vector(values, spec_of(Shape({64, 96}), DataType::BFLOAT16, Layout::TILE));
  EXPECT_EQ(laid_out<bfloat16>(tensor), tilize_nfaces(values, 64, 96));
  EXPECT_EQ(tensor.to_vector<bfloat16>(), values);
  EXPECT_EQ(tensor.element_size(), 2u);
  EXPECT_EQ(tensor.logical_volume(), 64u * 96);
}

TEST(HostTensors, PaddingIsZeros) {
  // Two matrices of 2x3, each in a tile of its own.
  const std::vector<uint32_t> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const HostTensor tensor =
      HostTensor::from_vector(values, spec_of(Shape({2, 2, 3}), DataType::UINT32, Layout::TILE));
  const std::vector<uint32_t> tiles = laid_out<uint32_t>(tensor);
  ASSERT_EQ(tiles.size(), 2u * 1024);
  EXPECT_EQ(tensor.padded_shape(), Shape({2, 32, 32}));
  EXPECT_EQ(tensor.physical_volume(), 2u * 1024);
  EXPECT_EQ(tiles[2], 3u);
  EXPECT_EQ(tiles[3], 0u);
  EXPECT_EQ(tiles[16 + 2], 6u);  // the next row of the first face
  EXPECT_EQ(tiles[1024], 7u);
  EXPECT_EQ(std::accumulate(tiles.begin(), tiles.end(), 0u), 78u);
  EXPECT_EQ(tensor.to_vector<uint32_t>(), values);
}

TEST(HostTensors, PaddingOfOuterDimensionsComesBack) {
  const TensorSpec spec =
      TensorSpec(Shape({2, 3, 5, 7}),
                 TensorLayout::fromPaddedShape(DataType::INT32, Layout::ROW_MAJOR, MemoryConfig(),
                                               Shape({2, 3, 5, 7}), Shape({2, 4, 6, 8})));
  const auto values = counting<int32_t>(2 * 3 * 5 * 7);
  const HostTensor tensor = HostTensor::from_vector(values, spec);
  EXPECT_EQ(laid_out<int32_t>(tensor).size(), 2u * 4 * 6 * 8);
  EXPECT_EQ(laid_out<int32_t>(tensor)[4 * 6 * 8], 3 * 5 * 7);  // the second of two
  EXPECT_EQ(laid_out<int32_t>(tensor)[6 * 8], 5 * 7);
  EXPECT_EQ(tensor.to_vector<int32_t>(), values);
}

template <typename T>
class HostTensorElements : public ::testing::Test {};
using AllElements = ::testing::Types<uint8_t, int8_t, uint16_t, int32_t, uint32_t, float, bfloat16>;
TYPED_TEST_SUITE(HostTensorElements, AllElements);

TYPED_TEST(HostTensorElements, ComeBackFromEveryLayout) {
  constexpr DataType kType = convert_to_data_type<TypeParam>();
  const std::pair<Shape, PageConfig> cases[] = {
      {Shape(), Layout::ROW_MAJOR},
      {Shape({5}), Layout::TILE},
      {Shape({3, 33, 65}), Layout::TILE},
      {Shape({3, 33, 65}), Layout::ROW_MAJOR},
      {Shape({0, 32}), Layout::TILE},
      {Shape({0, 32}), Layout::ROW_MAJOR},
      {Shape({40, 40}), PageConfig(Layout::TILE, Tile({16, 32}))},
      {Shape({40, 40}), PageConfig(Layout::TILE, Tile({32, 32}, true))},
  };
  for (const auto& [shape, page] : cases) {
    const auto values = counting<TypeParam>(shape.volume());
    const HostTensor tensor = HostTensor::from_vector(values, spec_of(shape, kType, page));
    EXPECT_EQ(tensor.template to_vector<TypeParam>(), values) << shape;
    EXPECT_EQ(tensor.dtype(), kType);
    EXPECT_EQ(HostTensor::from_span(std::span<const TypeParam>(values), spec_of(shape, kType, page))
                  .buffer()
                  .get_shard(MeshCoordinate(0, 0)),
              tensor.buffer().get_shard(MeshCoordinate(0, 0)));
  }
}

TEST(HostTensors, BlockFloatsArePackedTiles) {
  std::vector<float> values(64 * 32);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
  const auto spec = spec_of(Shape({64, 32}), DataType::BFLOAT8_B, Layout::TILE);
  const HostTensor tensor = HostTensor::from_vector(values, spec);
  EXPECT_EQ(laid_out<uint32_t>(tensor),
            pack_fp32_vec_as_bfp8_tiles(tilize_swizzled(values, 64, 32), /*row_major_input=*/true,
                                        /*is_exp_a=*/false));
  EXPECT_EQ(tensor.to_vector<float>(), values);
  EXPECT_EQ(tensor.element_size(), 1u);
  const HostTensor four =
      HostTensor::from_vector(values, spec_of(Shape({64, 32}), DataType::BFLOAT4_B, Layout::TILE));
  EXPECT_EQ(laid_out<uint32_t>(four).size(), 2u * 144);
  EXPECT_EQ(four.to_vector<float>(), values);
  const std::vector<bfloat16> no_floats(64 * 32);
  EXPECT_THAT(thrown_by([&] { HostTensor::from_vector(no_floats, spec); }),
              HasSubstr("which needs floats"));
  EXPECT_THAT(thrown_by([&] { tensor.to_vector<uint32_t>(); }), HasSubstr("which needs floats"));
}

TEST(HostTensors, FloatsAreRoundedToTheNearestBfloat16) {
  const auto spec = spec_of(Shape({6}), DataType::BFLOAT16, Layout::ROW_MAJOR);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {1.00390625f,    // halfway, to the even one below
                                     1.01171875f,    // halfway, to the even one above
                                     1.0039063692f,  // just above halfway
                                     -1.0117188f,   kInfinity, std::nanf("")};
  const std::vector<float> read = HostTensor::from_vector(values, spec).to_vector<float>();
  EXPECT_EQ(read[0], 1.0f);
  EXPECT_EQ(read[1], 1.015625f);
  EXPECT_EQ(read[2], 1.0078125f);
  EXPECT_EQ(read[3], -1.015625f);
  EXPECT_EQ(read[4], kInfinity);
  EXPECT_TRUE(std::isnan(read[5]));
}

TEST(HostTensors, ElementsThatDoNotFitAreRefused) {
  const auto spec = spec_of(Shape({2, 2}), DataType::UINT32, Layout::ROW_MAJOR);
  EXPECT_THAT(thrown_by([&] { HostTensor::from_vector(std::vector<int32_t>(4), spec); }),
              HasSubstr("Elements of INT32 do not stand for a tensor of UINT32"));
  EXPECT_THAT(thrown_by([&] { HostTensor::from_vector(std::vector<uint32_t>(5), spec); }),
              HasSubstr("has 4 elements, not 5"));
  EXPECT_THAT(thrown_by([&] { HostTensor::from_buffer(HostBuffer(), spec); }),
              HasSubstr("takes 16 B, but its host buffer has 0"));
}

TEST(HostTensors, AVectorThatIsLaidOutAlreadyIsNotCopied) {
  std::vector<float> values(12, 1.5f);
  const float* elements = values.data();
  const auto spec = spec_of(Shape({3, 4}), DataType::FLOAT32, Layout::ROW_MAJOR);
  const HostTensor tensor = HostTensor::from_vector(std::move(values), spec);
  EXPECT_EQ(host_buffer::get_as<float>(tensor).data(), elements);
}

TEST(HostTensors, BorrowedElementsStayWhereTheyAre) {
  std::vector<uint16_t> values = {1, 2, 3, 4, 5, 6};
  HostTensor tensor =
      HostTensor::from_borrowed_data(std::span<uint16_t>(values), Shape({2, 3}), MemoryPin());
  EXPECT_EQ(tensor.dtype(), DataType::UINT16);
  EXPECT_EQ(tensor.layout(), Layout::ROW_MAJOR);
  host_buffer::get_as<uint16_t>(tensor)[5] = 60;
  EXPECT_EQ(values[5], 60);
}

TEST(HostTensors, CopiesShareAndMovesEmpty) {
  HostTensor tensor = HostTensor::from_vector(
      std::vector<uint8_t>{1, 2}, spec_of(Shape({2}), DataType::UINT8, Layout::ROW_MAJOR));
  const HostTensor copy = tensor;
  host_buffer::get_as<uint8_t>(tensor)[0] = 9;
  EXPECT_THAT(copy.to_vector<uint8_t>(), ElementsAre(9, 2));
  const HostTensor moved = std::move(tensor);
  EXPECT_TRUE(tensor.is_valueless_after_move());
  EXPECT_FALSE(moved.is_valueless_after_move());
  EXPECT_THAT(thrown_by([&] { tensor.tensor_spec(); }), HasSubstr("moved from"));
  tensor = moved;
  EXPECT_THAT(tensor.to_vector<uint8_t>(), ElementsAre(9, 2));
}

TEST(HostTensors, TransformKeepsTheLayout) {
  const HostTensor tensor = HostTensor::from_vector(
      counting<int32_t>(40), spec_of(Shape({5, 8}), DataType::INT32, Layout::TILE));
  const HostTensor negative = tensor.transform([](const HostBuffer& shard) {
    std::vector<int32_t> values;
    for (const int32_t element : shard.view_as<int32_t>()) values.push_back(-element);
    return HostBuffer(std::move(values));
  });
  EXPECT_EQ(negative.to_vector<int32_t>()[39], -39);
  EXPECT_THAT(thrown_by([&] { tensor.transform([](const HostBuffer&) { return HostBuffer(); }); }),
              HasSubstr("its host buffer has 0"));
}

TEST(HostTensors, LayoutsAndDataTypesAreConverted) {
  const std::vector<float> values = {-1.5f, 2.75f, 300.0f, std::nanf("")};
  const HostTensor tensor =
      HostTensor::from_vector(values, spec_of(Shape({4}), DataType::FLOAT32, Layout::ROW_MAJOR));
  const HostTensor tiles = to_layout(tensor, Layout::TILE);
  EXPECT_EQ(tiles.padded_shape(), Shape({32, 32}));
  EXPECT_EQ(to_row_major_layout(tiles).to_vector<float>()[2], 300.0f);
  EXPECT_EQ(to_tile_layout(tiles, Tile({16, 16})).padded_shape(), Shape({16, 16}));
  EXPECT_THAT(to_dtype(tiles, DataType::UINT8).to_vector<uint8_t>(), ElementsAre(0, 2, 255, 0));
  EXPECT_THAT(to_dtype(tensor, DataType::INT32).to_vector<int32_t>(), ElementsAre(-1, 2, 300, 0));
  EXPECT_EQ(to_dtype(tiles, DataType::BFLOAT8_B).dtype(), DataType::BFLOAT8_B);
  EXPECT_THAT(thrown_by([&] { to_dtype(tensor, DataType::BFLOAT8_B); }),
              HasSubstr("has no ROW_MAJOR layout"));
  EXPECT_THAT(thrown_by([&] {
                to_tensor_spec<float>(tensor,
                                      spec_of(Shape({5}), DataType::FLOAT32, Layout::ROW_MAJOR));
              }),
              HasSubstr("cannot become one of Shape([5])"));
}

// 2^24 + 2^16 + 1 lies above the middle of two bfloat16; as a float it is that middle.
TEST(HostTensors, IntegersAreRoundedOnceOnTheirWayToBFloat16) {
  const auto halves = [](const auto& values, DataType dtype) {
    const HostTensor tensor =
        HostTensor::from_vector(values, spec_of(Shape({3}), dtype, Layout::ROW_MAJOR));
    return to_dtype(tensor, DataType::BFLOAT16).to_vector<float>();
  };
  EXPECT_THAT(halves(std::vector<uint32_t>{16842753, 16842752, 4294967295}, DataType::UINT32),
              ElementsAre(16908288.0f, 16777216.0f, 4294967296.0f));
  EXPECT_THAT(halves(std::vector<int32_t>{16842753, -16842753, -16842751}, DataType::INT32),
              ElementsAre(16908288.0f, -16908288.0f, -16777216.0f));
}

TEST(HostTensors, ATensorOfAMeshHasNoSingleBuffer) {
  auto buffer = DistributedHostBuffer::create(MeshShape(1, 2));
  buffer.emplace_shards({MeshCoordinate(0, 0), MeshCoordinate(0, 1)},
                        [](const MeshCoordinate& coord) {
                          return HostBuffer(std::vector<float>(2, static_cast<float>(coord[1])));
                        });
  const HostTensor tensor =
      HostTensor::from_buffer(buffer, spec_of(Shape({2}), DataType::FLOAT32, Layout::ROW_MAJOR));
  EXPECT_THAT(thrown_by([&] { tensor.to_vector<float>(); }), HasSubstr("2 shards"));
  const HostTensor halves = to_dtype(tensor, DataType::BFLOAT16);
  EXPECT_EQ(elements_of<bfloat16>(*halves.buffer().get_shard(MeshCoordinate(0, 1))),
            std::vector<bfloat16>(2, bfloat16(1.0f)));
}

}  // namespace
}  // namespace tt::tt_metal::testing
