#pragma once

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

// How a rule says no: in one sentence, which must read well both to the program that made the call
// and to a person who checks a file. The code says whether the call could be right at another time.
namespace lightmetal::host {

// InvalidArgument: what was asked for is wrong whatever has been before.
template <class... Text>
absl::Status refuse(const Text&... text) {
  return absl::InvalidArgumentError(absl::StrCat(text...));
}

// FailedPrecondition: what was asked for does not fit what is there now.
template <class... Text>
absl::Status refuse_now(const Text&... text) {
  return absl::FailedPreconditionError(absl::StrCat(text...));
}

}  // namespace lightmetal::host
