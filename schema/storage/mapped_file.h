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

// A regular file mapped for reading, whose pages can be given back to the system while it is open:
// a process that has read them holds them resident. Thread-safe. A file that another process cuts
// short while it is mapped raises SIGBUS, as any mapped file does.
class MappedFile : public std::enable_shared_from_this<MappedFile> {
 public:
  // Of so many bytes and more that were given back, the pages are given back together; fewer may
  // stay resident. Files that are no larger keep their pages.
  static constexpr uint64_t kReleaseWindow = uint64_t{32} << 20;

  // Errors name the path and the reason.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> open(const std::string& path);
  // The file behind a descriptor, which remains the caller's. `name` stands for the path.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> map(int descriptor,
                                                               const std::string& name);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }

  // A hint that nobody reads these bytes soon. Whoever reads them all the same gets them from the
  // file again.
  void release(uint64_t offset, uint64_t size) const;

  // These bytes as a payload that is released when its last copy ends. REQUIRES: they lie in the
  // file.
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

// A hint that nobody reads these bytes of a payload soon, whose owner is `owner`
// (Payload::owner()). For payloads so large that they cannot wait for their end; nothing happens to
// those that do not lie in a mapped file. REQUIRES: they are a part of the payload.
void release_part(const std::shared_ptr<const void>& owner, Bytes part);

}  // namespace lightmetal::schema
