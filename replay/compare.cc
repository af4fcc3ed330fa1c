#include "replay/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "schema/semantics/golden_policy.h"

namespace lightmetal {

namespace {

std::string errors_text(const GoldenResult& golden) {
  return absl::StrFormat(
      " (%s asked; at most %.6g off, %.6g of the expected value, %d ULP; PCC %.9g)",
      golden.policy.text(), golden.max_absolute_error, golden.max_relative_error,
      golden.max_ulp_error, golden.pcc);
}

}  // namespace

std::string GoldenResult::text() const {
  std::string text =
      absl::StrFormat("%s of %s: %d of %d %s element%s differ%s", call, source, different, elements,
                      element_type, elements == 1 ? "" : "s", different == 1 ? "s" : "");
  if (!policy.is_exact()) absl::StrAppend(&text, errors_text(*this));
  const char* separator = ": ";
  for (const Difference& difference : first) {
    absl::StrAppend(&text, separator, "[", difference.index, "] expected ", difference.expected,
                    ", found ", difference.found);
    separator = "; ";
  }
  if (different > first.size()) absl::StrAppend(&text, "; ...");
  return text;
}

namespace replay {
namespace {

constexpr size_t kShownDifferences = 5;
constexpr size_t kTileElements = 1024;

TilePlace place_of(uint64_t index) {
  const auto in_tile = static_cast<uint32_t>(index % kTileElements);
  const uint32_t face = in_tile / 256, in_face = in_tile % 256;
  return {index / kTileElements, face / 2 * 16 + in_face / 16, face % 2 * 16 + in_face % 16};
}

template <class Value>
Value load(Bytes bytes) {
  Value value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

float bfloat16_value(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

std::string float_text(float value) { return absl::StrFormat("%.9g", value); }

// The value of an element as text. REQUIRES: the element is whole.
std::string whole_element_text(schema::ElementType type, Bytes element) {
  switch (type) {
    case schema::ElementType::Bytes:
      return absl::StrFormat("0x%02x", load<uint8_t>(element));
    case schema::ElementType::UInt8:
      return absl::StrCat(load<uint8_t>(element));
    case schema::ElementType::UInt16:
      return absl::StrCat(load<uint16_t>(element));
    case schema::ElementType::Int32:
      return absl::StrCat(load<int32_t>(element));
    case schema::ElementType::UInt32:
      return absl::StrCat(load<uint32_t>(element));
    case schema::ElementType::Float32:
      return float_text(load<float>(element));
    case schema::ElementType::BFloat16:
      return float_text(bfloat16_value(load<uint16_t>(element)));
  }
  return "?";
}

std::string element_text(schema::ElementType type, Bytes element) {
  return element.size() == size_of(type) ? whole_element_text(type, element) : "a cut element";
}

// Two values that look alike, such as two NaNs, get their bits behind them.
Difference difference_of(schema::ElementType type, uint64_t index, Bytes expected, Bytes found) {
  Difference difference{index, element_text(type, expected), element_text(type, found)};
  if (difference.expected == difference.found) {
    for (size_t i = expected.size(); i-- > 0;) {
      absl::StrAppendFormat(&difference.expected, "%s%02x", i + 1 == expected.size() ? " = 0x" : "",
                            static_cast<uint8_t>(expected[i]));
      absl::StrAppendFormat(&difference.found, "%s%02x", i + 1 == found.size() ? " = 0x" : "",
                            static_cast<uint8_t>(found[i]));
    }
  }
  return difference;
}

// ---- What a value of an element type is, and its place in the order of all values ----

template <class Value>
struct Integer {
  using Bits = Value;
  static constexpr bool kIsFloat = false;
  static double value(Bits bits) { return bits; }
  static double order(Bits bits) { return bits; }
};

// Floats have a sign and, below it, a magnitude whose integer grows with it.
struct Float32 {
  using Bits = uint32_t;
  static constexpr bool kIsFloat = true;
  static double value(Bits bits) { return std::bit_cast<float>(bits); }
  static double order(Bits bits) {
    const int32_t magnitude = static_cast<int32_t>(bits & 0x7FFFFFFF);
    const int32_t sign = static_cast<int32_t>(bits) >> 31;  // all bits, or none
    return (magnitude ^ sign) - sign;
  }
};

struct BFloat16 {
  using Bits = uint16_t;
  static constexpr bool kIsFloat = true;
  static double value(Bits bits) { return bfloat16_value(bits); }
  static double order(Bits bits) { return Float32::order(uint32_t{bits} << 16) / 65536; }
};

// ---- The comparison of the whole elements ----

// So many elements are measured side by side: their sums do not wait for each other.
constexpr size_t kLanes = 8;
// Elements that are measured before their differences are looked at one by one, where there are
// any.
constexpr size_t kBlock = 512;

// What is known of some pairs of elements. For PCC, x and y are expected and found values less the
// first of their kind, which keeps the sums small where all values are far from 0.
struct Sums {
  double absolute[kLanes] = {}, relative[kLanes] = {}, ulp[kLanes] = {};
  double refused[kLanes] = {}, not_finite[kLanes] = {};  // how many
  double x[kLanes] = {}, y[kLanes] = {}, xx[kLanes] = {}, yy[kLanes] = {}, xy[kLanes] = {};
};

double sum_of(const double (&lanes)[kLanes]) {
  return std::accumulate(std::begin(lanes), std::end(lanes), 0.0);
}

double most_of(const double (&lanes)[kLanes]) {
  return *std::max_element(std::begin(lanes), std::end(lanes));
}

template <class Element, ComparePolicy::Kind kKind>
class Comparison {
 public:
  using Bits = typename Element::Bits;
  using Kind = ComparePolicy::Kind;

  Comparison(schema::ElementType type, Bytes expected, Bytes found, GoldenResult& result)
      : type_(type),
        expected_(expected),
        found_(found),
        result_(result),
        policy_(result.policy),
        elements_(expected.size() / sizeof(Bits)) {
    if (elements_ == 0) return;
    if (std::isfinite(expected_value(0))) x_origin_ = expected_value(0);
    if (std::isfinite(found_value(0))) y_origin_ = found_value(0);
  }

  void run() {
    for (size_t begin = 0; begin < elements_; begin += kBlock) {
      compare_block(begin, std::min(begin + kBlock, elements_));
    }
    compare_cut_element();
    result_.elements = elements_ + (expected_.size() % sizeof(Bits) != 0 ? 1 : 0);
    result_.pcc = pcc();
    result_.passed = result_.different == 0;
    if (kKind == Kind::Pcc) result_.passed = !is_refused_ && result_.pcc >= policy_.pcc;
  }

 private:
  Bits bits(Bytes of, size_t index) const {
    Bits bits;
    std::memcpy(&bits, of.data() + index * sizeof(Bits), sizeof(bits));
    return bits;
  }
  double expected_value(size_t index) const { return Element::value(bits(expected_, index)); }
  double found_value(size_t index) const { return Element::value(bits(found_, index)); }

  void compare_block(size_t begin, size_t end) {
    const Sums sums = measure(begin, end);
    const bool is_finite = sum_of(sums.not_finite) == 0;
    const auto refused = static_cast<uint64_t>(sum_of(sums.refused));
    const bool all_shown = result_.first.size() == kShownDifferences;
    if (is_finite && (refused == 0 || all_shown)) {
      result_.different += refused;
      return add(sums, end - begin);
    }
    for (size_t index = begin; index < end; ++index) compare_one(index);
  }

  void compare_one(size_t index) {
    const Sums sums = measure(index, index + 1);
    const bool is_finite = sums.not_finite[0] == 0;
    if (is_finite) add(sums, 1);
    if (is_finite ? sums.refused[0] == 0 : is_same_beyond_numbers(index)) return;
    is_refused_ |= !is_finite;
    note(index, sizeof(Bits));
  }

  // Whether two elements are equal of which one is a NaN or an infinity.
  bool is_same_beyond_numbers(size_t index) const {
    if (kKind == Kind::Exact) return bits(expected_, index) == bits(found_, index);
    const double expected = expected_value(index), found = found_value(index);
    return (std::isnan(expected) && std::isnan(found)) || expected == found;
  }

  void compare_cut_element() {
    const size_t begin = elements_ * sizeof(Bits), size = expected_.size() - begin;
    if (size == 0 || std::memcmp(expected_.data() + begin, found_.data() + begin, size) == 0)
      return;
    is_refused_ = true;
    note(elements_, size);
  }

  void note(size_t index, size_t size) {
    if (++result_.different > kShownDifferences) return;
    const size_t begin = index * sizeof(Bits);
    Difference& difference = result_.first.emplace_back(
        difference_of(type_, index, expected_.subspan(begin, size), found_.subspan(begin, size)));
    if (Element::kIsFloat && expected_.size() % (kTileElements * sizeof(Bits)) == 0) {
      difference.place = place_of(index);
    }
  }

  Sums measure(size_t begin, size_t end) const {
    Sums sums;
    for (; begin + kLanes <= end; begin += kLanes) measure<kLanes>(begin, sums);
    for (; begin < end; ++begin) measure<1>(begin, sums);
    return sums;
  }

  // Without branches, so that the compiler can take several lanes at once.
  template <size_t kCount>
  void measure(size_t begin, Sums& sums) const {
    for (size_t lane = 0; lane < kCount; ++lane) {
      const Bits expected_bits = bits(expected_, begin + lane),
                 found_bits = bits(found_, begin + lane);
      const double expected = Element::value(expected_bits), found = Element::value(found_bits);
      const double magnitude = std::fabs(expected), error = std::fabs(found - expected);
      const double divisor = magnitude > 0 ? magnitude : std::numeric_limits<double>::infinity();
      const double relative = error / divisor;
      const double ulp = std::fabs(Element::order(found_bits) - Element::order(expected_bits));
      sums.absolute[lane] = error > sums.absolute[lane] ? error : sums.absolute[lane];
      sums.relative[lane] = relative > sums.relative[lane] ? relative : sums.relative[lane];
      sums.ulp[lane] = ulp > sums.ulp[lane] ? ulp : sums.ulp[lane];
      sums.not_finite[lane] += error <= std::numeric_limits<double>::max() ? 0.0 : 1.0;
      if constexpr (kKind == Kind::Exact) {
        sums.refused[lane] += expected_bits != found_bits ? 1.0 : 0.0;
      } else if constexpr (kKind == Kind::Ulp) {
        sums.refused[lane] += ulp > static_cast<double>(policy_.ulp) ? 1.0 : 0.0;
      } else {
        sums.refused[lane] += error > policy_.atol + policy_.rtol * magnitude ? 1.0 : 0.0;
      }
      const double x = expected - x_origin_, y = found - y_origin_;
      sums.x[lane] += x;
      sums.y[lane] += y;
      sums.xx[lane] += x * x;
      sums.yy[lane] += y * y;
      sums.xy[lane] += x * y;
    }
  }

  void add(const Sums& sums, size_t pairs) {
    result_.max_absolute_error = std::max(result_.max_absolute_error, most_of(sums.absolute));
    result_.max_relative_error = std::max(result_.max_relative_error, most_of(sums.relative));
    result_.max_ulp_error =
        std::max(result_.max_ulp_error, static_cast<uint64_t>(most_of(sums.ulp)));
    pairs_ += static_cast<double>(pairs);
    x_ += sum_of(sums.x);
    y_ += sum_of(sums.y);
    xx_ += sum_of(sums.xx);
    yy_ += sum_of(sums.yy);
    xy_ += sum_of(sums.xy);
  }

  double pcc() const {
    if (result_.max_absolute_error == 0) return 1;
    const double x_spread = xx_ - x_ * x_ / pairs_, y_spread = yy_ - y_ * y_ / pairs_;
    if (x_spread <= 0 || y_spread <= 0) return 0;
    const double pcc = (xy_ - x_ * y_ / pairs_) / (std::sqrt(x_spread) * std::sqrt(y_spread));
    return std::clamp(pcc, -1.0, 1.0);
  }

  const schema::ElementType type_;
  const Bytes expected_, found_;
  GoldenResult& result_;
  const ComparePolicy policy_;
  const size_t elements_;  // the whole ones
  double x_origin_ = 0, y_origin_ = 0;
  double pairs_ = 0, x_ = 0, y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0;  // of finite numbers
  bool is_refused_ = false;  // an element differs in a way that no correlation makes good
};

// ---- A fast look ----

// Less than 1 by more than the roundings of three float operations.
constexpr float kMargin = 1 - 0x1p-20f;
// Above it floats have all their bits, also in a product.
constexpr float kSmallest = 1e-30f;

// Whether a pair of elements surely passes; false says nothing. Computed in floats and integers, of
// which processors take many at a time, and without branches.
struct SurelyClose {
  explicit SurelyClose(const ComparePolicy& policy)
      : atol(static_cast<float>(policy.atol) * kMargin),
        rtol(static_cast<float>(policy.rtol) * kMargin) {}

  // False for NaNs and infinities, which make the error one.
  bool operator()(uint32_t expected_bits, uint32_t found_bits) const {
    const float expected = std::bit_cast<float>(expected_bits);
    const float error = std::fabs(std::bit_cast<float>(found_bits) - expected);
    const float bound = atol + rtol * std::fabs(expected);
    return (error <= bound) & (error <= std::numeric_limits<float>::max()) &
           ((bound >= kSmallest) | (error == 0));
  }

  const float atol, rtol;
};

// From the least to the greatest float lead 0xFEFFFFFE steps: with fewer steps than 0x01000002 no
// difference that goes round 32 bits looks like a small one.
constexpr uint64_t kMostNear = uint64_t{1} << 24;

struct SurelyNear {
  explicit SurelyNear(const ComparePolicy& policy) : most(static_cast<uint32_t>(policy.ulp)) {}

  bool operator()(uint32_t expected_bits, uint32_t found_bits) const {
    constexpr uint32_t kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000;
    const uint32_t expected = order_of(expected_bits), found = order_of(found_bits);
    const uint32_t up = found - expected, down = expected - found;
    return ((up <= most) | (down <= most)) & ((expected_bits & kMagnitude) < kInfinity) &
           ((found_bits & kMagnitude) < kInfinity);
  }

  static uint32_t order_of(uint32_t bits) {
    const auto sign = static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31);
    return ((bits & 0x7FFFFFFF) ^ sign) - sign;
  }

  const uint32_t most;
};

template <class Element>
uint32_t float_bits(const std::byte* at) {
  typename Element::Bits bits;
  std::memcpy(&bits, at, sizeof(bits));
  return uint32_t{bits} << (32 - 8 * sizeof(bits));
}

template <class Element, class Surely>
bool surely_pass(Bytes expected, Bytes found, const Surely& passes) {
  constexpr size_t kSize = sizeof(typename Element::Bits);
  if (expected.size() % kSize != 0) return false;
  for (size_t begin = 0; begin < expected.size(); begin += kBlock * kSize) {
    const size_t end = std::min(begin + kBlock * kSize, expected.size());
    uint32_t all = 1;
    for (size_t at = begin; at < end; at += kSize) {
      all &=
          passes(float_bits<Element>(expected.data() + at), float_bits<Element>(found.data() + at));
    }
    if (all == 0) return false;
  }
  return true;
}

// Steps from value to value of a bfloat16 are 65536 of a float.
template <class Element>
bool surely_pass(Bytes expected, Bytes found, ComparePolicy policy) {
  using Kind = ComparePolicy::Kind;
  if (policy.kind == Kind::Close) {
    return surely_pass<Element>(expected, found, SurelyClose(policy));
  }
  if (policy.kind != Kind::Ulp) return false;
  policy.ulp <<= 32 - 8 * sizeof(typename Element::Bits);
  return policy.ulp < kMostNear && surely_pass<Element>(expected, found, SurelyNear(policy));
}

bool surely_pass(schema::ElementType type, const ComparePolicy& policy, Bytes expected,
                 Bytes found) {
  if (type == schema::ElementType::Float32) return surely_pass<Float32>(expected, found, policy);
  return type == schema::ElementType::BFloat16 && surely_pass<BFloat16>(expected, found, policy);
}

template <class Element>
void compare_as(schema::ElementType type, Bytes expected, Bytes found, GoldenResult& result) {
  using Kind = ComparePolicy::Kind;
  if constexpr (Element::kIsFloat) {
    switch (result.policy.kind) {
      case Kind::Exact:
        break;
      case Kind::Ulp:
        return Comparison<Element, Kind::Ulp>(type, expected, found, result).run();
      case Kind::Close:
        return Comparison<Element, Kind::Close>(type, expected, found, result).run();
      case Kind::Pcc:
        return Comparison<Element, Kind::Pcc>(type, expected, found, result).run();
    }
  }
  Comparison<Element, Kind::Exact>(type, expected, found, result).run();
}

// Calls function(Element()) for what an element of the type is.
template <class Function>
auto with_element(schema::ElementType type, Function function) {
  switch (type) {
    case schema::ElementType::Bytes:
    case schema::ElementType::UInt8:
      break;
    case schema::ElementType::UInt16:
      return function(Integer<uint16_t>());
    case schema::ElementType::Int32:
      return function(Integer<int32_t>());
    case schema::ElementType::UInt32:
      return function(Integer<uint32_t>());
    case schema::ElementType::Float32:
      return function(Float32());
    case schema::ElementType::BFloat16:
      return function(BFloat16());
  }
  return function(Integer<uint8_t>());
}

template <class Element>
std::vector<uint64_t> histogram_of(Bytes expected, Bytes found) {
  using Bits = typename Element::Bits;
  std::vector<uint64_t> counts;
  for (size_t begin = 0; begin + sizeof(Bits) <= expected.size(); begin += sizeof(Bits)) {
    const auto a = load<Bits>(expected.subspan(begin)), b = load<Bits>(found.subspan(begin));
    if (!std::isfinite(Element::value(a)) || !std::isfinite(Element::value(b))) continue;
    const double ulp = std::fabs(Element::order(a) - Element::order(b));
    const size_t power = ulp < 1 ? 0 : static_cast<size_t>(std::ilogb(ulp)) + 1;
    if (power >= counts.size()) counts.resize(power + 1);
    ++counts[power];
  }
  return counts;
}

// The policy that the caller has given to this command or buffer; null when it has not.
const ComparePolicy* named_policy(const RunOptions& options, uint64_t command,
                                  std::optional<uint64_t> buffer) {
  const auto of_command = options.command_policies.find(command);
  if (of_command != options.command_policies.end()) return &of_command->second;
  if (!buffer.has_value()) return nullptr;
  const auto of_buffer = options.buffer_policies.find(*buffer);
  return of_buffer == options.buffer_policies.end() ? nullptr : &of_buffer->second;
}

}  // namespace

size_t size_of(schema::ElementType type) {
  switch (type) {
    case schema::ElementType::Bytes:
    case schema::ElementType::UInt8:
      return 1;
    case schema::ElementType::UInt16:
    case schema::ElementType::BFloat16:
      return 2;
    case schema::ElementType::Int32:
    case schema::ElementType::UInt32:
    case schema::ElementType::Float32:
      return 4;
  }
  return 1;
}

absl::StatusOr<Comparing> comparing(const RunOptions& options, const GoldenSource& source) {
  const ComparePolicy* const named = named_policy(options, source.command, source.buffer);
  const bool is_for_it = named != nullptr || (source.recorded && !options.golden_policy);
  ComparePolicy policy = options.golden_policy.value_or(source.recorded.value_or(source.of_file));
  if (named != nullptr) policy = *named;
  const auto type = schema::type_compared(source.type, policy);
  if (type.ok()) return Comparing{policy, *type};
  if (!is_for_it) return Comparing{ComparePolicy(), source.type};
  return absl::InvalidArgumentError(absl::StrCat(source.name, ": ", type.status().message()));
}

GoldenResult compare(schema::ElementType type, const ComparePolicy& policy, Bytes expected,
                     Bytes found, Errors errors) {
  GoldenResult result;
  result.element_type = schema::EnumNameElementType(type);
  result.policy = policy;
  if (expected.empty() || std::memcmp(expected.data(), found.data(), expected.size()) == 0 ||
      (errors == Errors::kOfFailures && surely_pass(type, policy, expected, found))) {
    result.elements = (expected.size() + size_of(type) - 1) / size_of(type);
  } else {
    with_element(
        type, [&](auto element) { compare_as<decltype(element)>(type, expected, found, result); });
  }
  return result;
}

std::vector<uint64_t> error_histogram(schema::ElementType type, Bytes expected, Bytes found) {
  return with_element(
      type, [&](auto element) { return histogram_of<decltype(element)>(expected, found); });
}

}  // namespace replay
}  // namespace lightmetal
