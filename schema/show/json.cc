#include "schema/show/json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/text.h"

namespace lightmetal::schema {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

void append_character(std::string& out, const Character& character) {
  switch (const char c = character.bytes[0]; c) {
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
      if (character.code < 0) {
        absl::StrAppend(&out, kReplacement);
      } else if (is_shown(character.code)) {
        absl::StrAppend(&out, character.bytes);
      } else {
        absl::StrAppendFormat(&out, "\\u%04x", character.code);  // all of them have 16 bits
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
    const Character character = first_character(text);
    append_character(text_, character);
    text.remove_prefix(character.bytes.size());
  }
  text_ += '"';
}

}  // namespace lightmetal::schema
