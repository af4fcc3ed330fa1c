#include "runner/page/json_reader.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace lightmetal::runner::page {
namespace {

constexpr int kMostDepth = 64;

void append_utf8(std::string& text, unsigned code) {
  const auto byte = [&](unsigned bits) { text += static_cast<char>(bits); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

}  // namespace

absl::Status JsonReader::wrong(absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("expected ", expected, " at byte ", at_));
}

char JsonReader::next() {
  while (at_ < text_.size() && absl::StrContains(" \t\r\n", text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::take(char character) {
  if (next() != character || at_ == text_.size()) return false;
  ++at_;
  return true;
}

bool JsonReader::take_word(absl::string_view word) {
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

absl::Status JsonReader::enter(char bracket, absl::string_view expected) {
  if (!take(bracket)) return wrong(expected);
  return ++depth_ <= kMostDepth ? absl::OkStatus() : wrong("fewer values one inside the other");
}

absl::Status JsonReader::object(absl::FunctionRef<absl::Status(const std::string&)> member) {
  LM_RETURN_IF_ERROR(enter('{', "an object"));
  if (next() != '}') {
    do {
      LM_ASSIGN_OR_RETURN(name, text());
      if (!take(':')) return wrong("a colon");
      LM_RETURN_IF_ERROR(member(name));
    } while (take(','));
  }
  --depth_;
  return take('}') ? absl::OkStatus() : wrong("the end of the object");
}

absl::Status JsonReader::array(absl::FunctionRef<absl::Status()> item) {
  LM_RETURN_IF_ERROR(enter('[', "an array"));
  if (next() != ']') {
    do {
      LM_RETURN_IF_ERROR(item());
    } while (take(','));
  }
  --depth_;
  return take(']') ? absl::OkStatus() : wrong("the end of the array");
}

absl::StatusOr<std::string> JsonReader::text() {
  if (!take('"')) return wrong("a text");
  std::string text;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return text;
    }
    if (static_cast<uint8_t>(c) < 0x20) return wrong("no control character in a text");
    if (c != '\\') {
      text += c;
      continue;
    }
    LM_RETURN_IF_ERROR(append_escaped(text));
  }
  return wrong("the end of the text");
}

// Stays at the last character of the escape.
absl::Status JsonReader::append_escaped(std::string& text) {
  constexpr absl::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  ++at_;
  if (at_ == text_.size()) return wrong("an escape");
  const size_t escape = kEscapes.find(text_[at_]);
  if (escape != absl::string_view::npos) {
    text += kMeanings[escape];
    return absl::OkStatus();
  }
  LM_ASSIGN_OR_RETURN(code, hexadecimal());
  if (code >= 0xD800 && code < 0xDC00) {
    ++at_;
    if (!take_word("\\") || at_ == text_.size()) return wrong("the second half of a character");
    LM_ASSIGN_OR_RETURN(low, hexadecimal());
    if (low < 0xDC00 || low > 0xDFFF) return wrong("the second half of a character");
    code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00);
  }
  append_utf8(text, code);
  return absl::OkStatus();
}

// At "uXXXX"; stays at its last digit.
absl::StatusOr<unsigned> JsonReader::hexadecimal() {
  if (text_[at_] != 'u' || text_.size() - at_ < 5) return wrong("an escape");
  unsigned code = 0;
  for (int digit = 0; digit < 4; ++digit) {
    const size_t value =
        absl::string_view("0123456789abcdef").find(absl::ascii_tolower(text_[++at_]));
    if (value == absl::string_view::npos) return wrong("a hexadecimal digit");
    code = code * 16 + static_cast<unsigned>(value);
  }
  return code;
}

absl::StatusOr<double> JsonReader::number() {
  const char first = next();
  double value = 0;
  const char* const begin = text_.data() + at_;
  const auto result = absl::from_chars(begin, text_.data() + text_.size(), value);
  const bool is_digit = (first >= '0' && first <= '9') || first == '-';
  if (!is_digit || result.ec == std::errc::invalid_argument) return wrong("a number");
  // What is too small to be told from 0 is 0.
  if (result.ec == std::errc::result_out_of_range && std::fabs(value) > 1) {
    return wrong("a number that a double can hold");
  }
  at_ += static_cast<size_t>(result.ptr - begin);
  return value;
}

absl::Status JsonReader::copy(schema::JsonWriter* json) {
  switch (next()) {
    case '{':
      if (json != nullptr) json->begin_object();
      LM_RETURN_IF_ERROR(object([&](const std::string& name) {
        if (json != nullptr) json->key(name);
        return copy(json);
      }));
      if (json != nullptr) json->end_object();
      return absl::OkStatus();
    case '[':
      if (json != nullptr) json->begin_array();
      LM_RETURN_IF_ERROR(array([&] { return copy(json); }));
      if (json != nullptr) json->end_array();
      return absl::OkStatus();
    default:
      return copy_literal(json);
  }
}

absl::Status JsonReader::copy_literal(schema::JsonWriter* json) {
  if (next() == '"') {
    LM_ASSIGN_OR_RETURN(value, text());
    if (json != nullptr) json->value(value);
  } else if (take_word("true")) {
    if (json != nullptr) json->value(true);
  } else if (take_word("false")) {
    if (json != nullptr) json->value(false);
  } else if (take_word("null")) {
    if (json != nullptr) json->null();
  } else {
    LM_ASSIGN_OR_RETURN(value, number());
    if (json != nullptr) json->value(value);
  }
  return absl::OkStatus();
}

absl::Status JsonReader::end() {
  return next() == '\0' && at_ == text_.size() ? absl::OkStatus() : wrong("nothing more");
}

}  // namespace lightmetal::runner::page
