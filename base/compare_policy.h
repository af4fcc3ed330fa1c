#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace lightmetal {

// How far what is read may be from its golden. An element is `expected` in the golden and `found`
// in what was read; formulas are computed in double precision.
//
//   exact    all bits are equal: NaNs with other bits differ, and so do zeros of other signs.
//   ulp      |order(found) - order(expected)| <= ulp. The order of a value is its place among all
//            values of its type, so that neighbours are 1 apart; both zeros have place 0.
//   close    |found - expected| <= atol + rtol * |expected|.
//   pcc      Pearson's correlation coefficient of all found and expected values is at least `pcc`:
//            sum((e - mean(e)) * (f - mean(f))) / sqrt(sum((e - mean(e))^2) * sum((f -
//            mean(f))^2)). It is 1 when all values are equal, and else 0 when all expected values,
//            or all found ones, are the same. It does not see a factor or an offset that all values
//            share.
//
// All but exact take two NaNs as equal, whatever their bits. A NaN and a number always differ, and
// an infinity is equal to the infinity of its sign alone. Neither NaNs nor infinities count for
// pcc.
//
// Integers and bytes are compared exactly: the others are for Float32 and BFloat16 alone. Programs
// often read values packed into words, of which a capture knows no more than that they are words:
// `as` says what they are. Exact is the default of every element type.
struct ComparePolicy {
  enum class Kind : uint8_t { Exact, Ulp, Close, Pcc };
  enum class As : uint8_t { Recorded, Float32, BFloat16 };

  Kind kind = Kind::Exact;
  uint64_t ulp = 0;
  double atol = 0;  // in the unit of the values
  double rtol = 0;  // a factor
  double pcc = 1;
  As as = As::Recorded;  // the element type in which bytes and words are compared

  // Takes "exact", "ulp:2", "atol:1e-3,rtol:1e-2", either of these two alone, or "pcc:0.999", each
  // also followed by ",as:float32" or ",as:bfloat16". InvalidArgument, with what was expected, for
  // any other text.
  static absl::StatusOr<ComparePolicy> parse(std::string_view text);

  // The text that parse() takes for this policy.
  std::string text() const;

  bool is_exact() const { return kind == Kind::Exact; }
  friend bool operator==(const ComparePolicy&, const ComparePolicy&) = default;
};

}  // namespace lightmetal
