#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/digest.h"

// Compiled kernels on disk, one file for each, named by the digest of what the kernel was compiled
// from. Many processes may use a cache at once. The cache only ever helps: a file that cannot be
// read counts as missing, and one that cannot be written is not kept. Nothing is evicted; anybody
// may delete the folder at any time.
namespace lightmetal::device::cpu {

// A file that a kernel has included, and the digest of the file's content at that time.
struct IncludedFile {
  std::string path;
  Digest digest;
};

class KernelCache {
 public:
  // `folder` is as cache_folder() returns it; with an empty one the cache never holds anything.
  explicit KernelCache(std::string folder);

  // The object that is stored under `key`. Empty when there is none, when its file is damaged, or
  // when a file that the kernel includes has changed.
  std::vector<std::byte> find(const Digest& key) const;

  // Keeps an object under `key`, in place of an earlier one. Errors are ignored.
  void store(const Digest& key, absl::Span<const IncludedFile> included, Bytes object) const;

 private:
  std::string path(const Digest& key) const;

  std::string folder_;
};

}  // namespace lightmetal::device::cpu
