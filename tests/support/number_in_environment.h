#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

// How much a test does, as who runs it asks.
inline uint32_t number_in_environment(const char* name, uint32_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::stoul(text));
}
