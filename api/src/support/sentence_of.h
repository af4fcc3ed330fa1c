#pragma once

#include <string_view>

namespace tt::tt_metal {

// The message of an exception that TT_FATAL or its like threw: its text without the line that says
// where it was thrown.
std::string_view sentence_of(std::string_view text);

}  // namespace tt::tt_metal
