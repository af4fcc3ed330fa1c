#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace lightmetal::schema {

// Builds one JSON text. The caller keeps the order: begin and end in pairs and, in an object, key()
// before each value. The text is valid UTF-8 whatever the strings hold: bytes that are no UTF-8
// become U+FFFD, and characters that a terminal would obey are escaped (base/text.h). Not
// thread-safe.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(absl::string_view name);

  JsonWriter& value(absl::string_view text);
  JsonWriter& value(const char* text) { return value(absl::string_view(text)); }
  JsonWriter& value(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& value(double value);  // null unless finite
  template <std::integral T>
  JsonWriter& value(T value) {
    return raw(std::to_string(value));
  }
  JsonWriter& null() { return raw("null"); }

  template <class T>
  JsonWriter& member(absl::string_view name, const T& value) {
    return key(name).value(value);
  }

  std::string take() { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& raw(absl::string_view text);
  void separate();
  void quote(absl::string_view text);

  std::string text_;
  bool first_ = true;  // nothing stands before the next value in its object or array
};

}  // namespace lightmetal::schema
