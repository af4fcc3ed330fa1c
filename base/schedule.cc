#include "base/schedule.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace lightmetal {

absl::StatusOr<Schedule> Schedule::parse(absl::string_view text) {
  if (text == "free") return Schedule{};
  if (text == "fixed") return Schedule{.kind = Kind::Fixed};
  absl::string_view seed = text;
  uint64_t number = 0;
  if (absl::ConsumePrefix(&seed, "random:") && std::ranges::all_of(seed, absl::ascii_isdigit) &&
      absl::SimpleAtoi(seed, &number)) {
    return Schedule{.kind = Kind::Random, .seed = number};
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no schedule: free, fixed or random:SEED is expected"));
}

std::string Schedule::text() const {
  switch (kind) {
    case Kind::Free:
      return "free";
    case Kind::Fixed:
      return "fixed";
    case Kind::Random:
      return absl::StrCat("random:", seed);
  }
  return "free";
}

}  // namespace lightmetal
