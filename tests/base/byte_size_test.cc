#include "base/byte_size.h"

#include <gtest/gtest.h>

namespace lightmetal {
namespace {

TEST(ByteSize, UnitsArePowersOf1024) {
  EXPECT_EQ(parse_byte_size("0"), 0u);
  EXPECT_EQ(parse_byte_size("4096"), 4096u);
  EXPECT_EQ(parse_byte_size("64K"), 65536u);
  EXPECT_EQ(parse_byte_size("512M"), uint64_t{512} << 20);
  EXPECT_EQ(parse_byte_size("64G"), uint64_t{64} << 30);
  EXPECT_EQ(parse_byte_size("3T"), uint64_t{3} << 40);
  EXPECT_EQ(parse_byte_size("18446744073709551615"), ~uint64_t{0});
}

TEST(ByteSize, AnythingElseIsNone) {
  for (const char* text : {"", "K", "-1", "+1", " 1", "1 K", "1k", "1.5G", "1GB", "0x10",
                           "18446744073709551616", "16777216T"}) {
    EXPECT_FALSE(parse_byte_size(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace lightmetal
