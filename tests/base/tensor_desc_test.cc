#include "base/tensor_desc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lightmetal {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  return std::string(TensorDesc::parse(text).status().message());
}

struct Sizes {
  const char* given;
  const char* text;
  uint64_t elements, size, size_in_buffer, rows;
  uint32_t row_elements;
};

TEST(TensorDescTest, ItsTextIsReadBackAndItsSizesFollow) {
  const std::vector<Sizes> all = {
      {"float32:scalar", "float32:scalar:row_major", 1, 4, 4, 1, 1},
      {"bfloat16:scalar:tile", "bfloat16:scalar:tile", 1, 2, 1024 * 2, 1, 1},
      {"uint8:7", "uint8:7:row_major", 7, 7, 7, 1, 7},
      {"int32:40:tile", "int32:40:tile", 40, 160, 2 * 1024 * 4, 1, 40},
      {"uint16:2x33x65:tile", "uint16:2x33x65:tile", 4290, 8580, 2 * 64 * 96 * 2, 66, 65},
      {"uint32:2x33x65:row_major", "uint32:2x33x65:row_major", 4290, 17160, 17160, 66, 65},
  };
  for (const Sizes& each : all) {
    const auto tensor = TensorDesc::parse(each.given);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(tensor->text(), each.text);
    EXPECT_EQ(tensor->elements(), each.elements) << each.text;
    EXPECT_EQ(tensor->size(), each.size) << each.text;
    EXPECT_EQ(tensor->size_in_buffer(), each.size_in_buffer) << each.text;
    EXPECT_EQ(tensor->rows(), each.rows) << each.text;
    EXPECT_EQ(tensor->row_elements(), each.row_elements) << each.text;
    EXPECT_EQ(TensorDesc::parse(each.text).value(), *tensor);
  }
}

TEST(TensorDescTest, AnyOtherTextIsRefusedWithWhatIsExpected) {
  for (const std::string text :
       {"", "float32", "float32:", "float32:2x", "float32:x2", "float32:-2", "float32:2.5",
        "Float32:2", "float32:2:Tile", "float32:2:", "float32:2:tile:tile", "float32:scalarx2",
        "float32:2:row_major:", "float32:4294967296"}) {
    EXPECT_THAT(refusal_of(text),
                HasSubstr("\"" + text + "\" is no tensor: expected TYPE:SHAPE or TYPE:SHAPE:ORDER"))
        << text;
  }
}

TEST(TensorDescTest, HasAsManyElementsAsCanBeCountedPaddingIncluded) {
  for (const char* text : {"uint8:4294967295", "uint8:65536x65504:tile", "uint8:1x1x1x1x1x1x1x1"}) {
    EXPECT_EQ(refusal_of(text), "") << text;
  }
  for (const char* text :
       {"uint8:65536x65536", "uint8:65536x65535:tile", "uint8:4294967295:tile", "uint8:0"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("a tensor has 1 to 4294967295 elements")) << text;
  }
  EXPECT_THAT(refusal_of("uint8:1x1x1x1x1x1x1x1x1"), HasSubstr("at most 8 dimensions"));
}

}  // namespace
}  // namespace lightmetal
