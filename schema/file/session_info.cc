#include "schema/file/session_info.h"

#include "absl/strings/numbers.h"
#include "schema/file/compressed_blob.h"

namespace lightmetal::schema {

const std::string* option_of(const SessionInfo& session, absl::string_view name) {
  for (const auto& [option, value] : session.options) {
    if (option == name) return &value;
  }
  return nullptr;
}

std::optional<int> compression_level_of(const SessionInfo& session) {
  const std::string* value = option_of(session, "compress");
  int level = 0;
  const bool is_level = value != nullptr && absl::SimpleAtoi(*value, &level) && level >= 1 &&
                        level <= kMaxCompressionLevel;
  return is_level ? std::optional(level) : std::nullopt;
}

}  // namespace lightmetal::schema
