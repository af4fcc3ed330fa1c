#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/storage/file_identity.h"
#include "schema/storage/mapped_file.h"

namespace lightmetal::schema {

// A file that has no name and is gone with this object, or with the process. When the program
// closes descriptors that it does not know, the file is gone, too, and every call returns an error.
// It lies in the system's temporary folder (TMPDIR). Thread-safe, except for what users do with the
// descriptor.
class TemporaryFile {
 public:
  // Errors name the folder and the reason.
  static absl::StatusOr<std::unique_ptr<TemporaryFile>> create();
  // Creates a file that holds what the file at `path` holds.
  static absl::StatusOr<std::unique_ptr<TemporaryFile>> copy_of(const std::string& path);

  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_; }
  // "a temporary file in FOLDER", for messages.
  const std::string& name() const { return name_; }
  absl::StatusOr<uint64_t> size() const;
  absl::StatusOr<std::shared_ptr<const MappedFile>> map() const;

 private:
  TemporaryFile(int descriptor, std::string name)
      : descriptor_(descriptor), identity_(FileIdentity::of(descriptor)), name_(std::move(name)) {}

  absl::Status check_open() const;

  const int descriptor_;
  const FileIdentity identity_;
  const std::string name_;
};

}  // namespace lightmetal::schema
