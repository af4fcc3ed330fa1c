#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capture/capture.h"

// The border between code that reports errors as values and the host API, whose users expect
// std::runtime_error. What is thrown here is also noted for the capture's record of the call
// (CallFailed).
namespace tt::tt_metal {

inline void throw_if_error(const absl::Status& status) {
  if (status.ok()) [[likely]]
    return;
  lightmetal::capture::note_failure(status.message().data(), status.message().size());
  throw std::runtime_error(std::string(status.message()));
}

template <typename T>
T value_or_throw(absl::StatusOr<T> value) {
  throw_if_error(value.status());
  return *std::move(value);
}

}  // namespace tt::tt_metal
