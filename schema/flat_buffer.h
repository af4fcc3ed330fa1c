#pragma once

#include <cstddef>

#include "flatbuffers/flatbuffers.h"

namespace lightmetal::schema {

// The root's offset and the identifier.
inline constexpr size_t kSmallestFlatBuffer = 8;

// Whether FlatBuffers may be asked if so many bytes, a size prefix among them, are a valid buffer.
// Its verifier reads the root's offset and the identifier before it looks at the size, and in
// builds with assertions it ends the process when it is made for FLATBUFFERS_MAX_BUFFER_SIZE or
// more: ask this first.
constexpr bool may_be_flat_buffer(size_t size) {
  return size >= kSmallestFlatBuffer && size < FLATBUFFERS_MAX_BUFFER_SIZE;
}

}  // namespace lightmetal::schema
