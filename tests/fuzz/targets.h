#pragma once

#include <cstddef>

#include "base/digest.h"

// What the fuzzers do with the bytes of a file. None of it may crash, hang, leak or take memory out
// of proportion, whatever the bytes are.
namespace lightmetal::fuzz {

// How far a file got. A fuzzer whose files all stop early tests nothing of what comes later.
enum class Reached {
  Nothing,
  Opened,
  Sound,    // verified, redacted, or loaded, so that a run of it was begun
  Replayed  // to its end
};

// Opens the file and reads whatever can be read of it.
Reached read(Bytes file);

// Verifies it and repairs it; what repair makes must verify.
Reached verify(Bytes file);

// Takes out of it what is confidential, without and with its payloads. Both files that come out
// must verify. Payloads may lie in the file of zeros that it takes for kZeros, and in no other.
Reached redact(Bytes file);

// Loads it and runs it on the null device. Payloads may lie in the file of zeros that it takes for
// kZeros, and in no other.
Reached replay(Bytes file);

inline constexpr char kZeros[] = "/lightmetal_fuzz/zeros";
inline constexpr size_t kZerosSize = 4096;

}  // namespace lightmetal::fuzz
