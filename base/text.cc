#include "base/text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "flatbuffers/util.h"

namespace lightmetal {

bool is_shown(int code) {
  if (code < 0x20) return code == '\n' || code == '\t';
  const bool control = code >= 0x7f && code <= 0x9f;
  const bool line_end = code == 0x2028 || code == 0x2029;  // and 0x85, a control
  const bool direction = code == 0x61c || code == 0x200e || code == 0x200f ||
                         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  // No XML may have these two, whatever they are escaped as.
  const bool noncharacter = code == 0xfffe || code == 0xffff;
  return !control && !line_end && !direction && !noncharacter;
}

Character first_character(absl::string_view text) {
  char front[5] = {};  // FromUTF8 reads no further than the 0: the view may end anywhere.
  text.copy(front, sizeof(front) - 1);
  const char* end = front;
  const int code = flatbuffers::FromUTF8(&end);
  const auto length = code < 0 ? 1 : static_cast<size_t>(end - front);
  return {text.substr(0, length), code};
}

std::string without_controls(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (is_shown(character.code)) {
      absl::StrAppend(&out, character.bytes);
    } else {
      for (const char byte : character.bytes) {
        absl::StrAppendFormat(&out, "\\x%02x", static_cast<uint8_t>(byte));
      }
    }
    text.remove_prefix(character.bytes.size());
  }
  return out;
}

std::string escaped(absl::string_view text) {
  return without_controls(absl::Utf8SafeCEscape(text));
}

}  // namespace lightmetal
