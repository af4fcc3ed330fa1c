#include "base/schedule.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace lightmetal {

namespace {

// Parses the part of a schedule's text before ",split".
std::optional<Schedule> parse_order(absl::string_view order) {
  if (order == "free") return Schedule{};
  if (order == "fixed") return Schedule{.kind = Schedule::Kind::Fixed};
  uint64_t number = 0;
  if (absl::ConsumePrefix(&order, "random:") && std::ranges::all_of(order, absl::ascii_isdigit) &&
      absl::SimpleAtoi(order, &number)) {
    return Schedule{.kind = Schedule::Kind::Random, .seed = number};
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Schedule> Schedule::parse(absl::string_view text) {
  absl::string_view order = text == "split" ? "free,split" : text;
  const bool split = absl::ConsumeSuffix(&order, ",split");
  std::optional<Schedule> schedule = parse_order(order);
  if (!schedule.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text,
                     "\" is no schedule: free, fixed or random:SEED is expected, with \",split\" "
                     "after it or not"));
  }
  schedule->split = split;
  return *schedule;
}

std::string Schedule::text() const {
  if (split) {
    Schedule order = *this;
    order.split = false;
    return order == Schedule{} ? "split" : absl::StrCat(order.text(), ",split");
  }
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
