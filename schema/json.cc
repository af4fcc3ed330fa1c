#include "schema/json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace lightmetal::schema {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

uint8_t byte_at(absl::string_view text, size_t i) {
  return i < text.size() ? static_cast<uint8_t>(text[i]) : 0;
}

// The length of the UTF-8 character at the front of `text`; 0 when there is none (RFC 3629, section
// 4).
size_t utf8_length(absl::string_view text) {
  const uint8_t first = byte_at(text, 0);
  const uint8_t second = byte_at(text, 1);
  const auto continues = [&](size_t i) { return (byte_at(text, i) & 0xC0) == 0x80; };
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return !overlong && !surrogate && continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90;
    const bool too_great = first == 0xF4 && second > 0x8F;
    return !overlong && !too_great && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

void append_character(std::string& out, absl::string_view character) {
  switch (const char c = character[0]; c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) {
        absl::StrAppendFormat(&out, "\\u%04x", static_cast<int>(c));
      } else {
        absl::StrAppend(&out, character);
      }
  }
}

}  // namespace

JsonWriter& JsonWriter::key(absl::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(absl::string_view text) {
  separate();
  quote(text);
  return *this;
}

JsonWriter& JsonWriter::value(double value) {
  return std::isfinite(value) ? raw(absl::StrFormat("%.17g", value)) : null();
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::raw(absl::string_view text) {
  separate();
  absl::StrAppend(&text_, text);
  return *this;
}

void JsonWriter::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

void JsonWriter::quote(absl::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) absl::StrAppend(&text_, kReplacement);
    if (length != 0) append_character(text_, text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace lightmetal::schema
