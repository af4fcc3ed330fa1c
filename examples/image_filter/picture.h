#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace example::image {

// A grey or colour picture of 8 bits per sample, as in a PGM or PPM file.
struct Picture {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t channels = 1;   // 1: grey, 3: red, green, blue
  uint32_t maximum = 255;  // the sample that is white; 1 to 255
  bool plain = false;      // samples are decimal numbers in the file (P2, P3), or bytes (P5, P6)
  std::vector<uint8_t> samples = {};  // row-major, the channels of a pixel side by side

  uint8_t& sample(uint32_t x, uint32_t y, uint32_t channel) {
    return samples[(size_t{y} * width + x) * channels + channel];
  }
  uint8_t sample(uint32_t x, uint32_t y, uint32_t channel) const {
    return samples[(size_t{y} * width + x) * channels + channel];
  }

  bool operator==(const Picture&) const = default;
};

// These throw std::runtime_error, which says which file it is, where in it, what was expected and
// what was found.
Picture parse_picture(const std::string& name, const std::string& content);
Picture read_picture(const std::string& path);
void write_picture(const std::string& path, const Picture& picture);

std::string to_text(const Picture& picture);  // the content of its file

// A picture with rings, ramps and edges.
Picture draw_picture(uint32_t width, uint32_t height, uint32_t channels);

}  // namespace example::image
