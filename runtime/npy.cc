#include "runtime/npy.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/text.h"

namespace lightmetal {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";
constexpr uint32_t kLongestDictionary = 1 << 16;  // NumPy's own have some 100 bytes
constexpr size_t kMostDimensions = 64;            // NumPy's limit

struct NamedElement {
  TensorType type;
  const char* in_files;  // empty where NumPy has no such elements
  const char* in_numpy;
};
constexpr auto kElements = std::to_array<NamedElement>({{TensorType::UInt8, "UInt8", "|u1"},
                                                        {TensorType::UInt16, "UInt16", "<u2"},
                                                        {TensorType::Int32, "Int32", "<i4"},
                                                        {TensorType::UInt32, "UInt32", "<u4"},
                                                        {TensorType::Float32, "Float32", "<f4"},
                                                        {TensorType::BFloat16, "", "|V2"}});

absl::Status no_npy(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("it is no .npy file: ", why));
}

std::string npy_head_of(const std::string& type, absl::string_view shape) {
  std::string dictionary =
      absl::StrCat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", shape, "), }");
  constexpr size_t kBefore = 10;
  dictionary.resize((kBefore + dictionary.size() + 64) / 64 * 64 - kBefore, ' ');
  dictionary.back() = '\n';
  std::string head(kMagic);
  head += {'\1', '\0', static_cast<char>(dictionary.size() & 0xff),
           static_cast<char>(dictionary.size() >> 8)};
  return head + dictionary;
}

// Reads the dictionary, which is written as Python's.
class DictionaryParser {
 public:
  explicit DictionaryParser(absl::string_view text) : rest_(text) {}

  absl::StatusOr<NpyHead> parse() {
    if (!take("{")) return no_npy("its head is no dictionary");
    while (!take("}")) {
      LM_RETURN_IF_ERROR(parse_member());
      if (!take(",") && !absl::StartsWith(rest_, "}"))
        return no_npy("its head has no ',' where one is expected");
    }
    skip_spaces();
    if (!rest_.empty()) return no_npy("its head has more behind the dictionary");
    if (!has_type_ || !has_order_ || !has_shape_)
      return no_npy("its head does not have descr, fortran_order and shape");
    return std::move(head_);
  }

 private:
  absl::Status parse_member() {
    const std::optional<std::string> key = take_text();
    if (!key.has_value() || !take(":")) return no_npy("its head has no name where one is expected");
    if (*key == "descr") return parse_type();
    if (*key == "fortran_order") return parse_order();
    if (*key == "shape") return parse_shape();
    return no_npy(absl::StrCat("its head has the name ", escaped(*key), ", which none has"));
  }

  absl::Status parse_type() {
    skip_spaces();
    if (absl::StartsWith(rest_, "["))
      return absl::InvalidArgumentError("its elements are records, which no tensor has");
    const std::optional<std::string> type = take_text();
    if (!type.has_value()) return no_npy("its descr is no text");
    if (absl::StartsWith(*type, ">")) {
      return absl::InvalidArgumentError(absl::StrCat("its elements, ", escaped(*type),
                                                     ", are big-endian: little-endian ones are "
                                                     "expected"));
    }
    head_.type = *type;
    has_type_ = true;
    return absl::OkStatus();
  }

  absl::Status parse_order() {
    if (take("True")) {
      return absl::InvalidArgumentError(
          "its elements are in Fortran order: C order is expected (numpy.ascontiguousarray)");
    }
    if (!take("False")) return no_npy("its fortran_order is neither True nor False");
    has_order_ = true;
    return absl::OkStatus();
  }

  absl::Status parse_shape() {
    head_.shape.clear();
    if (!take("(")) return no_npy("its shape is no tuple");
    while (!take(")")) {
      uint64_t& size = head_.shape.emplace_back();
      if (head_.shape.size() > kMostDimensions || !take_number(size) ||
          (!take(",") && !absl::StartsWith(rest_, ")"))) {
        return no_npy("its shape is no tuple of sizes");
      }
    }
    has_shape_ = true;
    return absl::OkStatus();
  }

  void skip_spaces() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  bool take(absl::string_view token) {
    skip_spaces();
    const bool taken = absl::ConsumePrefix(&rest_, token);
    skip_spaces();
    return taken;
  }

  std::optional<std::string> take_text() {
    skip_spaces();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool take_number(uint64_t& number) {
    size_t digits = 0;
    while (digits < rest_.size() && absl::ascii_isdigit(rest_[digits])) ++digits;
    if (!absl::SimpleAtoi(rest_.substr(0, digits), &number)) return false;
    rest_.remove_prefix(digits);
    absl::ConsumePrefix(&rest_, "L");  // of Python 2
    skip_spaces();
    return true;
  }

  absl::string_view rest_;
  NpyHead head_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

std::string numpy_type(absl::string_view element_type) {
  for (const NamedElement& element : kElements) {
    if (!element_type.empty() && element_type == element.in_files) return element.in_numpy;
  }
  return "";
}

std::string numpy_type(TensorType type) {
  for (const NamedElement& element : kElements) {
    if (element.type == type) return element.in_numpy;
  }
  return "";
}

std::optional<TensorType> tensor_type_of(absl::string_view numpy_type) {
  // Bytes and voids have no order, and yet NumPy may name one.
  if (numpy_type == "<u1") return TensorType::UInt8;
  if (numpy_type == "<V2") return TensorType::BFloat16;
  for (const NamedElement& element : kElements) {
    if (numpy_type == element.in_numpy) return element.type;
  }
  return std::nullopt;
}

std::string npy_head(const std::string& type, absl::Span<const uint32_t> shape) {
  return npy_head_of(type, absl::StrCat(absl::StrJoin(shape, ", "), shape.size() == 1 ? "," : ""));
}

std::string npy_head(const std::string& type, uint64_t elements) {
  return npy_head_of(type, absl::StrCat(elements, ","));
}

absl::StatusOr<NpyHead> read_npy_head(absl::FunctionRef<absl::Status(std::span<std::byte>)> read) {
  std::byte begin[8];
  LM_RETURN_IF_ERROR(read(begin));
  const absl::string_view text(reinterpret_cast<const char*>(begin), sizeof(begin));
  if (!absl::StartsWith(text, kMagic)) return no_npy("it does not begin as one");
  const auto major = static_cast<int>(begin[6]), minor = static_cast<int>(begin[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return no_npy(
        absl::StrCat("it is of version ", major, ".", minor, ", and 1.0 to 3.0 are known here"));
  }
  std::byte length[4] = {};
  LM_RETURN_IF_ERROR(read(std::span(length, major == 1 ? 2 : 4)));
  uint32_t size = 0;
  for (size_t i = 0; i < sizeof(length); ++i) size |= static_cast<uint32_t>(length[i]) << (8 * i);
  if (size > kLongestDictionary) {
    return no_npy(absl::StrCat("its head has ", size, " bytes, and at most ", kLongestDictionary,
                               " are read"));
  }
  std::string dictionary(size, '\0');
  LM_RETURN_IF_ERROR(read(std::as_writable_bytes(std::span(dictionary))));
  return DictionaryParser(dictionary).parse();
}

absl::StatusOr<NpyArray> parse_npy(Bytes file) {
  Bytes rest = file;
  const auto read = [&](std::span<std::byte> bytes) -> absl::Status {
    if (bytes.size() > rest.size()) return no_npy("it ends within its head");
    std::memcpy(bytes.data(), rest.data(), bytes.size());
    rest.remove_prefix(bytes.size());
    return absl::OkStatus();
  };
  LM_ASSIGN_OR_RETURN(head, read_npy_head(read));
  uint64_t size = 0, elements = 1;
  if (head.type.size() < 3 || !absl::SimpleAtoi(absl::string_view(head.type).substr(2), &size) ||
      size == 0) {
    return no_npy(absl::StrCat("its type, ", escaped(head.type), ", has no size"));
  }
  for (const uint64_t along : head.shape) {
    if (along != 0 && elements > (uint64_t{1} << 60) / along)
      return no_npy("its shape is too large");
    elements *= along;
  }
  if (rest.size() % size == 0 && rest.size() / size == elements)
    return NpyArray{head.type, head.shape, rest};
  return no_npy(absl::StrCat("its shape has ", elements, " elements of ", size,
                             " bytes, and there are ", rest.size(), " bytes"));
}

}  // namespace lightmetal
