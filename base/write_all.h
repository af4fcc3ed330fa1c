#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/digest.h"

// Writing everything that a system call takes in pieces, however often signals break it off. All
// functions return false, with errno, when the call fails, and with EIO when it writes nothing.
// They need no memory for up to eight parts, so that signal handlers may call them then.
namespace lightmetal {

// Hands all parts to `write_some`, which writes as writev does, again and again until all is
// written. Adds to `done` what was written, also before an error.
bool write_all(absl::Span<const Bytes> parts, uint64_t& done,
               absl::FunctionRef<ssize_t(const iovec* parts, int count)> write_some);

// Writes at the descriptor's position, or at `offset` without moving it.
bool write_all(int file, Bytes bytes);
bool write_all_at(int file, Bytes bytes, uint64_t offset);

}  // namespace lightmetal
