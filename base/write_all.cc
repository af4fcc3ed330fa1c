#include "base/write_all.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>

#include "absl/container/inlined_vector.h"

namespace lightmetal {
namespace {

using Vectors = absl::InlinedVector<iovec, 8>;

Vectors vectors_of(absl::Span<const Bytes> parts) {
  Vectors vectors;
  for (const Bytes part : parts) {
    if (part.empty()) continue;
    vectors.push_back({const_cast<std::byte*>(part.data()), part.size()});  // only read from
  }
  return vectors;
}

// Takes `written` bytes off the front.
void advance(absl::Span<iovec>& vectors, size_t written) {
  while (!vectors.empty() && written >= vectors.front().iov_len) {
    written -= vectors.front().iov_len;
    vectors.remove_prefix(1);
  }
  if (written == 0) return;
  vectors.front().iov_base = static_cast<char*>(vectors.front().iov_base) + written;
  vectors.front().iov_len -= written;
}

}  // namespace

bool write_all(absl::Span<const Bytes> parts, uint64_t& done,
               absl::FunctionRef<ssize_t(const iovec* parts, int count)> write_some) {
  Vectors storage = vectors_of(parts);
  absl::Span<iovec> vectors = absl::MakeSpan(storage);
  while (!vectors.empty()) {
    const size_t count = std::min<size_t>(vectors.size(), IOV_MAX);
    const ssize_t written = write_some(vectors.data(), static_cast<int>(count));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    if (written == 0) {
      errno = EIO;  // another try may write nothing, too
      return false;
    }
    done += static_cast<uint64_t>(written);
    advance(vectors, static_cast<size_t>(written));
  }
  return true;
}

bool write_all(int file, Bytes bytes) {
  uint64_t done = 0;
  return write_all({bytes}, done,
                   [file](const iovec* parts, int count) { return ::writev(file, parts, count); });
}

bool write_all_at(int file, Bytes bytes, uint64_t offset) {
  uint64_t done = offset;
  return write_all({bytes}, done, [file, &done](const iovec* parts, int count) {
    return ::pwritev(file, parts, count, static_cast<off_t>(done));
  });
}

}  // namespace lightmetal
