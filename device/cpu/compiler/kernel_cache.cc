#include "device/cpu/compiler/kernel_cache.h"

#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "device/cpu/compiler/files.h"

// A cache file is
//   magic, digest of all that follows it,
//   number of included files, for each: length of its path, path, digest,
//   length of the object, object
// with numbers of 8 bytes in the host's order: a cache is not moved between machines.
namespace lightmetal::device::cpu {
namespace {

constexpr std::string_view kMagic = "LMKERN01";

Digest digest_of_text(std::string_view text) {
  return digest_of(bytes_of(text.data(), text.size()));
}

void append_number(std::string& out, uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_digest(std::string& out, const Digest& digest) {
  append_number(out, digest.low);
  append_number(out, digest.high);
}

void append_text(std::string& out, std::string_view text) {
  append_number(out, text.size());
  out.append(text);
}

// Reads a cache file from its beginning. Nothing is believed: each part must lie in the file.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<std::string_view> take(uint64_t size) {
    if (size > text_.size()) return std::nullopt;
    const std::string_view taken = text_.substr(0, size);
    text_.remove_prefix(size);
    return taken;
  }

  std::optional<uint64_t> number() {
    const auto bytes = take(sizeof(uint64_t));
    if (!bytes) return std::nullopt;
    uint64_t value;
    std::memcpy(&value, bytes->data(), sizeof(value));
    return value;
  }

  std::optional<Digest> digest() {
    const auto low = number();
    const auto high = number();
    if (!low || !high) return std::nullopt;
    return Digest{*low, *high};
  }

  std::optional<std::string_view> text() {
    const auto size = number();
    return size ? take(*size) : std::nullopt;
  }

  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

bool is_undamaged(Parser& parser) {
  if (parser.take(kMagic.size()) != kMagic) return false;
  const auto digest = parser.digest();
  return digest.has_value() && *digest == digest_of_text(parser.rest());
}

// Whether the next included file of the list still has the content that it had.
bool next_file_is_unchanged(Parser& parser) {
  const auto path = parser.text();
  const auto digest = parser.digest();
  if (!path || !digest) return false;
  const auto content = read_file(std::string(*path));
  return content.ok() && digest_of_text(*content) == *digest;
}

}  // namespace

KernelCache::KernelCache(std::string folder) : folder_(std::move(folder)) {}

std::string KernelCache::path(const Digest& key) const {
  return absl::StrCat(folder_, "/kernels/", key.hex());
}

std::vector<std::byte> KernelCache::find(const Digest& key) const {
  if (folder_.empty()) return {};
  const auto content = read_file(path(key));
  if (!content.ok()) return {};
  Parser parser(*content);
  if (!is_undamaged(parser)) return {};
  const auto num_included = parser.number();
  if (!num_included) return {};
  for (uint64_t i = 0; i < *num_included; ++i) {
    if (!next_file_is_unchanged(parser)) return {};
  }
  const auto object = parser.text();
  if (!object) return {};
  const auto* begin = reinterpret_cast<const std::byte*>(object->data());
  return {begin, begin + object->size()};
}

void KernelCache::store(const Digest& key, absl::Span<const IncludedFile> included,
                        Bytes object) const {
  if (folder_.empty()) return;
  std::string body;
  append_number(body, included.size());
  for (const IncludedFile& file : included) {
    append_text(body, file.path);
    append_digest(body, file.digest);
  }
  append_text(body, {reinterpret_cast<const char*>(object.data()), object.size()});
  std::string content(kMagic);
  append_digest(content, digest_of_text(body));
  content += body;
  std::error_code error;
  std::filesystem::create_directories(absl::StrCat(folder_, "/kernels"), error);
  write_file(path(key), content).IgnoreError();  // A cache that cannot be written costs time only.
}

}  // namespace lightmetal::device::cpu
