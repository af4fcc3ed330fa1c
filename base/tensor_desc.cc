#include "base/tensor_desc.h"

#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "base/round.h"

namespace lightmetal {
namespace {

constexpr uint32_t kTile = 32;
constexpr uint64_t kMostElements = UINT32_MAX;
constexpr char kScalar[] = "scalar";

struct NamedType {
  TensorType type;
  const char* name;
  uint32_t size;
};
constexpr std::array kTypes = std::to_array<NamedType>({{TensorType::UInt8, "uint8", 1},
                                                        {TensorType::UInt16, "uint16", 2},
                                                        {TensorType::Int32, "int32", 4},
                                                        {TensorType::UInt32, "uint32", 4},
                                                        {TensorType::Float32, "float32", 4},
                                                        {TensorType::BFloat16, "bfloat16", 2}});
constexpr std::array kOrders = {TensorOrder::RowMajor, TensorOrder::Tile};

const NamedType* find(TensorType type) {
  for (const NamedType& candidate : kTypes) {
    if (candidate.type == type) return &candidate;
  }
  return nullptr;
}

absl::Status wrong_text(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", std::string(text), "\" is no tensor: expected TYPE:SHAPE or TYPE:SHAPE:ORDER, such as ",
      "float32:2x64:row_major, of the types ",
      absl::StrJoin(kTypes, ", ",
                    [](std::string* out, const NamedType& type) { *out += type.name; }),
      ", and the orders row_major and tile"));
}

bool parse_shape(std::string_view text, std::vector<uint32_t>& shape) {
  if (text == kScalar) return true;
  for (const absl::string_view size :
       absl::StrSplit(absl::string_view(text.data(), text.size()), 'x')) {
    if (!absl::SimpleAtoi(size, &shape.emplace_back())) return false;
  }
  return true;
}

bool parse_type(absl::string_view text, TensorType& type) {
  for (const NamedType& candidate : kTypes) {
    if (text != candidate.name) continue;
    type = candidate.type;
    return true;
  }
  return false;
}

bool parse_order(absl::string_view text, TensorOrder& order) {
  for (const TensorOrder candidate : kOrders) {
    if (text != name_of(candidate)) continue;
    order = candidate;
    return true;
  }
  return false;
}

// The sizes as they lie in a buffer.
std::vector<uint64_t> padded_shape(const TensorDesc& tensor) {
  std::vector<uint64_t> padded(tensor.shape.begin(), tensor.shape.end());
  if (tensor.order == TensorOrder::RowMajor) return padded;
  while (padded.size() < 2) padded.insert(padded.begin(), 1);
  for (uint64_t& size : absl::MakeSpan(padded).last(2)) size = round_up(size, uint64_t{kTile});
  return padded;
}

}  // namespace

const char* name_of(TensorType type) {
  const NamedType* found = find(type);
  return found == nullptr ? "unknown" : found->name;
}

const char* name_of(TensorOrder order) { return order == TensorOrder::Tile ? "tile" : "row_major"; }

uint32_t element_size(TensorType type) {
  const NamedType* found = find(type);
  return found == nullptr ? 0 : found->size;
}

absl::StatusOr<TensorDesc> TensorDesc::parse(std::string_view text) {
  const std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(text.data(), text.size()), ':');
  TensorDesc tensor;
  const bool parsed = (parts.size() == 2 || parts.size() == 3) &&
                      parse_type(parts[0], tensor.type) && parse_shape(parts[1], tensor.shape) &&
                      (parts.size() == 2 || parse_order(parts[2], tensor.order));
  if (!parsed) return wrong_text(text);
  if (absl::Status status = tensor.check(); !status.ok()) return status;
  return tensor;
}

std::string TensorDesc::text() const {
  return absl::StrCat(name_of(type), ":", shape.empty() ? kScalar : absl::StrJoin(shape, "x"), ":",
                      name_of(order));
}

absl::Status TensorDesc::check() const {
  if (find(type) == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no element type ", static_cast<int>(type)));
  }
  if (order > TensorOrder::Tile) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no order of elements ", static_cast<int>(order)));
  }
  if (shape.size() > kMostDimensions) {
    return absl::InvalidArgumentError(absl::StrCat("a tensor has at most ", kMostDimensions,
                                                   " dimensions, and this one ", shape.size()));
  }
  uint64_t elements = 1;
  for (const uint64_t size : padded_shape(*this)) {
    if (size == 0 || size > kMostElements / elements) {
      return absl::InvalidArgumentError(absl::StrCat("a tensor has 1 to ", kMostElements,
                                                     " elements, and no tensor is ", text()));
    }
    elements *= size;
  }
  return absl::OkStatus();
}

uint64_t TensorDesc::elements() const { return rows() * row_elements(); }

uint64_t TensorDesc::size() const { return elements() * element_size(type); }

uint64_t TensorDesc::size_in_buffer() const {
  uint64_t size = element_size(type);
  for (const uint64_t elements : padded_shape(*this)) size *= elements;
  return size;
}

uint32_t TensorDesc::row_elements() const { return shape.empty() ? 1 : shape.back(); }

uint64_t TensorDesc::rows() const {
  uint64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return rows;
}

}  // namespace lightmetal
