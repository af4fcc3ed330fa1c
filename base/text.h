#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace lightmetal {

// A character of UTF-8 text. `bytes` points into the text that it was taken from.
struct Character {
  absl::string_view bytes;
  int code = -1;  // the code point; -1 for a byte that begins no UTF-8
};

// The first character of the text, or its first byte where that begins no UTF-8. REQUIRES: the text
// is not empty.
Character first_character(absl::string_view text);

// Whether a terminal shows the character rather than obeys it. False for control characters other
// than line breaks and tabs, and for those that turn the direction of text: a hostile file could
// hide or rewrite what a person reads. False also for Unicode's separators of lines and paragraphs,
// at which a program that reads the text by lines may split it.
bool is_shown(int code);  // `code` as Character has it

// The text, with \xNN for each byte of a character that is not shown and for each byte that is no
// UTF-8.
std::string without_controls(absl::string_view text);

// The text as a C string literal has it, on one line and without controls.
std::string escaped(absl::string_view text);

}  // namespace lightmetal
