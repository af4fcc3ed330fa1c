#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tt::tt_metal {

// A captured program: the bytes of a Light Metal file. A value; const functions are thread-safe.
class LightMetalBinary {
 public:
  LightMetalBinary() = default;
  explicit LightMetalBinary(std::vector<uint8_t> data);

  const std::vector<uint8_t>& get_data() const;
  void set_data(std::vector<uint8_t> data);
  size_t size() const;  // bytes
  bool is_empty() const;

  // Both throw std::runtime_error that names the path and the reason. What the bytes mean is not
  // checked here: replay does that.
  void save_to_file(const std::string& filename) const;
  static LightMetalBinary load_from_file(const std::string& filename);

 private:
  std::vector<uint8_t> data_;
};

}  // namespace tt::tt_metal
