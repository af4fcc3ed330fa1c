#pragma once

#include <cstddef>
#include <tt-metalium/buffer.hpp>

namespace tt::tt_metal {

// Programs write vectors that hold less than a buffer. Upstream reads on after their end, and
// programs have no use for what it finds. Here the pages that a vector reaches are written, the
// last one filled up with zeros.

// Returns true if `given` bytes are less than the region takes, and are written all the same. The
// log says so once. Returns false if the device's checks are on (docs/debugging-kernels.md): what
// upstream lets pass is then an error.
bool is_short_and_allowed(const Buffer& buffer, const BufferRegion& region, size_t given);

// The pages of `region` that `size` bytes reach into.
BufferRegion reached(const Buffer& buffer, const BufferRegion& region, size_t size);

}  // namespace tt::tt_metal
