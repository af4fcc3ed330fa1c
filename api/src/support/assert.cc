#include <stdexcept>
#include <string>
#include <string_view>
#include <tt-metalium/assert.hpp>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "api/src/support/errors.h"
#include "api/src/support/sentence_of.h"
#include "capture/capture.h"

namespace tt::assert {
namespace {

// How the second line of such a text begins.
constexpr std::string_view kThrown[] = {"\nTT_FATAL @ ", "\nTT_THROW @ ", "\nTT_ASSERT @ "};

std::string sentence_of(const Location& location, std::string_view message) {
  if (!message.empty()) return std::string(message);
  return *location.condition == '\0' ? "An error was thrown"
                                     : fmt::format("{} does not hold", location.condition);
}

}  // namespace

void raise(const Location& location, std::string_view message) {
  std::string text = fmt::format("{}\n{} @ {}:{}", sentence_of(location, message), location.kind,
                                 location.file, location.line);
  if (*location.condition != '\0') text += fmt::format(": {}", location.condition);
  tt_metal::throw_noted(text);
}

}  // namespace tt::assert

void tt::tt_metal::throw_noted(absl::string_view text) {
  const std::string whole = absl::StrReplaceAll(text, {{absl::string_view("\0", 1), "\\x00"}});
  // The capture's record of the failed call quotes the text.
  lightmetal::capture::note_failure(whole.data(), whole.size());
  throw std::runtime_error(whole);
}

std::string_view tt::tt_metal::sentence_of(std::string_view text) {
  for (const std::string_view thrown : tt::assert::kThrown) {
    // The last one: the message itself may quote another text.
    const size_t place = text.rfind(thrown);
    if (place != text.npos) return text.substr(0, place);
  }
  return text;
}
