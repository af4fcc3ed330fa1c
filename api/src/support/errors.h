#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// The border between code that reports errors as values and the host API, whose users expect
// std::runtime_error. What is thrown here is also noted for the capture's record of the call
// (CallFailed).
namespace tt::tt_metal {

// Throws an exception with the text, each NUL of which becomes \x00: what() would end at it, and
// the text may quote names from a file.
[[noreturn]] void throw_noted(absl::string_view text);

inline void throw_if_error(const absl::Status& status) {
  if (!status.ok()) [[unlikely]]
    throw_noted(status.message());
}

template <typename T>
T value_or_throw(absl::StatusOr<T> value) {
  throw_if_error(value.status());
  return *std::move(value);
}

}  // namespace tt::tt_metal
