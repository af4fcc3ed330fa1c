// Data types, page and memory configurations, layouts and specifications of tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tt-metalium/formatters.hpp>
#include <tt-metalium/tensor/spec/tensor_spec.hpp>
#include <tt-metalium/tensor/tensor_types.hpp>
#include <tuple>
#include <vector>

#include "tests/support/thrown_by.h"

namespace tt::tt_metal::testing {
namespace {

using lightmetal::testing::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const MemoryConfig kDram;
const CoreRangeSet kFourInARow(CoreRange({0, 0}, {3, 0}));

TensorLayout rows(DataType dtype = DataType::BFLOAT16, const MemoryConfig& memory = kDram,
                  const Alignment& alignment = {}) {
  return TensorLayout(dtype, PageConfig(Layout::ROW_MAJOR), memory, alignment);
}
TensorLayout tiles(DataType dtype = DataType::BFLOAT16, const MemoryConfig& memory = kDram,
                   const Alignment& alignment = {}) {
  return TensorLayout(dtype, PageConfig(Layout::TILE), memory, alignment);
}

MemoryConfig l1(TensorMemoryLayout layout, const CoreRangeSet& grid,
                std::array<uint32_t, 2> shard_shape,
                ShardOrientation orientation = ShardOrientation::ROW_MAJOR) {
  return MemoryConfig(layout, BufferType::L1, ShardSpec(grid, shard_shape, orientation));
}

// ---- Data types ----

TEST(TensorTypes, DataTypesHaveDataFormats) {
  static_assert(convert_to_data_type<bfloat16>() == DataType::BFLOAT16);
  static_assert(convert_to_data_type<int8_t>() == DataType::INT8);
  EXPECT_EQ(datatype_to_dataformat_converter(DataType::BFLOAT8_B), DataFormat::Bfp8_b);
  EXPECT_EQ(dataformat_to_datatype_converter(DataFormat::Float16_b), DataType::BFLOAT16);
  EXPECT_THAT(thrown_by([] { datatype_to_dataformat_converter(DataType::INVALID); }),
              HasSubstr("INVALID has no data format"));
  EXPECT_THAT(thrown_by([] { dataformat_to_datatype_converter(DataFormat::Bfp2); }),
              HasSubstr("Bfp2"));
  EXPECT_EQ(tile_size(DataType::BFLOAT4_B), 576u);
  EXPECT_TRUE(is_block_float(DataType::BFLOAT4_B));
  EXPECT_TRUE(is_floating_point(DataType::BFLOAT8_B));
  EXPECT_FALSE(is_floating_point(DataType::INT32));
  EXPECT_EQ(fmt::format("{} {}", DataType::UINT16, Layout::TILE), "UINT16 TILE");
}

TEST(TensorTypes, EachDataTypeHasItsNameItsFormatAndItsSize) {
  struct Known {
    DataType type;
    const char* name;
    tt::DataFormat format;
    uint32_t tile;  // bytes
  };
  const Known all[] = {{DataType::BFLOAT16, "BFLOAT16", DataFormat::Float16_b, 2048},
                       {DataType::FLOAT32, "FLOAT32", DataFormat::Float32, 4096},
                       {DataType::UINT32, "UINT32", DataFormat::UInt32, 4096},
                       {DataType::BFLOAT8_B, "BFLOAT8_B", DataFormat::Bfp8_b, 1088},
                       {DataType::BFLOAT4_B, "BFLOAT4_B", DataFormat::Bfp4_b, 576},
                       {DataType::UINT8, "UINT8", DataFormat::UInt8, 1024},
                       {DataType::UINT16, "UINT16", DataFormat::UInt16, 2048},
                       {DataType::INT32, "INT32", DataFormat::Int32, 4096},
                       {DataType::FP8_E4M3, "FP8_E4M3", DataFormat::Fp8_e4m3, 1024},
                       {DataType::INT8, "INT8", DataFormat::Int8, 1024}};
  for (const Known& known : all) {
    EXPECT_EQ(fmt::format("{}", known.type), known.name);
    EXPECT_EQ(datatype_to_dataformat_converter(known.type), known.format) << known.name;
    EXPECT_EQ(dataformat_to_datatype_converter(known.format), known.type) << known.name;
    EXPECT_EQ(tile_size(known.type), known.tile) << known.name;
    const bool is_integer = std::string_view(known.name).find("INT") != std::string_view::npos;
    EXPECT_EQ(is_floating_point(known.type), !is_integer) << known.name;
  }
}

TEST(TensorTypes, AlignmentsCountFromTheRight) {
  const Alignment alignment({4, 32, 16});
  EXPECT_EQ(alignment[-1], 16u);
  EXPECT_EQ(alignment.size(), 3u);
  EXPECT_EQ(alignment, (std::array<uint32_t, 3>{4, 32, 16}));
  EXPECT_NE(alignment, Alignment({32, 16}));
  EXPECT_TRUE(Alignment().empty());
  EXPECT_EQ(fmt::format("{}", alignment), "Alignment([4, 32, 16])");
  EXPECT_EQ(fmt::format("{}", std::optional(alignment)), "Alignment([4, 32, 16])");
  EXPECT_EQ(fmt::format("{}", std::optional<Alignment>()), "std::nullopt");
}

TEST(TensorTypes, APageIsARowOrATile) {
  EXPECT_EQ(PageConfig(Layout::ROW_MAJOR).get_layout(), Layout::ROW_MAJOR);
  const PageConfig small(Layout::TILE, Tile({16, 32}));
  EXPECT_EQ(small.get_tile(), Tile({16, 32}));
  EXPECT_NE(small, PageConfig(Layout::TILE));
  EXPECT_EQ(PageConfig(Layout::TILE).get_tile(), Tile());
  EXPECT_EQ(small.get_recommended_shard_shape_alignment(DataType::UINT8), Alignment({16, 32}));
  EXPECT_EQ(PageConfig(Layout::ROW_MAJOR).get_recommended_shard_shape_alignment(DataType::BFLOAT16),
            Alignment({32}));
  EXPECT_THAT(thrown_by([] { PageConfig page(Layout::INVALID); }), HasSubstr("has a layout"));
}

TEST(TensorTypes, AMemoryConfigurationSaysWhereATensorLies) {
  EXPECT_EQ(kDram.memory_layout(), TensorMemoryLayout::INTERLEAVED);
  EXPECT_TRUE(kDram.is_dram());
  EXPECT_FALSE(kDram.is_sharded());
  EXPECT_TRUE(MemoryConfig(BufferType::L1).is_l1());
  EXPECT_EQ(MemoryConfig(TensorMemoryLayout::INTERLEAVED), kDram);
  EXPECT_NE(MemoryConfig(BufferType::L1), kDram);
  const MemoryConfig nd(BufferType::L1, NdShardSpec{Shape({1, 32, 32}), kFourInARow});
  EXPECT_EQ(nd.memory_layout(), TensorMemoryLayout::ND_SHARDED);
  EXPECT_TRUE(nd.is_sharded());
  EXPECT_TRUE(nd.created_with_nd_shard_spec());
  EXPECT_THAT(fmt::format("{}", nd), HasSubstr("shard_shape=Shape([1, 32, 32])"));
}

TEST(TensorTypes, MemoryConfigurationsAreEqualWhenAllTheyWereMadeOfIs) {
  const CoreRangeSet two(CoreRange({0, 0}, {1, 0}));
  const auto nd = [](const NdShardSpec& shards, BufferType type = BufferType::L1) {
    return MemoryConfig(type, shards);
  };
  constexpr auto kHeight = TensorMemoryLayout::HEIGHT_SHARDED;
  const MemoryConfig all[] = {
      kDram,
      MemoryConfig(BufferType::L1),
      l1(kHeight, two, {32, 32}),
      l1(TensorMemoryLayout::WIDTH_SHARDED, two, {32, 32}),
      l1(kHeight, two, {32, 64}),
      l1(kHeight, kFourInARow, {32, 32}),
      l1(kHeight, two, {32, 32}, ShardOrientation::COL_MAJOR),
      MemoryConfig(kHeight, BufferType::DRAM, ShardSpec(two, {32, 32})),
      MemoryConfig(kHeight, BufferType::L1),
      nd({Shape({32, 32}), two}),
      nd({Shape({32, 64}), two}),
      nd({Shape({32, 32}), two, ShardOrientation::COL_MAJOR}),
      nd({Shape({32, 32}), two}, BufferType::DRAM),
      nd({Shape({32, 32}), two, ShardOrientation::ROW_MAJOR, ShardDistributionStrategy::GRID_2D})};
  for (const MemoryConfig& one : all) {
    for (const MemoryConfig& other : all) {
      EXPECT_EQ(one == other, &one == &other) << one << " and " << other;
    }
    EXPECT_EQ(one, MemoryConfig(one));
  }
}

// ---- Layouts ----

struct LaidOut {
  TensorLayout layout;
  Shape shape;
  Shape2D physical;
  Alignment alignment;
  Strides strides;
};

// The expectations are those of upstream's tests of early 2025.
TEST(TensorLayouts, ShapesAreFlattenedAndPadded) {
  const LaidOut cases[] = {
      {tiles(), Shape({5, 4, 3, 2}), {640, 32}, Alignment({32, 32}), {384, 96, 32, 1}},
      {rows(), Shape({6, 5, 4, 3}), {120, 3}, Alignment({1}), {60, 12, 3, 1}},
      {tiles(), Shape({1, 1, 1, 1}), {32, 32}, Alignment({32, 32}), {32, 32, 32, 1}},
      {rows(), Shape({1, 1, 1, 1}), {1, 1}, Alignment({1}), {1, 1, 1, 1}},
      {rows(), Shape(), {1, 1}, Alignment({1}), {}},
      {tiles(), Shape(), {32, 32}, Alignment({32, 32}), {}},
      {rows(), Shape({1}), {1, 1}, Alignment({1}), {1}},
      {tiles(), Shape({1}), {32, 32}, Alignment({32, 32}), {1}},
  };
  for (const LaidOut& expected : cases) {
    EXPECT_EQ(expected.layout.get_alignment(), expected.alignment) << expected.shape;
    EXPECT_EQ(expected.layout.compute_physical_shape(expected.shape), expected.physical)
        << expected.shape;
    EXPECT_EQ(expected.layout.compute_strides(expected.shape), expected.strides) << expected.shape;
  }
}

TEST(TensorLayouts, APaddedShapeComesBack) {
  const std::pair<Shape, Shape> cases[] = {
      {Shape({10}), Shape({32})},
      {Shape({40, 30}), Shape({64, 32})},
      {Shape({30, 20, 10}), Shape({32, 32, 32})},
      {Shape({30, 20, 10}), Shape({30, 20, 12})},
      {Shape({2, 3, 16, 16}), Shape({16, 16, 32, 32})},
      {Shape({2, 3, 16, 16}), Shape({2, 16, 16, 16})},
      {Shape({5, 4, 3, 16, 16}), Shape({16, 16, 16, 32, 32})},
      {Shape({5, 4, 3, 16, 16}), Shape({5, 4, 4, 32, 32})},
  };
  for (const auto& [shape, padded] : cases) {
    const TensorLayout layout =
        TensorLayout::fromPaddedShape(DataType::BFLOAT16, Layout::ROW_MAJOR, kDram, shape, padded);
    EXPECT_EQ(layout.compute_padded_shape(shape), padded);
    const Shape2D physical = layout.compute_physical_shape(shape);
    EXPECT_EQ(physical.height() * physical.width(), padded.volume());
  }
}

TEST(TensorLayouts, AnAlignmentFitsTheTileAndTheShape) {
  EXPECT_EQ(tiles(DataType::BFLOAT16, kDram, Alignment({64})).get_alignment(), Alignment({32, 64}));
  EXPECT_THAT(thrown_by([] { tiles(DataType::BFLOAT16, kDram, Alignment({48})); }),
              HasSubstr("does not fit tiles"));
  EXPECT_THAT(thrown_by([] { rows(DataType::BFLOAT16, kDram, Alignment({0})); }),
              HasSubstr("cannot be 0"));
  const TensorLayout odd = rows(DataType::BFLOAT16, kDram, Alignment({96, 64, 1}));
  EXPECT_EQ(odd.compute_padded_shape(Shape({2, 40, 5})), Shape({3, 64, 5}));
  EXPECT_THAT(thrown_by([&] {
                odd.compute_padded_shape(Shape({1, 40, 5}));
              }),
              HasSubstr("no whole number"));
}

TEST(TensorLayouts, SizesArePagesAndTheirBytes) {
  EXPECT_EQ(rows().compute_page_size_bytes(Shape({4, 10})), 20u);
  EXPECT_EQ(rows(DataType::UINT32).compute_packed_buffer_size_bytes(Shape({2, 4, 10})), 320u);
  EXPECT_EQ(tiles().compute_page_size_bytes(Shape({4, 10})), 2048u);
  EXPECT_EQ(tiles().compute_packed_buffer_size_bytes(Shape({2, 33, 10})), 4u * 2048);
  EXPECT_EQ(tiles(DataType::BFLOAT8_B).compute_packed_buffer_size_bytes(Shape({64, 64})),
            4u * 1088);
  EXPECT_EQ(tiles(DataType::BFLOAT4_B).compute_page_size_bytes(Shape({64, 64})), 576u);
  EXPECT_EQ(tiles().compute_packed_buffer_size_bytes(Shape({0, 32})), 0u);
  EXPECT_EQ(TensorLayout(DataType::BFLOAT16, PageConfig(Layout::TILE, Tile({16, 32})), kDram)
                .compute_packed_buffer_size_bytes(Shape({20, 10})),
            2u * 1024);
  EXPECT_EQ(tiles().compute_consumed_memory_bytes_per_bank(Shape({32 * 13, 32}), 32, 12), 4096u);
  EXPECT_EQ(rows().compute_consumed_memory_bytes_per_bank(Shape({13, 10}), 32, 12), 64u);
}

TEST(TensorLayouts, BlockFloatsAreInTiles) {
  EXPECT_THAT(thrown_by([] { rows(DataType::BFLOAT8_B); }), HasSubstr("has no ROW_MAJOR layout"));
  EXPECT_THAT(thrown_by([] { tiles(DataType::FP8_E4M3); }), HasSubstr("no tensors of FP8_E4M3"));
}

TEST(TensorLayouts, ShardsOfTilesAreWholeTiles) {
  const MemoryConfig memory = l1(TensorMemoryLayout::HEIGHT_SHARDED, kFourInARow, {16, 32});
  EXPECT_FALSE(can_shard_align(memory, Layout::TILE));
  EXPECT_TRUE(can_shard_align(memory, Layout::TILE, Tile({16, 32})));
  EXPECT_TRUE(can_shard_align(memory, Layout::ROW_MAJOR));
  EXPECT_THAT(thrown_by([&] { tiles(DataType::BFLOAT16, memory); }),
              HasSubstr("multiples of the tile of 32x32"));
  EXPECT_THAT(
      thrown_by([] { rows(DataType::BFLOAT16, MemoryConfig(TensorMemoryLayout::WIDTH_SHARDED)); }),
      HasSubstr("needs a shard specification"));
}

TEST(TensorLayouts, ShardsOfNothingAndOfLogicalElementsAreRefused) {
  const auto refusal = [](const MemoryConfig& memory) {
    return thrown_by([&] { rows(DataType::BFLOAT16, memory); });
  };
  constexpr auto kHeight = TensorMemoryLayout::HEIGHT_SHARDED;
  EXPECT_THAT(refusal(l1(kHeight, kFourInARow, {0, 32})), HasSubstr("shards that hold nothing"));
  EXPECT_THAT(refusal(l1(kHeight, kFourInARow, {32, 0})), HasSubstr("shards that hold nothing"));
  for (const Shape& shard : {Shape(), Shape({32, 0})}) {
    EXPECT_THAT(refusal(MemoryConfig(BufferType::L1, NdShardSpec{shard, kFourInARow})),
                HasSubstr("holds nothing"));
  }
  const ShardSpec logical(kFourInARow, {32, 32}, ShardOrientation::ROW_MAJOR, ShardMode::LOGICAL);
  EXPECT_THAT(refusal(MemoryConfig(kHeight, BufferType::L1, logical)),
              HasSubstr("ShardMode::LOGICAL is not supported"));
}

// ---- Shards ----

TEST(TensorSpecs, RowsOfShardsArePages) {
  const TensorSpec spec(
      Shape({4, 100}),
      rows(DataType::UINT32, l1(TensorMemoryLayout::WIDTH_SHARDED, kFourInARow, {4, 32})));
  EXPECT_EQ(spec.padded_shape(), Shape({4, 128}));
  EXPECT_EQ(spec.compute_page_size_bytes(), 128u);
  EXPECT_EQ(spec.compute_packed_buffer_size_bytes(), 4u * 4 * 128);
  const BufferShardingArgs args = spec.compute_buffer_sharding_args();
  EXPECT_EQ(args.buffer_layout(), TensorMemoryLayout::WIDTH_SHARDED);
  ASSERT_TRUE(args.shard_spec().has_value());
  EXPECT_THAT(args.shard_spec()->page_shape, ElementsAre(1, 32));
  EXPECT_THAT(args.shard_spec()->tensor2d_shape_in_pages, ElementsAre(4, 4));
  EXPECT_EQ(args.shard_spec()->num_pages(), 4u);
  EXPECT_EQ(spec.compute_consumed_memory_bytes_per_bank(16, 1), 512u);
}

TEST(TensorSpecs, AShapeFitsItsGrid) {
  const auto fits = [](TensorMemoryLayout layout, const CoreRangeSet& grid, const Shape& shape) {
    return can_shape_fits_shard_grid(tiles(DataType::BFLOAT16, l1(layout, grid, {32, 32})), shape);
  };
  constexpr auto kHeight = TensorMemoryLayout::HEIGHT_SHARDED;
  EXPECT_TRUE(fits(kHeight, kFourInARow, Shape({128, 32})));
  EXPECT_FALSE(fits(kHeight, kFourInARow, Shape({129, 32})));
  EXPECT_FALSE(fits(kHeight, kFourInARow, Shape({32, 64})));
  EXPECT_FALSE(fits(TensorMemoryLayout::WIDTH_SHARDED, kFourInARow, Shape({33, 32})));
  const CoreRangeSet block(CoreRange({0, 0}, {2, 1}));
  EXPECT_TRUE(fits(TensorMemoryLayout::BLOCK_SHARDED, block, Shape({64, 96})));
  EXPECT_FALSE(fits(TensorMemoryLayout::BLOCK_SHARDED, block, Shape({96, 64})));
  EXPECT_THAT(
      thrown_by([] {
        TensorSpec(Shape({129, 32}), tiles(DataType::BFLOAT16, l1(kHeight, kFourInARow, {32, 32})));
      }),
      HasSubstr("does not fit MemoryConfig(HEIGHT_SHARDED, L1"));
}

TEST(TensorSpecs, BuildersDivideEvenly) {
  const TensorSpec spec(Shape({2, 80, 200}), tiles());  // 6 x 7 tiles
  const auto shape_of = [](const TensorSpec& sharded) {
    return sharded.memory_config().shard_spec().value().shape;
  };
  const TensorSpec height = spec.height_sharded(kFourInARow);
  EXPECT_EQ(height.memory_config().memory_layout(), TensorMemoryLayout::HEIGHT_SHARDED);
  EXPECT_EQ(height.memory_config().buffer_type(), BufferType::DRAM);
  EXPECT_THAT(shape_of(height), ElementsAre(64, 224));
  EXPECT_THAT(shape_of(spec.width_sharded(kFourInARow)), ElementsAre(192, 64));
  const CoreRange block({1, 1}, {3, 2});
  EXPECT_THAT(shape_of(spec.block_sharded(block)), ElementsAre(96, 96));
  EXPECT_THAT(shape_of(spec.block_sharded(block, ShardOrientation::COL_MAJOR)),
              ElementsAre(64, 128));
  EXPECT_EQ(spec.fit_grid_to_shards(TensorMemoryLayout::HEIGHT_SHARDED, kFourInARow),
            CoreRangeSet(CoreRange({0, 0}, {2, 0})));
  EXPECT_EQ(spec.fit_grid_to_shards(TensorMemoryLayout::BLOCK_SHARDED, CoreRange({0, 0}, {4, 7})),
            CoreRangeSet(CoreRange({0, 0}, {3, 5})));
  EXPECT_THAT(thrown_by([&] { spec.height_sharded(CoreRangeSet()); }), HasSubstr("grid is empty"));
}

TEST(TensorSpecs, AGridThatFitsTheShardsIsCountedAsTheyAre) {
  const TensorSpec spec(Shape({2, 80, 200}), tiles());  // six tiles high
  const CoreRangeSet grid(CoreRange({0, 0}, {1, 3}));
  const auto fitted = [&](ShardOrientation orientation) {
    return spec.fit_grid_to_shards(TensorMemoryLayout::HEIGHT_SHARDED, grid, orientation);
  };
  EXPECT_EQ(fitted(ShardOrientation::ROW_MAJOR), CoreRangeSet(CoreRange({0, 0}, {1, 2})));
  EXPECT_EQ(fitted(ShardOrientation::COL_MAJOR),
            CoreRangeSet({CoreRange({0, 0}, {1, 1}), CoreRange({0, 2}, {0, 3})}));
  EXPECT_EQ(TensorSpec(Shape({0, 32}), tiles())
                .fit_grid_to_shards(TensorMemoryLayout::HEIGHT_SHARDED, grid),
            CoreRangeSet());
}

TEST(TensorSpecs, BuildersKeepTheAlignmentThatWasGiven) {
  const TensorSpec spec(Shape({100, 64}), tiles(DataType::BFLOAT16, kDram, Alignment({128, 32})));
  const TensorSpec sharded = spec.height_sharded(CoreRangeSet(CoreRange({0, 0}, {1, 0})));
  EXPECT_EQ(sharded.padded_shape(), Shape({128, 64}));
  EXPECT_THAT(sharded.memory_config().shard_spec().value().shape, ElementsAre(64, 64));
  EXPECT_EQ(sharded.tensor_layout().get_alignment(), Alignment({128, 32}));
}

// A buffer takes blocks row by row, so cores that hold none must not be counted.
TEST(TensorSpecs, CoresWithoutABlockAreLeftOut) {
  const CoreRangeSet grid(CoreRange({0, 0}, {3, 3}));
  for (const auto orientation : {ShardOrientation::ROW_MAJOR, ShardOrientation::COL_MAJOR}) {
    const TensorSpec spec(
        Shape({64, 96}), tiles(DataType::BFLOAT16,
                               l1(TensorMemoryLayout::BLOCK_SHARDED, grid, {32, 32}, orientation)));
    const CoreCoord last =
        orientation == ShardOrientation::ROW_MAJOR ? CoreCoord(2, 1) : CoreCoord(1, 2);
    const CoreRangeSet used(CoreRange({0, 0}, last));
    const BufferShardingArgs args = spec.compute_buffer_sharding_args();
    EXPECT_EQ(args.shard_spec()->grid(), used);
    EXPECT_EQ(args.buffer_distribution_spec().value().core_groups().cores_with_data, used);
  }
}

TEST(TensorSpecs, ShardsInAllDimensionsAreBlocksWhereTheyCanBe) {
  const TensorSpec spec(Shape({2, 2, 64, 64}), tiles());
  const auto of = [&](const Shape& shard, const CoreRangeSet& grid) {
    return spec.sharded(shard, grid, TensorSpec::ShardShapeAlignment::NONE);
  };
  const MemoryConfig height = of(Shape({1, 1, 64, 64}), kFourInARow).memory_config();
  EXPECT_EQ(height.memory_layout(), TensorMemoryLayout::HEIGHT_SHARDED);
  EXPECT_THAT(height.shard_spec().value().shape, ElementsAre(64, 64));
  EXPECT_TRUE(height.created_with_nd_shard_spec());
  const MemoryConfig width = of(Shape({2, 2, 64, 32}), kFourInARow).memory_config();
  EXPECT_EQ(width.memory_layout(), TensorMemoryLayout::WIDTH_SHARDED);
  // Four by two shards, of which each row fills a row of cores.
  const MemoryConfig block = of(Shape({1, 1, 64, 32}), CoreRange({0, 0}, {1, 3})).memory_config();
  EXPECT_EQ(block.memory_layout(), TensorMemoryLayout::BLOCK_SHARDED);
  // The same on eight cores in a row: no block of cores, but a buffer can be so.
  const CoreRangeSet eight(CoreRange({0, 0}, {7, 0}));
  const TensorSpec in_a_row = of(Shape({1, 1, 64, 32}), eight);
  EXPECT_EQ(in_a_row.memory_config().memory_layout(), TensorMemoryLayout::ND_SHARDED);
  const BufferShardingArgs args = in_a_row.compute_buffer_sharding_args();
  EXPECT_EQ(args.buffer_distribution_spec().value().cores_with_data().size(), 8u);
  EXPECT_EQ(args.shard_spec(), std::nullopt);
  // The second shard of three tiles ends within the first matrix, and the next one begins there.
  const auto is_block = [](const TensorSpec& sharded) {
    return sharded.memory_config().shard_spec().has_value();
  };
  const TensorSpec odd(Shape({2, 96, 64}), tiles());
  EXPECT_FALSE(is_block(
      odd.sharded(Shape({1, 64, 64}), kFourInARow, TensorSpec::ShardShapeAlignment::NONE)));
  // Neither consecutive rows nor one shard for each core.
  EXPECT_FALSE(is_block(of(Shape({2, 1, 64, 64}), kFourInARow)));
  EXPECT_FALSE(is_block(of(Shape({1, 1, 32, 32}), kFourInARow)));
}

TEST(TensorSpecs, BlocksOfAMatrixAreShardsInAllDimensions) {
  const MemoryConfig block =
      l1(TensorMemoryLayout::BLOCK_SHARDED, CoreRange({0, 0}, {1, 1}), {32, 64});
  const TensorSpec matrix(Shape({64, 128}), tiles(DataType::BFLOAT16, block));
  const std::optional<NdShardSpec>& nd = matrix.memory_config().nd_shard_spec();
  ASSERT_TRUE(nd.has_value());
  EXPECT_EQ(nd->shard_shape, Shape({32, 64}));
  EXPECT_EQ(nd->shard_distribution_strategy, ShardDistributionStrategy::GRID_2D);
  EXPECT_EQ(matrix.memory_config(), block);
  EXPECT_FALSE(matrix.memory_config().created_with_nd_shard_spec());
  // Blocks of the matrix that the dimensions but the last are.
  const TensorSpec deeper(Shape({2, 32, 128}), tiles(DataType::BFLOAT16, block));
  EXPECT_EQ(deeper.memory_config().nd_shard_spec(), nd);
}

TEST(TensorSpecs, ShardsAcrossDimensionsAreAsSmallAsTheyCanBe) {
  const TensorSpec spec(Shape({4, 40, 64}), tiles());
  const auto shard = [](const TensorSpec& sharded) {
    return sharded.memory_config().nd_shard_spec().value().shard_shape;
  };
  EXPECT_EQ(shard(spec.sharded_across_dims({0}, kFourInARow)), Shape({1, 64, 64}));
  EXPECT_EQ(shard(spec.sharded_across_dims({0, -1}, kFourInARow)), Shape({1, 64, 32}));
  EXPECT_EQ(shard(spec.sharded_across_dims_except({-1}, kFourInARow)), Shape({1, 32, 64}));
  EXPECT_THAT(thrown_by([&] { spec.sharded_across_dims({3}, kFourInARow); }),
              HasSubstr("no dimension 3"));
  const TensorSpec of_rows(Shape({4, 64}), rows(DataType::UINT8));
  EXPECT_EQ(shard(of_rows.sharded(Shape({1, 40}), kFourInARow,
                                  TensorSpec::ShardShapeAlignment::RECOMMENDED)),
            Shape({1, 64}));
}

// What is 32x48 in one row of memory is 32x64 in shards of 32 columns.
TEST(TensorSpecs, ALayoutWithOtherMemoryIsAlignedAsOneThatWasMadeWithIt) {
  const MemoryConfig sharded =
      l1(TensorMemoryLayout::WIDTH_SHARDED, CoreRangeSet(CoreRange({0, 0}, {1, 0})), {32, 32});
  const TensorSpec spec(Shape({32, 48}), rows().with_memory_config(sharded));
  EXPECT_EQ(spec, TensorSpec(Shape({32, 48}), rows(DataType::BFLOAT16, sharded)));
  EXPECT_EQ(spec.compute_packed_buffer_size_bytes(), 32u * 64 * 2);
  EXPECT_EQ(rows(DataType::BFLOAT16, sharded).with_memory_config(kDram), rows())
      << "what the shards asked for goes with them";
  const TensorLayout given = rows(DataType::BFLOAT16, kDram, Alignment({6}));
  EXPECT_EQ(given.with_memory_config(sharded).get_alignment(), Alignment({96}));
  EXPECT_THAT(thrown_by([&] {
                std::ignore = tiles().with_memory_config(
                    l1(TensorMemoryLayout::WIDTH_SHARDED, kFourInARow, {32, 20}));
              }),
              HasSubstr("must be multiples of the tile"));
}

TEST(TensorSpecs, AMemoryThatIsTakenFromAnotherTensorKeepsNoFormOfIts) {
  const TensorSpec matrix(
      Shape({128, 64}),
      rows(DataType::BFLOAT16, l1(TensorMemoryLayout::HEIGHT_SHARDED, kFourInARow, {32, 64})));
  ASSERT_TRUE(matrix.memory_config().nd_shard_spec().has_value());
  const TensorSpec row(Shape({64}), rows(DataType::BFLOAT16, matrix.memory_config()));
  EXPECT_EQ(row.memory_config().nd_shard_spec().value().shard_shape, Shape({64}));
  const MemoryConfig nd(BufferType::L1, NdShardSpec{Shape({1, 32, 64}), kFourInARow});
  const TensorSpec in_blocks(Shape({1, 128, 64}), rows(DataType::BFLOAT16, nd));
  ASSERT_TRUE(in_blocks.memory_config().shard_spec().has_value());
  const TensorSpec ragged(Shape({2, 48, 64}), rows(DataType::BFLOAT16, in_blocks.memory_config()));
  EXPECT_EQ(ragged.memory_config().shard_spec(), std::nullopt);
  EXPECT_EQ(ragged.memory_config().memory_layout(), TensorMemoryLayout::ND_SHARDED);
}

TEST(TensorSpecs, AnAlignmentThatCannotBeCountedIsRefused) {
  constexpr uint32_t kPrime = 4294967291;
  EXPECT_THAT(thrown_by([&] {
                rows(DataType::BFLOAT16,
                     l1(TensorMemoryLayout::WIDTH_SHARDED, kFourInARow, {32, 32}),
                     Alignment({kPrime}));
              }),
              HasSubstr("too large"));
}

TEST(TensorSpecs, SpecificationsAreValues) {
  const TensorSpec spec(Shape({3, 5}), rows(DataType::FLOAT32));
  EXPECT_EQ(spec, TensorSpec(Shape({3, 5}), rows(DataType::FLOAT32)));
  EXPECT_NE(spec, TensorSpec(Shape({3, 5}), rows(DataType::INT32)));
  EXPECT_EQ(spec.logical_2d_shape(), Shape2D(3, 5));
  EXPECT_EQ(spec.data_type(), DataType::FLOAT32);
  EXPECT_EQ(spec.layout(), Layout::ROW_MAJOR);
  EXPECT_EQ(spec.compute_strides(), (Strides{5, 1}));
}

}  // namespace
}  // namespace tt::tt_metal::testing
