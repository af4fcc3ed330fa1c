#pragma once

#include <string>

#include "flatbuffers/flatbuffers.h"

namespace lightmetal::schema {

// A string of a file as a std::string; an absent one is empty. The bytes may be no UTF-8 and may
// have controls (base/text.h).
inline std::string text_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
}

}  // namespace lightmetal::schema
