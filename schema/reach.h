#pragma once

#include <cstdint>

#include "schema/forward.h"

// FlatBuffers may name one string, vector or table from many places, and what a reader makes of a
// few such bytes can be of any size. No writer of these files does so: what is reached in different
// ways lies in different places.

namespace lightmetal::schema {

// Whether all strings, vectors and tables of the command together, counted as often as they are
// reached, have at most `bytes` bytes. Takes time for so many bytes at most. Thread-safe.
// REQUIRES: the FlatBuffer is valid and its call known.
bool reaches_at_most(const Command& command, uint64_t bytes);
bool reaches_at_most(const Session& session, uint64_t bytes);

}  // namespace lightmetal::schema
