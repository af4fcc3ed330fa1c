#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/reference_options.h"
#include "schema/file/external_blob.h"
#include "schema/storage/payload.h"

namespace lightmetal::schema {

class ReferencedFile;

// The other files that a binary refers to. Each is opened and mapped when it is first asked for,
// and stays open until the end. Thread-safe.
//
// Errors name the file, what was expected and what was found. They are clauses to follow the name
// of the payload.
class ExternalFiles {
 public:
  explicit ExternalFiles(ReferenceOptions options) : options_(std::move(options)) {}
  ~ExternalFiles();
  ExternalFiles(const ExternalFiles&) = delete;
  ExternalFiles& operator=(const ExternalFiles&) = delete;

  // Opens the file and checks the blob in it as the options say, once for each payload.
  absl::Status check(const ExternalBlobInfo& blob);

  // Does what check() does and returns the bytes, which lie in the file's mapping and keep it open.
  absl::StatusOr<Payload> get(const ExternalBlobInfo& blob);

  const ReferenceOptions& options() const { return options_; }

 private:
  // The digest of a payload, the path that was opened, and the payload's offset and size there. A
  // hostile file can say one digest of other bytes, and of more than the other file has.
  using Checked = std::tuple<::lightmetal::Digest, std::string, uint64_t, uint64_t>;

  absl::StatusOr<std::shared_ptr<const ReferencedFile>> open(const std::string& path);
  absl::StatusOr<std::shared_ptr<const ReferencedFile>> open_checked(const ExternalBlobInfo& blob);

  const ReferenceOptions options_;
  Mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<const ReferencedFile>> files_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<Checked> checked_ ABSL_GUARDED_BY(mutex_);
};

// Finds what a reference to `size` bytes at `offset` of a file has to say of the file now. Reads
// the bytes for their digest, in little memory. A capture also finds out with it whether a file
// holds what was uploaded. `descriptor` is an open regular file and stays the caller's; `path` is
// recorded as it is.
absl::StatusOr<ExternalBlobInfo> describe_in_file(int descriptor, const std::string& path,
                                                  uint64_t offset, uint64_t size);

// Opens a regular file for reading and returns its descriptor, which the caller closes. Anything
// else is an error: it is neither waited for, as a pipe's writer, nor changed by being opened, as a
// device may be.
absl::StatusOr<int> open_regular_file(const std::string& path);

}  // namespace lightmetal::schema
