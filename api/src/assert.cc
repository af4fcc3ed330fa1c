#include <stdexcept>
#include <tt-metalium/assert.hpp>

#include "capture/capture.h"

namespace tt::assert {

void raise(const Location& location, std::string_view message) {
  std::string text = fmt::format("{} @ {}:{}", location.kind, location.file, location.line);
  if (*location.condition != '\0') text += fmt::format(": {}", location.condition);
  if (!message.empty()) text += fmt::format("\ninfo:\n{}", message);
  lightmetal::capture::note_failure(text.data(), text.size());
  throw std::runtime_error(text);
}

}  // namespace tt::assert
