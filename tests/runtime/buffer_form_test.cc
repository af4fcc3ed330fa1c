// How the elements of a tensor lie in a buffer.
#include "runtime/buffer_form.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace lightmetal::runtime {
namespace {

std::vector<std::byte> random_bytes(size_t size, std::mt19937& random) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Element by element, by the definition of a tile: four faces of 16x16, each row by row.
size_t place_in_tiles(const TensorDesc& tensor, size_t element) {
  const size_t columns = tensor.row_elements();
  const size_t rows = tensor.shape.size() < 2 ? 1 : tensor.shape[tensor.shape.size() - 2];
  const size_t column = element % columns, row = element / columns % rows;
  const size_t matrix = element / columns / rows;
  const size_t across = (columns + 31) / 32, down = (rows + 31) / 32;
  const size_t tile = (matrix * down + row / 32) * across + column / 32;
  const size_t face = row % 32 / 16 * 2 + column % 32 / 16;
  return tile * 1024 + face * 256 + row % 16 * 16 + column % 16;
}

TEST(BufferFormTest, TilesHaveEachElementInItsFace) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (const TensorType type : {TensorType::UInt8, TensorType::BFloat16, TensorType::Float32}) {
    for (const std::vector<uint32_t>& shape : std::vector<std::vector<uint32_t>>{
             {}, {1}, {40}, {4, 4}, {32, 32}, {33, 65}, {64, 96}, {3, 17, 31}, {2, 2, 33, 16}}) {
      const TensorDesc tensor{shape, type, TensorOrder::Tile};
      ASSERT_TRUE(tensor.check().ok());
      const uint32_t size = element_size(type);
      const std::vector<std::byte> rows = random_bytes(tensor.size(), random);
      std::vector<std::byte> buffer(tensor.size_in_buffer());
      const BufferForm form(tensor, buffer.size(), 1024 * size);
      EXPECT_FALSE(form.is_plain());
      form.encode(rows, buffer);
      for (size_t element = 0; element < tensor.elements(); ++element) {
        ASSERT_EQ(std::memcmp(buffer.data() + place_in_tiles(tensor, element) * size,
                              rows.data() + element * size, size),
                  0)
            << tensor.text() << " at element " << element;
      }
      std::vector<std::byte> back(rows.size());
      form.decode(buffer, back);
      EXPECT_EQ(back, rows) << tensor.text();
    }
  }
}

// From every byte on there is a piece, and its bytes are where encode() puts them.
TEST(BufferFormTest, PiecesLieWhereTheElementsAre) {
  std::mt19937 random(1);
  for (const TensorOrder order : {TensorOrder::Tile, TensorOrder::RowMajor}) {
    for (const uint64_t gap : {0, 3}) {
      const TensorDesc tensor{{2, 33, 21}, TensorType::UInt16, order};
      const uint64_t stride = gap == 0 ? 0 : 42 + gap;
      const BufferForm form(tensor, 20000, 4, stride);
      ASSERT_TRUE(form.rows_fit() && form.extent() <= 20000 && form.has_padding());
      const std::vector<std::byte> rows = random_bytes(tensor.size(), random);
      std::vector<std::byte> buffer(20000);
      form.encode(rows, buffer);
      for (uint64_t at = 0; at < rows.size(); ++at) {
        const BufferForm::Piece piece = form.piece_at(at);
        ASSERT_GT(piece.size, 0u);
        ASSERT_LE(at + piece.size, rows.size());
        ASSERT_LE(piece.offset + piece.size, form.extent());
        ASSERT_EQ(std::memcmp(buffer.data() + piece.offset, rows.data() + at, piece.size), 0) << at;
      }
    }
  }
  EXPECT_EQ(BufferForm({{3, 5}, TensorType::UInt16}, 48, 16).row_stride(), 16u);
  EXPECT_FALSE(BufferForm({{3, 5}, TensorType::UInt16}, 48, 16, 8).rows_fit());
}

TEST(BufferFormTest, RowsLieOneBehindTheOtherOrEachInItsPage) {
  const TensorDesc tensor{{3, 5}, TensorType::UInt16};
  std::vector<std::byte> rows(30);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(i + 1);
  EXPECT_TRUE(BufferForm(tensor, 30, 30).is_plain());
  EXPECT_FALSE(BufferForm(tensor, 32, 32).is_plain());

  std::vector<std::byte> paged(48);
  const BufferForm in_pages(tensor, paged.size(), 16);
  in_pages.encode(rows, paged);
  EXPECT_EQ(paged[16], rows[10]);
  EXPECT_EQ(paged[10], std::byte{0});
  std::vector<std::byte> back(rows.size());
  in_pages.decode(paged, back);
  EXPECT_EQ(back, rows);
}

}  // namespace
}  // namespace lightmetal::runtime
