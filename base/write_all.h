#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/digest.h"

// Writing all of what a system call takes in pieces, however often signals break it off. False,
// with errno, when it fails. Up to eight parts need no memory: for signal handlers, too.
namespace lightmetal {

// Hands all parts to `write_some`, which writes as writev does, in as many pieces as it takes, and
// adds what was written to `done`.
bool write_all(absl::Span<const Bytes> parts, uint64_t& done,
               absl::FunctionRef<ssize_t(const iovec* parts, int count)> write_some);

bool write_all(int file, Bytes bytes);
bool write_all_at(int file, Bytes bytes, uint64_t offset);

}  // namespace lightmetal
