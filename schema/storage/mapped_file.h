#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "base/mutex.h"
#include "schema/storage/payload.h"

namespace lightmetal::schema {

// A regular file mapped for reading. A process that has read pages of a mapped file holds them
// resident, so the pages can be given back to the system while the file is open. Thread-safe. A
// file that another process cuts short while it is mapped raises SIGBUS at a read, as any mapped
// file does; this class does not handle that.
class MappedFile : public std::enable_shared_from_this<MappedFile> {
 public:
  // Released bytes wait until there are so many, and their pages are given back together; fewer may
  // stay resident. Files that are no larger keep their pages.
  static constexpr uint64_t kReleaseWindow = uint64_t{32} << 20;

  // Maps the file at `path`. An error names the path and the reason; InvalidArgument for anything
  // but a regular file. Does not wait for a named pipe's writer.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> open(const std::string& path);
  // The file behind a descriptor, which remains the caller's. `name` stands for the path.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> map(int descriptor,
                                                               const std::string& name);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }

  // A hint that nobody reads these bytes soon. A later read gets them from the file again.
  // REQUIRES: the bytes lie in the file.
  void release(uint64_t offset, uint64_t size) const;

  // These bytes as a payload, which keeps the file mapped and is released when its last copy ends.
  // REQUIRES: the bytes lie in the file.
  Payload payload(uint64_t offset, uint64_t size) const;

 private:
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  explicit MappedFile(Bytes bytes) : bytes_(bytes) {}

  // Returns the ranges to give back now; none while they are too small.
  std::vector<Range> add_released(Range range) const;

  const Bytes bytes_;
  mutable Mutex mutex_;
  mutable std::vector<Range> released_ ABSL_GUARDED_BY(mutex_);
  mutable uint64_t released_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

// A hint that nobody soon reads the bytes `part` of a payload whose owner is `owner`
// (Payload::owner()). For payloads so large that their pages cannot wait for the payload's end.
// Does nothing for a payload that does not lie in a mapped file. REQUIRES: `part` lies in the
// payload.
void release_part(const std::shared_ptr<const void>& owner, Bytes part);

}  // namespace lightmetal::schema
