#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "schema/show/json.h"

namespace lightmetal::runner::page {

// Reads a JSON text (RFC 8259) from its front to its end, value by value, and keeps nothing of it:
// a text of any size takes no memory. The text may be hostile. InvalidArgument, with the offset,
// for what is no JSON, for values nested more than 64 deep, and for a value of another type than is
// asked for. Not thread-safe.
class JsonReader {
 public:
  // The text outlives the reader.
  explicit JsonReader(absl::string_view text) : text_(text) {}

  // The first character of the next value, which says its type: one of {["-tfn or a digit; 0 at
  // the end of the text.
  char next();

  // Calls member(name) for each member of the object that comes next, and item() for each item of
  // the array. They read the value whole.
  absl::Status object(absl::FunctionRef<absl::Status(const std::string& name)> member);
  absl::Status array(absl::FunctionRef<absl::Status()> item);

  absl::StatusOr<std::string> text();
  absl::StatusOr<double> number();

  // Reads any value, and writes it where `json` is not null.
  absl::Status copy(schema::JsonWriter* json);
  absl::Status skip() { return copy(nullptr); }

  // OK when nothing follows.
  absl::Status end();

 private:
  absl::Status wrong(absl::string_view expected);
  absl::Status enter(char bracket, absl::string_view expected);
  // Passes the character if it comes next.
  bool take(char character);
  bool take_word(absl::string_view word);
  absl::StatusOr<unsigned> hexadecimal();
  absl::Status append_escaped(std::string& text);
  absl::Status copy_literal(schema::JsonWriter* json);

  const absl::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace lightmetal::runner::page
