#include "examples/image_filter/picture.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace example::image {
namespace {

constexpr uint32_t kLargestSide = 1 << 16;
constexpr uint32_t kLargestMaximum = 255;

// Reads a file of the formats P2, P3, P5 and P6 (netpbm's pgm and ppm) from its beginning.
class Parser {
 public:
  Parser(const std::string& name, std::string_view content) : name_(name), content_(content) {}

  Picture parse() {
    Picture picture;
    parse_magic(picture);
    picture.width = number("the width", 1, kLargestSide);
    picture.height = number("the height", 1, kLargestSide);
    picture.maximum = number("the largest sample", 1, kLargestMaximum);
    if (picture.plain) {
      parse_numbers(picture);
    } else {
      parse_bytes(picture);
    }
    return picture;
  }

 private:
  [[noreturn]] void fail(const std::string& what, size_t offset) const {
    throw std::runtime_error(fmt::format("{}: at byte {}: {}", name_, offset, what));
  }

  void parse_magic(Picture& picture) {
    const std::string_view magic = content_.substr(0, 2);
    if (magic != "P2" && magic != "P3" && magic != "P5" && magic != "P6") {
      fail(fmt::format("expected P2, P3, P5 or P6 (a grey or colour picture), found {}",
                       quoted(magic)),
           0);
    }
    picture.channels = magic == "P3" || magic == "P6" ? 3 : 1;
    picture.plain = magic == "P2" || magic == "P3";
    offset_ = 2;
  }

  // White space, and comments from # to the end of the line.
  void skip_space() {
    for (bool comment = false; offset_ < content_.size(); ++offset_) {
      const char c = content_[offset_];
      comment = c == '#' || (comment && c != '\n');
      if (!comment && !is_space(c)) return;
    }
  }

  uint32_t number(std::string_view what, uint32_t smallest, uint32_t largest) {
    const size_t before = offset_;
    skip_space();
    const size_t begin = offset_;
    while (offset_ < content_.size() && is_digit(content_[offset_])) ++offset_;
    const std::string_view digits = content_.substr(begin, offset_ - begin);
    const uint64_t value = digits.empty() || digits.size() > 9 ? ~uint64_t{0} : to_number(digits);
    if (begin == before || value < smallest || value > largest) {
      fail(fmt::format("expected {}, a number from {} to {}, found {}", what, smallest, largest,
                       quoted(word_at(begin))),
           begin);
    }
    return static_cast<uint32_t>(value);
  }

  void parse_numbers(Picture& picture) {
    const size_t count = num_samples(picture);
    for (size_t i = 0; i < count; ++i) {
      const auto what = fmt::format("sample {} of {}", i + 1, count);
      picture.samples.push_back(static_cast<uint8_t>(number(what, 0, picture.maximum)));
    }
  }

  void parse_bytes(Picture& picture) {
    if (offset_ >= content_.size() || !is_space(content_[offset_])) {
      fail("expected white space after the header, found " + quoted(word_at(offset_)), offset_);
    }
    const size_t begin = ++offset_, count = num_samples(picture);
    const std::string_view bytes = content_.substr(begin, count);
    if (bytes.size() != count) {
      fail(fmt::format("expected {} bytes of samples, found {}", count, bytes.size()), begin);
    }
    for (size_t i = 0; i < count; ++i) {
      const auto sample = static_cast<uint8_t>(bytes[i]);
      if (sample > picture.maximum) {
        fail(fmt::format("expected a sample up to {}, found {}", picture.maximum, sample),
             begin + i);
      }
      picture.samples.push_back(sample);
    }
  }

  static size_t num_samples(const Picture& picture) {
    return size_t{picture.width} * picture.height * picture.channels;
  }

  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  static uint64_t to_number(std::string_view digits) {
    uint64_t value = 0;
    for (const char digit : digits) value = value * 10 + static_cast<uint64_t>(digit - '0');
    return value;
  }

  // Up to the next white space, and not long.
  std::string_view word_at(size_t offset) const {
    size_t end = offset;
    while (end < content_.size() && end < offset + 16 && !is_space(content_[end])) ++end;
    return content_.substr(offset, end - offset);
  }

  // Readable whatever bytes the file holds.
  static std::string quoted(std::string_view text) {
    if (text.empty()) return "the end of the file or of the line";
    std::string result = "\"";
    for (const char c : text) {
      result += std::isprint(static_cast<unsigned char>(c)) != 0
                    ? std::string(1, c)
                    : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return result + "\"";
  }

  const std::string& name_;
  const std::string_view content_;
  size_t offset_ = 0;
};

// The plain formats allow no line longer than 70 characters.
void append_numbers(std::string& text, const std::vector<uint8_t>& samples) {
  size_t column = 0;
  for (const uint8_t sample : samples) {
    const std::string number = std::to_string(sample);
    const bool new_line = column + 1 + number.size() > 70;
    if (column > 0) text += new_line ? '\n' : ' ';
    column = (new_line || column == 0 ? 0 : column + 1) + number.size();
    text += number;
  }
  text += '\n';
}

}  // namespace

Picture parse_picture(const std::string& name, const std::string& content) {
  return Parser(name, content).parse();
}

Picture read_picture(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw std::runtime_error(path + ": cannot be read");
  return parse_picture(path, content);
}

std::string to_text(const Picture& picture) {
  const int magic = (picture.channels == 3 ? 3 : 2) + (picture.plain ? 0 : 3);
  std::string text =
      fmt::format("P{}\n{} {}\n{}\n", magic, picture.width, picture.height, picture.maximum);
  if (picture.plain) {
    append_numbers(text, picture.samples);
  } else {
    text.append(picture.samples.begin(), picture.samples.end());
  }
  return text;
}

void write_picture(const std::string& path, const Picture& picture) {
  std::ofstream out(path, std::ios::binary);
  out << to_text(picture) << std::flush;
  if (!out) throw std::runtime_error(path + ": cannot be written");
}

Picture draw_picture(uint32_t width, uint32_t height, uint32_t channels) {
  Picture picture{.width = width, .height = height, .channels = channels};
  picture.samples.resize(size_t{width} * height * channels);
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      const int64_t dx = int64_t{x} - width / 2, dy = int64_t{y} - height / 2;
      const bool ring = (dx * dx + dy * dy) / 900 % 2 == 1;
      for (uint32_t channel = 0; channel < channels; ++channel) {
        const uint32_t ramp = (x * (channel + 1) + y) % 64;
        picture.sample(x, y, channel) = static_cast<uint8_t>(ring ? 220 - ramp : 30 + ramp);
      }
    }
  }
  return picture;
}

}  // namespace example::image
