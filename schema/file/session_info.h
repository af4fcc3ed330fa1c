#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "schema/file/frame.h"
#include "schema/file/origin.h"

namespace lightmetal::schema {

// What a file says about itself in its first frame. Only the origin differs between two captures of
// the same program: without it, equal captures give equal bytes.
struct SessionInfo {
  uint32_t version_major = kVersionMajor;
  uint32_t version_minor = kVersionMinor;
  std::string producer;
  std::vector<std::pair<std::string, std::string>> options;  // names and values
  std::optional<OriginInfo> origin;

  friend bool operator==(const SessionInfo&, const SessionInfo&) = default;
};

// The value of an option; null when the session does not have it.
const std::string* option_of(const SessionInfo& session, absl::string_view name);

// The level at which the capture compressed payloads; nullopt where the session says none.
std::optional<int> compression_level_of(const SessionInfo& session);

}  // namespace lightmetal::schema
