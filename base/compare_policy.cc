#include "base/compare_policy.h"

#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace lightmetal {
namespace {

constexpr uint64_t kMostUlp = UINT32_MAX;
constexpr char kForms[] =
    "exact, ulp:N, atol:X, rtol:Y, atol:X,rtol:Y or pcc:P, also with ,as:float32 or ,as:bfloat16,";
constexpr absl::string_view kAsFloat32 = ",as:float32", kAsBFloat16 = ",as:bfloat16";

// What the absl functions take beside it (signs, spaces, "nan") is refused by its first character.
bool begins_as_number(absl::string_view text) {
  return !text.empty() && (absl::ascii_isdigit(text[0]) || text[0] == '.') &&
         !absl::ascii_isspace(text.back()) && text.find_first_of("xX") == text.npos;
}

absl::StatusOr<uint64_t> ulp_of(absl::string_view text) {
  uint64_t ulp = 0;
  if (begins_as_number(text) && absl::SimpleAtoi(text, &ulp) && ulp <= kMostUlp) return ulp;
  return absl::InvalidArgumentError(
      absl::StrCat("ulp takes a whole number from 0 to ", kMostUlp, ", not \"", text, "\""));
}

absl::StatusOr<double> number_of(absl::string_view name, absl::string_view text, double most) {
  double number = 0;
  if (begins_as_number(text) && absl::SimpleAtod(text, &number) && number <= most) return number;
  const std::string range = most == 1 ? " from 0 to 1" : ", 0 or more";
  return absl::InvalidArgumentError(
      absl::StrCat(name, " takes a number", range, ", not \"", text, "\""));
}

absl::Status add_tolerance(absl::string_view name, absl::string_view text, ComparePolicy& policy) {
  LM_ASSIGN_OR_RETURN(number, number_of(name, text, std::numeric_limits<double>::max()));
  (name == "atol" ? policy.atol : policy.rtol) = number;
  return absl::OkStatus();
}

absl::StatusOr<ComparePolicy> tolerance_of(absl::string_view text) {
  ComparePolicy policy{.kind = ComparePolicy::Kind::Close};
  bool is_given[2] = {};
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> tolerance =
        absl::StrSplit(part, absl::MaxSplits(':', 1));
    const bool is_rtol = tolerance.first == "rtol";
    if ((!is_rtol && tolerance.first != "atol") || std::exchange(is_given[is_rtol], true)) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", text, "\" is no policy of comparison: ", kForms, " is expected"));
    }
    LM_RETURN_IF_ERROR(add_tolerance(tolerance.first, tolerance.second, policy));
  }
  return policy;
}

// The shortest text that stands for this number.
std::string shortest(double number) {
  char text[32];
  return {text, std::to_chars(std::begin(text), std::end(text), number).ptr};
}

// Takes what a policy ends with when it says an element type off `text`.
ComparePolicy::As take_type(absl::string_view& text) {
  if (absl::ConsumeSuffix(&text, kAsFloat32)) return ComparePolicy::As::Float32;
  if (absl::ConsumeSuffix(&text, kAsBFloat16)) return ComparePolicy::As::BFloat16;
  return ComparePolicy::As::Recorded;
}

absl::string_view text_of(ComparePolicy::As as) {
  if (as == ComparePolicy::As::Recorded) return "";
  return as == ComparePolicy::As::Float32 ? kAsFloat32 : kAsBFloat16;
}

absl::StatusOr<ComparePolicy> without_type(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  if (text == "exact") return ComparePolicy{};
  if (parts.first == "ulp") {
    LM_ASSIGN_OR_RETURN(ulp, ulp_of(parts.second));
    return ComparePolicy{.kind = ComparePolicy::Kind::Ulp, .ulp = ulp};
  }
  if (parts.first == "pcc") {
    LM_ASSIGN_OR_RETURN(pcc, number_of("pcc", parts.second, 1));
    return ComparePolicy{.kind = ComparePolicy::Kind::Pcc, .pcc = pcc};
  }
  return tolerance_of(text);
}

std::string without_type(const ComparePolicy& policy) {
  switch (policy.kind) {
    case ComparePolicy::Kind::Exact:
      return "exact";
    case ComparePolicy::Kind::Ulp:
      return absl::StrCat("ulp:", policy.ulp);
    case ComparePolicy::Kind::Close:
      return absl::StrCat("atol:", shortest(policy.atol), ",rtol:", shortest(policy.rtol));
    case ComparePolicy::Kind::Pcc:
      return absl::StrCat("pcc:", shortest(policy.pcc));
  }
  return "?";
}

}  // namespace

absl::StatusOr<ComparePolicy> ComparePolicy::parse(std::string_view text) {
  absl::string_view rest(text.data(), text.size());
  const As as = take_type(rest);
  LM_ASSIGN_OR_RETURN(policy, without_type(rest));
  policy.as = as;
  return policy;
}

std::string ComparePolicy::text() const { return absl::StrCat(without_type(*this), text_of(as)); }

}  // namespace lightmetal
