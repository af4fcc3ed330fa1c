#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <lightmetal/capture.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/lightmetal_binary.hpp>
#include <utility>

#include "api/src/capture/binary_content.h"

namespace tt::tt_metal {
namespace {

using detail::BinaryContent;
using lightmetal::schema::TemporaryFile;

void throw_on_error(const absl::Status& status) {
  if (!status.ok()) TT_THROW("{}", std::string(status.message()));
}

// The binary refers to a copy of the file, so that it stays what it is whatever becomes of the
// file.
LightMetalBinary load_large(const std::string& filename) {
  auto copy = TemporaryFile::copy_of(filename);
  throw_on_error(copy.status());
  const auto size = (*copy)->size();
  throw_on_error(size.status());
  return LightMetalBinary(std::make_shared<const BinaryContent>(*std::move(copy), *size));
}

}  // namespace

LightMetalBinary::LightMetalBinary(std::vector<uint8_t> data) { set_data(std::move(data)); }

LightMetalBinary::LightMetalBinary(std::shared_ptr<const BinaryContent> content)
    : content_(std::move(content)) {}

const std::vector<uint8_t>& LightMetalBinary::get_data() const {
  static const std::vector<uint8_t> nothing;
  if (content_ == nullptr) return nothing;
  const auto bytes = content_->bytes();
  throw_on_error(bytes.status());
  return **bytes;
}

void LightMetalBinary::set_data(std::vector<uint8_t> data) {
  content_ = std::make_shared<const BinaryContent>(std::move(data));
}

size_t LightMetalBinary::size() const { return content_ == nullptr ? 0 : content_->size(); }

bool LightMetalBinary::is_empty() const { return size() == 0; }

void LightMetalBinary::save_to_file(const std::string& filename) const {
  if (content_ == nullptr) return LightMetalBinary(std::vector<uint8_t>()).save_to_file(filename);
  throw_on_error(content_->save(filename));
}

LightMetalBinary LightMetalBinary::load_from_file(const std::string& filename) {
  // The library's streams need not set it when they fail.
  errno = 0;
  if (std::filesystem::is_directory(filename)) TT_THROW("cannot read {}: it is a folder", filename);
  std::ifstream file(filename, std::ios::binary | std::ios::ate);
  if (!file) TT_THROW("cannot read {}: {}", filename, std::strerror(errno));
  const auto size = static_cast<size_t>(file.tellg());
  if (size > lightmetal::CaptureOptions().memory_limit) return load_large(filename);
  std::vector<uint8_t> data(size);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!file) TT_THROW("cannot read {}: {}", filename, std::strerror(errno));
  return LightMetalBinary(std::move(data));
}

}  // namespace tt::tt_metal
