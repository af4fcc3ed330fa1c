#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "schema/semantics/refusal.h"
#include "schema/types_generated.h"

namespace lightmetal::schema::semantics {

// The payload in a field of a command about `object` has `size` bytes. A longer payload is refused
// only here: the host API is lenient with data that goes on behind what it needs.
inline absl::Status check_payload(const Object& object, absl::string_view field,
                                  const BlobRef& payload, uint64_t size) {
  if (payload.size() == size) return absl::OkStatus();
  absl::Status refusal =
      wrong(object, field, absl::StrCat("a payload of ", payload.size(), " bytes"), size, " bytes");
  return payload.size() > size ? of_files_alone(std::move(refusal)) : refusal;
}

// The golden has `size` bytes. `golden` may be null, when the capture did not keep what was read.
inline absl::Status check_golden(const Object& object, const BlobRef* golden, uint64_t size) {
  return golden == nullptr ? absl::OkStatus() : check_payload(object, "golden", *golden, size);
}

}  // namespace lightmetal::schema::semantics
