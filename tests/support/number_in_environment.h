#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

// A number by which the person who runs a test says how much the test does; `otherwise` when the
// variable is not set.
inline uint32_t number_in_environment(const char* name, uint32_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::stoul(text));
}
