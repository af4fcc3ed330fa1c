#include "schema/show/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "base/text.h"
#include "schema/command_generated.h"
#include "schema/commands/named_field.h"
#include "schema/commands/references.h"

namespace lightmetal::schema {
namespace {

// A whole number of chunks of compressed payloads, which are decompressed one at a time.
constexpr uint64_t kPiece = uint64_t{16} << 20;

struct BFloat16Bits {
  uint16_t bits;
};

double value_of(BFloat16Bits value) { return std::bit_cast<float>(uint32_t{value.bits} << 16); }
template <class T>
double value_of(T value) {
  return static_cast<double>(value);
}

// Calls `function` with a value of the type that elements of this type have in memory.
template <class Function>
auto with_type(ElementType type, Function function) {
  switch (type) {
    case ElementType::UInt16:
      return function(uint16_t{});
    case ElementType::Int32:
      return function(int32_t{});
    case ElementType::UInt32:
      return function(uint32_t{});
    case ElementType::Float32:
      return function(float{});
    case ElementType::BFloat16:
      return function(BFloat16Bits{});
    case ElementType::Bytes:
    case ElementType::UInt8:
      break;
  }
  return function(uint8_t{});
}

// Takes elements one after the other.
class Summary {
 public:
  explicit Summary(ElementType type) {
    result_.type = type;
    result_.min = std::numeric_limits<double>::infinity();
    result_.max = -result_.min;
  }

  void take(absl::Span<const std::byte> bytes) {
    with_type(result_.type, [&](auto element) {
      for (size_t at = 0; at + sizeof(element) <= bytes.size(); at += sizeof(element)) {
        std::memcpy(&element, bytes.data() + at, sizeof(element));
        add(value_of(element));
      }
      result_.rest = bytes.size() % sizeof(element);
    });
  }

  ValueSummary finish() {
    const uint64_t finite = result_.elements - result_.nans - result_.infinities;
    result_.mean = finite == 0 ? 0 : sum_ / static_cast<double>(finite);
    return std::move(result_);
  }

 private:
  void add(double value) {
    ++result_.elements;
    if (result_.first.size() < kFirstValues) result_.first.push_back(value);
    result_.last = value;
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? result_.nans : result_.infinities);
      return;
    }
    result_.min = std::min(result_.min, value);
    result_.max = std::max(result_.max, value);
    sum_ += value;
  }

  ValueSummary result_;
  double sum_ = 0;
};

// Calls `function` for each payload of the command that is data, with its summary or why there is
// none.
void visit_values(
    const File& file, const Command& command, std::optional<ElementType> type,
    absl::FunctionRef<void(const BlobReference&, absl::StatusOr<ValueSummary>)> function) {
  static const NamedField* const types = new NamedField("element_type");  // never destroyed
  const uint64_t said = types->value_in(command).value_or(0);
  if (!type.has_value()) {
    type = said <= static_cast<uint64_t>(ElementType::MAX) ? static_cast<ElementType>(said)
                                                           : ElementType::Bytes;
  }
  visit_blobs(command, [&](const BlobReference& blob) {
    if (blob.role != PayloadRole::Kernel) function(blob, summarize(file, blob.name, *type));
  });
}

std::string number_text(double value) { return absl::StrFormat("%.9g", value); }

std::string text_of(const ValueSummary& values) {
  std::string text = absl::StrCat(values.elements, " ", EnumNameElementType(values.type), ":");
  for (const double value : values.first) absl::StrAppend(&text, " ", number_text(value));
  if (values.elements > kFirstValues) {
    absl::StrAppend(&text, values.elements > kFirstValues + 1 ? " ... " : " ",
                    number_text(values.last));
  }
  if (values.elements != values.nans + values.infinities) {
    absl::StrAppend(&text, ", min ", number_text(values.min), ", max ", number_text(values.max),
                    ", mean ", number_text(values.mean));
  }
  if (values.nans != 0) absl::StrAppend(&text, ", ", values.nans, " NaN");
  if (values.infinities != 0) absl::StrAppend(&text, ", ", values.infinities, " infinite");
  if (values.rest != 0) absl::StrAppend(&text, ", and ", values.rest, " bytes more");
  return text;
}

void append(JsonWriter& json, const ValueSummary& values) {
  json.member("element_type", EnumNameElementType(values.type));
  json.member("elements", values.elements).key("first").begin_array();
  for (const double value : values.first) json.value(value);
  json.end_array();
  // What is not finite, or of nothing, is null.
  const bool has_numbers = values.elements != values.nans + values.infinities;
  json.key("last");
  values.elements == 0 ? json.null() : json.value(values.last);
  for (const auto& [name, value] : {std::pair{"min", values.min}, std::pair{"max", values.max},
                                    std::pair{"mean", values.mean}}) {
    json.key(name);
    has_numbers ? json.value(value) : json.null();
  }
  json.member("nans", values.nans).member("infinities", values.infinities);
  json.member("rest", values.rest);
}

}  // namespace

absl::StatusOr<ElementType> element_type_named(absl::string_view name) {
  for (const ElementType type : EnumValuesElementType()) {
    if (absl::EqualsIgnoreCase(name, EnumNameElementType(type))) return type;
  }
  return absl::NotFoundError(absl::StrCat(
      "there is no element type ", name, "; the types are ",
      absl::StrJoin(EnumValuesElementType(), ", ", [](std::string* out, ElementType type) {
        out->append(EnumNameElementType(type));
      })));
}

absl::StatusOr<ValueSummary> summarize(const File& file, const BlobRef& payload, ElementType type) {
  Summary summary(type);
  std::vector<std::byte> piece;
  for (uint64_t offset = 0; offset < payload.size(); offset += piece.size()) {
    piece.resize(std::min(kPiece, payload.size() - offset));
    LM_RETURN_IF_ERROR(file.read_blob(payload, offset, absl::MakeSpan(piece)));
    summary.take(piece);
  }
  return summary.finish();
}

void append_values_text(std::string& text, const File& file, const Command& command,
                        std::optional<ElementType> type) {
  visit_values(file, command, type,
               [&](const BlobReference& blob, const absl::StatusOr<ValueSummary>& values) {
                 absl::StrAppend(
                     &text, "\n        ", blob.field, ": ",
                     values.ok() ? text_of(*values)
                                 : absl::StrCat("not read: ", escaped(values.status().message())));
               });
}

void append_values_json(JsonWriter& json, const File& file, const Command& command,
                        std::optional<ElementType> type) {
  json.begin_array();
  visit_values(file, command, type,
               [&](const BlobReference& blob, const absl::StatusOr<ValueSummary>& values) {
                 json.begin_object().member("field", blob.field);
                 if (values.ok()) {
                   append(json, *values);
                 } else {
                   json.member("error", absl::string_view(values.status().message()));
                 }
                 json.end_object();
               });
  json.end_array();
}

}  // namespace lightmetal::schema
