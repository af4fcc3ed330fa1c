#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lightmetal {
namespace {

TEST(TextTest, WhatATerminalShowsStaysAsItIs) {
  const std::string text = "Zählwerk\t→ 你好\n\xf0\x9f\x98\x80 \"it's\" 100 %\\";
  EXPECT_EQ(without_controls(text), text);
  EXPECT_EQ(without_controls(""), "");
}

TEST(TextTest, WhatATerminalObeysIsEscaped) {
  EXPECT_EQ(without_controls("\x1b[2J\x07\r"), "\\x1b[2J\\x07\\x0d");
  EXPECT_EQ(without_controls("\x7f"), "\\x7f");
  EXPECT_EQ(without_controls("a\xc2\x9b"
                             "2J\xc2\x80"),
            "a\\xc2\\x9b2J\\xc2\\x80");
  EXPECT_EQ(without_controls("a\xe2\x80\xae"
                             "b\xe2\x81\xa6"),
            "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6");
  EXPECT_EQ(without_controls(std::string("a\0b", 3)), "a\\x00b");
}

// Not for a terminal, but for a reader of lines.
TEST(TextTest, WhatUnicodeCallsTheEndOfALineIsEscaped) {
  EXPECT_EQ(without_controls("a\xc2\x85"
                             "b\xe2\x80\xa8"
                             "c\xe2\x80\xa9"),
            "a\\xc2\\x85b\\xe2\\x80\\xa8c\\xe2\\x80\\xa9");
  EXPECT_EQ(without_controls("\x0b\x0c\x1c\x1d\x1e"), "\\x0b\\x0c\\x1c\\x1d\\x1e");
}

TEST(TextTest, WhatIsNoUtf8IsEscapedByteByByte) {
  EXPECT_EQ(without_controls("\x9b"
                             "2J"),
            "\\x9b2J");
  EXPECT_EQ(without_controls("\xc0\x9b"), "\\xc0\\x9b");             // U+001B, longer than need be
  EXPECT_EQ(without_controls("\xed\xa0\x80!"), "\\xed\\xa0\\x80!");  // a surrogate
  EXPECT_EQ(without_controls("a\xe2\x80"), "a\\xe2\\x80");           // cut off by the end
  EXPECT_EQ(without_controls("\xff\xfe"), "\\xff\\xfe");
}

// XML 1.0 has neither, whatever they are escaped as in XML's own way.
TEST(TextTest, NoncharactersAreEscaped) {
  EXPECT_EQ(without_controls("a\xef\xbf\xbe"
                             "b\xef\xbf\xbf"),
            "a\\xef\\xbf\\xbeb\\xef\\xbf\\xbf");
  EXPECT_EQ(without_controls("\xef\xbf\xbd"), "\xef\xbf\xbd");  // U+FFFD
}

TEST(TextTest, EachRangeOfWhatATerminalObeysEndsWhereUnicodeSays) {
  const std::vector<std::pair<int, int>> ranges = {
      {0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
      {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfffe, 0xffff}};
  EXPECT_FALSE(is_shown(-1));
  for (const auto& [first, last] : ranges) {
    for (int code = first; code <= last; ++code) EXPECT_FALSE(is_shown(code)) << code;
    EXPECT_EQ(is_shown(first - 1), first != 0) << first;
    EXPECT_TRUE(is_shown(last + 1)) << last;
  }
}

TEST(TextTest, EscapedTextLiesOnOneLine) {
  EXPECT_EQ(escaped("a\n\"b\"\\ ü\xc2\x9b"), "a\\n\\\"b\\\"\\\\ ü\\xc2\\x9b");
}

}  // namespace
}  // namespace lightmetal
