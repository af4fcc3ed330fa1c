#pragma once

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

// How a rule says no: in one sentence, worded for whoever made the call and for whoever checks a
// file.
namespace lightmetal::host {

// What was asked for is wrong whatever has been before.
template <class... Text>
absl::Status refuse(const Text&... text) {
  return absl::InvalidArgumentError(absl::StrCat(text...));
}

// What was asked for does not fit what is there now.
template <class... Text>
absl::Status refuse_now(const Text&... text) {
  return absl::FailedPreconditionError(absl::StrCat(text...));
}

}  // namespace lightmetal::host
