#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/lightmetal_binary.hpp>
#include <utility>

namespace tt::tt_metal {

LightMetalBinary::LightMetalBinary(std::vector<uint8_t> data) : data_(std::move(data)) {}

const std::vector<uint8_t>& LightMetalBinary::get_data() const { return data_; }

void LightMetalBinary::set_data(std::vector<uint8_t> data) { data_ = std::move(data); }

size_t LightMetalBinary::size() const { return data_.size(); }

bool LightMetalBinary::is_empty() const { return data_.empty(); }

void LightMetalBinary::save_to_file(const std::string& filename) const {
  errno = 0;
  std::ofstream file(filename, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(data_.data()),
             static_cast<std::streamsize>(data_.size()));
  file.close();
  if (!file) TT_THROW("cannot write {}: {}", filename, std::strerror(errno));
}

LightMetalBinary LightMetalBinary::load_from_file(const std::string& filename) {
  errno = 0;
  if (std::filesystem::is_directory(filename)) TT_THROW("cannot read {}: it is a folder", filename);
  std::ifstream file(filename, std::ios::binary | std::ios::ate);
  if (!file) TT_THROW("cannot read {}: {}", filename, std::strerror(errno));
  std::vector<uint8_t> data(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!file) TT_THROW("cannot read {}: {}", filename, std::strerror(errno));
  return LightMetalBinary(std::move(data));
}

}  // namespace tt::tt_metal
