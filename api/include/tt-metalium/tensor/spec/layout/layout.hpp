#pragma once

#include <fmt/ostream.h>

#include <ostream>

namespace tt::tt_metal {

// The order of a tensor's elements: row after row, or tile after tile, each face by face.
enum class Layout { ROW_MAJOR = 0, TILE = 1, INVALID = 2 };

std::ostream& operator<<(std::ostream& os, const Layout& layout);  // such as "TILE"

}  // namespace tt::tt_metal

template <>
struct fmt::formatter<tt::tt_metal::Layout> : fmt::ostream_formatter {};
