#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace lightmetal {

struct Character {
  absl::string_view bytes;
  int code = -1;  // its code point; -1 for a byte with which no UTF-8 begins
};

// REQUIRES: the text is not empty.
Character first_character(absl::string_view text);

// Whether a terminal shows it: not what it would obey (controls, but for line breaks and tabs, and
// what turns the direction of text).
bool is_shown(int code);  // as Character has it

// The text with \xNN for each byte of a character that is not shown, and for what is no UTF-8.
std::string without_controls(absl::string_view text);

// The text as a C string literal would have it, on one line, and without controls.
std::string escaped(absl::string_view text);

}  // namespace lightmetal
