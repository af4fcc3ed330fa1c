#pragma once

#include <cstdint>

#include "schema/commands/forward.h"

// The check against FlatBuffers that share their parts: one string, vector or table may be named
// from many places, so that a few bytes become objects of any size when they are read. Writers of
// these files share nothing, so what they write is as large as its bytes.

namespace lightmetal::schema {

// Whether all strings, vectors and tables together, counted as often as they are named, have at
// most `bytes` bytes. Takes time for that many bytes at most. Thread-safe.
// REQUIRES: the FlatBuffer is valid and its call known.
bool expanded_size_is_at_most(const Command& command, uint64_t bytes);
bool expanded_size_is_at_most(const Session& session, uint64_t bytes);

}  // namespace lightmetal::schema
