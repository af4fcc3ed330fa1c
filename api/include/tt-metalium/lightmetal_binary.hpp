#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace tt::tt_metal {

namespace detail {
class BinaryContent;
}

// A captured program: the bytes of a Light Metal file. A value, and cheap to copy; const functions
// are thread-safe. A large one lies in a temporary file rather than in memory (see
// lightmetal::CaptureOptions::memory_limit), which is gone with its last copy.
class LightMetalBinary {
 public:
  LightMetalBinary() = default;
  explicit LightMetalBinary(std::vector<uint8_t> data);

  // The bytes, valid until set_data() is called or the last copy ends. The first call for a large
  // binary takes it into memory, where it stays, and throws std::runtime_error when it cannot be
  // read.
  const std::vector<uint8_t>& get_data() const;
  void set_data(std::vector<uint8_t> data);
  size_t size() const;  // bytes
  bool is_empty() const;

  // Both throw std::runtime_error that names the path and the reason, and neither takes a large
  // binary into memory. What the bytes mean is not checked here: a replay does that. A saved file
  // appears under its name when it is whole: when save_to_file() throws, what was there before
  // still is.
  void save_to_file(const std::string& filename) const;
  static LightMetalBinary load_from_file(const std::string& filename);

  // For the implementation: the bytes, wherever they are; null when there are none.
  explicit LightMetalBinary(std::shared_ptr<const detail::BinaryContent> content);
  const std::shared_ptr<const detail::BinaryContent>& content() const { return content_; }

 private:
  std::shared_ptr<const detail::BinaryContent> content_;  // shared by copies, never changed
};

}  // namespace tt::tt_metal
