#pragma once

#include <cstdint>

#include "base/digest.h"

namespace lightmetal::schema {

// A writer takes room for frames that are about to come, in zeros, and cuts the file to its length
// when it closes it. A writer that dies leaves at most this many bytes of room.
inline constexpr uint64_t kMostRoom = uint64_t{4} << 20;

// Returns how many bytes at the end of a file that was not closed are such room. `end` is where its
// last whole frame ends. A frame's first word is written last, so room begins with a word of zeros.
// Bytes behind it that are not zero belong to a frame that was being written, and are not counted.
uint64_t room_at_end(Bytes file, uint64_t end);

}  // namespace lightmetal::schema
