#include "base/byte_size.h"

#include "absl/strings/numbers.h"

namespace lightmetal {

std::optional<uint64_t> parse_byte_size(absl::string_view text) {
  constexpr absl::string_view kUnits = "KMGT";
  const size_t unit = text.empty() ? absl::string_view::npos : kUnits.find(text.back());
  const int shift = unit == absl::string_view::npos ? 0 : 10 * (static_cast<int>(unit) + 1);
  if (shift != 0) text.remove_suffix(1);
  // SimpleAtoi alone would accept signs and spaces. Shifting up and down again shows whether bits
  // were lost.
  uint64_t number = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(text, &number) || number << shift >> shift != number) {
    return std::nullopt;
  }
  return number << shift;
}

}  // namespace lightmetal
