#pragma once

#include <cstdint>

#include "base/digest.h"

namespace lightmetal::schema {

// A writer takes room for frames that are about to come, in zeros, and cuts the file to its length
// when it closes it. One that dies leaves no more than this behind.
inline constexpr uint64_t kMostRoom = uint64_t{4} << 20;

// How many bytes at the end of a file that was not closed are such room. `end`: of its last whole
// frame. A frame's first word is written last, so room begins with a word of zeros; what had been
// written of a frame behind that is none.
uint64_t room_at_end(Bytes file, uint64_t end);

}  // namespace lightmetal::schema
