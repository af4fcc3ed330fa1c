#pragma once

#include "base/digest.h"

// What the fuzzers do with the bytes of a file. None of it may crash, hang, leak or take memory out
// of proportion, whatever the bytes are.
namespace lightmetal::fuzz {

// Opens the file and reads whatever can be read of it.
void read(Bytes file);

// Verifies it and repairs it; what repair makes must verify.
void verify(Bytes file);

// Loads it and runs it on the null device.
void replay(Bytes file);

}  // namespace lightmetal::fuzz
