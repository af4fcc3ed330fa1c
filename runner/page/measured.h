#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// What runs have written, as a page shows it. Both texts may be hostile: InvalidArgument, with the
// offset, for what is not as it should be.
namespace lightmetal::runner::page {

// The most spans of a timeline that a page holds: the first ones of the text. The others are
// counted.
inline constexpr size_t kMostSpans = 500'000;

// Reads a timeline in the Trace Event Format (schema/show/timeline_trace.h) and writes its spans in
// columns, as one JSON object: a name and a track for each, and when it began and how long it took,
// in nanoseconds.
absl::StatusOr<std::string> timeline_json(absl::string_view text);

// A golden of such a report.
struct ReportedGolden {
  uint64_t command = 0;
  std::string call;
  std::optional<uint64_t> buffer;
};

// Calls `take` for each golden of what `run --report json=FILE` wrote, until it returns an error.
absl::Status for_each_golden(absl::string_view text,
                             absl::FunctionRef<absl::Status(const ReportedGolden&)> take);

// Reads what `run --report json=FILE` wrote (docs/golden-report.schema.json), and writes it anew.
absl::StatusOr<std::string> goldens_json(absl::string_view text);

}  // namespace lightmetal::runner::page
