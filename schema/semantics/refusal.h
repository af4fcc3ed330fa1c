#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

// How a check says no.
namespace lightmetal::schema::semantics {

// An object in a person's words.
struct Object {
  absl::string_view kind;  // "circular buffer"
  uint64_t id = 0;

  std::string text() const { return absl::StrCat(kind, " ", id); }
};

// "buffer 3: its field page_size is 7, expected a divisor of the size 64"
template <class Found, class... Expected>
absl::Status wrong(const Object& object, absl::string_view field, const Found& found,
                   const Expected&... expected) {
  return absl::InvalidArgumentError(absl::StrCat(object.text(), ": its field ", field, " is ",
                                                 found, ", expected ", expected...));
}

// "buffer 3: it is used, expected to be allocated": for what is no one field's fault.
template <class... Text>
absl::Status not_now(const Object& object, const Text&... text) {
  return absl::FailedPreconditionError(absl::StrCat(object.text(), ": ", text...));
}

// "buffer 3: Buffer size 64 must be divisible by page size 7": what host/ refuses, about an object
// of the file.
inline absl::Status about(const Object& object, const absl::Status& refusal) {
  if (refusal.ok()) return refusal;
  return absl::Status(refusal.code(), absl::StrCat(object.text(), ": ", refusal.message()));
}
inline absl::Status about(const Object& object, absl::string_view field,
                          const absl::Status& refusal) {
  if (refusal.ok()) return refusal;
  return absl::Status(refusal.code(),
                      absl::StrCat(object.text(), ": its field ", field, ": ", refusal.message()));
}

}  // namespace lightmetal::schema::semantics
