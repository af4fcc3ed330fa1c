#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/digest.h"

// Compiled kernels on disk, one file each, named by the digest of what they were compiled from.
// Many processes may use it at once. It only ever helps: what cannot be read is not there, what
// cannot be written is not kept. Nothing is evicted; the folder may be deleted at any time.
namespace lightmetal::device::cpu {

// A file that a kernel included, and its content at that time.
struct IncludedFile {
  std::string path;
  Digest digest;
};

class KernelCache {
 public:
  // `folder` as cache_folder() gives it; a cache that holds nothing when it is empty.
  explicit KernelCache(std::string folder);

  // The object stored under `key`, or nothing when there is none, it is damaged, or a file it
  // includes has changed.
  std::vector<std::byte> find(const Digest& key) const;

  void store(const Digest& key, absl::Span<const IncludedFile> included, Bytes object) const;

 private:
  std::string path(const Digest& key) const;

  std::string folder_;
};

}  // namespace lightmetal::device::cpu
