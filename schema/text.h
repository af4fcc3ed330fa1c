#pragma once

#include <string>

#include "flatbuffers/flatbuffers.h"

namespace lightmetal::schema {

// A string of a file; an absent one is empty.
inline std::string text_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
}

}  // namespace lightmetal::schema
