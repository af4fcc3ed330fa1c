#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/file/reader.h"
#include "schema/show/json.h"

namespace lightmetal::schema {

// The element type that somebody names as the schema does, in any case ("float32"). NotFound, with
// all names, for any other text.
absl::StatusOr<ElementType> element_type_named(absl::string_view name);

// What the elements of some content are. Integers have at most 32 bits, so that a double holds
// each.
struct ValueSummary {
  ElementType type;
  uint64_t elements = 0;
  std::vector<double> first;  // at most kFirstValues
  double last = 0;            // when there is any
  // Over the finite ones, of which there are elements - nans - infinities.
  double min = 0;
  double max = 0;
  double mean = 0;
  uint64_t nans = 0;
  uint64_t infinities = 0;
  uint64_t rest = 0;  // bytes behind the last whole element
};

inline constexpr size_t kFirstValues = 4;

// Reads the payload piece by piece, in memory for one. Errors are those of File::read_blob().
absl::StatusOr<ValueSummary> summarize(const File& file, const BlobRef& payload, ElementType type);

// What the payloads are that the command uploads, or compares with what it reads: of the type that
// the command says, or of `type`. A payload that cannot be read is said to be so, with the reason.

// A line for each, indented and with its line end before it.
void append_values_text(std::string& text, const File& file, const Command& command,
                        std::optional<ElementType> type);
// A list of objects.
void append_values_json(JsonWriter& json, const File& file, const Command& command,
                        std::optional<ElementType> type);

}  // namespace lightmetal::schema
