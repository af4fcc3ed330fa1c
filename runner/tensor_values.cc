#include "runner/tensor_values.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/bfloat16.h"
#include "base/file_error.h"
#include "base/status.h"
#include "base/text.h"
#include "runtime/npy.h"

namespace lightmetal::runner {
namespace {

ValuesPlace place_of(const std::string& option, const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (parts.first.empty() || parts.second.empty()) {
    throw cxxopts::exceptions::parsing(absl::StrCat("--", option, " is NAME=FILE, not ", text));
  }
  if (parts.second == "-") return {parts.first, "", false};
  if (parts.second == "npy:-") return {parts.first, "", true};
  return {parts.first, parts.second, absl::EndsWith(parts.second, ".npy")};
}

// Reads one file, or standard input, from its beginning.
class Source {
 public:
  // `file` is open, and stays so.
  Source(int file, std::string name) : file_(file), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  // Fills as much of `bytes` as there is.
  absl::StatusOr<size_t> read_some(std::span<std::byte> bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::read(file_, bytes.data() + done, bytes.size() - done);
      if (count == 0) break;
      if (count > 0) {
        done += static_cast<size_t>(count);
      } else if (errno != EINTR) {
        return file_error("read", name_, errno);
      }
    }
    return done;
  }

  // Fills all of `bytes`, which are `what` of this source.
  absl::Status read_all(std::span<std::byte> bytes, absl::string_view what) {
    LM_ASSIGN_OR_RETURN(done, read_some(bytes));
    if (done == bytes.size()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(what, " ends after ", done, " bytes, expected ", bytes.size()));
  }

  absl::Status check_end(uint64_t expected) {
    std::byte more;
    LM_ASSIGN_OR_RETURN(done, read_some({&more, 1}));
    if (done == 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("there is more behind the ", expected, " bytes of values that are expected"));
  }

 private:
  const int file_;
  const std::string name_;
};

// The names that NumPy may have for the elements of a tensor.
std::vector<std::string> types_of(TensorType type) {
  if (type == TensorType::UInt8) return {numpy_type(type), "<u1"};
  if (type == TensorType::BFloat16) return {"<f4", "<u2", numpy_type(type), "<V2"};
  return {numpy_type(type)};
}

absl::Status check(const NpyHead& head, const TensorDesc& tensor) {
  const std::vector<std::string> types = types_of(tensor.type);
  if (std::ranges::find(types, head.type) == types.end()) {
    return absl::InvalidArgumentError(absl::StrCat("its elements are ", escaped(head.type),
                                                   ", expected ", types.front(), " for ",
                                                   name_of(tensor.type)));
  }
  if (std::ranges::equal(head.shape, tensor.shape)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its shape is [", absl::StrJoin(head.shape, ", "),
                                                 "], expected [", absl::StrJoin(tensor.shape, ", "),
                                                 "]"));
}

// Float32 as the nearest bfloat16, in place.
void round_to_bfloat16(std::vector<std::byte>& values) {
  const size_t count = values.size() / sizeof(float);
  for (size_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, values.data() + i * sizeof(value), sizeof(value));
    const uint16_t bits = nearest_bfloat16_bits(value);
    std::memcpy(values.data() + i * sizeof(bits), &bits, sizeof(bits));
  }
  values.resize(count * sizeof(uint16_t));
}

std::string text_of(absl::Span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// bfloat16 as float32.
std::string as_floats(absl::Span<const std::byte> values) {
  std::string floats;
  floats.reserve(2 * values.size());
  for (size_t i = 0; i < values.size(); i += sizeof(uint16_t)) {
    uint16_t bits;
    std::memcpy(&bits, values.data() + i, sizeof(bits));
    const float value = float_of_bfloat16_bits(bits);
    floats.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return floats;
}

absl::StatusOr<std::vector<std::byte>> read_from(Source& source, bool is_npy,
                                                 const TensorDesc& tensor) {
  bool is_rounded = false;
  if (is_npy) {
    LM_ASSIGN_OR_RETURN(head, read_npy_head([&](std::span<std::byte> bytes) {
                          return source.read_all(bytes, "the head");
                        }));
    LM_RETURN_IF_ERROR(check(head, tensor));
    is_rounded = tensor.type == TensorType::BFloat16 && head.type == "<f4";
  }
  std::vector<std::byte> values(is_rounded ? tensor.elements() * sizeof(float) : tensor.size());
  LM_RETURN_IF_ERROR(source.read_all(values, "what it has for it"));
  LM_RETURN_IF_ERROR(source.check_end(values.size()));
  if (is_rounded) round_to_bfloat16(values);
  return values;
}

absl::StatusOr<std::vector<std::byte>> read_named(Source source, const ValuesPlace& place,
                                                  const TensorDesc& tensor) {
  auto values = read_from(source, place.is_npy, tensor);
  if (values.ok()) return values;
  return absl::Status(values.status().code(),
                      absl::StrCat(source.name(), " is no value for ", place.tensor, ": ",
                                   values.status().message()));
}

}  // namespace

std::vector<ValuesPlace> values_places(const cxxopts::ParseResult& arguments,
                                       const std::string& option) {
  std::vector<ValuesPlace> places;
  if (arguments.count(option) == 0) return places;
  std::set<std::string> tensors;
  bool is_standard = false;
  for (const std::string& text : arguments[option].as<std::vector<std::string>>()) {
    places.push_back(place_of(option, text));
    if (!tensors.insert(places.back().tensor).second) {
      throw cxxopts::exceptions::parsing(
          absl::StrCat("--", option, " names ", places.back().tensor, " twice"));
    }
    if (!places.back().is_standard() || !std::exchange(is_standard, true)) continue;
    throw cxxopts::exceptions::parsing(absl::StrCat("--", option, " is - for two tensors"));
  }
  return places;
}

absl::StatusOr<std::vector<std::byte>> read_values(const ValuesPlace& place,
                                                   const TensorDesc& tensor) {
  if (place.is_standard()) return read_named({STDIN_FILENO, "standard input"}, place, tensor);
  const int file = ::open(place.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return file_error("open", place.path, errno);
  const absl::Cleanup close_file = [file] { ::close(file); };
  return read_named({file, place.path}, place, tensor);
}

std::string values_content(const ValuesPlace& place, const TensorDesc& tensor,
                           absl::Span<const std::byte> values) {
  if (!place.is_npy) return text_of(values);
  const std::string head = npy_head(types_of(tensor.type).front(), tensor.shape);
  return head + (tensor.type == TensorType::BFloat16 ? as_floats(values) : text_of(values));
}

}  // namespace lightmetal::runner
