#pragma once

#include <cstdint>

namespace binding_details {

// What the host knows of the tiles behind a name that it gave a kernel.
struct LLKMetadata {
  static constexpr uint8_t kNoFormat = 0xFF;
  uint8_t format = kNoFormat;
  uint8_t face_r_dim = 16;
  uint8_t face_c_dim = 16;
  uint8_t num_faces_r_dim = 2;
  uint8_t num_faces_c_dim = 2;
};

}  // namespace binding_details
