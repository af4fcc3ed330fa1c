#include <tt-metalium/utils.hpp>

namespace tt::utils {

std::vector<std::string> strsplit(std::string input, char delimiter) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = input.find(delimiter, begin)) != input.npos; begin = end + 1) {
    parts.push_back(input.substr(begin, end - begin));
  }
  parts.push_back(input.substr(begin));
  return parts;
}

}  // namespace tt::utils
