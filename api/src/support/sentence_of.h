#pragma once

#include <string_view>

namespace tt::tt_metal {

// Of the text of an exception that TT_FATAL or its like threw, what it says, without where that
// was.
std::string_view sentence_of(std::string_view text);

}  // namespace tt::tt_metal
