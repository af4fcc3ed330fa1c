#pragma once

#include <cstdint>
#include <optional>
#include <tt-metalium/strong_type.hpp>

namespace tt::tt_metal {

// The number of a command queue, for programs that keep it apart from other numbers.
using QueueId = ttsl::StrongType<uint8_t, struct QueueIdTag>;

inline std::optional<uint8_t> raw_optional(const std::optional<QueueId>& cq_id) {
  return cq_id.has_value() ? std::optional<uint8_t>(cq_id->get()) : std::nullopt;
}

}  // namespace tt::tt_metal
