#include "schema/text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "flatbuffers/util.h"

namespace lightmetal::schema {
namespace {

// A Unicode code point; -1 stands for none.
bool is_shown(int code) {
  if (code < 0x20) return code == '\n' || code == '\t';
  const bool control = code >= 0x7f && code <= 0x9f;
  const bool direction = code == 0x61c || code == 0x200e || code == 0x200f ||
                         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !control && !direction;
}

}  // namespace

std::string without_controls(absl::string_view text) {
  const std::string terminated(text);  // FromUTF8 looks as far as the 0 at most.
  std::string out;
  const char* const end = terminated.data() + terminated.size();
  for (const char* at = terminated.data(); at != end;) {
    const char* next = at;
    const int code = flatbuffers::FromUTF8(&next);
    if (code < 0) next = at + 1;
    if (is_shown(code)) {
      out.append(at, next);
    } else {
      for (; at != next; ++at) absl::StrAppendFormat(&out, "\\x%02x", static_cast<uint8_t>(*at));
    }
    at = next;
  }
  return out;
}

std::string escaped(absl::string_view text) {
  return without_controls(absl::Utf8SafeCEscape(text));
}

}  // namespace lightmetal::schema
