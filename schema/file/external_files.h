#pragma once

#include <cstdint>
#include <memory>
#include <string>
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

// The other files that a binary refers to, opened and mapped when they are first asked for and kept
// until the end. Thread-safe.
//
// Errors name the file, what was expected and what was found. They are clauses to follow the name
// of the payload.
class ExternalFiles {
 public:
  explicit ExternalFiles(ReferenceOptions options) : options_(std::move(options)) {}
  ~ExternalFiles();
  ExternalFiles(const ExternalFiles&) = delete;
  ExternalFiles& operator=(const ExternalFiles&) = delete;

  // Opens the file and checks it as the options say, once for each payload.
  absl::Status check(const ExternalBlobInfo& blob);

  // The same, and the bytes: they lie in the file's mapping.
  absl::StatusOr<Payload> get(const ExternalBlobInfo& blob);

  const ReferenceOptions& options() const { return options_; }

 private:
  using Checked = std::pair<::lightmetal::Digest, std::pair<std::string, uint64_t>>;

  absl::StatusOr<std::shared_ptr<const ReferencedFile>> open(const std::string& path);
  absl::StatusOr<std::shared_ptr<const ReferencedFile>> open_checked(const ExternalBlobInfo& blob);

  const ReferenceOptions options_;
  Mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<const ReferencedFile>> files_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<Checked> checked_ ABSL_GUARDED_BY(mutex_);
};

// What a reference to bytes of a file needs to know of it now. The digest of the bytes is found by
// reading them, in little memory. Also how a capture finds out whether a file holds what was
// uploaded. `descriptor` is an open regular file.
absl::StatusOr<ExternalBlobInfo> describe_in_file(int descriptor, const std::string& path,
                                                  uint64_t offset, uint64_t size);

// Opens a regular file for reading; nothing else is ever waited for or changed by it. The caller
// closes the descriptor.
absl::StatusOr<int> open_regular_file(const std::string& path);

}  // namespace lightmetal::schema
