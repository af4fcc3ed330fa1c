#include "replay/compare.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace lightmetal {

std::string Mismatch::text() const {
  std::string text =
      absl::StrFormat("%s of %s: %d of %d %s element%s differ%s", call, source, different, elements,
                      element_type, elements == 1 ? "" : "s", different == 1 ? "s" : "");
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

template <class Value>
Value load(Bytes bytes) {
  Value value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

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
      return float_text(std::bit_cast<float>(uint32_t{load<uint16_t>(element)} << 16));
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

std::optional<Mismatch> compare(schema::ElementType type, Bytes expected, Bytes found) {
  if (expected.empty() || std::memcmp(expected.data(), found.data(), expected.size()) == 0) {
    return std::nullopt;
  }
  Mismatch mismatch;
  mismatch.element_type = schema::EnumNameElementType(type);
  const size_t size = size_of(type);
  for (size_t begin = 0; begin < expected.size(); begin += size, ++mismatch.elements) {
    const Bytes a = expected.subspan(begin, size);
    const Bytes b = found.subspan(begin, size);
    if (std::memcmp(a.data(), b.data(), a.size()) == 0) continue;
    if (++mismatch.different <= kShownDifferences) {
      mismatch.first.push_back(difference_of(type, mismatch.elements, a, b));
    }
  }
  return mismatch;
}

}  // namespace replay
}  // namespace lightmetal
