#include "runner/npy.h"

#include <cstddef>
#include <map>

#include "absl/strings/str_cat.h"

namespace lightmetal::runner {

std::string numpy_type(absl::string_view element_type) {
  static const std::map<absl::string_view, const char*> kTypes = {
      {"UInt8", "|u1"}, {"UInt16", "<u2"}, {"Int32", "<i4"}, {"UInt32", "<u4"}, {"Float32", "<f4"}};
  const auto found = kTypes.find(element_type);
  return found == kTypes.end() ? "" : found->second;
}

std::string npy_head(const std::string& type, uint64_t elements) {
  std::string dictionary =
      absl::StrCat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", elements, ",), }");
  constexpr size_t kBefore = 10;
  dictionary.resize((kBefore + dictionary.size() + 64) / 64 * 64 - kBefore, ' ');
  dictionary.back() = '\n';
  std::string head = "\x93NUMPY";
  head += {'\1', '\0', static_cast<char>(dictionary.size()), '\0'};
  return head + dictionary;
}

}  // namespace lightmetal::runner
