#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/digest.h"

namespace lightmetal::capture {

// Two images of files. The second goes on where the first ends; see flight_recorder.h.
struct Images {
  Bytes older;                // may be empty; without index and footer
  Bytes current;              // the same
  uint64_t snapshot_end = 0;  // of `current`: where the commands begin that follow its snapshot
  // The names of the blobs in `older`, in ascending order.
  absl::Span<const Digest> older_blobs;
};

// The names of the blobs in an image, in ascending order.
std::vector<Digest> blobs_of(Bytes image);

// Empties the file and writes `images` to it, as one file without an index. Returns its size, or
// -1, with errno, when the system does not take all. Async-signal-safe. REQUIRES: the images were
// written by a schema::Writer.
int64_t write_merged(int file, const Images& images);

}  // namespace lightmetal::capture
