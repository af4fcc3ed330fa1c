#pragma once

#include <cstddef>
#include <cstdint>
#include <lightmetal/replay.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/digest.h"
#include "schema/types_generated.h"

namespace lightmetal::replay {

// How many bytes an element has.
size_t size_of(schema::ElementType type);

// Whether the errors of a golden that passes are wanted, too. To know only that it passes is
// faster.
enum class Errors { kAlways, kOfFailures };

// What is compared: what a command reads, or leaves in the buffer of that id.
struct GoldenSource {
  std::string name;  // for messages
  schema::ElementType type = schema::ElementType::Bytes;
  uint64_t command = 0;
  std::optional<uint64_t> buffer = {};
  std::optional<ComparePolicy> recorded = {};  // what the program said of it at capture
  ComparePolicy of_file = {};                  // what the capture says of all
};

// How elements are compared, and as what.
struct Comparing {
  ComparePolicy policy;
  schema::ElementType type = schema::ElementType::Bytes;
};

// How the options have the source compared (RunOptions::golden_policy). InvalidArgument, which
// names the source, when a policy for this one is not for its elements.
absl::StatusOr<Comparing> comparing(const RunOptions& options, const GoldenSource& source);

// Compares the elements by `policy`; a last element that is cut short counts as one, and is
// compared exactly. Equal bytes are looked at only once, by memcmp; memory is allocated for the
// first differences alone. The caller fills in what was read. REQUIRES: expected.size() ==
// found.size(); the policy is exact, or for elements of this type.
GoldenResult compare(schema::ElementType type, const ComparePolicy& policy, Bytes expected,
                     Bytes found, Errors errors = Errors::kAlways);

// GoldenResult::error_histogram of these elements. REQUIRES: expected.size() == found.size().
std::vector<uint64_t> error_histogram(schema::ElementType type, Bytes expected, Bytes found);

}  // namespace lightmetal::replay
