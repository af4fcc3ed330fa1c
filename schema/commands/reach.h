#pragma once

#include <cstdint>

#include "schema/commands/forward.h"

// The check against FlatBuffers that share their parts. One string, vector or table may be named
// from many places, so that a few bytes of a hostile file become objects of any size when they are
// read. Writers of these files share nothing: what they write expands to no more than its bytes.

namespace lightmetal::schema {

// Returns whether all strings, vectors and tables together, counted as often as they are named,
// have at most `bytes` bytes. Takes time for that many bytes at most. Thread-safe. REQUIRES: the
// FlatBuffer is valid and its call known.
bool expanded_size_is_at_most(const Command& command, uint64_t bytes);
bool expanded_size_is_at_most(const Session& session, uint64_t bytes);

}  // namespace lightmetal::schema
